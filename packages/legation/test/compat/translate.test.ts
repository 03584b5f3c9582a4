// The objects of v0.3, in both of its spellings, and those of 1.0: literal pairs, and that what is written is read back.
import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import {
  noFault,
  readMessage,
  readPart,
  readStreamResponse,
  readTask,
  readTaskPushConfig,
} from "../../src/compat/v0_3/read-old.ts";
import { writeMessage, writePart, writeStreamResponse, writeTaskPushConfig } from "../../src/compat/v0_3/write-old.ts";
import type { Message, Part, StreamResponse } from "../../src/model/gen/types.ts";

const PARTS: readonly (readonly [title: string, current: Part, kind: object, proto: object])[] = [
  [
    "text",
    { text: "hi", metadata: { a: 1 } },
    { kind: "text", text: "hi", metadata: { a: 1 } },
    { text: "hi", metadata: { a: 1 } },
  ],
  ["an empty text", { text: "" }, { kind: "text", text: "" }, { text: "" }],
  [
    "bytes",
    { raw: "AAH+/w==", filename: "a.bin", mediaType: "image/png" },
    { kind: "file", file: { name: "a.bin", mimeType: "image/png", bytes: "AAH+/w==" } },
    { file: { fileWithBytes: "AAH+/w==", mimeType: "image/png", name: "a.bin" } },
  ],
  [
    "an address",
    { url: "https://example.com/a" },
    { kind: "file", file: { uri: "https://example.com/a" } },
    { file: { fileWithUri: "https://example.com/a" } },
  ],
  ["data", { data: { n: [1, null] } }, { kind: "data", data: { n: [1, null] } }, { data: { data: { n: [1, null] } } }],
  [
    "data that is no object",
    { data: [1, 2] },
    { kind: "data", data: { value: [1, 2] }, metadata: { data_part_compat: true } },
    { data: { data: { value: [1, 2] } }, metadata: { data_part_compat: true } },
  ],
];

for (const [title, current, kind, proto] of PARTS) {
  test(`a part with ${title} is written and read in both spellings`, () => {
    assert.deepEqual(writePart(current, "kind"), kind);
    assert.deepEqual(writePart(current, "proto"), proto);
    assert.deepEqual(readPart(kind, noFault), current);
    assert.deepEqual(readPart(proto, noFault), current);
  });
}

test("a part may say type for kind, or nothing, and its fields snake_case", () => {
  assert.deepEqual(readPart({ type: "text", text: "a" }, noFault), { text: "a" });
  const file = { file_with_bytes: "AA==", mime_type: "text/csv" };
  assert.deepEqual(readPart({ file }, noFault), { raw: "AA==", mediaType: "text/csv" });
});

test("the text of base64 in place of bytes is undone where no file of that type looks so, and nowhere else", () => {
  const png = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]).toString("base64");
  const doubled = Buffer.from(png).toString("base64");
  const read = (fileWithBytes: string, mimeType?: string): unknown =>
    (readPart({ file: { fileWithBytes, ...(mimeType === undefined ? {} : { mimeType }) } }, noFault) as Part).raw;
  assert.equal(read(doubled, "image/png"), png);
  const large = Buffer.alloc(6_000, 0x89).toString("base64");
  assert.equal(read(Buffer.from(large).toString("base64"), "application/pdf"), large);
  // What may be meant as it is stays as it is.
  for (const type of [undefined, "text/plain", "application/octet-stream"]) assert.equal(read(doubled, type), doubled);
  assert.equal(read(png, "image/png"), png);
  assert.equal(read("***", "image/png"), "***");
  assert.equal(read(Buffer.from("ab=d").toString("base64"), "image/png"), "YWI9ZA==");
  // JSON-RPC has base64 by itself: nothing is doubled there.
  const kind = { kind: "file", file: { bytes: doubled, mimeType: "image/png" } };
  assert.equal((readPart(kind, noFault) as Part).raw, doubled);
});

test("data that holds one member called data is that object where a kind says so", () => {
  assert.deepEqual(readPart({ kind: "data", data: { data: { a: 1 } } }, noFault), { data: { data: { a: 1 } } });
});

test("what 0.3 does not have is told with its path", () => {
  const faults: string[] = [];
  const message = {
    role: "human",
    parts: [{ kind: "text", text: "a" }, { kind: "video" }, { kind: "file", file: {} }],
  };
  readMessage(message, (field, description) => faults.push(`${field}: ${description}`));
  assert.deepEqual(faults, [
    'role: "human" is no role; use user or agent',
    'parts[1].kind: "video" is no kind of part; use text, file or data',
    "parts[2].file: has neither bytes nor uri",
  ]);
});

