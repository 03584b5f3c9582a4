import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ask, rpc } from "../../../test/spec/binding-requests.ts";
import { createFakeService, SEND, status, streamOf } from "../../../test/spec/fake-service.ts";
import { A2AError } from "../../operations/errors.ts";
import type { BindingLogEvent } from "../http/binding-options.ts";
import { createJsonRpcHandler, jsonRpcNotFound } from "./handler.ts";

const fake = createFakeService();
const handler = createJsonRpcHandler(fake, { maxBodyBytes: 2_000 });

async function refused(body: unknown, headers?: Record<string, string>): Promise<[number, unknown, number, string]> {
  const { status: http, json } = await ask(handler, "POST /", body, headers);
  return [http, json.id, json.error.code, json.error.message];
}

describe("§9 the envelope", () => {
  it("the id comes back as it was sent", async () => {
    for (const id of ['"a\\u00e9"', "0", "-1", "1.5", "12345678901234567890", "null", '""', "1e400"]) {
      const { text } = await ask(
        handler,
        "POST /",
        `{"params":{"id":"t-1","x":[{"id":7}]},"jsonrpc":"2.0","id":${id},"method":"GetTask"}`,
      );
      const written = id === '"a\\u00e9"' ? '"aé"' : id;
      assert.ok(text.startsWith(`{"jsonrpc":"2.0","id":${written},"result":{`), text.slice(0, 80));
    }
  });

  it("a result is the service's JSON, byte for byte", async () => {
    const { text, headers } = await ask(handler, "POST /", rpc("GetTask", { id: "t-1" }));
    assert.equal(text, `{"jsonrpc":"2.0","id":1,"result":${JSON.stringify(fake.answers.GetTask)}}`);
    assert.equal(headers.get("content-type"), "application/json");
  });

  it("what is no request is refused with the code of JSON-RPC", async () => {
    const rows: [unknown, unknown, number, RegExp][] = [
      ["{", null, -32700, /not valid JSON$/],
      ["", null, -32700, /empty/],
      ["[]", null, -32600, /batch is not supported/],
      [[rpc("GetTask", { id: "t-1" })], null, -32600, /batch is not supported/],
      ["7", null, -32600, /not an object/],
      ["null", null, -32600, /not an object/],
      [{ id: 1, method: "GetTask" }, 1, -32600, /jsonrpc must be "2.0"/],
      [{ jsonrpc: "1.0", id: "x", method: "GetTask" }, "x", -32600, /jsonrpc must be "2.0"/],
      [{ jsonrpc: "2.0", id: 1 }, 1, -32600, /method must be a string/],
      [{ jsonrpc: "2.0", id: 1, method: 7 }, 1, -32600, /method must be a string/],
      [{ jsonrpc: "2.0", id: { a: 1 }, method: "GetTask" }, null, -32600, /id must be/],
      [{ jsonrpc: "2.0", id: true, method: "GetTask" }, null, -32600, /id must be/],
      [{ jsonrpc: "2.0", method: 7 }, null, -32600, /method must be a string/],
      [rpc("GetTask", ["t-1"]), 1, -32602, /by name/],
      [rpc("GetTask", "t-1"), 1, -32602, /by name/],
      [rpc("GetTask"), 1, -32602, /^id/],
      [rpc("Nothing", {}), 1, -32601, /method "Nothing" not found$/],
      [rpc("toString", {}), 1, -32601, /not found/],
    ];
    const before = fake.arrived.length;
    for (const [body, id, code, message] of rows) {
      const [http, seenId, seenCode, seenMessage] = await refused(body);
      assert.deepEqual([http, seenId, seenCode], [200, id, code], JSON.stringify(body));
      assert.match(seenMessage, message);
    }
    assert.equal(fake.arrived.length, before);
  });

  it("bytes that are not UTF-8 are bad JSON", async () => {
    assert.equal((await refused(Uint8Array.of(0x7b, 0xff, 0x7d)))[2], -32700);
  });

  it("params may be absent for GetExtendedAgentCard", async () => {
    assert.equal((await ask(handler, "POST /", rpc("GetExtendedAgentCard"))).json.result.name, "A");
  });

  it("a notification is carried out and answered with 204, also when it fails", async () => {
    const notification = { jsonrpc: "2.0", method: "SendMessage", params: SEND };
    const done = await ask(handler, "POST /", notification);
    assert.deepEqual([done.status, done.text, fake.last().method], [204, "", "SendMessage"]);
    const failed = await ask(handler, "POST /", { jsonrpc: "2.0", method: "Nothing" });
    assert.deepEqual([failed.status, failed.text], [204, ""]);
    const streamed = await ask(handler, "POST /", { ...notification, method: "SendStreamingMessage" });
    assert.deepEqual([streamed.status, streamed.text, fake.last().method], [204, "", "SendStreamingMessage"]);
  });

  it("it answers at the base path with or without a slash, and takes no other", async () => {
    const request = {
      method: "POST",
      origin: "",
      query: "",
      header: () => undefined,
      text: async () => "",
      signal: AbortSignal.abort(),
    };
    assert.equal((await handler({ ...request, path: "" }))?.status, 200);
    assert.equal(await handler({ ...request, path: "/tasks" }), undefined);
    const nobody = jsonRpcNotFound({ ...request, path: "/nothing" });
    assert.deepEqual(
      [nobody.status, JSON.parse(nobody.body ?? "").id, JSON.parse(nobody.body ?? "").error.code],
      [404, null, -32601],
    );
  });
});

