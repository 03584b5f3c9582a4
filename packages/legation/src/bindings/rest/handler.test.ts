import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ask, rpc } from "../../../test/spec/binding-requests.ts";
import { createFakeService, SEND, status } from "../../../test/spec/fake-service.ts";
import { A2AError } from "../../operations/errors.ts";
import { firstOf } from "../http/respond.ts";
import { createRestHandler, restNotFound } from "./handler.ts";

const fake = createFakeService();
const handler = createRestHandler(fake, { maxBodyBytes: 2_000 });
const complete = firstOf([handler], restNotFound);

async function refused(
  target: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<[number, string, string]> {
  const { status: http, json } = await ask(complete, target, body, headers);
  return [http, json.error.details[0].reason, json.error.message];
}

describe("§11.3 paths", () => {
  it("a tenant may stand in front, ids are decoded, a trailing slash is fine", async () => {
    const rows: [string, string, Record<string, unknown>][] = [
      ["GET /acme/tasks/t-1", "GetTask", { id: "t-1", tenant: "acme" }],
      ["GET /tasks/a%2Fb%3Acancel", "GetTask", { id: "a/b:cancel" }],
      ["GET /tasks/urn:x:1", "GetTask", { id: "urn:x:1" }],
      ["POST /tasks/urn:x:1:cancel", "CancelTask", { id: "urn:x:1" }],
      ["GET /tasks/", "ListTasks", {}],
      ["GET /tasks/tasks", "GetTask", { id: "tasks" }],
      [
        "GET /a%20b/tasks/t-1/pushNotificationConfigs/p%2F1/",
        "GetTaskPushNotificationConfig",
        { taskId: "t-1", id: "p/1", tenant: "a b" },
      ],
      ["GET /tasks/t-1:subscribe", "SubscribeToTask", { id: "t-1" }],
      ["POST /acme/tasks/t-1:subscribe", "SubscribeToTask", { id: "t-1", tenant: "acme" }],
      [
        "DELETE /tasks/t-1/pushNotificationConfigs/p-1",
        "DeleteTaskPushNotificationConfig",
        { taskId: "t-1", id: "p-1" },
      ],
      ["GET /acme/extendedAgentCard", "GetExtendedAgentCard", { tenant: "acme" }],
    ];
    for (const [target, method, request] of rows) {
      assert.equal((await ask(handler, target)).status, 200, target);
      assert.deepEqual([fake.last().method, fake.last().request], [method, request], target);
    }
  });

  it("an unknown path is 404 in the shape of the binding, with what is meant", async () => {
    const rows: [string, RegExp][] = [
      ["GET /nothing", /no operation at \/nothing; see the interfaces/],
      ["POST /message/send", /use POST \/message:send/],
      ["POST /v1/message:send", /paths of 1\.0 have no \/v1: use \/message:send/],
      ["POST /tasks/t-1/cancel", /use POST \/tasks\/\{id\}:cancel/],
      ["GET /tasks/%E0%A4", /no operation/],
      ["POST /tasks/:cancel", /no operation/],
      ["GET /a/b/tasks", /no operation/],
      ["GET /tasks/t-1/pushNotificationConfigs/p/q", /no operation/],
      ["GET /v1/card", /\/v1|extendedAgentCard/],
    ];
    for (const [target, message] of rows) {
      const [http, reason, seen] = await refused(target);
      assert.deepEqual([http, reason], [404, "METHOD_NOT_FOUND"], target);
      assert.match(seen, message);
    }
  });

  it("a wrong method is 405 with what is allowed", async () => {
    const rows: [string, string][] = [
      ["GET /message:send", "POST"],
      ["PUT /tasks/t-1", "GET"],
      ["GET /tasks/t-1:cancel", "POST"],
      ["DELETE /tasks/t-1/pushNotificationConfigs", "POST, GET"],
      ["POST /tasks/t-1/pushNotificationConfigs/p-1", "GET, DELETE"],
    ];
    for (const [target, allow] of rows) {
      const { status: http, headers, json } = await ask(handler, target, target.startsWith("GET") ? undefined : {});
      assert.deepEqual(
        [http, headers.get("allow"), json.error.code, json.error.status],
        [405, allow, 405, "UNIMPLEMENTED"],
        target,
      );
    }
  });
});

describe("§11.4 bodies", () => {
  it("answers are application/a2a+json, or application/json where that is sent or accepted", async () => {
    const rows: [Record<string, string>, string][] = [
      [{ "content-type": "application/a2a+json" }, "application/a2a+json"],
      [{ "content-type": "application/json; charset=utf-8" }, "application/json"],
      [{ "content-type": "application/json", accept: "application/a2a+json" }, "application/a2a+json"],
      [{ "content-type": "application/a2a+json", accept: "application/json" }, "application/json"],
      [{ "content-type": "application/a2a+json", accept: "*/*" }, "application/a2a+json"],
    ];
    for (const [headers, expected] of rows) {
      assert.equal((await ask(handler, "POST /message:send", SEND, headers)).headers.get("content-type"), expected);
    }
    assert.equal((await ask(handler, "GET /tasks/t-1")).headers.get("content-type"), "application/a2a+json");
    assert.equal((await ask(handler, "GET /extendedAgentCard")).headers.get("cache-control"), "private");
  });

  it("what is no request is refused", async () => {
    const rows: [string, unknown, Record<string, string>, number, string, RegExp][] = [
      ["POST /message:send", "{", {}, 400, "PARSE_ERROR", /not valid JSON/],
      ["POST /message:send", "", {}, 400, "PARSE_ERROR", /empty/],
      ["POST /message:send", "[]", {}, 400, "INVALID_REQUEST", /not an object/],
      ["POST /message:send", "7", {}, 400, "INVALID_REQUEST", /not an object/],
      ["POST /message:send", {}, {}, 400, "INVALID_PARAMS", /^message/],
      [
        "POST /message:send",
        SEND,
        { "content-type": "text/plain" },
        400,
        "CONTENT_TYPE_NOT_SUPPORTED",
        /application\/a2a\+json/,
      ],
      ["POST /message:send", SEND, { "content-type": "" }, 400, "CONTENT_TYPE_NOT_SUPPORTED", /without Content-Type/],
      [
        "POST /message:send",
        { ...SEND, metadata: { a: "x".repeat(2_000) } },
        {},
        413,
        "INVALID_REQUEST",
        /larger than 2000/,
      ],
      [
        "POST /message:send",
        rpc("SendMessage", SEND),
        {},
        400,
        "INVALID_REQUEST",
        /JSON-RPC request; here post only what is in its params/,
      ],
      ["POST /message:send", { ...SEND, taskId: "t-1" }, {}, 400, "INVALID_PARAMS", /message\.taskId/],
      ["POST /tasks/t-1:cancel", { id: "t-2" }, {}, 400, "INVALID_PARAMS", /^id: "t-2" and the path's "t-1" disagree/],
      [
        "POST /acme/message:send",
        { ...SEND, tenant: "other" },
        {},
        400,
        "INVALID_PARAMS",
        /^tenant: "acme" and "other" disagree/,
      ],
      ["POST /acme/message:send?tenant=third", SEND, {}, 400, "INVALID_PARAMS", /^tenant/],
      [
        "POST /tasks/t-1/pushNotificationConfigs",
        { task_id: "t-2", url: "https://h.example" },
        {},
        400,
        "INVALID_PARAMS",
        /^taskId/,
      ],
      ["POST /message:send", SEND, { "a2a-version": "" }, 400, "VERSION_NOT_SUPPORTED", /send A2A-Version: 1\.0/],
      ["GET /tasks/t-1", undefined, { "a2a-version": "nine" }, 400, "VERSION_NOT_SUPPORTED", /Major\.Minor/],
    ];
    const before = fake.arrived.length;
    for (const [target, body, headers, http, reason, message] of rows) {
      const [seenHttp, seenReason, seenMessage] = await refused(target, body, headers);
      assert.deepEqual([seenHttp, seenReason], [http, reason], `${target} ${JSON.stringify(body)}`);
      assert.match(seenMessage, message);
    }
    assert.equal(fake.arrived.length, before);
  });

  it("cancel and subscribe need no body", async () => {
    assert.equal((await ask(handler, "POST /tasks/t-1:cancel")).status, 200);
    assert.equal((await ask(handler, "POST /tasks/t-1:subscribe")).status, 200);
  });

  it("delete answers an empty object", async () => {
    assert.equal((await ask(handler, "DELETE /tasks/t-1/pushNotificationConfigs/p-1")).text, "{}");
  });
});

describe("§11.5 queries", () => {
  it("both spellings, numbers, booleans, enums and times are read", async () => {
    await ask(
      handler,
      "GET /tasks?context_id=c&status=TASK_STATE_WORKING&pageSize=7&history_length=0&includeArtifacts=true&statusTimestampAfter=2026-01-02T04:04:05%2B01:00",
    );
    assert.deepEqual(fake.last().request, {
      contextId: "c",
      status: "TASK_STATE_WORKING",
      pageSize: 7,
      historyLength: 0,
      includeArtifacts: true,
      statusTimestampAfter: "2026-01-02T03:04:05.000Z",
    });
  });

  it("what cannot be read is INVALID_PARAMS with the field", async () => {
    const rows: [string, string][] = [
      ["pageSize=1.5", "pageSize"],
      ["pageSize=0", "pageSize"],
      ["pageSize=101", "pageSize"],
      ["historyLength=-1", "historyLength"],
      ["historyLength=x", "historyLength"],
      ["includeArtifacts=1", "includeArtifacts"],
      ["statusTimestampAfter=yesterday", "statusTimestampAfter"],
      ["status=working", "status"],
      ["status=TASK_STATE_UNSPECIFIED", "status"],
      ["status=99", "status"],
      ["contextId=%FF", "contextId"],
    ];
    for (const [query, field] of rows) {
      const { status: http, json } = await ask(handler, `GET /tasks?${query}`);
      assert.deepEqual([http, json.error.details[1].fieldViolations[0].field], [400, field], query);
    }
  });
});

describe("§11.7 streams", () => {
  it("an event is its JSON, made once for all who see it", async () => {
    const shared = status("TASK_STATE_WORKING", 5);
    let asked = 0;
    const counted = {
      seq: 5,
      memo: undefined,
      value: shared.value,
      get json() {
        asked++;
        return shared.json;
      },
    };
    fake.events = () => ({
      async *[Symbol.asyncIterator]() {
        yield [counted];
      },
    });
    for (let subscriber = 0; subscriber < 3; subscriber++) {
      const { text, headers } = await ask(handler, "POST /message:stream", SEND);
      assert.equal(text, `retry: 1000\n\nid: 5\ndata: ${shared.json}\n\n`);
      assert.equal(headers.get("content-type"), "text/event-stream");
    }
    assert.equal(asked, 1);
  });

  it("an error after the first event is a named event, one before it a plain answer", async () => {
    fake.events = () => ({
      async *[Symbol.asyncIterator]() {
        yield [status("TASK_STATE_WORKING")];
        throw new A2AError("UNAVAILABLE", "shutting down");
      },
    });
    const { text } = await ask(handler, "POST /message:stream", SEND);
    const last = text.trimEnd().split("\n\n").at(-1) ?? "";
    assert.match(last, /^event: error\ndata: \{"error":\{"code":503,"status":"UNAVAILABLE"/);
    fake.failure = new A2AError("UNSUPPORTED_OPERATION", "task t-1 is completed");
    assert.deepEqual((await refused("GET /tasks/t-1:subscribe")).slice(0, 2), [400, "UNSUPPORTED_OPERATION"]);
    fake.failure = undefined;
  });
});
