// `legation conformance`: the checks themselves are proved by test/spec/conformance.test.ts; here is what is around them.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it, type TestContext } from "node:test";
import { grpcTransport } from "../../src/bindings/grpc/grpc-transport.ts";
import { connect } from "../../src/client/connect.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import { A2AError } from "../../src/operations/errors.ts";
import { createAgent } from "../../src/server/agent.ts";
import { encodeByOracle, messageNamed } from "../grpc/oracle.ts";
import { callRaw } from "../grpc/raw-call.ts";
import { BIN, startRehearsal, startServer, temporaryFolder } from "./rehearsal-process.ts";
import { runCli } from "./run-cli.ts";

const server = await startRehearsal({ after }, { cwd: import.meta.dirname });
const judge = (...args: readonly string[]): ReturnType<typeof runCli> =>
  runCli(["conformance", "-a", server.url, ...args]);

interface Report {
  readonly summary: { readonly passed: number; readonly failed: number };
  readonly results: readonly { readonly check: string; readonly binding: string; readonly outcome: string }[];
}

/** An agent that knows two callers. */
async function withLock(t: TestContext): Promise<string> {
  const agent = createAgent({
    name: "Locked",
    description: "Asks who calls.",
    version: "1.0.0",
    onTask: () => "done",
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  });
  const host = await serve(agent, {
    log: false,
    async authenticate(request) {
      const owner = /^Bearer of-(\w+)$/.exec(request.header("authorization") ?? "")?.[1];
      if (owner === undefined) throw new A2AError("UNAUTHENTICATED", "say who you are");
      return { owner };
    },
  });
  t.after(() => host.close({ graceMs: 0 }));
  return host.url;
}