describe("§9.1 HTTP around it", () => {
  it("only POST is allowed", async () => {
    const { status: http, headers, json } = await ask(handler, "GET /");
    assert.deepEqual([http, headers.get("allow"), json.id, json.error.code], [405, "POST", null, -32601]);
  });

  it("a body must say that it is JSON in UTF-8", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=latin1",
      "application/a2a+json",
      "",
    ]) {
      assert.equal((await refused(rpc("GetTask", { id: "t-1" }), { "content-type": type }))[2], -32005, type);
    }
    for (const type of ["application/json; charset=utf-8", 'Application/JSON;charset="UTF-8"', "application/json"]) {
      assert.ok(
        (await ask(handler, "POST /", rpc("GetTask", { id: "t-1" }), { "content-type": type })).json.result,
        type,
      );
    }
  });

  it("a body beyond the limit is 413 in an envelope", async () => {
    const { status: http, json } = await ask(handler, "POST /", rpc("GetTask", { id: "x".repeat(2_000) }));
    assert.deepEqual([http, json.id, json.error.code], [413, null, -32600]);
    assert.equal(json.error.message, "body is larger than 2000 bytes, the limit of this agent");
  });

  it("1,000 levels of nesting are INVALID_PARAMS", async () => {
    const deep = `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":${"[".repeat(1_000)}${"]".repeat(1_000)}}]}}}`;
    const { json } = await ask(createJsonRpcHandler(fake), "POST /", deep);
    assert.deepEqual([json.id, json.error.code], [1, -32602]);
  });
});

describe("§3.6 version and names teach", () => {
  const rows: [string, string | undefined, number, string][] = [
    ["message/send", "1.0", -32601, '"message/send" is the name before 1.0; in 1.0 call SendMessage'],
    ["tasks/resubscribe", "1.0", -32601, '"tasks/resubscribe" is the name before 1.0; in 1.0 call SubscribeToTask'],
    ["sendMessage", "1.0", -32601, 'method "sendMessage" not found, did you mean SendMessage'],
    ["get_task", "1.0", -32601, 'method "get_task" not found, did you mean GetTask'],
    [
      "SendMessage",
      undefined,
      -32009,
      "no A2A-Version was sent, which means 0.3, and that is not supported here; SendMessage is a method of 1.0; send A2A-Version: 1.0 (supported: 1.0)",
    ],
    [
      "message/send",
      undefined,
      -32009,
      "no A2A-Version was sent, which means 0.3, and that is not supported here; message/send is called SendMessage in 1.0; send A2A-Version: 1.0 (supported: 1.0)",
    ],
    [
      "SendMessage",
      "2.0",
      -32009,
      "A2A-Version 2.0 is not supported; SendMessage is a method of 1.0; send A2A-Version: 1.0 (supported: 1.0)",
    ],
  ];
  for (const [method, version, code, message] of rows) {
    it(`${method} under ${version ?? "no version"}`, async () => {
      assert.deepEqual(await refused(rpc(method, SEND), { "a2a-version": version ?? "" }), [200, 1, code, message]);
    });
  }

  it("the version may stand in the query", async () => {
    const { json } = await ask(handler, "POST /?A2A-Version=1.0", rpc("GetTask", { id: "t-1" }), { "a2a-version": "" });
    assert.equal(json.result.id, "t-1");
  });

  it("the body of the REST binding is told where it belongs", async () => {
    const [http, id, code, message] = await refused(SEND);
    assert.deepEqual([http, id, code], [200, null, -32600]);
    assert.match(message, /body of POST \/message:send; here it goes into a JSON-RPC request/);
  });

  it("a task id beside the message never starts a new task", async () => {
    const before = fake.arrived.length;
    const { json } = await ask(handler, "POST /", rpc("SendMessage", { ...SEND, taskId: "t-1" }));
    assert.equal(json.error.code, -32602);
    assert.match(json.error.message, /message\.taskId/);
    assert.equal(fake.arrived.length, before);
  });
});

