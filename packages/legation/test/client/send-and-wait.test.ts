import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "../../src/client/client.ts";
import { type ConnectOptions, connect } from "../../src/client/connect.ts";
import type { ClientFetch } from "../../src/client/fetch-card.ts";
import type { AgentCapabilities, Task } from "../../src/model/gen/types.ts";
import { plainCall } from "../../src/operations/call.ts";
import { A2AError, isA2AError, isLocalError, LocalError } from "../../src/operations/errors.ts";
import { IDEMPOTENT_SEND_EXTENSION } from "../../src/operations/extension-uris.ts";
import { payloadOfValue } from "../../src/operations/payload.ts";
import { cardOf, chunk, clientOf, createPeer, instantClock, status, task } from "./fake-peer.ts";

interface Rpc {
  readonly method: string;
  readonly params: {
    readonly configuration?: { readonly returnImmediately?: boolean };
    readonly [key: string]: unknown;
  };
}

/** What a `fetch` throws when the other side sends no header in time. */
function headersTimeout(): TypeError {
  return new TypeError("fetch failed", {
    cause: Object.assign(new Error("timeout"), { code: "UND_ERR_HEADERS_TIMEOUT" }),
  });
}

/** A client of a JSON-RPC agent without a socket: `answer` gives a result or throws what `fetch` would. */
async function over(
  answer: (call: Rpc) => unknown,
  capabilities: AgentCapabilities = {},
  options: ConnectOptions = {},
): Promise<{ readonly client: Client; readonly calls: Rpc[]; readonly waits: readonly number[] }> {
  const calls: Rpc[] = [];
  const fetch: ClientFetch = async (url, { body = "" }) => {
    const { id, method, params } = JSON.parse(body) as Rpc & { readonly id: number };
    calls.push({ method, params });
    const result = answer({ method, params });
    const headers = { "content-type": "application/json", "a2a-extensions": "urn:one, urn:two" };
    return Object.defineProperty(new Response(JSON.stringify({ jsonrpc: "2.0", id, result }), { headers }), "url", {
      value: url,
    });
  };
  const clock = instantClock();
  const card = cardOf({
    supportedInterfaces: [{ url: "https://slow.test/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities,
  });
  let id = 0;
  const client = await connect(card, { fetch, clock, random: () => 0.5, newId: () => `m-${++id}`, ...options });
  return { client, calls, waits: clock.waits };
}

function slowTask(state: string, messageId = "m-1", id = "t-1"): Task {
  const history = [{ messageId, role: "ROLE_USER" as const, parts: [{ text: "go" }] }];
  return { id, contextId: "c-1", status: { state: `TASK_STATE_${state}` as never }, history };
}

test("a send that outlives the time limit of fetch finds its task again and waits on", async () => {
  let reads = 0;
  const { client, calls } = await over(({ method }) => {
    if (method === "SendMessage") throw headersTimeout();
    if (method === "ListTasks") {
      const tasks = [slowTask("WORKING", "m-other", "t-other"), slowTask("WORKING")];
      return { tasks, nextPageToken: "", pageSize: 20, totalSize: 2 };
    }
    reads++;
    return slowTask(reads < 4 ? "WORKING" : "COMPLETED");
  });
  const reply = await client.send("go");
  assert.ok(reply.kind === "task");
  assert.deepEqual([reply.id, reply.state], ["t-1", "COMPLETED"]);
  assert.deepEqual(
    calls.map(({ method }) => method),
    ["SendMessage", "ListTasks", "GetTask", "GetTask", "GetTask", "GetTask"],
  );
});

test("an agent that carries out a message once is sent it again, at last without asking it to hold the request", async () => {
  const { client, calls } = await over(
    ({ method, params }) => {
      if (method === "GetTask") return slowTask("INPUT_REQUIRED");
      if (params.configuration?.returnImmediately !== true) throw headersTimeout();
      return { task: slowTask("WORKING") };
    },
    { extensions: [{ uri: IDEMPOTENT_SEND_EXTENSION }] },
  );
  const reply = await client.send("go");
  assert.ok(reply.kind === "task" && reply.state === "INPUT_REQUIRED");
  const sends = calls.filter(({ method }) => method === "SendMessage");
  assert.deepEqual(
    sends.map(({ params }) => params.configuration?.returnImmediately === true),
    [false, false, false, true],
  );
  assert.equal(new Set(sends.map(({ params }) => JSON.stringify(params["message"]))).size, 1);
});

test("an answer to a task is looked for in that task", async () => {
  let reads = 0;
  const { client, calls } = await over(({ method }) => {
    if (method === "SendMessage") throw headersTimeout();
    return slowTask(++reads < 2 ? "WORKING" : "COMPLETED");
  });
  const reply = await client.send("go", { taskId: "t-1" });
  assert.ok(reply.kind === "task" && reply.state === "COMPLETED");
  assert.ok(calls.slice(1).every(({ method, params }) => method === "GetTask" && params["id"] === "t-1"));
});

test("a message that cannot be found is reported as lost, with its id", async () => {
  const isLoss = (error: unknown): boolean =>
    isLocalError(error, "UNREACHABLE") &&
    error.metadata["messageId"] === "m-1" &&
    error.metadata["cause"] === "UND_ERR_HEADERS_TIMEOUT" &&
    /whether message m-1 arrived is not known/.test(error.message);
  const empty = { tasks: [slowTask("WORKING", "m-other")], nextPageToken: "", pageSize: 20, totalSize: 1 };
  for (const listed of [() => empty, () => assert.fail("no lists here")]) {
    const { client } = await over(({ method }) => {
      if (method === "SendMessage") throw headersTimeout();
      return listed();
    });
    await assert.rejects(client.send("go"), isLoss);
  }
});

test("a task that still works is waited for, by stream where there is one", async () => {
  const log = [task(), chunk("Albany", false, "a-1", "route.md"), status("COMPLETED", "done")];
  for (const streaming of [true, false]) {
    const peer = createPeer({
      log,
      overrides: (self) => ({ sendMessage: async () => payloadOfValue({ task: self.snapshot(1) }) }),
    });
    peer.head = 1;
    const client = await clientOf(peer, { card: cardOf({ capabilities: { streaming } }) });
    const reply = await client.send("go");
    assert.ok(reply.kind === "task" && reply.state === "COMPLETED");
    assert.equal(await reply.artifact("route.md")?.text(), "Albany");
    assert.equal(peer.calls[0]?.method, streaming ? "subscribeToTask" : "getTask");
    peer.head = 1;
    const now = await client.send("go", { returnImmediately: true });
    assert.ok(now.kind === "task" && now.state === "WORKING");
  }
});

test("an agent that can do nothing but send is not waited for", async () => {
  const warnings: string[] = [];
  const peer = createPeer({
    log: [task()],
    overrides: () => ({ getTask: () => Promise.reject(new A2AError("METHOD_NOT_FOUND", "no GetTask here")) }),
  });
  const client = await clientOf(peer, {
    card: cardOf({ capabilities: {} }),
    onWarning: (sentence) => warnings.push(sentence),
  });
  const reply = await client.send("go");
  assert.ok(reply.kind === "task" && reply.state === "WORKING");
  assert.match(warnings.join(), /task t-1 cannot be followed \(no GetTask here\)/);
});

test("the time limit of a send spans the wait for its task", async () => {
  const log = [task()];
  const peer = createPeer({ log });
  const client = await clientOf(peer, { card: cardOf({ capabilities: {} }), polling: { intervalMs: 100, maxMs: 100 } });
  await assert.rejects(client.send("go", { timeoutMs: 20 }), (error) => isLocalError(error, "TIMEOUT"));
});

test("the extensions that an agent echoed are on the call that was made", async () => {
  const { client } = await over(() => slowTask("WORKING"), {}, { headers: { "x-a": "1" } });
  const call = plainCall({ extensions: ["urn:one"] });
  await client.service.getTask({ id: "t-1" }, call);
  assert.deepEqual(call.activeExtensions, ["urn:one", "urn:two"]);
  const seen: unknown[] = [];
  const { client: observed } = await over(
    () => slowTask("WORKING"),
    {},
    {
      interceptors: [
        async (invocation, next) => {
          const answer = await next(invocation);
          seen.push(invocation.call.activeExtensions);
          return answer;
        },
      ],
    },
  );
  await observed.task("t-1");
  assert.deepEqual(seen, [["urn:one", "urn:two"]]);
});

test("a connection that breaks before any answer is suspected of the wrong scheme, one that takes too long is not", async () => {
  for (const [code, isSuspected] of [
    ["ECONNRESET", true],
    ["UND_ERR_SOCKET", true],
    ["UND_ERR_HEADERS_TIMEOUT", false],
  ] as const) {
    const { client } = await over(
      () => {
        throw new TypeError("fetch failed", { cause: { code } });
      },
      {},
      { retry: false },
    );
    const error: unknown = await client.task("t-1").catch((thrown: unknown) => thrown);
    assert.ok(error instanceof LocalError && !isA2AError(error));
    assert.equal(/whether it speaks http or https/.test(error.message), isSuspected, error.message);
  }
});
