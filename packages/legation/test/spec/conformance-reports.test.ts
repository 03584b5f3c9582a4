// The reports of conformance/, its choice of checks and its list of known failures.
import assert from "node:assert/strict";
import test from "node:test";
import { applyKnownFailures, parseKnownFailures } from "../../src/conformance/known-failures.ts";
import { reportBadge } from "../../src/conformance/report-badge.ts";
import { reportJson } from "../../src/conformance/report-json.ts";
import { reportJunit } from "../../src/conformance/report-junit.ts";
import { reportText } from "../../src/conformance/report-text.ts";
import { type ConformanceResult, runConformance } from "../../src/conformance/run-conformance.ts";
import { isLocalError } from "../../src/operations/errors.ts";

const ok: ConformanceResult = {
  check: "3.1.3/unknown-task",
  title: "§3.1.3 Get Task › MUST say that an unknown task is not found",
  requirements: ["3.1.3/unknown-task"],
  level: "MUST",
  binding: "rest",
  outcome: "pass",
  ms: 12,
};
const broken: ConformanceResult = {
  ...ok,
  check: "3.1.5/terminal",
  title: "§3.1.5 Cancel Task › MUST reject a terminal task",
  requirements: ["3.1.5/terminal-not-cancelable"],
  outcome: "fail",
  expected: "TASK_NOT_CANCELABLE, status 400",
  got: '200 {"a":"<b> & \u0007"}',
  exchange: "POST /tasks/t-1:cancel {}\n200 {}",
};
const advice: ConformanceResult = { ...broken, check: "8.6/etag", level: "SHOULD", binding: "card", got: "none" };
const skipped: ConformanceResult = { ...ok, check: "3.1.7/creates", outcome: "skipped", reason: "no push" };
const results = [ok, broken, advice, skipped];

test("the text report names the failures, what was expected and what came", () => {
  assert.equal(
    reportText(results),
    [
      "FAIL §3.1.5 Cancel Task › MUST reject a terminal task [rest]",
      "     check     3.1.5/terminal",
      "     expected  TASK_NOT_CANCELABLE, status 400",
      '     got       200 {"a":"<b> & \u0007"}',
      "     | POST /tasks/t-1:cancel {}",
      "     | 200 {}",
      "warn §3.1.5 Cancel Task › MUST reject a terminal task [card]",
      "     check     8.6/etag",
      "     expected  TASK_NOT_CANCELABLE, status 400",
      "     got       none",
      "     | POST /tasks/t-1:cancel {}",
      "     | 200 {}",
      "1 passed, 1 failed, 1 advised, 1 skipped; 1 requirements held",
      "",
    ].join("\n"),
  );
  assert.match(reportText(results, { all: true }), /^ok {3}§3\.1\.3 .*\n(.*\n)*skip §3\.1\.3 .* \[rest\]: no push$/m);
});

test("the JSON report holds the numbers, the results and the texts of their requirements", () => {
  const report = JSON.parse(reportJson(results)) as {
    summary: unknown;
    results: unknown;
    requirements: Record<string, { level: string; section: string }>;
  };
  assert.deepEqual(report.summary, { passed: 1, failed: 1, advised: 1, skipped: 1, requirementsHeld: 1 });
  assert.deepEqual(report.results, JSON.parse(JSON.stringify(results)));
  assert.equal(report.requirements["3.1.5/terminal-not-cancelable"]?.level, "MUST");
  assert.equal(report.requirements["3.1.3/unknown-task"]?.section, "3.1.3");
});

test("the JUnit report counts by binding and escapes what agents send", () => {
  const xml = reportJunit(results);
  assert.match(xml, /<testsuite name="rest" tests="3" failures="1" skipped="1">/);
  assert.match(xml, /<testsuite name="card" tests="1" failures="0" skipped="0">/);
  assert.ok(xml.includes("got 200 {&quot;a&quot;:&quot;&lt;b&gt; &amp; \ufffd&quot;}"));
  assert.ok(xml.includes("<failure message=") && xml.includes("POST /tasks/t-1:cancel {}&#10;200 {}</failure>"));
  assert.ok(xml.includes('<skipped message="no push"/>'));
  assert.ok(xml.includes("<system-out>advice: "));
});

