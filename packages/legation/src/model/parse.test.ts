import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldViolation, ModelError } from "./model-error.ts";
import type { ParseOptions } from "./parse.ts";
import { parseAgentCard } from "./parse-agent-card.ts";
import {
  parseGetTaskRequest,
  parseListTasksRequest,
  parseSendMessageRequest,
  parseTaskPushNotificationConfig,
} from "./parse-request.ts";
import { parseListTasksResponse, parseStreamResponse, parseTask } from "./parse-task.ts";

type Parse = (value: unknown, options?: ParseOptions) => unknown;

function violationsOf(parse: Parse, value: unknown): readonly FieldViolation[] {
  try {
    parse(value);
  } catch (error) {
    assert.ok(error instanceof ModelError, String(error));
    return error.violations;
  }
  return assert.fail("accepted");
}

function refuses(parse: Parse, value: unknown, field: string, text: RegExp): void {
  const violations = violationsOf(parse, value);
  const found = violations.find((one) => one.field === field);
  assert.ok(found, `${field} not in ${JSON.stringify(violations)}`);
  assert.match(found.description, text);
}

function send(message: object = {}, rest: object = {}): Record<string, unknown> {
  return { message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "hi" }], ...message }, ...rest };
}

function task(rest: object = {}): Record<string, unknown> {
  return { id: "t-1", status: { state: "TASK_STATE_WORKING" }, ...rest };
}

const partOf = (part: unknown): unknown =>
  (parseSendMessageRequest(send({ parts: [part] })).message.parts as unknown[])[0];
const refusesPart = (part: unknown, text: RegExp, at = ""): void =>
  refuses(parseSendMessageRequest, send({ parts: [part] }), `message.parts[0]${at}`, text);

test("canonical input comes back as the same object, unwritten", () => {
  const frozen = deepFreeze(
    task({
      contextId: "c-1",
      status: { state: "TASK_STATE_COMPLETED", timestamp: "2026-08-01T12:00:00.000Z" },
      artifacts: [{ artifactId: "a", parts: [{ raw: "YWJj" }, { data: { n: [1, null, "x"] } }, { text: "" }] }],
      metadata: {},
    }),
  );
  assert.equal(parseTask(frozen), frozen);
});

test("both spellings are read, camelCase is given", () => {
  const read = parseSendMessageRequest({
    message: { message_id: "m-1", role: "ROLE_USER", parts: [{ text: "a", media_type: "text/plain" }], task_id: "t" },
    configuration: { accepted_output_modes: ["text/plain"], return_immediately: true, history_length: 0 },
  });
  assert.deepEqual(read, {
    message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "a", mediaType: "text/plain" }], taskId: "t" },
    configuration: { acceptedOutputModes: ["text/plain"], returnImmediately: true, historyLength: 0 },
  });
});

test("a field in two spellings is refused, unless one of them is null, and a moved field is still checked", () => {
  refuses(parseSendMessageRequest, send({ taskId: "a", task_id: "b" }), "message.taskId", /given twice/);
  assert.equal(parseSendMessageRequest(send({ taskId: null, task_id: "b" })).message.taskId, "b");
  assert.equal(parseSendMessageRequest(send({ taskId: "a", task_id: null })).message.taskId, "a");
  refuses(parseSendMessageRequest, send({ taskId: null, task_id: 5 }), "message.taskId", /must be a string, got 5/);
});

test("enum numbers become names", () => {
  assert.equal(parseSendMessageRequest(send({ role: 1 })).message.role, "ROLE_USER");
  assert.equal(parseTask(task({ status: { state: 2 } })).status.state, "TASK_STATE_WORKING");
  for (const role of [0, 3, -1, 1.5, true, {}]) {
    assert.equal(violationsOf(parseSendMessageRequest, send({ role }))[0]?.field, "message.role");
  }
});

test("wrong spellings of enums are answered with the right one", () => {
  refuses(parseSendMessageRequest, send({ role: "user" }), "message.role", /"user": did you mean ROLE_USER\?/);
  const spellings: [string, string][] = [
    ["working", "TASK_STATE_WORKING"],
    ["COMPLETED", "TASK_STATE_COMPLETED"],
    ["RUNNING", "TASK_STATE_WORKING"],
    ["PENDING", "TASK_STATE_SUBMITTED"],
    ["TASK_STATE_RUNNING", "TASK_STATE_WORKING"],
    ["TASK_STATE_CANCELLED", "TASK_STATE_CANCELED"],
    ["input-required", "TASK_STATE_INPUT_REQUIRED"],
  ];
  for (const [status, right] of spellings) {
    refuses(parseListTasksRequest, { status }, "status", new RegExp(`"${status}": did you mean ${right}\\?`));
  }
});

