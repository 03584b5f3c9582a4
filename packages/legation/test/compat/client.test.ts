// Our client against agents of v0.3 that answer as such agents do: without kinds, with words of their own, in the error
// shapes that v0.3 left open.
import assert from "node:assert/strict";
import test from "node:test";
import { type ClientFetch, connect, isA2AError, isLocalError } from "../../src/client/index.ts";
import { v0_3 } from "../../src/compat/v0_3/v0-3.ts";
import type { AgentCard } from "../../src/model/gen/types.ts";
import type { Loose } from "../../src/model/notes.ts";

const CARD = {
  protocolVersion: "0.3.0",
  name: "Old",
  description: "d",
  version: "1",
  url: "http://old.test/rpc",
  preferredTransport: "JSONRPC",
  additionalInterfaces: [{ url: "http://old.test/rest/", transport: "HTTP+JSON" }],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

interface Asked {
  readonly url: string;
  readonly verb: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Loose;
}

/** Answers every call with the same; keeps what was asked. */
function agentThatAnswers(status: number, body: object | string, asked: Asked[] = []): ClientFetch {
  return async (url, init) => {
    const headers = init?.headers as Record<string, string>;
    asked.push({ url, verb: init?.method ?? "GET", headers, body: JSON.parse(String(init?.body ?? "{}")) });
    const type = typeof body === "string" ? "text/event-stream" : "application/json";
    return new Response(typeof body === "string" ? body : JSON.stringify(body), {
      status,
      headers: { "content-type": type },
    });
  };
}

function bodyOf([first]: readonly Asked[]): Loose {
  assert.ok(first !== undefined, "nothing was asked");
  return first.body;
}

const connectOld = (fetch: ClientFetch, binding = "JSONRPC") =>
  connect(CARD as unknown as AgentCard, { fetch, compat: v0_3(), prefer: [binding], retry: false, resume: false });

test("a response of JSON-RPC counts as one whatever type it is said to be of; other text does not", async () => {
  const task = { kind: "task", id: "t", contextId: "c", status: { state: "working" } };
  const plain =
    (text: string): ClientFetch =>
    async () =>
      new Response(text, { headers: { "content-type": "text/plain; charset=utf-8" } });
  const client = await connectOld(plain(JSON.stringify({ jsonrpc: "2.0", id: 1, result: task })));
  assert.equal((await client.task("t")).state, "WORKING");
  for (const text of ["hello", '{"result":{}}']) {
    const stranger = await connectOld(plain(text));
    await assert.rejects(stranger.task("t"), (thrown) => isLocalError(thrown, "NOT_AN_AGENT"));
  }
});

test("a send says blocking and nothing of 1.0, and an answer without kinds is understood", async () => {
  const asked: Asked[] = [];
  const task = {
    id: "t",
    contextId: "c",
    status: { state: "completed" },
    artifacts: [{ artifactId: "a", parts: [{ text: "x" }] }],
  };
  const client = await connectOld(agentThatAnswers(200, { jsonrpc: "2.0", id: 1, result: task }, asked));
  const reply = await client.send("hi", { historyLength: 0 });
  assert.ok(reply.kind === "task");
  assert.deepEqual([reply.state, await reply.artifacts[0]?.text()], ["COMPLETED", "x"]);
  const { method, params } = bodyOf(asked) as { method: string; params: Loose };
  assert.equal(method, "message/send");
  assert.deepEqual(params["configuration"], { blocking: true });
  const { messageId: _, ...message } = params["message"] as Loose;
  assert.deepEqual(message, { kind: "message", role: "user", parts: [{ kind: "text", text: "hi" }] });
  assert.equal(asked[0]?.headers["a2a-version"], "0.3");
});

test("all of the history is what GetTask means without a length, and none is left out here", async () => {
  const asked: Asked[] = [];
  const history = [{ kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "q" }] }];
  const result = { kind: "task", id: "t", contextId: "c", status: { state: "working" }, history };
  const client = await connectOld(agentThatAnswers(200, { jsonrpc: "2.0", id: 1, result }, asked));
  assert.equal((await client.task("t")).history.length, 1);
  assert.equal((await client.task("t", { historyLength: 0 })).history.length, 0);
  const lengths = asked.map(({ body }) => (body["params"] as Loose)["historyLength"]);
  assert.deepEqual(lengths, [2_147_483_647, 1]);
});

