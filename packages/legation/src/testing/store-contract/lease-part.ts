import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimQuery, Store, TaskRow } from "../../engine/store.ts";
import type { ContractTest } from "./log-part.ts";
import { append, commitOne, createTask, event, rowOf, type SampleOptions } from "./sample.ts";

/** Leases: who may run a task, and when. Times are near the present because a shared store goes by its own clock. */
export const LEASE_PART: Readonly<Record<string, ContractTest>> = {
  "a claim raises epoch and attempts and takes the lease": async (store) => {
    const task = await due(store, { attempts: 2, run: '{"turn":4}' });
    const before = Date.now();
    const [row, ...others] = await claim(store, { holder: "p1", leaseMs: 15_000 });
    assert.equal(others.length, 0);
    assert.ok(row !== undefined);
    assert.ok(Math.abs(row.leaseUntil - before - 15_000) < 5_000);
    const { leaseUntil } = row;
    assert.deepEqual(row, { ...task, epoch: 2, attempts: 3, holder: "p1", leaseUntil });
    assert.deepEqual(await rowOf(store, task.id), row);
    assert.deepEqual(await claim(store, { holder: "p2" }), []);
  },

  "the writer from before a claim is fenced off": async (store) => {
    const before = await due(store);
    await claim(store);
    assert.deepEqual(await commitOne(store, append(before, [event("status")])), { ok: false, why: "epoch" });
  },

  "what is not due, held, waiting for nothing or leased is not claimed": async (store) => {
    await createTask(store);
    await due(store, { due: Date.now() + 60_000 });
    await due(store, { held: "another version" });
    await due(store, { holder: "p9", leaseUntil: Date.now() + 60_000 });
    await due(store, { held: "broken", holder: "p9", leaseUntil: Date.now() - 60_000 });
    assert.deepEqual(await claim(store), []);
  },

  "a lease that ran out is claimed by another": async (store) => {
    const task = await due(store, { holder: "dead", leaseUntil: Date.now() - 1_000, due: null, epoch: 4, attempts: 1 });
    const [row] = await claim(store, { holder: "p2" });
    assert.deepEqual([row?.id, row?.epoch, row?.attempts, row?.holder], [task.id, 5, 2, "p2"]);
  },

  "a lease of a millisecond runs out": async (store) => {
    await due(store);
    assert.equal((await claim(store, { holder: "p1", leaseMs: 1 })).length, 1);
    await sleep(30);
    const [row] = await claim(store, { holder: "p2" });
    assert.deepEqual([row?.epoch, row?.attempts, row?.holder], [3, 2, "p2"]);
  },

  "only tasks of the agents named are claimed": async (store) => {
    await due(store, { agent: "other" });
    const mine = await due(store, { agent: "mine" });
    const too = await due(store, { agent: "too" });
    assert.deepEqual(await claim(store, { agents: [] }), []);
    const rows = await claim(store, { agents: ["mine", "too", "unknown"] });
    assert.deepEqual(rows.map((row) => row.id).sort(), [mine.id, too.id].sort());
  },

  "attempts are a window": async (store) => {
    const ids = new Map<number, string>();
    for (let attempts = 0; attempts < 6; attempts += 1) {
      ids.set(attempts, (await due(store, { attempts, due: Date.now() - 1_000 + 10 * attempts })).id);
    }
    const rows = await claim(store, { minAttempts: 2, maxAttempts: 4 });
    assert.deepEqual(rows.map((row) => row.id).sort(), [ids.get(2), ids.get(3)].sort());
    assert.equal((await claim(store, { minAttempts: 0, maxAttempts: 2 })).length, 2);
    const rest = await claim(store, { minAttempts: 4, limit: 1 });
    assert.equal(rest[0]?.id, ids.get(4));
  },

  "a claim stops at its limit, the longest due first": async (store) => {
    const now = Date.now();
    const late = await due(store, { due: now - 1_000 });
    const early = await due(store, { due: now - 3_000 });
    const middle = await due(store, { due: now - 2_000 });
    const ids = async () => (await claim(store, { limit: 2 })).map((row) => row.id);
    assert.deepEqual((await ids()).sort(), [early.id, middle.id].sort());
    assert.deepEqual(await ids(), [late.id]);
    assert.deepEqual(await ids(), []);
  },

  "no tenant waits behind the backlog of another": async (store) => {
    const now = Date.now();
    for (let n = 0; n < 20; n += 1) await due(store, { tenant: "big", due: now - 10_000 + n });
    for (const tenant of ["a", "z"]) {
      for (let n = 0; n < 2; n += 1) await due(store, { tenant, due: now - 100 + n });
    }
    const tenants = (await claim(store, { limit: 6 })).map((row) => row.tenant).sort();
    assert.deepEqual(tenants, ["a", "a", "big", "big", "z", "z"]);
    for (const tenant of ["a", "b", "c"]) await due(store, { tenant, due: now - 10 });
    const served = new Set<string>();
    for (let n = 0; n < 4; n += 1) served.add((await claim(store, { limit: 1 }))[0]?.tenant ?? "none");
    assert.deepEqual([...served].sort(), ["a", "b", "big", "c"]);
  },

  "claims at once never give a task to two, and leave none behind": async (store) => {
    for (let n = 0; n < 40; n += 1) await due(store, { tenant: String(n % 3) });
    const claims = await Promise.all(Array.from({ length: 8 }, (_, n) => claim(store, { holder: `p${n}`, limit: 10 })));
    // Claims that ran into each other may have come away with less than there was.
    for (let rest = await claim(store); rest.length > 0; rest = await claim(store)) claims.push(rest);
    const ids = claims.flat().map((row) => row.id);
    assert.equal(ids.length, 40);
    assert.equal(new Set(ids).size, 40);
  },

  "renewal extends what is ours and gives what is not": async (store) => {
    const mine = await leased(store, "p1");
    const others = await leased(store, "p2");
    const until = Date.now() + 120_000;
    const lost = await store.renew(
      "p1",
      [
        { key: mine.key, epoch: mine.epoch },
        { key: others.key, epoch: others.epoch },
        { key: mine.key, epoch: mine.epoch - 1 },
        { key: mine.key + 1_000_000, epoch: 1 },
      ],
      until,
    );
    assert.deepEqual(
      lost.map(({ key, epoch }) => [key, epoch]).sort(),
      [
        [others.key, others.epoch],
        [mine.key, mine.epoch - 1],
        [mine.key + 1_000_000, 1],
      ].sort(),
    );
    const row = await rowOf(store, mine.id);
    assert.ok(Math.abs(row.leaseUntil - until) < 5_000);
    assert.deepEqual(row, { ...mine, leaseUntil: row.leaseUntil });
    assert.deepEqual(await rowOf(store, others.id), others);
    assert.deepEqual(await store.renew("p1", [], until), []);
  },

  "release gives back what is ours and makes it due": async (store) => {
    const mine = await leased(store, "p1");
    const others = await leased(store, "p2");
    const at = Date.now() - 1;
    await store.release("p1", [mine, others, { key: mine.key + 1_000_000, epoch: 1 }], at);
    assert.deepEqual(await rowOf(store, mine.id), { ...mine, holder: null, leaseUntil: 0, due: at });
    assert.deepEqual(await rowOf(store, others.id), others);
    assert.deepEqual(
      (await claim(store, { holder: "p3" })).map((row) => row.id),
      [mine.id],
    );
  },

  "the leases of a dead holder end at once": async (store) => {
    const first = await leased(store, "dead");
    const second = await leased(store, "dead");
    const alive = await leased(store, "alive");
    assert.deepEqual([...(await store.holders())].sort(), ["alive", "dead"]);
    await store.expire("dead");
    assert.deepEqual(await store.holders(), ["alive"]);
    const rows = await claim(store, { holder: "p3" });
    assert.deepEqual(rows.map((row) => row.id).sort(), [first.id, second.id].sort());
    assert.equal((await rowOf(store, alive.id)).holder, "alive");
    await store.expire("nobody");
  },

  "nextDue is the soonest due time or end of a lease among these agents": async (store) => {
    const now = Date.now();
    const near = async (expected: number) => {
      const next = await store.nextDue(["agent", "second"]);
      assert.ok(next !== undefined && Math.abs(next - expected) < 5_000, `${next} is not near ${expected}`);
    };
    assert.equal(await store.nextDue(["agent"]), undefined);
    await due(store, { due: now + 300_000 });
    await due(store, { due: now - 50_000, agent: "other" });
    await due(store, { due: now - 50_000, held: "held" });
    await createTask(store);
    await near(now + 300_000);
    await due(store, { due: now - 1, holder: "p", leaseUntil: now + 200_000, tenant: "t" });
    await near(now + 200_000);
    const soon = await due(store, { due: now + 100_000, agent: "second" });
    await near(now + 100_000);
    await commitOne(store, append(soon, [], { due: null, state: "TASK_STATE_COMPLETED" }));
    await near(now + 200_000);
    assert.equal(await store.nextDue([]), undefined);
    assert.equal(await store.nextDue(["unknown"]), undefined);
  },
};

function due(store: Store, given: SampleOptions = {}): Promise<TaskRow> {
  return createTask(store, { due: Date.now() - 1_000, ...given });
}

function leased(store: Store, holder: string): Promise<TaskRow> {
  return createTask(store, { holder, leaseUntil: Date.now() + 60_000, attempts: 1 });
}

function claim(store: Store, given: Partial<ClaimQuery> = {}): Promise<readonly TaskRow[]> {
  return store.claim({
    holder: "p",
    now: Date.now(),
    leaseMs: 15_000,
    limit: 100,
    agents: ["agent"],
    minAttempts: 0,
    maxAttempts: 1_000,
    ...given,
  });
}