test("an unknown state, and UNSPECIFIED spelled out, list the eight valid names", () => {
  for (const status of ["NOPE", "TASK_STATE_UNSPECIFIED", 0]) {
    const [violation] = violationsOf(parseListTasksRequest, { status });
    assert.equal(violation?.description.match(/TASK_STATE_(?!UNSPECIFIED)[A-Z_]+/g)?.length, 8);
  }
  assert.deepEqual(parseListTasksRequest({ status: null }), {});
});

test("null is unset, except for data", () => {
  const read = parseSendMessageRequest(send({ contextId: null, metadata: null, extensions: null }, { tenant: null }));
  assert.deepEqual(read, send());
  assert.deepEqual(partOf({ data: null }), { data: null });
  assert.deepEqual(partOf({ text: "a", raw: null, url: null, data: null }), { text: "a" });
  refuses(parseSendMessageRequest, send({ role: null }), "message.role", /required/);
});

test("exactly one member of a oneof", () => {
  refusesPart({ text: "a", data: {} }, /has text and data: give exactly one/);
  refusesPart({ text: "", url: "" }, /has text and url/);
  refusesPart({ mediaType: "x" }, /exactly one of text, raw, url, data/);
  refusesPart({}, /exactly one/);
  refusesPart({ text: null }, /exactly one/);
  assert.deepEqual(partOf({ text: "", data: { a: 1 } }), { data: { a: 1 } });
  assert.deepEqual(partOf({ raw: "", url: "https://x", text: "" }), { url: "https://x" });
  assert.deepEqual(partOf({ text: "" }), { text: "" });
  assert.deepEqual(partOf({ raw: "" }), { raw: "" });
  refuses(parseStreamResponse, {}, "", /must be \{"task":\{…\}\} or .*"artifactUpdate"/);
  refuses(parseStreamResponse, { task: task(), message: {} }, "", /has task and message/);
});

test("REQUIRED fields", () => {
  refuses(parseSendMessageRequest, {}, "message", /required/);
  refuses(parseSendMessageRequest, send({ messageId: "" }), "message.messageId", /make a new id/);
  refuses(parseSendMessageRequest, send({ parts: [] }), "message.parts", /at least one part/);
  refuses(parseSendMessageRequest, send({ role: undefined }), "message.role", /ROLE_USER/);
  refuses(parseSendMessageRequest, send({ role: "ROLE_AGENT" }), "message.role", /a client sends ROLE_USER/);
  refuses(parseTask, { id: "t" }, "status", /required/);
  refuses(parseTask, task({ status: {} }), "status.state", /TASK_STATE_/);
  const violations = violationsOf(parseSendMessageRequest, { message: {} });
  assert.deepEqual(
    violations.map((one) => one.field),
    ["message.messageId", "message.role", "message.parts"],
  );
});

test("unknown fields are dropped", () => {
  assert.deepEqual(parseSendMessageRequest(send({ surprise: { a: 1 } }, { also: [1] })), send());
  assert.deepEqual(parseTask(task({ kind: "task", x: null })), task());
});

test("raw: base64url and missing padding are read, standard base64 is given, anything else is refused", () => {
  const bytes: [given: string, canonical: string][] = [
    ["_-_-", "/+/+"],
    ["YQ", "YQ=="],
    ["YWI", "YWI="],
    ["YWI=", "YWI="],
    ["YR==", "YQ=="],
    ["YWJ=", "YWI="],
  ];
  for (const [raw, canonical] of bytes) assert.deepEqual(partOf({ raw }), { raw: canonical });
  for (const raw of ["a", "a*b=", "YQ=", "Y Q==", "YQ==\n", "=", "YQ==YQ==", "é"]) {
    refusesPart({ raw }, /not base64/, ".raw");
  }
  refusesPart({ raw: 5 }, /must be base64 text, got 5/, ".raw");
});

