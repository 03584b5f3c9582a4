// The requirements of clients that show in their requests, held against our client; each test names its requirements.
import assert from "node:assert/strict";
import test from "node:test";
import { connect } from "../../src/client/connect.ts";
import type { ClientFetch } from "../../src/client/fetch-card.ts";
import { valueAt } from "../../src/conformance/json-path.ts";
import { findRequirement } from "../../src/conformance/requirements.ts";
import type { AgentCard, AgentInterface } from "../../src/model/gen/types.ts";
import { plainCall } from "../../src/operations/call.ts";
import { isA2AError } from "../../src/operations/errors.ts";

interface Seen {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const TASK = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" } };

/** Records every request, and answers it in the binding's shape. */
function recorder(seen: Seen[], answer: (request: Seen) => unknown = () => TASK): ClientFetch {
  return async (url, init) => {
    const body: unknown = typeof init.body === "string" ? JSON.parse(init.body) : undefined;
    const headers = Object.fromEntries(new Headers({ ...init.headers }).entries());
    const request = { url: String(url), method: init.method ?? "GET", headers, body };
    seen.push(request);
    const result = answer(request);
    const isRpc = valueAt(body, "jsonrpc") !== undefined;
    const json = isRpc ? { jsonrpc: "2.0", id: valueAt(body, "id"), result } : result;
    return new Response(JSON.stringify(json), { headers: { "content-type": "application/json" } });
  };
}

const RPC: AgentInterface = { url: "https://a.example.com/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" };
const REST: AgentInterface = { url: "https://a.example.com/api", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" };
const PIGEON: AgentInterface = {
  url: "pigeon:1",
  protocolBinding: "https://example.com/pigeon/v1",
  protocolVersion: "1.0",
};

function card(interfaces: readonly AgentInterface[], more: Partial<AgentCard> = {}): AgentCard {
  return {
    name: "Planner",
    description: "Plans.",
    version: "1.0.0",
    supportedInterfaces: [...interfaces],
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "plan", name: "Plan", description: "Plans.", tags: ["plan"] }],
    ...more,
  };
}

/** Defines a test of client requirements; an id that is none is a mistake of the test. */
function verifies(ids: readonly string[], title: string, body: () => Promise<void>): void {
  test(`${title} (${ids.join(", ")})`, async () => {
    for (const id of ids) assert.equal(findRequirement(id)?.role, "client", id);
    await body();
  });
}

/** The requests of the eleven operations' sample over one interface. */
async function requestsOver(one: AgentInterface): Promise<readonly Seen[]> {
  const seen: Seen[] = [];
  const fetch = recorder(seen, ({ url, body }) => {
    const isList = /\/tasks(\?|$)/.test(url) || valueAt(body, "method") === "ListTasks";
    const isSend = url.includes(":send") || valueAt(body, "method") === "SendMessage";
    if (isList) return { tasks: [], nextPageToken: "", pageSize: 1, totalSize: 0 };
    return isSend ? { task: TASK } : TASK;
  });
  const client = await connect(card([one]), {
    fetch,
    extensions: ["https://example.com/a/v1", "https://example.com/b/v1"],
  });
  const message = { messageId: "m-1", role: "ROLE_USER" as const, parts: [{ text: "hello" }] };
  await client.service.sendMessage({ message }, plainCall());
  await client.service.getTask({ id: "t/1 ä", historyLength: 3 }, plainCall());
  const filter = {
    contextId: "c 1&2",
    pageSize: 1,
    includeArtifacts: true,
    statusTimestampAfter: "2026-01-01T00:00:00.000Z",
  };
  await client.service.listTasks(filter, plainCall());
  await client.service.cancelTask({ id: "t-1" }, plainCall());
  assert.equal(seen.length, 4);
  return seen;
}

for (const [binding, one] of [
  ["jsonrpc", RPC],
  ["rest", REST],
] as const) {
  const ids =
    binding === "rest" ? ["11.2/client-headers", "11.2/one-header"] : ["9.2/client-headers", "9.2/one-header"];
  verifies(
    ["3.6.1/sends-version", "3.6/no-patch-in-request", ...ids],
    `sends version and extensions with every request [${binding}]`,
    async () => {
      for (const { headers } of await requestsOver(one)) {
        assert.equal(headers["a2a-version"], "1.0");
        assert.match(
          headers["a2a-extensions"] ?? "",
          /^https:\/\/example\.com\/a\/v1,\s?https:\/\/example\.com\/b\/v1$/,
        );
      }
    },
  );
}

verifies(["9.3/client-envelope"], "writes JSON-RPC 2.0 envelopes with ids of their own", async () => {
  const seen = await requestsOver(RPC);
  assert.deepEqual(
    seen.map(({ method, url, body }) => [method, url, valueAt(body, "jsonrpc"), valueAt(body, "method")]),
    ["SendMessage", "GetTask", "ListTasks", "CancelTask"].map((name) => ["POST", RPC.url, "2.0", name]),
  );
  assert.equal(new Set(seen.map(({ body }) => valueAt(body, "id"))).size, 4);
});

