// Old and mistaken forms from tutorials: what is taken as it was meant, and what is answered with the right form.
import assert from "node:assert/strict";
import { textAt, valueAt } from "../../src/conformance/json-path.ts";
import type { RawReply } from "../../src/conformance/raw-reply.ts";
import type { RawRequest, Reply, Wire } from "../../src/conformance/wire.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { newMessageId, onEveryWire, type WireTest } from "./on-both-wires.ts";

function message(more: JsonObject = {}): JsonObject {
  return { messageId: newMessageId(), role: "ROLE_USER", parts: [{ text: "hello" }], ...more };
}

/** What the answer says: message and descriptions of violations. */
function wordsOf(reply: Reply): string {
  return [reply.error?.message, ...(reply.error?.violations.map(({ description }) => description) ?? [])].join("\n");
}

async function assertTaught(wire: Wire, params: JsonObject, code: number, advice: RegExp): Promise<void> {
  const reply = await wire.call("SendMessage", params);
  assert.equal(reply.error?.code, { rest: 400, jsonrpc: code, grpc: 3 }[wire.binding], reply.text);
  assert.match(wordsOf(reply), advice);
}

/** Params that are answered with INVALID_PARAMS and the right form. */
const FORMS: readonly (readonly [string, () => JsonObject, RegExp])[] = [
  [
    "parts of the form type: file",
    () => ({
      message: message({ parts: [{ type: "file", file: { uri: "https://example.com/a.pdf", name: "a.pdf" } }] }),
    }),
    /"url":"https:\/\/example\.com\/a\.pdf","filename":"a\.pdf"/,
  ],
  ["parts with kind", () => ({ message: message({ parts: [{ kind: "text", text: "hello" }] }) }), /\{"text":/],
  ["messages with kind", () => ({ message: message({ kind: "message" }) }), /0\.3.*leave it out/],
  ["the role user", () => ({ message: message({ role: "user" }) }), /ROLE_USER/],
  ["no messageId", () => ({ message: { role: "ROLE_USER", parts: [{ text: "hello" }] } }), /messageId|new id/],
  ["a taskId beside the message", () => ({ taskId: "t-1", message: message() }), /message\.taskId/],
  ["a contextId beside the message", () => ({ contextId: "c-1", message: message() }), /message\.contextId/],
  ["a text in the place of parts", () => ({ message: { ...message(), parts: [], text: "hello" } }), /part/],
];

const forms = FORMS.map(
  ([what, params, advice]): WireTest => [
    `answers ${what} with the right form`,
    (wire) => assertTaught(wire, params(), -32602, advice),
  ],
);

const others: readonly WireTest[] = [
  [
    "takes parts with type text and type data",
    async (wire) => {
      const parts = [
        { type: "text", text: "hello" },
        { type: "data", data: { a: 1 } },
      ];
      const reply = await wire.call("SendMessage", { message: message({ parts }) });
      assert.deepEqual(
        valueAt(reply.result, "task.history.0.parts"),
        [{ text: "hello" }, { data: { a: 1 } }],
        reply.text,
      );
    },
  ],
  [
    "makes no task of a message whose taskId stands beside it",
    async (wire) => {
      const contextId = crypto.randomUUID();
      await wire.call("SendMessage", { taskId: "t-1", message: message({ contextId }) });
      assert.equal(valueAt((await wire.call("ListTasks", { contextId })).result, "totalSize"), 0);
    },
  ],
  [
    "says which version to send where none was",
    async (wire) => {
      const reply = await wire.call("SendMessage", { message: message() }, { headers: { "a2a-version": undefined } });
      assert.equal(reply.error?.reason, "VERSION_NOT_SUPPORTED");
      assert.match(wordsOf(reply), /send A2A-Version: 1\.0/);
    },
  ],
  [
    "says which version to send where a malformed one was",
    async (wire) => {
      const reply = await wire.call("ListTasks", {}, { headers: { "a2a-version": "v1" } });
      assert.equal(reply.error?.reason, "VERSION_NOT_SUPPORTED");
      assert.match(wordsOf(reply), /"v1" is not of the form Major\.Minor.*send A2A-Version: 1\.0/);
    },
  ],
  [
    "tells a JSON-RPC envelope from a REST body",
    async (wire) => {
      const params = { message: message() };
      const envelope = { jsonrpc: "2.0", id: 1, method: "SendMessage", params };
      if (wire.binding === "rest") {
        const { status, json } = await wire.raw({ path: "/message:send", body: JSON.stringify(envelope) });
        assert.equal(status, 400);
        assert.match(textAt(json, "error.message") ?? "", /JSON-RPC/);
      } else {
        const { json } = await wire.raw({ body: JSON.stringify(params) });
        assert.equal(valueAt(json, "error.code"), -32600);
        assert.match(textAt(json, "error.message") ?? "", /\/message:send.*SendMessage/s);
      }
    },
  ],
];

/** Requests of 0.3 under a header of 1.0: JSON-RPC methods and REST paths. */
const OLD_NAMES: readonly (readonly [RawRequest, RawRequest, RegExp])[] = [
  [rpc("message/send"), { path: "/v1/message:send", body: "{}" }, /SendMessage|\/message:send/],
  [rpc("message/stream"), { path: "/v1/message:stream", body: "{}" }, /SendStreamingMessage|\/message:stream/],
  [rpc("tasks/get"), { method: "GET", path: "/v1/tasks/t-1" }, /GetTask|\/tasks\/t-1/],
  [rpc("tasks/cancel"), { path: "/tasks/t-1/cancel", body: "{}" }, /CancelTask|:cancel/],
  [rpc("tasks/resubscribe"), { path: "/v1/tasks/t-1:subscribe", body: "{}" }, /SubscribeToTask|\/tasks\/t-1:subscribe/],
  [rpc("sendMessage"), { path: "/message/send", body: "{}" }, /SendMessage|\/message:send/],
  [rpc("tasks/send"), { path: "/tasks/send", body: "{}" }, /SendMessage|use POST \/message:send/],
  [rpc("tasks/sendSubscribe"), { path: "/tasks/sendSubscribe", body: "{}" }, /SendStreamingMessage|\/message:stream/],
  [rpc("tasks/list"), { path: "/tasks/list", body: "{}" }, /ListTasks|use GET \/tasks$/],
  [
    rpc("subscribeToTask"),
    { path: "/tasks/t-1:resubscribe", body: "{}" },
    /SubscribeToTask|use POST \/tasks\/\{id\}:subscribe/,
  ],
  [
    rpc("SUBSCRIBETOTASK"),
    { path: "/v1/tasks/t-1:resubscribe", body: "{}" },
    /SubscribeToTask|no \/v1: use POST \/tasks\/\{id\}:subscribe with A2A-Version: 1\.0/,
  ],
  [rpc("subscribe_to_task"), { path: "/acme/tasks/t-1:resubscribe", body: "{}" }, /SubscribeToTask|:subscribe/],
  [
    rpc("tasks/pushNotificationConfig/set"),
    { path: "/tasks/t-1/pushNotificationConfig", body: "{}" },
    /CreateTaskPush|\/tasks\/\{id\}\/pushNotificationConfigs/,
  ],
  [
    rpc("agent/getAuthenticatedExtendedCard"),
    { method: "GET", path: "/v1/card" },
    /GetExtendedAgentCard|use GET \/extended/,
  ],
];

function rpc(method: string): RawRequest {
  return { body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: {} }) };
}