test("numbers: text is read, fractions and other types are refused", () => {
  assert.deepEqual(parseGetTaskRequest({ id: "t", historyLength: "0" }), { id: "t", historyLength: 0 });
  for (const historyLength of [1.5, "1.5", "", " 1", 2 ** 31, "2147483648", true, [], "abc", -1]) {
    refuses(parseGetTaskRequest, { id: "t", historyLength }, "historyLength", /must be/);
  }
  refuses(parseListTasksRequest, { pageSize: 0 }, "pageSize", /1 to 100, got 0/);
  refuses(parseListTasksRequest, { pageSize: 101 }, "pageSize", /1 to 100/);
  refuses(parseListTasksRequest, { includeArtifacts: "false" }, "includeArtifacts", /true or false, got "false"/);
  assert.deepEqual(parseListTasksRequest({ includeArtifacts: false }), { includeArtifacts: false });
  refuses(
    parseSendMessageRequest,
    send({}, { configuration: { historyLength: -1 } }),
    "configuration.historyLength",
    /0 or more/,
  );
});

test("times: any offset and 0 to 9 digits become UTC with three digits", () => {
  const times: [given: string, canonical: string][] = [
    ["2026-08-01T14:00:00+02:00", "2026-08-01T12:00:00.000Z"],
    ["2026-08-01T12:00:00.123456789Z", "2026-08-01T12:00:00.123Z"],
    ["2026-08-01T12:00:00.9999Z", "2026-08-01T12:00:00.999Z"],
    ["2026-01-01T00:30:00.5+01:00", "2025-12-31T23:30:00.500Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
  ];
  for (const [statusTimestampAfter, canonical] of times) {
    assert.deepEqual(parseListTasksRequest({ statusTimestampAfter }), { statusTimestampAfter: canonical });
  }
  const wrong = [
    "yesterday",
    "2026-08-01",
    "2026-08-01T12:00:00",
    "2026-02-29T00:00:00Z",
    "2026-04-31T00:00:00.000Z",
    "2026-13-01T00:00:00.000Z",
    "2026-08-01T24:00:00.000Z",
    "2026-08-01T12:00:60.000Z",
    "0000-01-01T00:00:00.000Z",
    "0001-01-01T00:00:00+01:00",
    "2026-08-01T12:00:00+25:00",
    1_785_000_000,
  ];
  for (const statusTimestampAfter of wrong) {
    refuses(parseListTasksRequest, { statusTimestampAfter }, "statusTimestampAfter", /RFC 3339/);
  }
});

test("empty values where unset is meant are dropped; those with presence stay", () => {
  const read = parseSendMessageRequest(
    send(
      { taskId: "", extensions: [], referenceTaskIds: [], metadata: {} },
      { tenant: "", configuration: { returnImmediately: false, historyLength: 0, acceptedOutputModes: [] } },
    ),
  );
  assert.deepEqual(read, send({ metadata: {} }, { configuration: { historyLength: 0 } }));
});

test("ListTasksResponse always has its four fields", () => {
  const empty = { tasks: [], nextPageToken: "", pageSize: 0, totalSize: 0 };
  assert.deepEqual(parseListTasksResponse({ ...empty }), empty);
  assert.deepEqual(parseListTasksResponse({}), empty);
});

test("__proto__ and constructor are plain metadata keys", () => {
  const json =
    '{"id":"t-1","status":{"state":"TASK_STATE_WORKING"},"__proto__":{"x":1},' +
    '"metadata":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}}';
  const read = parseTask(JSON.parse(json));
  assert.equal(JSON.stringify(read), json.replace('"__proto__":{"x":1},', ""));
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});

test("nesting deeper than 100 levels is refused wherever it is", () => {
  const tower = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
  refuses(parseSendMessageRequest, send({}, { metadata: { a: tower(1000) } }), `metadata.a${"[0]".repeat(98)}`, /100/);
  refuses(parseSendMessageRequest, send({}, { unknown: tower(1000) }), "unknown", /nested deeper than 100/);
  const part = { data: tower(96) };
  assert.deepEqual(partOf(part), part);
  assert.equal(violationsOf(parseSendMessageRequest, send({ parts: [{ data: tower(97) }] })).length, 1);
});

test("text is untouched", () => {
  const text = "héllo 日本 😀 \u0000 \ud800";
  assert.deepEqual(partOf({ text }), { text });
});

test("values that JSON cannot carry are refused", () => {
  refusesPart({ data: { a: [Number.NaN] } }, /NaN is not JSON/, ".data.a[0]");
  refusesPart({ data: Number.POSITIVE_INFINITY }, /Infinity is not JSON/, ".data");
  refusesPart({ data: { f: () => 1 } }, /function is not JSON/, ".data.f");
  assert.deepEqual(partOf({ data: { gone: undefined, n: 2 ** 53 + 2 } }), { data: { n: 2 ** 53 + 2 } });
});

test("wrong types name what is wanted", () => {
  refuses(parseSendMessageRequest, { message: "hi" }, "message", /must be an object, got "hi"/);
  refuses(parseSendMessageRequest, send({ parts: {} }), "message.parts", /must be an array, got an object/);
  refuses(parseSendMessageRequest, send({ parts: ["hi"] }), "message.parts[0]", /must be an object, got "hi"/);
  refuses(parseSendMessageRequest, send({ parts: [[]] }), "message.parts[0]", /got an array/);
  refuses(parseSendMessageRequest, send({ extensions: ["a", null] }), "message.extensions[1]", /a string, got null/);
  refuses(parseSendMessageRequest, send({}, { metadata: [] }), "metadata", /must be an object/);
  for (const value of [null, undefined, 5, "x", []]) refuses(parseSendMessageRequest, value, "", /a JSON object/);
  refusesPart({ text: 5 }, /must be a string, got 5/, ".text");
});

test("an error carries at most 20 violations, and little of what was sent", () => {
  const violations = violationsOf(parseSendMessageRequest, send({ parts: Array.from({ length: 500 }, () => ({})) }));
  assert.equal(violations.length, 20);
  const [long] = violationsOf(parseListTasksRequest, { status: "x".repeat(1e6) });
  assert.ok(long !== undefined && long.description.length < 400);
});

test("teaching: forms of A2A 0.3 and of tutorials", () => {
  assert.deepEqual(partOf({ type: "text", text: "a" }), { text: "a" });
  assert.deepEqual(partOf({ type: "data", data: [1] }), { data: [1] });
  refusesPart({ type: "file", file: { uri: "https://x/a.pdf", name: "a.pdf" } }, /write \{"url":"https:\/\/x\/a\.pdf"/);
  refusesPart({ type: "file", file: { bytes: "YQ==", mimeType: "text/csv" } }, /"raw":.*"mediaType":"text\/csv"/);
  refusesPart({ kind: "text", text: "a" }, /belongs to A2A 0\.3: write \{"text":"…"\}/, ".kind");
  refuses(parseSendMessageRequest, send({ kind: "message" }), "message.kind", /leave it out/);
  refuses(parseSendMessageRequest, send({}, { taskId: "t-1" }), "taskId", /write message\.taskId/);
  refuses(parseSendMessageRequest, send({}, { context_id: "c" }), "context_id", /write message\.contextId/);
  refuses(parseSendMessageRequest, { jsonrpc: "2.0", method: "SendMessage", params: {} }, "jsonrpc", /envelope/);
  const status = { state: "TASK_STATE_WORKING", message: { text: "on it" } };
  refuses(parseTask, task({ status }), "status.message.text", /"parts":\[\{"text":"on it"\}\]/);
  refuses(parseTaskPushNotificationConfig, { taskId: "t", pushNotificationConfig: {} }, "url", /required/);
});

const CARD = {
  name: "A",
  description: "An agent",
  supportedInterfaces: [{ url: "https://a.example", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  version: "1",
  capabilities: {},
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "s", name: "S", description: "A skill", tags: ["x"] }],
};

test("a card is strict when it is ours", () => {
  assert.deepEqual(parseAgentCard(structuredClone(CARD)), CARD);
  for (const field of Object.keys(CARD)) {
    refuses(parseAgentCard, { ...structuredClone(CARD), [field]: undefined }, field, /required/);
  }
  refuses(parseAgentCard, { ...structuredClone(CARD), skills: [] }, "skills", /at least one entry/);
  const flows = { authorizationCode: { authorizationUrl: "https://a", tokenUrl: "https://t" } };
  const securitySchemes = { o: { oauth2SecurityScheme: { flows } } };
  const path = "securitySchemes.o.oauth2SecurityScheme.flows.authorizationCode.scopes";
  refuses(parseAgentCard, { ...structuredClone(CARD), securitySchemes }, path, /required/);
  refuses(
    parseAgentCard,
    { ...structuredClone(CARD), securitySchemes: { "a b": 5 } },
    'securitySchemes["a b"]',
    /object/,
  );
});

test("a card's lint warns and does not refuse", () => {
  const warnings: string[] = [];
  const card = {
    ...structuredClone(CARD),
    url: "https://old.example",
    authentication: { schemes: [] },
    capabilities: { supportsStreaming: true },
    defaultInputModes: ["TEXT"],
  };
  parseAgentCard(card, { onWarning: ({ field }) => warnings.push(field) });
  assert.deepEqual(warnings.sort(), [
    "authentication",
    "capabilities.supportsStreaming",
    "defaultInputModes[0]",
    "url",
  ]);
});

function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}
