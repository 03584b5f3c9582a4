import assert from "node:assert/strict";
import { test } from "node:test";
import { type FieldViolation, ModelError } from "./model-error.ts";
import { parseLeniently, type ShapeName } from "./parse-leniently.ts";

function warningsOf(shape: ShapeName, value: unknown): string[] {
  const warnings: string[] = [];
  parseLeniently(shape, value, { onWarning: ({ field, description }) => warnings.push(`${field}: ${description}`) });
  return warnings;
}

function violationOf(shape: ShapeName, value: unknown): FieldViolation {
  try {
    parseLeniently(shape, value);
  } catch (error) {
    assert.ok(error instanceof ModelError, String(error));
    const [first] = error.violations;
    assert.ok(first);
    return first;
  }
  return assert.fail("accepted");
}

function refuses(shape: ShapeName, value: unknown, field: string, text: RegExp): void {
  const violation = violationOf(shape, value);
  assert.equal(violation.field, field);
  assert.match(violation.description, text);
}

function task(rest: object = {}): Record<string, unknown> {
  return { id: "t-1", status: { state: "TASK_STATE_WORKING" }, ...rest };
}

function partOf(part: unknown): unknown {
  const { parts } = parseLeniently("Message", { messageId: "m", role: "ROLE_AGENT", parts: [part] });
  return (parts as unknown[])[0];
}

test("what came is not changed, and unknown fields are left out", () => {
  const json = '{"kind":"task","id":"t-1","context_id":"c","status":{"state":2,"x":{}},"__proto__":{"y":1}}';
  const received: unknown = JSON.parse(json);
  assert.deepEqual(parseLeniently("Task", received), task({ contextId: "c" }));
  assert.equal(JSON.stringify(received), json);
  let unknown = 0;
  parseLeniently("Task", received, { onUnknown: () => unknown++ });
  assert.equal(unknown, 3);
});

test("states and roles are folded or kept, and reported", () => {
  const status = { state: "input-required", message: { messageId: "m", role: "agent", parts: [{ text: "?" }] } };
  const peer = task({ status, history: [{ messageId: "h", role: "ROLE_MODERATOR", parts: [{ text: "x" }] }] });
  assert.deepEqual(warningsOf("Task", peer), [
    'status.state: "input-required" read as TASK_STATE_INPUT_REQUIRED',
    'status.message.role: "agent" read as ROLE_AGENT',
    'history[0].role: unknown role "ROLE_MODERATOR" kept',
  ]);
  const read = parseLeniently("Task", peer) as { status: { state: string }; history: { role: string }[] };
  assert.equal(read.status.state, "TASK_STATE_INPUT_REQUIRED");
  assert.equal(read.history[0]?.role, "ROLE_MODERATOR");
  for (const state of ["TASK_STATE_PAUSED", "RUNNING", "TASK_STATE_UNSPECIFIED"]) {
    assert.deepEqual(parseLeniently("TaskStatus", { state }), { state });
  }
  assert.deepEqual(parseLeniently("TaskStatus", { state: "TASK_STATE_CANCELLED" }), { state: "TASK_STATE_CANCELED" });
  assert.deepEqual(parseLeniently("TaskStatus", { state: 99 }), { state: "99" });
});

test("missing lists and the context of an event are read as empty, missing ids are not", () => {
  const bare = { messageId: "m", role: "ROLE_AGENT" };
  assert.deepEqual(parseLeniently("Message", bare), { ...bare, parts: [] });
  assert.deepEqual(warningsOf("Message", bare), ["parts: missing: read as empty"]);
  refuses("Message", { role: "ROLE_AGENT", parts: [] }, "messageId", /required: a Message \{messageId, role, parts\}/);
  refuses("Task", task({ status: {} }), "status.state", /required/);
  refuses("TaskPushNotificationConfig", { taskId: "t" }, "url", /required/);
  const status = { state: "TASK_STATE_WORKING", timestamp: "2026-08-01T12:00:00" };
  const event = { statusUpdate: { taskId: "t", status } };
  assert.deepEqual(parseLeniently("StreamResponse", event), {
    statusUpdate: { taskId: "t", contextId: "", status: { ...status, timestamp: "2026-08-01T12:00:00.000Z" } },
  });
  assert.deepEqual(warningsOf("StreamResponse", event), [
    'statusUpdate.status.timestamp: "2026-08-01T12:00:00" has no offset: read as UTC',
    "statusUpdate.contextId: missing: read as empty",
  ]);
  assert.deepEqual(warningsOf("ListTasksResponse", {}), []);
});

