import assert from "node:assert/strict";
import type { Store } from "../../engine/store.ts";
import { ERASED_OWNER } from "../../engine/upkeep.ts";
import type { ContractTest } from "./log-part.ts";
import { append, batchOf, commitOne, createTask, dedupeKey, event, readLog, rowOf, START } from "./sample.ts";

const MARKER = "somebody's secret";

/** What a store does beside the path of requests: finding, removing, erasing. */
export const UPKEEP_PART: Readonly<Record<string, ContractTest>> = {
  "finds the tasks that have not ended, and those that are held, by key": async (store) => {
    const agent = "upkeep-agent";
    const rows = [];
    for (let n = 0; n < 4; n += 1) rows.push(await createTask(store, { agent }));
    const [first, second, third, fourth] = rows;
    assert.ok(first !== undefined && second !== undefined && third !== undefined && fourth !== undefined);
    await commitOne(store, append(second, [event("held")], { held: "why not", due: null }));
    await commitOne(store, append(third, [event("status")], { state: "TASK_STATE_COMPLETED", due: null }));
    const open = { agents: [agent], held: false, afterKey: 0, limit: 10 };
    const keys = async (query: Parameters<Store["upkeep"]["unfinished"]>[0]): Promise<readonly number[]> =>
      (await store.upkeep.unfinished(query)).map(({ key }) => key);
    assert.deepEqual(await keys(open), [first.key, second.key, fourth.key]);
    assert.deepEqual(await keys({ ...open, limit: 2 }), [first.key, second.key]);
    assert.deepEqual(await keys({ ...open, afterKey: second.key }), [fourth.key]);
    assert.deepEqual(await keys({ ...open, held: true }), [second.key]);
    assert.ok((await keys({ ...open, agents: undefined, held: true, limit: 1_000 })).includes(second.key));
    assert.deepEqual(await keys({ ...open, agents: ["another"] }), []);
  },

  "removes tasks that ended long ago, with their log, their totals and their requests": async (store) => {
    const tenant = "upkeep-tenant";
    const rows = [];
    for (let n = 0; n < 3; n += 1) rows.push(await createTask(store, { tenant }));
    for (const [n, row] of rows.entries()) {
      const columns = { state: "TASK_STATE_COMPLETED", statusTime: START + n, due: null } as const;
      await commitOne(store, append(row, [event("status", START + n)], columns));
    }
    const query = { tenant, states: ["TASK_STATE_COMPLETED"], before: START + 2, whole: false, limit: 10 } as const;
    const old = await store.upkeep.ended(query);
    assert.deepEqual([...old].sort(), [rows[0]?.key, rows[1]?.key]);
    assert.deepEqual(await store.upkeep.ended({ ...query, states: ["TASK_STATE_FAILED"] }), []);
    assert.deepEqual(await store.upkeep.ended({ ...query, tenant: "another" }), []);
    await store.upkeep.remove(old);
    assert.equal(await store.task(rows[0]?.id ?? ""), undefined);
    assert.deepEqual(await readLog(store, rows[0]?.key ?? 0), []);
    assert.equal((await rowOf(store, rows[2]?.id ?? "")).seq, 2);
    const { owner = "", agent = "" } = rows[2] ?? {};
    const page = await store.list({ tenant, owner, agent, limit: 10 });
    assert.deepEqual([page.total, page.rows.length], [1, 1]);
    assert.deepEqual(await store.upkeep.ended(query), []);
  },

  "empties the log of a task that ended, once: what it is answered with stays": async (store) => {
    const tenant = "t-compact";
    const row = await createTask(store, { tenant });
    const columns = { state: "TASK_STATE_COMPLETED", due: null } as const;
    await commitOne(store, { ...append(row, [event("status")], columns), snapshot: '{"id":"x"}' });
    const query = { tenant, states: ["TASK_STATE_COMPLETED"], before: START + 1, whole: true, limit: 10 } as const;
    assert.deepEqual(await store.upkeep.ended(query), [row.key]);
    await store.upkeep.compact([row.key]);
    assert.deepEqual(await store.upkeep.ended(query), []);
    assert.deepEqual(await store.upkeep.ended({ ...query, whole: false }), [row.key]);
    assert.deepEqual(await readLog(store, row.key), ["", ""]);
    const { snapshot, snapshotSeq, seq } = await rowOf(store, row.id);
    assert.deepEqual([snapshot, snapshotSeq, seq], ['{"id":"x"}', 2, 2]);
  },

  "counts the tasks of a tenant that have not ended": async (store) => {
    const tenant = "t-open";
    assert.equal(await store.upkeep.openTasks(tenant), 0);
    const rows = [
      await createTask(store, { tenant, owner: "a" }),
      await createTask(store, { tenant, owner: "b", agent: "x" }),
      await createTask(store, { tenant, owner: "c" }),
    ];
    await createTask(store);
    assert.equal(await store.upkeep.openTasks(tenant), 3);
    const ended = { state: "TASK_STATE_CANCELED", due: null } as const;
    if (rows[0] !== undefined) await commitOne(store, append(rows[0], [event("status")], ended));
    await store.upkeep.erase(tenant, "b", 10);
    assert.equal(await store.upkeep.openTasks(tenant), 1);
  },

  "erases an owner: nothing of what was said is left, the skeleton of the log is": async (store) => {
    const [tenant, owner] = ["t-erase", "o-erase"];
    const [mine, other] = [await createTask(store, { tenant, owner }), await createTask(store, { tenant })];
    const bytes = new TextEncoder().encode(MARKER);
    const sha256 = "ab".repeat(32);
    const payload = JSON.stringify({ text: MARKER });
    const snapshot = JSON.stringify({ id: mine.id, text: MARKER });
    const blobs = [{ tenant, owner, sha256, bytes }];
    const key = { ...dedupeKey("reply"), tenant, owner };
    await commitOne(store, { ...append(mine, [{ kind: "artifact", time: START, payload }]), snapshot, blobs });
    const leased = { key, now: START, leaseUntil: START + 1_000, expires: START + 86_400_000 };
    await store.commit({ tasks: [], replies: [{ ...leased, step: "reply", reply: payload }] });
    assert.equal((await store.dedupe(key))?.reply, payload);

    assert.deepEqual(await store.upkeep.erase(tenant, owner, 10), [mine.id]);
    assert.deepEqual(await store.upkeep.erase(tenant, owner, 10), []);
    const row = await rowOf(store, mine.id);
    assert.deepEqual([row.owner, row.snapshot, row.holder, row.due], [ERASED_OWNER, null, null, null]);
    assert.deepEqual([row.seq, row.epoch > mine.epoch], [2, true]);
    assert.deepEqual(await readLog(store, mine.key), ["", ""]);
    assert.equal(await store.blob(tenant, owner, sha256), undefined);
    assert.equal(await store.dedupe(key), undefined);
    const { agent } = mine;
    assert.equal((await store.list({ tenant, owner, agent, limit: 10 })).total, 0);
    // Whoever was at work on it has lost it, and nobody else has lost anything.
    const late = await store.commit(batchOf([append(mine, [event("status")])]));
    assert.deepEqual(late.tasks, [{ ok: false, why: "epoch" }]);
    assert.equal((await rowOf(store, other.id)).owner, other.owner);
  },
};
