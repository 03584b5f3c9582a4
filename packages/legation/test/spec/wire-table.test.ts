// What a server does with each odd form of input, over the raw wire: nothing between the bytes and the agent.
import assert from "node:assert/strict";
import { objectsAt, textAt, valueAt } from "../../src/conformance/json-path.ts";
import type { Reply, Wire } from "../../src/conformance/wire.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { encodeByOracle, messageNamed } from "../grpc/oracle.ts";
import { callRaw } from "../grpc/raw-call.ts";
import { newMessageId, onEveryWire, sendText, type WireTest } from "./on-both-wires.ts";

function send(wire: Wire, message: JsonObject, rest: JsonObject = {}): Promise<Reply> {
  const full = { messageId: newMessageId(), role: "ROLE_USER", parts: [{ text: "hello" }], ...message };
  return wire.call("SendMessage", { message: full, ...rest });
}

/** The message of the caller as the task's history shows it. */
async function historyOf(wire: Wire, message: JsonObject): Promise<JsonObject> {
  const { result, text } = await send(wire, message);
  const [first] = objectsAt(result, "task.history");
  assert.ok(first !== undefined, text);
  return first;
}

/** Refused as INVALID_PARAMS, with a violation of this field and a text that fits. */
function assertRefused(wire: Wire, reply: Reply, field: string, advice: RegExp = /./): void {
  assert.equal(reply.error?.code, { rest: 400, jsonrpc: -32602, grpc: 3 }[wire.binding], reply.text);
  assert.equal(reply.status, wire.binding === "rest" ? 400 : 200);
  assert.equal(reply.error.reason, "INVALID_PARAMS");
  const violation = reply.error.violations.find((one) => one.field === field);
  assert.ok(violation !== undefined, `no violation of ${field}: ${reply.text}`);
  assert.match(violation.description, advice);
  assert.doesNotMatch(reply.text, /\n\s+at |node:/);
}

/** Messages that are refused: what, the message, the field, the advice. */
const REFUSED: readonly (readonly [string, JsonObject, string, RegExp?])[] = [
  ["an unknown role", { role: "user" }, "message.role", /ROLE_USER/],
  ["a role number that is none", { role: 9 }, "message.role"],
  ["ROLE_AGENT from a client", { role: "ROLE_AGENT" }, "message.role", /ROLE_USER/],
  ["no messageId", { messageId: null }, "message.messageId", /new id/],
  ["no role", { role: null }, "message.role", /ROLE_USER/],
  ["empty parts", { parts: [] }, "message.parts", /at least one part/],
  ["a part without content", { parts: [{ mediaType: "x/y" }] }, "message.parts[0]"],
  ["an empty part", { parts: [{}] }, "message.parts[0]"],
  ["two contents", { parts: [{ text: "a", data: {} }] }, "message.parts[0]"],
  ["raw that is no base64", { parts: [{ raw: "a*b" }] }, "message.parts[0].raw"],
  ["a text that is no string", { parts: [{ text: 7 }] }, "message.parts[0].text"],
  ["metadata that is no object", { metadata: [] }, "message.metadata"],
  ["a messageId with U+0000", { messageId: "m\0" }, "message.messageId", /U\+0000/],
  ["a messageId of 513 characters", { messageId: "m".repeat(513) }, "message.messageId", /at most 512/],
  ["half of a surrogate pair in an id", { taskId: "\ud83d" }, "message.taskId", /surrogate/],
];

const refused = REFUSED.map(
  ([what, message, field, advice]): WireTest => [
    `refuses ${what}, and stores nothing`,
    async (wire) => {
      const contextId = crypto.randomUUID();
      assertRefused(wire, await send(wire, { contextId, ...message }), field, advice);
      const listed = await wire.call("ListTasks", { contextId });
      assert.equal(valueAt(listed.result, "totalSize"), 0);
    },
  ],
);