const ERRORS: readonly (readonly [title: string, status: number, body: object, code: string])[] = [
  ["the error of JSON-RPC by itself", 404, { code: -32001, message: "no" }, "TASK_NOT_FOUND"],
  ["the name of a class", 409, { type: "TaskNotCancelableError", message: "no" }, "TASK_NOT_CANCELABLE"],
  [
    "an error object with a status",
    404,
    { error: { code: 404, status: "NOT_FOUND", message: "no" } },
    "TASK_NOT_FOUND",
  ],
  ["a message alone", 409, { message: "no" }, "TASK_NOT_CANCELABLE"],
];

for (const [title, status, body, code] of ERRORS) {
  test(`an error over HTTP+JSON that is ${title} is ${code}`, async () => {
    const asked: Asked[] = [];
    const client = await connectOld(agentThatAnswers(status, body, asked), "HTTP+JSON");
    await assert.rejects(client.cancel("t 1"), (thrown) => isA2AError(thrown) && thrown.code === code);
    assert.deepEqual([asked[0]?.verb, asked[0]?.url], ["POST", "http://old.test/rest/v1/tasks/t%201:cancel"]);
  });
}

test("a stream over HTTP+JSON is read in either spelling, and an error event is that error", async () => {
  const frames = [
    { task: { id: "t", contextId: "c", status: { state: "TASK_STATE_SUBMITTED" } } },
    {
      kind: "artifact-update",
      taskId: "t",
      contextId: "c",
      artifact: { artifactId: "a", parts: [{ kind: "text", text: "x" }] },
    },
    { status_update: { task_id: "t", context_id: "c", status: { state: "TASK_STATE_CANCELLED" }, final: true } },
  ];
  const text = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("");
  const client = await connectOld(agentThatAnswers(200, text), "HTTP+JSON");
  const kinds: string[] = [];
  const run = client.stream("hi");
  for await (const event of run) kinds.push(event.kind);
  assert.deepEqual(kinds, ["task", "artifact", "status"]);
  const outcome = await run.result;
  assert.ok(outcome.kind === "task" && outcome.state === "CANCELED");
  const broken = await connectOld(
    agentThatAnswers(200, 'event: error\ndata: {"code":-32005,"message":"no"}\n\n'),
    "HTTP+JSON",
  );
  await assert.rejects(broken.stream("hi").result, (thrown) => isA2AError(thrown, "CONTENT_TYPE_NOT_SUPPORTED"));
});

test("listing tasks, which v0.3 does not have, is refused here, and nothing is sent", async () => {
  const asked: Asked[] = [];
  const client = await connectOld(agentThatAnswers(200, {}, asked));
  await assert.rejects(client.tasks().page(), (thrown) => isA2AError(thrown, "UNSUPPORTED_OPERATION"));
  assert.equal(asked.length, 0);
});

test("what is no answer of v0.3 is INVALID_AGENT_RESPONSE", async () => {
  const client = await connectOld(agentThatAnswers(200, { jsonrpc: "2.0", id: 1, result: { hello: 1 } }));
  await assert.rejects(client.send("hi"), (thrown) => isA2AError(thrown, "INVALID_AGENT_RESPONSE"));
});

test("an agent of both versions is called in 1.0, and in 0.3 only where no other version may be spoken", async () => {
  const supportedInterfaces = [
    { url: "http://old.test/rpc", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    { url: "http://old.test/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
  ];
  const both = { ...CARD, supportedInterfaces } as unknown as AgentCard;
  const options = { fetch: agentThatAnswers(200, {}), compat: v0_3() };
  assert.equal((await connect(both, options)).interface.protocolVersion, "1.0");
  assert.equal((await connect(both, { ...options, versions: ["0.3"] })).interface.protocolVersion, "0.3");
});
