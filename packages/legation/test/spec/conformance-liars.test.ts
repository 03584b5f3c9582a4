// A check that cannot fail judges nothing: against agents that claim everything and do nothing, every check fails on
// one of them; and single lies on the wire are each caught by the check that is there for them.
import assert from "node:assert/strict";
import test from "node:test";
import type { Fetch, FetchResponse } from "../../src/bindings/http/outgoing.ts";
import { globalFetch } from "../../src/bindings/http/transport.ts";
import { openGrpcWire } from "../../src/cli/grpc-wire.ts";
import { CHECKS } from "../../src/conformance/checks.ts";
import { runConformance } from "../../src/conformance/run-conformance.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { withAgent } from "./conformance-agents.ts";

/** A card that claims everything, in the worst form. */
const BOAST: JsonObject = {
  name: "Liar",
  supportedInterfaces: [
    { url: "http://agent.example.com/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0.7" },
    { url: "http://agent.example.com/rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.0.7" },
    { url: "x", protocolBinding: "pigeon" },
  ],
  capabilities: {
    streaming: true,
    pushNotifications: true,
    extendedAgentCard: true,
    extensions: [{ uri: "urn:legation:extension:rehearsal:v1" }, { uri: "urn:free-of-versions" }],
  },
  securitySchemes: { odd: {} },
  securityRequirements: [{ schemes: { odd: {} } }],
  skills: [{ id: "s" }],
  signatures: [{ protected: "e30", signature: "!" }],
  agent_version: "1",
};

/** The same agent, which now claims to be able to do nothing. */
const MEEK: JsonObject = {
  ...BOAST,
  capabilities: { extensions: [{ uri: "urn:must", required: true }, { uri: "urn:free-of-versions" }] },
};

/** Answers each request in its own way, but for the card. */
function stub(card: JsonObject, answer: (url: string, body: string) => Response): Fetch {
  return async (url, init) => {
    if (!url.includes("/.well-known/")) return answer(url, init.body ?? "");
    return new Response(JSON.stringify({ ...card, name: init.headers["if-none-match"] ?? "Other" }), { status: 201 });
  };
}

function json(status: number, value: unknown): Response {
  return new Response(JSON.stringify(value), { status, headers: { "content-type": "text/html" } });
}

/** Says yes to everything, and gives nothing. */
function yes(url: string): Response {
  const status = url.includes("/rest") ? 200 : 202;
  const lie = {
    task: { task_id: 1, status: { state: "done", timestamp: "today" }, artifacts: [{}, {}] },
    echo: "fieldOfTomorrow",
  };
  return json(status, url.includes("/rest") ? lie : { result: lie });
}

/** Says no to everything, in a shape of its own, and to strangers by one binding alone. */
function no(url: string): Response {
  return json(url.includes("/rest") ? 500 : 401, { problem: "no <html>" });
}

const HOOK = {
  open: async () => ({
    url: "http://127.0.0.1:9/",
    next: async () => ({ headers: {}, body: "{}" }),
    close: async () => undefined,
  }),
};

test("no check passes against every liar", { timeout: 120_000 }, async () => {
  const failed = new Set<string>();
  for (const card of [BOAST, MEEK]) {
    for (const answer of [yes, no]) {
      const results = await runConformance({
        url: "http://agent.example.com",
        fetch: withCard(card, stub(card, answer)),
        webhook: HOOK,
        otherCredentials: async () => ({}),
        timeoutMs: 1_000,
      });
      for (const { check, outcome } of results) if (outcome === "fail") failed.add(check);
    }
  }
  const never = CHECKS.map(({ id }) => id).filter((id) => !failed.has(id));
  assert.deepEqual(never, []);
});

/** The first request finds the card; every later one for it gets what the liar has to say. */
function withCard(card: JsonObject, rest: Fetch): Fetch {
  let found = false;
  return async (url, init) => {
    if (found || !url.includes("/.well-known/")) return rest(url, init);
    found = true;
    return json(200, card);
  };
}

/** Rewrites the bodies of answers on their way to the judge. */
function rewriting(rewrite: (text: string) => string, status: (status: number) => number = (given) => given): Fetch {
  return async (url, init): Promise<FetchResponse> => {
    const response = (await globalFetch(url, init)) as Response;
    if (url.includes("/.well-known/") || response.status === 204 || response.status === 304) return response;
    const text = rewrite(await response.text());
    return new Response(text, { status: status(response.status), headers: response.headers });
  };
}

interface Lie {
  readonly what: string;
  readonly fetch: Fetch;
  /** Checks that must catch it, `binding check`. */
  readonly caughtBy: readonly string[];
}