verifies(
  ["11.5/client-query", "5.6.1/client-timestamps"],
  "writes paths and queries camelCase and percent-encoded",
  async () => {
    const [sent, read, listed, canceled] = await requestsOver(REST);
    assert.deepEqual([sent?.method, sent?.url], ["POST", `${REST.url}/message:send`]);
    assert.deepEqual([read?.method, read?.url], ["GET", `${REST.url}/tasks/t%2F1%20%C3%A4?historyLength=3`]);
    assert.equal(listed?.method, "GET");
    assert.deepEqual(Object.fromEntries(new URL(listed?.url ?? "").searchParams), {
      contextId: "c 1&2",
      pageSize: "1",
      includeArtifacts: "true",
      statusTimestampAfter: "2026-01-01T00:00:00.000Z",
    });
    assert.deepEqual([canceled?.method, canceled?.url], ["POST", `${REST.url}/tasks/t-1:cancel`]);
  },
);

const ORDERS: readonly (readonly [readonly AgentInterface[], string])[] = [
  [[RPC, REST], RPC.url],
  [[REST, RPC], `${REST.url}/tasks/t-1`],
  [[PIGEON, REST, RPC], `${REST.url}/tasks/t-1`],
  [[{ ...RPC, protocolVersion: "2.0" }, REST], `${REST.url}/tasks/t-1`],
];
verifies(
  ["8.3.2/first-supported", "8.3.2/prefers-earlier", "8.3.2/right-url"],
  "takes the first interface that it speaks",
  async () => {
    for (const [interfaces, url] of ORDERS) {
      const seen: Seen[] = [];
      const client = await connect(card(interfaces), { fetch: recorder(seen) });
      await client.service.getTask({ id: "t-1" }, plainCall());
      assert.deepEqual(
        seen.map((request) => request.url),
        [url],
      );
    }
  },
);

verifies(["8.3.2/tenant"], "sends the tenant of the interface exactly, and none where there is none", async () => {
  for (const tenant of [undefined, "acme/eu 1"]) {
    const own = tenant === undefined ? {} : { tenant };
    const seen: Seen[] = [];
    const overRpc = await connect(card([{ ...RPC, ...own }]), { fetch: recorder(seen) });
    await overRpc.service.getTask({ id: "t-1" }, plainCall());
    assert.deepEqual(valueAt(seen[0]?.body, "params"), { id: "t-1", ...own });
    const overRest = await connect(card([{ ...REST, ...own }]), { fetch: recorder(seen) });
    await overRest.service.getTask({ id: "t-1" }, plainCall());
    await overRest.service.cancelTask({ id: "t-1" }, plainCall());
    const prefix = tenant === undefined ? "" : "/acme%2Feu%201";
    assert.equal(seen[1]?.url, `${REST.url}${prefix}/tasks/t-1`);
    assert.equal(seen[2]?.url, `${REST.url}${prefix}/tasks/t-1:cancel`);
    assert.equal(valueAt(seen[2]?.body, "tenant"), tenant);
  }
});

verifies(["3.3.4/client-validates"], "asks for nothing that the card does not declare", async () => {
  const seen: Seen[] = [];
  const client = await connect(card([RPC], { capabilities: {} }), { fetch: recorder(seen, () => ({ task: TASK })) });
  await assert.rejects(client.extendedCard(), (thrown) => isA2AError(thrown, "UNSUPPORTED_OPERATION"));
  const isPushMissing = (thrown: unknown): boolean => isA2AError(thrown, "PUSH_NOTIFICATION_NOT_SUPPORTED");
  await assert.rejects(client.pushConfigs("t-1"), isPushMissing);
  await assert.rejects(client.createPushConfig("t-1", { url: "https://example.com/hook" }), isPushMissing);
  assert.deepEqual(seen, []);
  // A run over an agent that does not stream is a send that is followed by reading.
  await client.stream("hello").result;
  assert.ok(seen.length > 0 && seen.every(({ body }) => !/Stream|Subscribe/.test(String(valueAt(body, "method")))));
});

verifies(["5.2/fallback"], "goes on to the next interface when nothing can have reached the first", async () => {
  const seen: Seen[] = [];
  const record = recorder(seen);
  const fetch: ClientFetch = async (url, init) => {
    if (String(url) !== RPC.url) return record(url, init);
    throw Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(), { code: "ECONNREFUSED" }) });
  };
  const client = await connect(card([RPC, REST]), { fetch });
  const { value } = await client.service.getTask({ id: "t-1" }, plainCall());
  assert.equal(value.id, "t-1");
  assert.equal(seen[0]?.url, `${REST.url}/tasks/t-1`);
});