describe("conformance of an agent", () => {
  it("judges every binding of the card, in three formats and a badge", async (t) => {
    const badge = path.join(temporaryFolder(t), "badge.svg");
    const { code, stdout } = await judge("--only", "3.1.3", "--badge", badge);
    assert.deepEqual([code, stdout.split("\n").length], [0, 2]);
    assert.match(stdout, /^6 passed, 0 failed, 0 advised, 0 skipped; \d+ requirements held$/m);
    assert.match(readFileSync(badge, "utf8"), /^<svg .*requirements held/);
    const all = await judge("--only", "3.1.3", "--verbose");
    assert.match(all.stdout, /^ok {3}§3\.1\.3 Get Task › MUST say that an unknown task is not found \[grpc\]$/m);
    const report = (await judge("--only", "3.1.3/unknown-task", "-o", "json")).json() as Report;
    assert.equal(report.summary.passed, 3);
    assert.deepEqual(
      report.results.map(({ binding, outcome }) => [binding, outcome]),
      [
        ["jsonrpc", "pass"],
        ["rest", "pass"],
        ["grpc", "pass"],
      ],
    );
    const junit = await judge("--only", "3.1.3/unknown-task", "--transport", "rest", "-o", "junit");
    assert.match(
      junit.stdout,
      /^<\?xml .*\n<testsuites name="conformance">\n {2}<testsuite name="rest" tests="1" failures="0"/,
    );
  });

  it("exits with 1 for an agent that breaks a MUST, and names section, expectation and answer", async (t) => {
    // What it says of its cache cannot be revalidated, and its data model is another's: an old hand-written server.
    const liar = await serve(
      createAgent({ name: "Liar", description: "Lies.", version: "1.0.0", onMessage: () => "no" }),
      {
        log: false,
        grpc: false,
        wrap: (handler) => async (request) => {
          const response = await handler(request);
          return response === undefined
            ? undefined
            : { ...response, body: response.body?.replaceAll("TASK_NOT_FOUND", "OOPS") };
        },
      },
    );
    t.after(() => liar.close({ graceMs: 0 }));
    const { code, stdout } = await runCli([
      "conformance",
      "-a",
      liar.url,
      "--only",
      "3.1.3/unknown-task",
      "--transport",
      "rest",
    ]);
    assert.equal(code, 1);
    assert.match(stdout, /^FAIL §3\.1\.3 Get Task › MUST say that an unknown task is not found \[rest\]$/m);
    assert.match(stdout, /^ {5}expected {2}an ErrorInfo with reason TASK_NOT_FOUND$/m);
    assert.match(stdout, /^ {5}\| GET \/tasks\//m);
  });

  it("inverts known failures, and turns red when the list is old", async (t) => {
    const file = path.join(temporaryFolder(t), "known.txt");
    writeFileSync(file, "3.1.3/unknown-task rest # was broken once\n");
    const stale = await judge("--only", "3.1.3/unknown-task", "--known-failures", file);
    assert.equal(stale.code, 1);
    assert.match(stale.stdout, /got {7}it passes; remove it from the list/);
    writeFileSync(file, "3.1.3/nothing\n");
    const unknown = await judge("--known-failures", file);
    assert.deepEqual([unknown.code, unknown.stdout], [2, ""]);
    assert.match(unknown.stderr, /known\.txt: known failures, line 1: there is no check 3\.1\.3\/nothing/);
  });

  it("judges a locked agent as the caller that is named, and nobody without credentials", async (t) => {
    const locked = await withLock(t);
    const without = await runCli(["conformance", "-a", locked, "--only", "3.1.3"]);
    assert.equal(without.code, 4);
    assert.match(without.stderr, /^Hint: .*--bearer/m);
    const only = ["--only", "3.1.3/unknown-task", "--only", "13.1", "--transport", "rest"];
    const alone = await runCli(["conformance", "-a", locked, "--bearer", "of-alice", "-o", "json", ...only]);
    const both = await runCli([
      "conformance",
      "-a",
      locked,
      "--bearer",
      "of-alice",
      "--other-bearer",
      "of-bob",
      "-o",
      "json",
      ...only,
    ]);
    assert.deepEqual([alone.code, both.code], [0, 0], both.stdout);
    const { summary } = alone.json() as Report;
    assert.ok((both.json() as Report).summary.passed > summary.passed);
  });

  it("says why it cannot judge, by exit status", async () => {
    const cases: readonly (readonly [readonly string[], number, RegExp])[] = [
      [["-a", server.url, "--only", "3.1.99"], 2, /no check is called 3\.1\.99/],
      [["-a", server.url, "--transport", "pigeon"], 2, /jsonrpc or rest or grpc/],
      [[], 2, /no agent is named/],
      [["--client", "-a", server.url], 2, /--client and --agent-card exclude each other/],
      [["-a", "127.0.0.1:1"], 3, /cannot be reached/],
      [["-a", `${server.url}/nothing/agent-card.json`], 3, /no agent card at/],
    ];
    for (const [args, expected, message] of cases) {
      const { code, stderr } = await runCli(["conformance", ...args]);
      assert.equal(code, expected, args.join(" "));
      assert.match(stderr, message);
    }
  });
});

describe("conformance of a client", () => {
  async function judged(
    t: TestContext,
    use: (url: string) => Promise<void>,
    ...args: string[]
  ): Promise<{ code: number | null; stdout: string }> {
    const running = await startServer(t, BIN, ["conformance", "--client", "--port", "0", ...args], import.meta.dirname);
    await use(running.url);
    const code = await running.stop();
    return { code, stdout: running.stdout() };
  }

  it("finds nothing to blame our client for, over broken streams", async (t) => {
    const { code, stdout } = await judged(t, async (url) => {
      const client = await connect(url);
      const run = client.stream("hello");
      assert.equal((await run.result).kind, "task");
      assert.equal(run.delivery, "resumed");
      const asked = await client.send({
        parts: [{ data: { rehearse: [{ ask: "which one?" }, { end: "COMPLETED" }] } }],
      });
      assert.ok(asked.kind === "task");
      const done = await asked.reply("this");
      assert.ok(done.kind === "task" && done.state === "COMPLETED");
    });
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^ok {3}§8\.3\.2 .* › MUST send the tenant of the interface exactly \[client\]$/m);
    assert.match(stdout, /^ok {3}§3\.1\.6 .* › SHOULD ask for the task when its stream broke off \[client\]$/m);
    assert.doesNotMatch(stdout, /FAIL|warn/);
  });

  it("names what a careless client did", async (t) => {
    const { code, stdout } = await judged(t, async (url) => {
      const base = url.replace(/\/judged$/, "");
      const headers = { "content-type": "application/json" };
      const post = (body: object, target = `${base}/`): Promise<Response> =>
        fetch(target, { method: "POST", headers, body: JSON.stringify(body) });
      await fetch(`${url}/.well-known/agent-card.json`);
      await fetch(`${url}/.well-known/agent-card.json`);
      const message = { messageId: "m-1", role: "user", parts: [{ text: "hello" }] };
      await post({ jsonrpc: "2.0", method: "message/send", id: 1, params: { message } });
      await post({ message, contextId: "mine" }, `${base}/message:send?A2A-Version=1.0.3`);
      await post(
        { message: { ...message, role: "ROLE_USER", taskId: "t-1", contextId: "mine" } },
        `${base}/message:send?A2A-Version=1.0`,
      );
      await fetch(`${base}/tasks?page_size=1`);
      await fetch(`${base}/v1/card`);
      await fetch(`${base}/extendedAgentCard?A2A-Version=1.0`);
    });
    assert.equal(code, 1);
    const broken = [...stdout.matchAll(/^ {5}check {5}(.*)$/gm)].map(([, check]) => check);
    assert.deepEqual(broken, [
      "3.6.1/sends-version",
      "3.6/no-patch-in-request",
      "9.2/client-headers",
      "11.2/client-headers",
      "9.3/client-envelope",
      "11.5/client-query",
      "8.3.2/right-url",
      "8.3.2/tenant",
      "3.3.4/client-validates",
      "3.4.2/existing-task-id",
      "3.4.1/no-own-context",
      "5.7/client-valid",
      "8.6.2/honours",
    ]);
  });

  it("finds nothing to blame our client for over gRPC, whose streams break as well", async (t) => {
    for (const fault of ["end:2", "cut:2", "truncate:2", "duplicate"]) {
      const { code, stdout } = await judged(
        t,
        async (url) => {
          const client = await connect(url, { prefer: ["GRPC"], transports: { GRPC: grpcTransport() } });
          const run = client.stream("hello");
          const done = await run.result;
          assert.ok(done.kind === "task" && done.state === "COMPLETED");
          assert.equal(run.delivery, fault === "duplicate" ? "complete" : "resumed", fault);
          await client.close();
        },
        "--fault",
        fault,
      );
      assert.equal(code, 0, stdout);
      assert.match(stdout, /^ok {3}§10\.2 .* › MUST send service parameters as gRPC metadata \[grpc\]$/m);
      assert.match(stdout, /^ok {3}§8\.3\.2 .* › MUST send the tenant of the interface exactly \[client\]$/m);
      assert.match(stdout, /^skip §8\.3\.2 .* first interface .*: the client used grpc alone/m);
      const resumes = /^(ok|skip) +§3\.1\.6 .* › SHOULD ask for the task when its stream broke off/m.exec(stdout)?.[1];
      assert.equal(resumes, fault === "duplicate" ? "skip" : "ok");
      assert.doesNotMatch(stdout, /FAIL|warn/);
    }
  });

  it("names what a careless client did over gRPC", async (t) => {
    const { code, stdout } = await judged(
      t,
      async (url) => {
        const { host } = new URL(url);
        const send = (request: object): Buffer => encodeByOracle(messageNamed("SendMessageRequest"), request);
        const none = { "a2a-version": "" };
        const message = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "hello" }] };
        assert.equal((await callRaw(host, "SendMessage", send({ message }), { headers: none })).status, 9);
        const patched = { headers: { "a2a-version": "1.0.3" } };
        assert.equal(
          (await callRaw(host, "SendMessage", send({ message: { ...message, parts: [] } }), patched)).status,
          3,
        );
        const own = { ...message, taskId: "t-1", contextId: "mine" };
        assert.equal((await callRaw(host, "SendMessage", send({ message: own }))).status, 5);
        assert.equal((await callRaw(host, "GetExtendedAgentCard", Buffer.alloc(0))).status, 9);
        assert.equal((await callRaw(host, "GetTask", Buffer.from("0a05", "hex"))).status, 3);
        assert.equal((await callRaw(host, "/a2a.v1.A2AService/GetTask", Buffer.alloc(0))).status, 12);
        assert.equal((await callRaw(host, "/grpc.health.v1.Health/Check", Buffer.alloc(0))).status, 0);
        // Left alone after its first event, which is all of the stream that is broken on purpose.
        const lonely = { message: { ...message, messageId: "m-2" } };
        assert.equal((await callRaw(host, "SendStreamingMessage", send(lonely))).messages.length, 1);
      },
      "--fault",
      "end:1",
    );
    assert.equal(code, 1);
    const broken = [...stdout.matchAll(/^ {5}check {5}(.*)$/gm)].map(([, check]) => check);
    assert.deepEqual(broken, [
      "3.6.1/sends-version",
      "3.6/no-patch-in-request",
      "10.2/client-metadata",
      "8.3.2/right-url",
      "8.3.2/tenant",
      "3.3.4/client-validates",
      "3.4.2/existing-task-id",
      "3.4.1/no-own-context",
      "5.7/client-valid",
      "3.1.6/resumes",
    ]);
    assert.match(stdout, /^ {5}got {7}POST \/a2a\.v1\.A2AService\/GetTask$/m);
    assert.match(stdout, /^ {5}\| POST \/lf\.a2a\.v1\.A2AService\/SendMessage \{"message":\{"messageId":"m-1"/m);
  });

  it("takes a choice of rules and a list of known failures for clients, too", async (t) => {
    const file = path.join(temporaryFolder(t), "known.txt");
    writeFileSync(file, "8.3.2/tenant\n");
    const { code, stdout } = await judged(
      t,
      async (url) => {
        const base = url.replace(/\/judged$/, "");
        await fetch(`${base}/tasks`, { headers: { "a2a-version": "1.0" } });
      },
      "--only",
      "8.3.2",
      "--known-failures",
      file,
    );
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^ok {3}§8\.3\.2 .* the tenant .*: known failure: expected the tenant judged, got none$/m);
    assert.equal(stdout.trimEnd().split("\n").length, 5);
  });

  it("fails a client that never came, after the time that was set", async () => {
    const { code, stderr, stdout } = await runCli([
      "conformance",
      "--client",
      "--for",
      "50ms",
      "--port",
      "0",
      "-o",
      "json",
    ]);
    assert.equal(code, 1);
    assert.match(stderr, /^listening http:\/\/127\.0\.0\.1:\d+\/judged$/m);
    assert.match(stderr, /no request came/);
    const { results } = JSON.parse(stdout) as Report;
    assert.ok(results.length > 10 && results.every(({ outcome }) => outcome === "skipped"));
  });
});