test("the badge is red when a MUST is broken, and only then", () => {
  assert.match(reportBadge(results), /#b3261e.*1 failed/);
  assert.match(reportBadge([ok, advice]), /#1b7f3b.*1 requirements held/);
});

test("known failures are inverted, and turn red when they are old", () => {
  const known = parseKnownFailures("# ours\n3.1.5/terminal rest # since March\n\n3.1.3/unknown-task\n3.1.7/creates\n");
  const [stale, inverted, other, notRun] = applyKnownFailures(
    [ok, broken, { ...broken, binding: "jsonrpc" }, skipped],
    known,
  );
  assert.equal(inverted?.outcome, "pass");
  assert.match(inverted?.reason ?? "", /^known failure: expected TASK_NOT_CANCELABLE/);
  assert.equal(stale?.outcome, "fail");
  assert.match(stale?.got ?? "", /it passes; remove it from the list/);
  assert.equal(other?.outcome, "fail");
  assert.equal(notRun?.outcome, "fail");
  assert.match(notRun?.got ?? "", /not run: no push/);
});

test("a list of known failures that names what does not exist is refused", () => {
  assert.throws(() => parseKnownFailures("\n3.1.5/nothing"), /line 2: there is no check 3\.1\.5\/nothing/);
  assert.throws(() => parseKnownFailures("3.1.5/terminal pigeon"), /line 1: write the check/);
});

test("the runner says why it cannot judge", async () => {
  const card = { name: "x", supportedInterfaces: [{ url: "x:1", protocolBinding: "GRPC", protocolVersion: "1.0" }] };
  const fails = (
    options: Parameters<typeof runConformance>[0],
    code: Parameters<typeof isLocalError>[1],
  ): Promise<void> => assert.rejects(runConformance(options), (thrown) => isLocalError(thrown, code));
  await fails({}, "CONFIGURATION");
  await fails({ card, only: ["3.1.99"] }, "CONFIGURATION");
  await fails({ card }, "NO_COMMON_INTERFACE");
  await fails(
    { url: "http://agent.example.com/a", fetch: async () => new Response("no", { status: 404 }) },
    "NOT_AN_AGENT",
  );
});

test("a run that is ended skips what is left, and one check can be chosen", async () => {
  const card = {
    name: "x",
    supportedInterfaces: [{ url: "http://agent.example.com", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }],
  };
  const fetch = async (): Promise<Response> => new Response("{}", { status: 500 });
  const ended = await runConformance({ card, fetch, signal: AbortSignal.abort() });
  assert.ok(
    ended.length > 100 && ended.every(({ outcome, reason }) => outcome === "skipped" && reason === "the run was ended"),
  );
  const seen: string[] = [];
  const one = await runConformance({
    card,
    fetch,
    only: ["3.1.3/unknown-task"],
    onResult: ({ check }) => seen.push(check),
  });
  assert.deepEqual(seen, ["3.1.3/unknown-task"]);
  assert.equal(one[0]?.outcome, "fail");
  assert.match(one[0]?.exchange ?? "", /^GET \/tasks\/[0-9a-f-]+\n500 \{\}$/);
});

test("an agent that does not answer fails by its time limit", async () => {
  const card = {
    name: "x",
    supportedInterfaces: [{ url: "http://agent.example.com", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" }],
  };
  const fetch = (_url: string, { signal }: { readonly signal?: AbortSignal }): Promise<Response> =>
    new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  const [result] = await runConformance({ card, fetch, only: ["3.1.3/unknown-task"], timeoutMs: 30 });
  assert.equal(result?.outcome, "fail");
  assert.equal(result?.got, "none within 30 ms");
});