test("what printing every default does not spoil", () => {
  const printed = {
    id: "t-1",
    contextId: "",
    status: { state: "TASK_STATE_WORKING", message: null, timestamp: "" },
    artifacts: [{ artifactId: "a", name: "", parts: [{ text: "x", raw: "", url: "", data: null, filename: "" }] }],
    history: [],
    metadata: null,
  };
  assert.deepEqual(parseLeniently("Task", printed), task({ artifacts: [{ artifactId: "a", parts: [{ text: "x" }] }] }));
  assert.deepEqual(partOf({ text: "", data: { a: 1 } }), { data: { a: 1 } });
  assert.deepEqual(partOf({ text: "", data: null }), { text: "" });
  assert.deepEqual(partOf({ data: null }), { data: null });
  assert.deepEqual(partOf({ raw: "" }), { raw: "" });
});

test("shapes that nothing can be made of are named by what is expected", () => {
  refuses("Task", "hello", "", /must be a Task \{id, status\}, got "hello"/);
  refuses(
    "Task",
    task({ status: { state: "TASK_STATE_WORKING", message: { text: "on it" } } }),
    "status.message.messageId",
    /a Message \{messageId, role, parts\}/,
  );
  refuses("StreamResponse", { state: "working" }, "", /exactly one of task, message, statusUpdate, artifactUpdate/);
  refuses(
    "SendMessageResponse",
    { task: task(), message: { messageId: "m", role: 2, parts: [] } },
    "",
    /exactly one of task, message/,
  );
  refuses("Task", task({ artifacts: {} }), "artifacts", /must be an array, got an object/);
  refuses("Task", task({ artifacts: [{ artifactId: "a", parts: ["hi"] }] }), "artifacts[0].parts[0]", /a Part/);
  refuses("Task", task({ metadata: [] }), "metadata", /must be an object/);
  refuses("Message", { messageId: 5, role: 1, parts: [] }, "messageId", /must be a string, got 5/);
  refuses("ListTasksResponse", { pageSize: 1.5 }, "pageSize", /32-bit integer/);
  refuses("TaskStatus", { state: 1, timestamp: "yesterday" }, "timestamp", /RFC 3339/);
});

test("base64 in every form, and nothing else", () => {
  const forms: [given: string, canonical: string][] = [
    ["_-_-", "/+/+"],
    ["YQ", "YQ=="],
    ["YWI=", "YWI="],
    ["YR==", "YQ=="],
  ];
  for (const [raw, canonical] of forms) assert.deepEqual(partOf({ raw }), { raw: canonical });
  for (const raw of ["a*b=", "YQ==YQ==", "YQ=", 5]) assert.throws(() => partOf({ raw }), /must be base64/);
});

test("free JSON deeper than 100 levels is refused at the level where the strict validator refuses it", () => {
  const tower = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);
  assert.ok(parseLeniently("Task", task({ metadata: { a: tower(98) } })));
  refuses("Task", task({ metadata: { a: tower(99) } }), "metadata", /deeper than 100/);
  refuses("Task", task({ metadata: { a: tower(100_000) } }), "metadata", /deeper than 100/);
});

test("at most 20 warnings", () => {
  const history = Array.from({ length: 50 }, (_, at) => ({ messageId: `m-${at}`, role: "agent", parts: [] }));
  assert.equal(warningsOf("Task", task({ history })).length, 20);
});