describe("§9.4.2 streams", () => {
  it("every event is a response with the id of the request, and has the seq as SSE id", async () => {
    const { text, headers, status: http } = await ask(handler, "POST /", rpc("SendStreamingMessage", SEND, "r-1"));
    assert.deepEqual([http, headers.get("content-type")], [200, "text/event-stream"]);
    const frames = text.split("\n\n");
    assert.equal(frames[0], "retry: 1000");
    assert.match(frames[1] ?? "", /^id: 1\ndata: \{"jsonrpc":"2\.0","id":"r-1","result":\{"task":\{/);
    assert.match(frames[3] ?? "", /^id: 3\ndata: \{"jsonrpc":"2\.0","id":"r-1","result":\{"statusUpdate":\{.*\}\}\}$/);
  });

  it("an error before the first event is a plain response, one after it an error response as data", async () => {
    fake.events = () => ({
      async *[Symbol.asyncIterator]() {
        yield [status("TASK_STATE_WORKING")];
        throw new A2AError("UNAVAILABLE", "shutting down");
      },
    });
    const late = await ask(handler, "POST /", rpc("SendStreamingMessage", SEND));
    const last = late.text.trimEnd().split("\n\n").at(-1) ?? "";
    assert.equal(JSON.parse(last.slice("data: ".length)).error.code, -32013);
    fake.events = () => streamOf();
    fake.failure = new A2AError("UNSUPPORTED_OPERATION", "task t-1 is completed");
    const early = await ask(handler, "POST /", rpc("SubscribeToTask", { id: "t-1" }));
    fake.failure = undefined;
    assert.deepEqual(
      [early.status, early.headers.get("content-type"), early.json.error.code],
      [200, "application/json", -32004],
    );
  });
});

describe("§7 who may call", () => {
  it("a refused caller gets 401 with the challenge and its id, and nothing is carried out", async () => {
    const guarded = createJsonRpcHandler(fake, {
      authenticate: async () => {
        throw new A2AError("UNAUTHENTICATED", "send a bearer token");
      },
      challenge: () => 'Bearer realm="planner"',
    });
    const before = fake.arrived.length;
    const { status: http, headers, json } = await ask(guarded, "POST /", rpc("GetTask", { id: "t-1" }, "r-9"));
    assert.deepEqual(
      [http, headers.get("www-authenticate"), json.id, json.error.code],
      [401, 'Bearer realm="planner"', "r-9", -32010],
    );
    const garbage = await ask(guarded, "POST /", "{");
    assert.deepEqual([garbage.status, garbage.json.id, garbage.json.error.code], [401, null, -32010]);
    assert.equal(fake.arrived.length, before);
  });

  it("the principal reaches the service", async () => {
    const open = createJsonRpcHandler(fake, { authenticate: async () => ({ owner: "u-1" }) });
    await ask(open, "POST /", rpc("GetTask", { id: "t-1" }));
    assert.equal(fake.last().call.principal.owner, "u-1");
  });

  it("a tenant that is not served is refused", async () => {
    const served = createJsonRpcHandler(fake, { tenants: ["acme"] });
    assert.equal((await ask(served, "POST /", rpc("GetTask", { id: "t-1", tenant: "other" }))).json.error.code, -32602);
    assert.ok((await ask(served, "POST /", rpc("GetTask", { id: "t-1", tenant: "acme" }))).json.result);
  });
});

it("an unexpected failure is logged and reveals nothing", async () => {
  const events: BindingLogEvent[] = [];
  const logged = createJsonRpcHandler(fake, { log: (event) => events.push(event) });
  fake.failure = new Error("password is hunter2");
  const { text, json } = await ask(logged, "POST /", rpc("GetTask", { id: "t-1" }));
  fake.failure = undefined;
  assert.equal(json.error.code, -32603);
  assert.doesNotMatch(text, /hunter2|\.ts:/);
  assert.equal((events[0]!.error.cause as Error).message, "password is hunter2");
  assert.equal(events[0]?.operation, "GetTask");
});