const LIES: readonly Lie[] = [
  {
    what: "snake_case names",
    fetch: rewriting((text) => text.replaceAll('"contextId"', '"context_id"')),
    caughtBy: ["jsonrpc 5.5/camel-case", "rest 5.5/camel-case", "rest 4.2/status-update"],
  },
  {
    what: "lower-case states",
    fetch: rewriting((text) => text.replaceAll("TASK_STATE_COMPLETED", "completed")),
    caughtBy: ["jsonrpc 4.1/state", "rest 4.1/state"],
  },
  {
    what: "an offset in timestamps",
    fetch: rewriting((text) => text.replaceAll(/("timestamp":"[^"]+)Z"/g, '$1+00:00"')),
    caughtBy: ["jsonrpc 5.6.1/utc", "rest 5.6.1/utc"],
  },
  {
    what: "timestamps in seconds",
    fetch: rewriting((text) => text.replaceAll(/("timestamp":"[^"]+)\.\d+Z"/g, '$1Z"')),
    caughtBy: ["jsonrpc 5.6.1/milliseconds", "rest 5.6.1/milliseconds"],
  },
  {
    what: "no nextPageToken",
    fetch: rewriting((text) => text.replaceAll(/"nextPageToken":"[^"]*",/g, "")),
    caughtBy: ["jsonrpc 3.1.4/fields", "rest 3.1.4/fields", "rest 3.1.4/pages"],
  },
  {
    what: "empty artifacts in lists",
    fetch: rewriting((text) =>
      text.includes('"tasks":[') ? text.replaceAll('"status":', '"artifacts":[],"status":') : text,
    ),
    caughtBy: ["jsonrpc 3.1.4/artifacts", "rest 3.1.4/artifacts"],
  },
  {
    what: "another code for an unknown task",
    fetch: rewriting((text) => text.replaceAll("-32001", "-32000").replaceAll("TASK_NOT_FOUND", "NOT_FOUND")),
    caughtBy: ["jsonrpc 3.1.3/unknown-task", "rest 3.1.3/unknown-task", "jsonrpc 9.5/error-info", "rest 11.6/shape"],
  },
  {
    what: "409 in the place of 400",
    fetch: rewriting(
      (text) => text,
      (status) => (status === 400 ? 409 : status),
    ),
    caughtBy: ["rest 3.1.5/terminal", "rest 3.1.1/terminal-task"],
  },
  {
    what: "details without @type",
    fetch: rewriting((text) => text.replaceAll(/"@type":"[^"]*",/g, "")),
    caughtBy: ["jsonrpc 3.3.2/payload", "rest 3.3.2/payload"],
  },
  {
    what: "ids that are not those of the request",
    fetch: rewriting((text) => text.replace(/"id":("[^"]*"|\d+)/, '"id":99')),
    caughtBy: ["jsonrpc 9.3/id", "rest 4.1/task"],
  },
  {
    what: "no Task at the beginning of a stream",
    fetch: rewriting((text) => text.replace(/id: \d+\ndata: [^\n]*"task":[^\n]*\n\n/, "")),
    caughtBy: ["jsonrpc 3.1.2/task-stream", "rest 3.1.2/task-stream", "rest 3.1.6/subscribe", "rest 11.7/stream"],
  },
  {
    what: "a lost event",
    fetch: rewriting((text) => text.replace(/id: \d+\ndata: [^\n]*7 [^\n]*\n\n/, "")),
    caughtBy: ["jsonrpc 3.5.2/order", "rest 3.5.2/order"],
  },
  {
    what: "streams that stop before the end",
    fetch: rewriting((text) => text.replace(/id: \d+\ndata: [^\n]*TASK_STATE_COMPLETED[^\n]*\n\n$/, "")),
    caughtBy: ["jsonrpc 3.1.2/task-stream", "rest 3.1.2/task-stream", "jsonrpc 3.1.6/subscribe"],
  },
];

test("single lies are caught by the checks that are there for them", { timeout: 240_000 }, async (t) => {
  await withAgent({}, async (host) => {
    for (const { what, fetch, caughtBy } of LIES) {
      await t.test(what, async () => {
        const only = [...new Set(caughtBy.map((name) => name.slice(name.indexOf(" ") + 1)))];
        const results = await runConformance({ url: host.url, fetch, only, timeoutMs: 5_000 });
        const caught = results
          .filter(({ outcome }) => outcome === "fail")
          .map(({ binding, check }) => `${binding} ${check}`);
        for (const name of caughtBy) assert.ok(caught.includes(name), `${name} did not catch it; caught: ${caught}`);
      });
    }
  });
});

test("7.1/encrypted reads every form of an address, and none of them breaks it", async () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["GRPC", "agents.example.com:443", "pass"],
    ["GRPC", "localhost:4000", "pass"],
    ["GRPC", "[::1]:4000", "pass"],
    ["GRPC", "http://10.0.0.1:4000", "fail"],
    ["GRPC", "not an address", "fail"],
    ["JSONRPC", "https://agents.example.com/rpc", "pass"],
    ["JSONRPC", "http://127.0.0.1:4000", "pass"],
    ["JSONRPC", "http://agents.example.com", "fail"],
    ["JSONRPC", "agents.example.com:443", "fail"],
    ["HTTP+JSON", "example.com", "fail"],
  ];
  for (const [protocolBinding, url, expected] of cases) {
    const one = { url, protocolBinding, protocolVersion: "1.0" };
    const [result] = await runConformance({
      card: { ...MEEK, supportedInterfaces: [one] },
      only: ["7.1/encrypted"],
      openGrpc: openGrpcWire,
    });
    assert.deepEqual([url, result?.outcome, result?.got], [url, expected, expected === "fail" ? url : undefined]);
  }
});
