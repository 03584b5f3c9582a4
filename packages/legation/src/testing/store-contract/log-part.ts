import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { EventKind, Store, TaskRow } from "../../engine/store.ts";
import {
  append,
  batchOf,
  columnsOf,
  commitOne,
  createTask,
  creation,
  dedupeKey,
  event,
  readLog,
  rowOf,
  START,
  sampleColumns,
  sampleId,
} from "./sample.ts";

/** One test of the contract, run with a store that is open and empty. */
export type ContractTest = (store: Store, context: TestContext) => Promise<void>;

const KINDS: readonly EventKind[] = [
  "created",
  "message",
  "status",
  "artifact",
  "turn",
  "decision",
  "opened",
  "cancel.requested",
  "authorized",
  "message.unprocessed",
  "held",
];

/** Creation, append, compare-and-set and batches. */
export const LOG_PART: Readonly<Record<string, ContractTest>> = {
  "a task that was committed is read back column by column": async (store) => {
    const id = sampleId();
    const row = await createTask(store, {
      id,
      tenant: "t",
      owner: "o",
      contextId: "c",
      agent: "a",
      createdAt: START + 1,
      state: "TASK_STATE_WORKING",
      statusTime: START + 2,
      epoch: 1,
      holder: "h",
      leaseUntil: START + 900_000,
      attempts: 1,
      due: START + 4,
      held: "why",
      agentVersion: "2.1",
      run: '{"turn":1}',
      snapshot: '{"id":"x"}',
      events: [event("created", START + 1), event("status", START + 2)],
    });
    assert.ok(Number.isSafeInteger(row.key) && row.key > 0);
    assert.deepEqual(row, {
      key: row.key,
      id,
      tenant: "t",
      owner: "o",
      contextId: "c",
      agent: "a",
      createdAt: START + 1,
      state: "TASK_STATE_WORKING",
      statusTime: START + 2,
      seq: 2,
      epoch: 1,
      holder: "h",
      leaseUntil: START + 900_000,
      attempts: 1,
      due: START + 4,
      held: "why",
      agentVersion: "2.1",
      run: '{"turn":1}',
      snapshot: '{"id":"x"}',
      snapshotSeq: 2,
    });
    assert.equal(await store.task(sampleId()), undefined);
  },

  "columns that are null stay null": async (store) => {
    const { holder, leaseUntil, due, held, snapshot, snapshotSeq } = await createTask(store);
    assert.deepEqual(
      { holder, leaseUntil, due, held, snapshot, snapshotSeq },
      { holder: null, leaseUntil: 0, due: null, held: null, snapshot: null, snapshotSeq: 0 },
    );
  },

  "a second task with the same id is refused as seq": async (store) => {
    const first = await createTask(store, { run: "1" });
    assert.deepEqual(await commitOne(store, creation({ id: first.id, run: "2", tenant: "other" })), {
      ok: false,
      why: "seq",
    });
    assert.deepEqual(await rowOf(store, first.id), first);
  },

  "an append grows the log and leaves the columns": async (store) => {
    const before = await createTask(store, { holder: "h", leaseUntil: START + 900_000 });
    assert.deepEqual(await commitOne(store, append(before, [event("artifact"), event("artifact")])), {
      ok: true,
      key: before.key,
    });
    assert.deepEqual(await rowOf(store, before.id), { ...before, seq: 3 });
  },

  "columns are replaced without an entry": async (store) => {
    const before = await createTask(store);
    await commitOne(store, append(before, [], { held: "look at it", epoch: 7 }));
    assert.deepEqual(await rowOf(store, before.id), { ...before, held: "look at it", epoch: 7 });
  },

  "the writer who saw another seq is refused, also as the second of two": async (store) => {
    const row = await createTask(store);
    const [first, second] = await Promise.all([
      commitOne(store, append(row, [event("message")])),
      commitOne(store, append(row, [event("cancel.requested")])),
    ]);
    assert.deepEqual([first, second].filter(({ ok }) => ok).length, 1);
    assert.deepEqual(
      [first, second].find(({ ok }) => !ok),
      { ok: false, why: "seq" },
    );
    assert.equal((await rowOf(store, row.id)).seq, 2);
  },

  "the writer who saw another epoch is refused, and epoch goes before seq": async (store) => {
    const row = await createTask(store);
    const later = append(row, [event("message")], { epoch: 2 });
    assert.equal((await commitOne(store, later)).ok, true);
    const { epoch } = row;
    assert.deepEqual(await commitOne(store, append(row, [event("status")])), { ok: false, why: "epoch" });
    const now = await rowOf(store, row.id);
    assert.deepEqual(await commitOne(store, append({ ...now, epoch }, [event("status")], { epoch: 9 })), {
      ok: false,
      why: "epoch",
    });
    assert.deepEqual(await commitOne(store, append({ ...now, seq: 1 }, [event("status")], {})), {
      ok: false,
      why: "seq",
    });
    assert.deepEqual(await rowOf(store, row.id), now);
  },

  "a key that is not there is missing": async (store) => {
    const row = await createTask(store);
    const gone = { ...row, key: row.key + 1_000_000 };
    assert.deepEqual(await commitOne(store, append(gone, [event("message")])), { ok: false, why: "missing" });
    assert.deepEqual(await commitOne(store, append(gone, [], {})), { ok: false, why: "missing" });
    assert.deepEqual(await store.events(gone.key, 0, 1_000), []);
  },

  "a refused entry leaves nothing behind while its neighbours succeed": async (store) => {
    const row = await createTask(store);
    const sha256 = "ab".repeat(32);
    const refused = {
      ...append({ ...row, seq: 9 }, [event("artifact")], { state: "TASK_STATE_FAILED", statusTime: START + 9 }),
      snapshot: "{}",
      dedupe: { key: dedupeKey("refused"), taskId: row.id, expires: null },
      blobs: [{ tenant: "", owner: "", sha256, bytes: new Uint8Array([1]) }],
    };
    const fresh = creation();
    const { tasks } = await store.commit(batchOf([fresh, refused, append(row, [event("message")])]));
    assert.deepEqual(
      tasks.map((outcome) => outcome.ok),
      [true, false, true],
    );
    assert.deepEqual(await rowOf(store, row.id), { ...row, seq: 2 });
    assert.deepEqual(await readLog(store, row.key), ['{"kind":"created"}', '{"kind":"message"}']);
    assert.equal(await store.dedupe(dedupeKey("refused")), undefined);
    assert.equal(await store.blob("", "", sha256), undefined);
    assert.equal((await rowOf(store, fresh.create?.id ?? "")).seq, 1);
    const page = await store.list({ tenant: "", owner: "", agent: "agent", state: "TASK_STATE_FAILED", limit: 9 });
    assert.deepEqual({ ...page }, { rows: [], places: [], more: false, total: 0 });
  },

  "entries of one task in one batch build on each other in their order": async (store) => {
    const row = await createTask(store);
    const { tasks } = await store.commit(
      batchOf([
        append(row, [event("message")]),
        append({ ...row, seq: 2 }, [event("status")], { state: "TASK_STATE_WORKING", epoch: 2 }),
        append({ ...row, seq: 3 }, [event("artifact")]),
        append({ ...row, seq: 3, epoch: 2 }, [event("artifact")]),
      ]),
    );
    assert.deepEqual(tasks, [
      { ok: true, key: row.key },
      { ok: true, key: row.key },
      { ok: false, why: "epoch" },
      { ok: true, key: row.key },
    ]);
    const now = await rowOf(store, row.id);
    assert.deepEqual([now.seq, now.state, now.epoch], [4, "TASK_STATE_WORKING", 2]);
  },

  "a batch of 1,000 entries gives its outcomes in order": async (store) => {
    const rows: TaskRow[] = [];
    for (let n = 0; n < 4; n += 1) rows.push(await createTask(store));
    const commits = Array.from({ length: 1_000 }, (_, n) => {
      const row = rows[n >> 8];
      if (n % 256 === 255 && row !== undefined) return append({ ...row, seq: n }, [event("status")]);
      return creation({ run: String(n), events: [event("created"), event("message")] });
    });
    const { tasks } = await store.commit(batchOf(commits));
    assert.equal(tasks.length, 1_000);
    for (const [n, outcome] of tasks.entries()) {
      assert.equal(outcome.ok, n % 256 !== 255, `entry ${n}`);
      const id = commits[n]?.create?.id;
      if (id === undefined || !outcome.ok) continue;
      const row = await rowOf(store, id);
      assert.deepEqual([row.key, row.run, row.seq], [outcome.key, String(n), 2]);
    }
  },

  "an empty batch is fine": async (store) => {
    assert.deepEqual(await store.commit(batchOf([])), { tasks: [], replies: [] });
  },

  "a snapshot stands at the last entry of its commit until the next": async (store) => {
    const row = await createTask(store);
    await commitOne(store, { ...append(row, [event("status"), event("artifact")]), snapshot: '{"as":3}' });
    await commitOne(store, append({ ...row, seq: 3 }, [event("artifact")]));
    const after = await rowOf(store, row.id);
    assert.deepEqual([after.snapshot, after.snapshotSeq, after.seq], ['{"as":3}', 3, 4]);
    await commitOne(store, { ...append(after, []), snapshot: '{"as":4}' });
    const last = await rowOf(store, row.id);
    assert.deepEqual([last.snapshot, last.snapshotSeq, last.seq], ['{"as":4}', 4, 4]);
  },

  "every kind, time and payload is read as it was written": async (store) => {
    const payload = JSON.stringify({ text: "żółć 智能體 👩‍👩‍👧 e\u0301 \u2028 \u0000 \ud800 ‮rtl" });
    const events = KINDS.map((kind, n) => event(kind, START + n, n % 2 === 0 ? payload : "{}"));
    const row = await createTask(store, { events, contextId: "контекст-🧭", owner: "o'\"\\%", run: payload });
    assert.deepEqual(
      await store.events(row.key, 0, 1_000_000),
      events.map((each, n) => ({ ...each, seq: n + 1 })),
    );
    assert.deepEqual([row.contextId, row.owner, row.run], ["контекст-🧭", "o'\"\\%", payload]);
  },

  "a page of entries ends before it is too long, and holds at least one": async (store) => {
    const events = [10, 10, 10, 5_000, 10, 30].map((length) =>
      event("artifact", START, JSON.stringify("x".repeat(length - 2))),
    );
    const row = await createTask(store, { events });
    const seqs = async (after: number, maxBytes: number) =>
      (await store.events(row.key, after, maxBytes)).map(({ seq }) => seq);
    assert.deepEqual(await seqs(0, 29), [1, 2]);
    assert.deepEqual(await seqs(0, 30), [1, 2, 3]);
    assert.deepEqual(await seqs(2, 100), [3]);
    assert.deepEqual(await seqs(3, 100), [4]);
    assert.deepEqual(await seqs(4, 40), [5, 6]);
    assert.deepEqual(await seqs(5, 0), [6]);
    assert.deepEqual(await seqs(6, 100), []);
    assert.deepEqual(await seqs(7, 100), []);
    assert.equal((await readLog(store, row.key, 1)).length, 6);
  },

  "a long log is read whole by pages": async (store) => {
    const row = await createTask(store);
    for (let n = 0; n < 20; n += 1) {
      const chunk = Array.from({ length: 100 }, (_, m) => event("artifact", START, `"${n * 100 + m}"`));
      await commitOne(store, append({ ...row, seq: 1 + n * 100 }, chunk));
    }
    const payloads = await readLog(store, row.key, 2_000);
    assert.equal(payloads.length, 2_001);
    assert.deepEqual(payloads.slice(-2), ['"1998"', '"1999"']);
  },

  "a row that was read does not change under its reader": async (store) => {
    const row = await createTask(store);
    const copy = structuredClone(row);
    await commitOne(store, append(row, [event("status")], { state: "TASK_STATE_WORKING", statusTime: START + 5 }));
    assert.deepEqual(row, copy);
    assert.deepEqual(columnsOf(row), sampleColumns());
  },
};