/** Requests for lists that are refused. */
const REFUSED_LISTS: readonly (readonly [string, JsonObject, string, RegExp?])[] = [
  ["an unknown state", { status: "working" }, "status", /TASK_STATE_WORKING/],
  ["a state that tutorials invented", { status: "RUNNING" }, "status", /TASK_STATE_WORKING/],
  ["another one", { status: "PENDING" }, "status", /TASK_STATE_SUBMITTED/],
  ["a bare state", { status: "COMPLETED" }, "status", /TASK_STATE_COMPLETED/],
  ["the unspecified state", { status: "TASK_STATE_UNSPECIFIED" }, "status", /TASK_STATE_AUTH_REQUIRED/],
  ["a state number that is none", { status: 99 }, "status", /TASK_STATE_WORKING/],
  ["a fraction for a number", { historyLength: 1.5 }, "historyLength"],
  ["a negative history", { historyLength: -1 }, "historyLength"],
  ["a text for a boolean", { includeArtifacts: "maybe" }, "includeArtifacts"],
  ["a word for a time", { statusTimestampAfter: "yesterday" }, "statusTimestampAfter"],
  ["a page of 101", { pageSize: 101 }, "pageSize"],
  ["a foreign page token", { pageToken: "abc" }, "pageToken"],
  ["a contextId with U+0000", { contextId: "c\0" }, "contextId", /U\+0000/],
  ["a tenant with U+0000", { tenant: "t\0" }, "tenant", /U\+0000/],
];

const refusedLists = REFUSED_LISTS.map(
  ([what, params, field, advice]): WireTest => [
    `refuses ${what} in ListTasks`,
    async (wire) => assertRefused(wire, await wire.call("ListTasks", params), field, advice),
  ],
);