const oldNames = OLD_NAMES.map(
  ([jsonRpc, rest, advice]): WireTest => [
    `says what ${String(JSON.parse(jsonRpc.body ?? "").method)} is called in 1.0`,
    async (wire) => {
      const { status, json, text }: RawReply = await wire.raw(wire.binding === "rest" ? rest : jsonRpc);
      assert.equal(status, wire.binding === "rest" ? 404 : 200, text);
      assert.equal(valueAt(json, "error.code"), wire.binding === "rest" ? 404 : -32601);
      assert.match(textAt(json, "error.message") ?? "", advice);
    },
  ],
);

onEveryWire("errors that teach", [...forms, ...others, ...oldNames], {
  // Names that protobuf does not have cannot be written in it; service and method names are in the tests of gRPC.
  uncarried: [
    ...[
      "parts of the form type: file",
      "parts with kind",
      "messages with kind",
      "the role user",
      "a taskId beside the message",
    ],
    ...["a contextId beside the message", "a text in the place of parts"],
  ]
    .map((what) => `answers ${what} with the right form`)
    .concat(
      "takes parts with type text and type data",
      "makes no task of a message whose taskId stands beside it",
      "tells a JSON-RPC envelope from a REST body",
      oldNames.map(([title]) => title),
    ),
});
