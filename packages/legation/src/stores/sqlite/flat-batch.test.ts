import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Batch, BatchOutcome, TaskCommit } from "../../engine/store.ts";
import { flattenBatch, flattenOutcome, unflattenBatch, unflattenOutcome } from "./flat-batch.ts";

const key = { tenant: "t", owner: "o", messageId: "m-1", hash: "h" };
const events = [
  { kind: "created", time: 5, payload: "{}" },
  { kind: "message", time: 6, payload: '{"message":{}}' },
] as const;
const columns = {
  state: "TASK_STATE_WORKING",
  statusTime: 6,
  epoch: 2,
  holder: null,
  leaseUntil: 7,
  attempts: 1,
  due: null,
  held: "why",
  agentVersion: "1.0.0",
  run: "{}",
} as const;
const absent = { create: undefined, columns: undefined, snapshot: undefined, dedupe: undefined };

const created: TaskCommit = {
  create: { id: "id-1", tenant: "t", owner: "o", agent: "a", contextId: "c", createdAt: 5 },
  key: 0,
  seq: 0,
  epoch: 0,
  events,
  columns,
  snapshot: "{}",
  dedupe: { key, taskId: "id-1", expires: null },
};
const grown: TaskCommit = { ...absent, key: 7, seq: 2, epoch: 2, events: [events[1]] };
const bytes = new Uint8Array([1, 2]);
const blobs = [{ tenant: "t", owner: "o", sha256: "00", bytes }];
const large: TaskCommit = { ...absent, key: 8, seq: 3, epoch: 1, events: [], columns, blobs, hooks: undefined };

describe("a flat batch", () => {
  it("is the batch again on the other side", () => {
    const replies = [{ key, step: "reply", now: 1, leaseUntil: 2, expires: 3, reply: "{}" }] as const;
    const batch: Batch = { tasks: [created, grown, large], replies };
    assert.deepEqual(unflattenBatch(structuredClone(flattenBatch(batch))), batch);
  });

  it("carries nothing of an entry but what is stored", () => {
    const entry = { ...events[0], change: { kind: "created", task: { id: "id-1" } } };
    const { tasks } = unflattenBatch(flattenBatch({ tasks: [{ ...grown, events: [entry] }], replies: [] }));
    assert.deepEqual(tasks[0]?.events, [events[0]]);
  });

  it("brings every outcome back to its task", () => {
    const row = { ...key, taskId: "id-0", reply: null, leaseUntil: 0 };
    const outcome: BatchOutcome = {
      tasks: [
        { ok: true, key: 7 },
        { ok: false, why: "duplicate", row },
        { ok: true, key: 9, hooked: true },
        { ok: false, why: "epoch" },
      ],
      replies: [{ ok: true }, { ok: false, row }],
    };
    assert.deepEqual(unflattenOutcome(structuredClone(flattenOutcome(outcome))), outcome);
  });
});