const accepted: readonly WireTest[] = [
  [
    "reads snake_case and writes camelCase",
    async (wire) => {
      const id = newMessageId();
      const { result, text } = await wire.call("SendMessage", {
        message: { message_id: id, role: "ROLE_USER", parts: [{ text: "hello", media_type: "text/plain" }] },
      });
      assert.equal(textAt(result, "task.history.0.messageId"), id);
      assert.equal(textAt(result, "task.history.0.parts.0.mediaType"), "text/plain");
      assert.doesNotMatch(text, /message_id|media_type/);
    },
  ],
  [
    "reads enum numbers and writes names",
    async (wire) => {
      assert.equal((await historyOf(wire, { role: 1 }))["role"], "ROLE_USER");
      const listed = await wire.call("ListTasks", { status: 3, pageSize: 1 });
      assert.equal(textAt(listed.result, "tasks.0.status.state"), "TASK_STATE_COMPLETED");
    },
  ],
  [
    "takes null and empty for unset",
    async (wire) => {
      const message = { taskId: "", contextId: "", referenceTaskIds: [], extensions: null, metadata: null };
      const kept = await historyOf(wire, message);
      assert.notEqual(kept["contextId"], "");
      for (const name of ["referenceTaskIds", "extensions", "metadata"]) assert.ok(!Object.hasOwn(kept, name), name);
    },
  ],
  [
    "keeps data null, and empty texts",
    async (wire) => {
      const kept = await historyOf(wire, { parts: [{ data: null }, { text: "" }, { text: "", data: { a: 1 } }] });
      assert.deepEqual(kept["parts"], [{ data: null }, { text: "" }, { data: { a: 1 } }]);
    },
  ],
  [
    "ignores unknown fields, and never forwards them",
    async (wire) => {
      const kept = await historyOf(wire, { novel: 1, parts: [{ text: "hello", novel: [] }] });
      assert.doesNotMatch(JSON.stringify(kept), /novel/);
    },
  ],
  [
    "reads base64 in both alphabets and writes the standard one",
    async (wire) => {
      const kept = await historyOf(wire, { parts: [{ raw: "-_8" }, { raw: "+/8=" }] });
      assert.deepEqual(kept["parts"], [{ raw: "+/8=" }, { raw: "+/8=" }]);
    },
  ],
  [
    "reads numbers in strings",
    async (wire) => {
      const { result } = await send(wire, {}, { configuration: { historyLength: "0" } });
      assert.ok(!Object.hasOwn(Object(valueAt(result, "task")), "history"));
      const listed = await wire.call("ListTasks", { pageSize: "3" });
      assert.equal(valueAt(listed.result, "pageSize"), 3);
    },
  ],
  [
    "reads times with offsets and any precision as instants",
    async (wire) => {
      const { result } = await send(wire, {});
      const contextId = textAt(result, "task.contextId") ?? "";
      const at = Date.parse(textAt(result, "task.status.timestamp") ?? "");
      const local = (ms: number): string => new Date(ms + 7_200_000).toISOString().replace("Z", "+02:00");
      const count = async (statusTimestampAfter: string): Promise<unknown> =>
        valueAt((await wire.call("ListTasks", { contextId, statusTimestampAfter })).result, "totalSize");
      assert.equal(await count(local(at)), 1);
      assert.equal(await count(local(at + 1_000)), 0);
      assert.equal(await count("2020-01-01T00:00:00Z"), 1);
      assert.equal(await count("2020-01-01T00:00:00.123456789Z"), 1);
    },
  ],
  [
    "keeps integers beyond 2^53 as the double that JSON gives",
    async (wire) => {
      const id = newMessageId();
      const params = `{"message":{"messageId":"${id}","role":"ROLE_USER","parts":[{"data":9007199254740993}]}}`;
      assert.match((await sendText(wire, params)).text, /"data":9007199254740992[,}]/);
    },
  ],
  [
    "keeps __proto__ and constructor as plain keys",
    async (wire) => {
      const id = newMessageId();
      const metadata = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
      const params = `{"message":{"messageId":"${id}","role":"ROLE_USER","parts":[{"text":"a"}],"metadata":${metadata}}}`;
      const { text } = await sendText(wire, params);
      assert.ok(text.includes(`"metadata":${metadata}`), text);
      assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
    },
  ],
  [
    "keeps every character of a text, in unary answers and in streams",
    async (wire) => {
      const words = 'héllo 日本 😀 \u2028 "\\ \r\n';
      const parts = [{ text: words }];
      const { result } = await send(wire, { parts });
      assert.equal(textAt(result, "task.artifacts.0.parts.0.text"), words);
      const message = { messageId: newMessageId(), role: "ROLE_USER", parts };
      const frames = await (await wire.stream("SendStreamingMessage", { message })).rest();
      const streamed = frames.flatMap(({ payload }) => textAt(payload, "artifactUpdate.artifact.parts.0.text") ?? []);
      assert.deepEqual(streamed, [words]);
    },
  ],
  [
    "always writes the four fields of a list",
    async (wire) => {
      const { result } = await wire.call("ListTasks", { contextId: crypto.randomUUID() });
      assert.deepEqual(result, { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 });
    },
  ],
];