const EVENTS: readonly (readonly [title: string, current: StreamResponse, kind: object, proto: object])[] = [
  [
    "a status",
    { statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_CANCELED" } } },
    { kind: "status-update", taskId: "t", contextId: "c", status: { state: "canceled" }, final: true },
    { statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_CANCELLED" }, final: true } },
  ],
  [
    "a state that waits for authorisation, which is not final",
    { statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_AUTH_REQUIRED" } } },
    { kind: "status-update", taskId: "t", contextId: "c", status: { state: "auth-required" }, final: false },
    { statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_AUTH_REQUIRED" }, final: false } },
  ],
  [
    "a piece of an artifact",
    {
      artifactUpdate: {
        taskId: "t",
        contextId: "c",
        artifact: { artifactId: "a", parts: [{ text: "x" }] },
        append: true,
        lastChunk: true,
      },
    },
    {
      kind: "artifact-update",
      taskId: "t",
      contextId: "c",
      artifact: { artifactId: "a", parts: [{ kind: "text", text: "x" }] },
      append: true,
      lastChunk: true,
    },
    {
      artifactUpdate: {
        taskId: "t",
        contextId: "c",
        artifact: { artifactId: "a", parts: [{ text: "x" }] },
        append: true,
        lastChunk: true,
      },
    },
  ],
  [
    "a task",
    {
      task: {
        id: "t",
        contextId: "c",
        status: { state: "TASK_STATE_INPUT_REQUIRED", timestamp: "2026-01-01T00:00:00.000Z" },
        history: [{ messageId: "m", role: "ROLE_USER", parts: [{ text: "q" }] }],
      },
    },
    {
      kind: "task",
      id: "t",
      contextId: "c",
      status: { state: "input-required", timestamp: "2026-01-01T00:00:00.000Z" },
      history: [{ kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "q" }] }],
    },
    {
      task: {
        id: "t",
        contextId: "c",
        status: { state: "TASK_STATE_INPUT_REQUIRED", timestamp: "2026-01-01T00:00:00.000Z" },
        history: [{ messageId: "m", role: "ROLE_USER", content: [{ text: "q" }] }],
      },
    },
  ],
  [
    "a message",
    { message: { messageId: "m", role: "ROLE_AGENT", contextId: "c", parts: [{ text: "a" }] } },
    { kind: "message", messageId: "m", role: "agent", contextId: "c", parts: [{ kind: "text", text: "a" }] },
    { message: { messageId: "m", role: "ROLE_AGENT", contextId: "c", content: [{ text: "a" }] } },
  ],
];

for (const [title, current, kind, proto] of EVENTS) {
  test(`an event that is ${title} is written and read in both spellings`, () => {
    assert.deepEqual(writeStreamResponse(current, "kind"), kind);
    assert.deepEqual(writeStreamResponse(current, "proto"), proto);
    assert.deepEqual(readStreamResponse(kind, noFault), current);
    assert.deepEqual(readStreamResponse(proto, noFault), current);
  });
}

test("answers without a kind, or under the field names of the proto, are told apart by what they hold", () => {
  const status = { state: "working" };
  const read = { state: "TASK_STATE_WORKING" };
  assert.deepEqual(readStreamResponse({ id: "t", status }, noFault), { task: { id: "t", status: read } });
  const event = { taskId: "t", contextId: "c", status };
  assert.deepEqual(readStreamResponse(event, noFault), { statusUpdate: { ...event, status: read } });
  const msg = { message_id: "m", role: "ROLE_AGENT", content: [] };
  assert.deepEqual(readStreamResponse({ msg }, noFault), {
    message: { messageId: "m", role: "ROLE_AGENT", parts: [] },
  });
});

test("a state that is unknown is unspecified, and a time without a zone is UTC", () => {
  assert.deepEqual(
    readTask({ id: "t", status: { state: "unknown", timestamp: "2025-04-02T16:59:25.331844" } }, noFault),
    {
      id: "t",
      status: { state: "TASK_STATE_UNSPECIFIED", timestamp: "2025-04-02T16:59:25.331844Z" },
    },
  );
});

test("a webhook has schemes, of which the first counts, and in the proto a resource name", () => {
  const config = {
    id: "w",
    taskId: "t",
    url: "https://h/",
    token: "s",
    authentication: { scheme: "Bearer", credentials: "c" },
  };
  const pushNotificationConfig = {
    id: "w",
    url: "https://h/",
    token: "s",
    authentication: { schemes: ["Bearer"], credentials: "c" },
  };
  const name = "tasks/t/pushNotificationConfigs/w";
  assert.deepEqual(writeTaskPushConfig(config, "kind"), { taskId: "t", pushNotificationConfig });
  assert.deepEqual(writeTaskPushConfig(config, "proto"), { name, pushNotificationConfig });
  assert.deepEqual(readTaskPushConfig({ taskId: "t", pushNotificationConfig }, noFault), config);
  assert.deepEqual(readTaskPushConfig({ name, push_notification_config: pushNotificationConfig }, noFault), config);
});

const metadata = fc.option(fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }), { nil: undefined });
const part = fc.oneof(
  fc.record({ text: fc.string(), metadata }),
  fc.record({ data: fc.jsonValue(), metadata }),
  fc.record({ raw: fc.base64String(), filename: fc.string({ minLength: 1 }), metadata }),
  fc.record({ url: fc.webUrl(), mediaType: fc.constantFrom("image/png", "text/html"), metadata }),
);
const message = fc.record({
  messageId: fc.uuid(),
  role: fc.constantFrom("ROLE_USER", "ROLE_AGENT"),
  parts: fc.array(part, { minLength: 1, maxLength: 4 }),
  extensions: fc.option(fc.array(fc.webUrl()), { nil: undefined }),
  metadata,
});

test("what is written is read back the same, in both spellings", () => {
  fc.assert(
    fc.property(message, fc.constantFrom("kind", "proto"), (given, form) => {
      // As it travels: undefined members are not there.
      const sent = JSON.parse(JSON.stringify(given)) as Message;
      const wire = JSON.parse(JSON.stringify(writeMessage(sent, form as "kind")));
      assert.deepEqual(readMessage(wire, noFault), sent);
    }),
    { numRuns: 300 },
  );
});