const limits: readonly WireTest[] = [
  [
    "refuses 1,000 levels of nesting as INVALID_PARAMS",
    async (wire) => {
      const data = `${"[".repeat(1_000)}${"]".repeat(1_000)}`;
      const params = `{"message":{"messageId":"${newMessageId()}","role":"ROLE_USER","parts":[{"data":${data}}]}}`;
      const { status, json } = await sendText(wire, params);
      assert.equal(status, wire.binding === "rest" ? 400 : 200);
      assert.equal(valueAt(json, "error.code"), wire.binding === "rest" ? 400 : -32602);
    },
  ],
  [
    "takes a body of 10 MiB and answers 413 to one byte more",
    async (wire) => {
      const limit = 10 * 1024 * 1024;
      const frame = (text: string, id: string): string =>
        `{"message":{"messageId":"${id}","role":"ROLE_USER","parts":[{"text":"${text}"}]},"configuration":{"historyLength":0}}`;
      const envelope = wire.binding === "rest" ? 0 : '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":}'.length;
      const id = newMessageId();
      const padding = limit - frame("", id).length - envelope;
      const { status, json } = await sendText(wire, frame("x".repeat(padding + 1), id));
      assert.equal(status, 413);
      assert.equal(valueAt(json, "error.code"), wire.binding === "rest" ? 413 : -32600);
      if (wire.binding === "jsonrpc") assert.equal(valueAt(json, "id"), null);
      assert.equal((await sendText(wire, frame("x".repeat(padding), id))).status, 200);
    },
  ],
  [
    "answers a wrong method with 405 and Allow",
    async (wire) => {
      const path = wire.binding === "rest" ? "/message:send" : "";
      const { status, json, header } = await wire.raw({ method: "PUT", path, body: "{}" });
      assert.equal(status, 405);
      assert.equal(header("allow"), "POST");
      assert.equal(valueAt(json, "error.code"), wire.binding === "rest" ? 405 : -32601);
    },
  ],
  [
    "answers a wrong media type with CONTENT_TYPE_NOT_SUPPORTED",
    async (wire) => {
      const params = `{"message":{"messageId":"${newMessageId()}","role":"ROLE_USER","parts":[{"text":"a"}]}}`;
      const { status, json } = await sendText(wire, params, { headers: { "content-type": "text/xml" } });
      assert.equal(status, wire.binding === "rest" ? 400 : 200);
      assert.equal(valueAt(json, "error.code"), wire.binding === "rest" ? 400 : -32005);
    },
  ],
  [
    "answers a compressed body with CONTENT_TYPE_NOT_SUPPORTED, and takes one that says identity",
    async (wire) => {
      const params = `{"message":{"messageId":"${newMessageId()}","role":"ROLE_USER","parts":[{"text":"a"}]}}`;
      for (const encoding of ["gzip", "GZIP", "br", "identity, deflate", "aws-chunked"]) {
        const { status, json } = await sendText(wire, params, { headers: { "content-encoding": encoding } });
        assert.equal(status, wire.binding === "rest" ? 400 : 200, encoding);
        assert.equal(valueAt(json, "error.code"), wire.binding === "rest" ? 400 : -32005);
        assert.match(
          textAt(json, "error.message") ?? "",
          /Content-Encoding .* is not read here; send the body as it is/,
        );
      }
      assert.equal((await sendText(wire, params, { headers: { "content-encoding": "identity" } })).status, 200);
    },
  ],
  [
    "answers an unknown path with 404 in the shape of the binding",
    async (wire) => {
      const { status, json } = await wire.raw({ method: "GET", path: "/no/such/path" });
      assert.equal(status, 404);
      assert.equal(valueAt(json, "error.code"), 404);
    },
  ],
  [
    "refuses a subscription to a terminal task directly, not inside a stream of 200",
    async (wire) => {
      const { result } = await send(wire, {});
      const stream = await wire.stream("SubscribeToTask", { id: textAt(result, "task.id") ?? "" });
      assert.equal(stream.isStream, false);
      assert.equal(stream.error?.reason, "UNSUPPORTED_OPERATION");
      // Nor does an event that there never was give anything to go on behind.
      const headers = { "last-event-id": "999999" };
      const beyond = await wire.stream("SubscribeToTask", { id: textAt(result, "task.id") ?? "" }, { headers });
      assert.deepEqual([beyond.isStream, beyond.error?.reason], [false, "UNSUPPORTED_OPERATION"]);
    },
  ],
  [
    "takes a charset in the media type",
    async (wire) => {
      const params = `{"message":{"messageId":"${newMessageId()}","role":"ROLE_USER","parts":[{"text":"a"}]}}`;
      const type = `${wire.binding === "rest" ? "application/a2a+json" : "application/json"}; charset=UTF-8`;
      assert.equal((await sendText(wire, params, { headers: { "content-type": type } })).status, 200);
    },
  ],
];

onEveryWire("the wire table: what is accepted", accepted, {
  uncarried: [
    // Names are a matter of JSON; fields of unknown numbers are in the tests of the codec.
    "ignores unknown fields, and never forwards them",
    "keeps integers beyond 2^53 as the double that JSON gives",
  ],
  instead: {
    "keeps data null, and empty texts": async (wire) => {
      const kept = await historyOf(wire, { parts: [{ data: null }, { text: "" }, { data: { a: 1 } }] });
      assert.deepEqual(kept["parts"], [{ data: null }, { text: "" }, { data: { a: 1 } }]);
    },
    "keeps __proto__ and constructor as plain keys": async (wire) => {
      const metadata = { constructor: { prototype: { polluted: true } }, toString: 1 };
      assert.deepEqual((await historyOf(wire, { metadata }))["metadata"], metadata);
      assert.equal(Object.hasOwn(Object.prototype, "polluted"), false);
    },
  },
});
onEveryWire("the wire table: what is refused", [...refused, ...refusedLists], {
  uncarried: [
    "refuses an unknown role, and stores nothing",
    "refuses two contents, and stores nothing",
    "refuses raw that is no base64, and stores nothing",
    "refuses a text that is no string, and stores nothing",
    "refuses metadata that is no object, and stores nothing",
    "refuses half of a surrogate pair in an id, and stores nothing",
    "refuses an unknown state in ListTasks",
    "refuses a state that tutorials invented in ListTasks",
    "refuses another one in ListTasks",
    "refuses a bare state in ListTasks",
    "refuses a fraction for a number in ListTasks",
    "refuses a text for a boolean in ListTasks",
    "refuses a word for a time in ListTasks",
  ],
  instead: {
    // Number 0, which protobuf does not tell from unset: no filter.
    "refuses the unspecified state in ListTasks": async (wire) => {
      const { result } = await send(wire, {});
      const contextId = textAt(result, "task.contextId") ?? "";
      const listed = await wire.call("ListTasks", { contextId, status: "TASK_STATE_UNSPECIFIED" });
      assert.equal(valueAt(listed.result, "totalSize"), 1, listed.text);
    },
  },
});
onEveryWire("the wire table: limits and HTTP", limits, {
  uncarried: [
    // What HTTP/2 says in their places is in the tests of gRPC.
    "answers a wrong method with 405 and Allow",
    "answers a wrong media type with CONTENT_TYPE_NOT_SUPPORTED",
    "answers a compressed body with CONTENT_TYPE_NOT_SUPPORTED, and takes one that says identity",
    "answers an unknown path with 404 in the shape of the binding",
    "takes a charset in the media type",
  ],
  instead: {
    "refuses 1,000 levels of nesting as INVALID_PARAMS": async (wire) => {
      // Written by hand: protobuf-es refuses to. A value of one field in a struct in a value, and so on.
      const nested = (number: number, inner: Buffer): Buffer => {
        const head: number[] = [(number << 3) | 2];
        for (let rest = inner.length; ; rest >>>= 7) {
          head.push(rest > 127 ? (rest & 127) | 128 : rest);
          if (rest <= 127) break;
        }
        return Buffer.concat([Buffer.from(head), inner]);
      };
      let value: Buffer = Buffer.from([0x08, 0x00]);
      for (let level = 0; level < 1_000; level++)
        value = nested(5, nested(1, Buffer.concat([nested(1, Buffer.from("a")), nested(2, value)])));
      const message = encodeByOracle(messageNamed("Message"), { messageId: newMessageId(), role: "ROLE_USER" });
      const request = nested(2, Buffer.concat([message, nested(5, nested(4, value))]));
      const { status, details } = await callRaw(wire.url, "SendMessage", request);
      assert.deepEqual([status, textAt(details, "details.0.reason")], [3, "INVALID_PARAMS"]);
    },
    "takes a body of 10 MiB and answers 413 to one byte more": async (wire) => {
      const limit = 10 * 1024 * 1024;
      const sized = (text: string): JsonObject => ({ parts: [{ text }] });
      // The fields around the text take less than a hundred bytes.
      const { error } = await send(wire, sized("x".repeat(limit)));
      assert.deepEqual([error?.code, error?.reason], [8, "INVALID_REQUEST"]);
      const taken = await send(wire, sized("x".repeat(limit - 100)), { configuration: { historyLength: 0 } });
      assert.equal(taken.error, undefined, taken.text.slice(0, 500));
    },
  },
});
