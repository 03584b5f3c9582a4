import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { HookClaim, HookMove, HookRow, NewHook } from "../../engine/push-hook.ts";
import type { Store, TaskRow } from "../../engine/store.ts";
import type { ContractTest } from "./log-part.ts";
import { append, columnsOf, commitOne, createTask, creation, event, rowOf, sampleId } from "./sample.ts";

/** Webhooks: registered once, due when the log goes on, delivered to by one process at a time. */
export const HOOK_PART: Readonly<Record<string, ContractTest>> = {
  "a webhook is read back as it was registered, and begins behind the log": async (store) => {
    const task = await createTask(store, { tenant: "t", owner: "o", contextId: "c" });
    assert.equal(await put(store, task, { id: "b", config: '{"url":"é"}', version: "0.3" }), "put");
    const { createdAt, epoch, ...row } = (await store.hooks.get(task.key, "b")) as HookRow;
    assert.ok(Math.abs(createdAt - Date.now()) < 60_000 && epoch > 0);
    assert.deepEqual(row, {
      ...{ key: task.key, taskId: task.id, contextId: "c", tenant: "t", owner: "o", agent: "agent" },
      ...{ seq: 1, state: "TASK_STATE_SUBMITTED", id: "b", config: '{"url":"é"}', version: "0.3", cursor: 1 },
      ...{ due: null, attempts: 0, holder: null, leaseUntil: 0, dead: false, error: null },
    });
    assert.deepEqual(await claim(store), []);
    assert.equal(await store.hooks.get(task.key, "a"), undefined);
    assert.equal(await put(store, { key: task.key + 1_000 }, hook("x")), "missing");
  },

  "webhooks are listed by id, in pages, each task for itself, up to the limit": async (store) => {
    const [task, other] = [await createTask(store), await createTask(store)];
    for (const id of ["c", "a", "b"]) assert.equal(await put(store, task, hook(id), 3), "put");
    await put(store, other, hook("a"));
    assert.equal(await put(store, task, hook("d"), 3), "full");
    assert.equal(await put(store, task, hook("a"), 3), "put");
    const ids = async (after: string, limit: number) =>
      (await store.hooks.list(task.key, after, limit)).map(({ id }) => id);
    assert.deepEqual([await ids("", 2), await ids("b", 2), await ids("c", 2)], [["a", "b"], ["c"], []]);
    assert.equal(await store.hooks.remove(task.key, "a"), true);
    assert.equal(await store.hooks.remove(task.key, "a"), false);
    assert.deepEqual(await ids("", 9), ["b", "c"]);
    assert.equal((await store.hooks.list(other.key, "", 9)).length, 1);
  },

  "a commit that subscribers see makes the webhooks due and says so, another one does not": async (store) => {
    const task = await createTask(store);
    const bare = await createTask(store);
    await put(store, task, hook("a"));
    const quiet = await commitOne(store, append(task, [event("message"), event("turn")]));
    assert.deepEqual([quiet.ok && (quiet.hooked ?? false), await claim(store)], [false, []]);
    const loud = await commitOne(store, append(await rowOf(store, task.id), [event("status")]));
    assert.equal(loud.ok && loud.hooked, true);
    const other = await commitOne(store, append(bare, [event("status")]));
    assert.equal(other.ok && (other.hooked ?? false), false);
    assert.ok(((await store.hooks.nextDue(["agent"])) ?? Number.POSITIVE_INFINITY) <= Date.now());
    assert.equal(await store.hooks.nextDue(["another"]), undefined);
    assert.deepEqual(await claim(store, { agents: ["another"] }), []);
    const [row, ...others] = await claim(store);
    assert.deepEqual([row?.id, row?.cursor, row?.seq, row?.holder, others.length], ["a", 1, 4, "p1", 0]);
  },

  "what is dated ahead, since the clock was set back, makes webhooks due at once all the same": async (store) => {
    const ahead = Date.now() + 3_600_000;
    const id = sampleId();
    await commitOne(store, {
      ...creation({ id }),
      events: [event("created", ahead)],
      hooks: [{ ...hook("a"), cursor: 0 }],
    });
    await moveOne(store, rested(await claimOne(store), { cursor: 1 }));
    await commitOne(store, append(await rowOf(store, id), [event("status", ahead)]));
    assert.equal((await claimOne(store)).taskId, id);
  },

  "a webhook that comes with its task begins before it, one that comes with a message behind it": async (store) => {
    const id = sampleId();
    const made = await commitOne(store, { ...creation({ id }), hooks: [{ ...hook("a"), cursor: 0 }] });
    assert.equal(made.ok && made.hooked, true);
    const [first] = await claim(store);
    assert.deepEqual([first?.taskId, first?.cursor, first?.seq], [id, 0, 1]);
    await moveOne(store, rested(first as HookRow, { cursor: 1 }));
    const commit = append(await rowOf(store, id), [event("message"), event("status")]);
    await commitOne(store, { ...commit, hooks: [{ ...hook("b"), cursor: 2 }] });
    const cursors = (await claim(store)).map((row) => [row.id, row.cursor]).sort();
    assert.deepEqual(cursors, [
      ["a", 1],
      ["b", 2],
    ]);
  },

  "a refused commit registers nothing": async (store) => {
    const task = await createTask(store);
    const stale = { ...append({ ...task, seq: 7 }, [event("status")]), hooks: [{ ...hook("a"), cursor: 7 }] };
    assert.equal((await commitOne(store, stale)).ok, false);
    assert.equal(await store.hooks.get(task.key, "a"), undefined);
  },

  "one process delivers at a time, and a lease that ran out is taken over": async (store) => {
    await dueHook(store);
    const claims = await Promise.all(["p1", "p2", "p3"].map((holder) => claim(store, { holder })));
    assert.equal(claims.flat().length, 1);
    const { key, id } = claims.flat()[0] as HookRow;
    const task = await taskOf(store, claims.flat()[0] as HookRow);
    await commitOne(store, append(task, [event("artifact")]));
    assert.deepEqual(await claim(store, { holder: "p4" }), []);
    await store.hooks.move(
      claims.flat()[0]?.holder ?? "",
      [rested(claims.flat()[0] as HookRow, { leaseUntil: Date.now() + 1 })],
      Date.now(),
    );
    await sleep(30);
    const [taken] = await claim(store, { holder: "p4" });
    assert.deepEqual([taken?.key, taken?.id, taken?.holder], [key, id, "p4"]);
    assert.deepEqual(await store.hooks.move(claims.flat()[0]?.holder ?? "", [rested(claims.flat()[0] as HookRow)], 0), [
      false,
    ]);
  },

  "what the log got during a delivery is due when the lease is given back": async (store) => {
    const row = await dueHook(store).then(() => claimOne(store));
    await commitOne(store, append(await taskOf(store, row), [event("artifact")]));
    assert.deepEqual(await moveOne(store, rested(row)), true);
    assert.deepEqual([(await claimOne(store)).cursor], [row.seq]);
    await moveOne(store, rested(await readHook(store, row), { cursor: row.seq + 1 }));
    assert.deepEqual(await claim(store), []);
  },

  "a cursor moves under a lease that goes on, and a failure waits for its time": async (store) => {
    const row = await dueHook(store).then(() => claimOne(store));
    assert.equal(await moveOne(store, rested(row, { cursor: 2, leaseUntil: Date.now() + 60_000 })), true);
    const kept = await readHook(store, row);
    assert.deepEqual([kept.cursor, kept.holder, kept.epoch], [2, "p1", row.epoch]);
    const due = Date.now() + 60_000;
    assert.equal(await moveOne(store, { ...rested(row), attempts: 3, error: "503", due }), true);
    const failed = await readHook(store, row);
    assert.deepEqual([failed.attempts, failed.error, failed.holder, failed.leaseUntil], [3, "503", null, 0]);
    assert.ok(Math.abs((failed.due ?? 0) - due) < 1_000);
    await commitOne(store, append(await taskOf(store, row), [event("status")]));
    assert.deepEqual(await claim(store), []);
  },

  "failures are a window, and the longest due comes first": async (store) => {
    const now = Date.now();
    const rows: HookRow[] = [];
    for (let n = 0; n < 3; n += 1) {
      const row = await dueHook(store).then(() => claimOne(store));
      rows.push(row);
    }
    for (const [n, row] of rows.entries()) await moveOne(store, { ...rested(row), attempts: n, due: now - 10 * n });
    const found = await claim(store, { minAttempts: 1, limit: 1 });
    assert.equal(found[0]?.key, rows[2]?.key);
    assert.equal((await claim(store, { minAttempts: 0, maxAttempts: 1 }))[0]?.key, rows[0]?.key);
  },

  "where more is due than is taken, owners take turns, and those that are passed over wait": async (store) => {
    const owners = ["many", "few", "one"];
    for (const [at, owner] of owners.entries()) {
      for (let n = 0; n < 5 - 2 * at; n += 1) await dueHook(store, { tenant: "t", owner });
    }
    const ownersOf = (rows: readonly HookRow[]): string[] => rows.map(({ owner }) => owner).sort();
    assert.deepEqual(ownersOf(await claim(store, { limit: 3 })), ["few", "many", "one"]);
    assert.deepEqual(ownersOf(await claim(store, { limit: 2 })), ["few", "many"]);
    const except = [{ tenant: "t", owner: "many" }];
    assert.deepEqual(ownersOf(await claim(store, { limit: 1, except })), ["few"]);
    assert.deepEqual(await claim(store, { limit: 9, except }), []);
    assert.deepEqual(await claim(store, { limit: 1, except }), []);
    const others = [{ tenant: "another", owner: "many" }];
    assert.deepEqual(ownersOf(await claim(store, { limit: 9, except: others })), ["many", "many", "many"]);
  },

  "a dead webhook wakes once at the end of its task, and lives again when it is told to": async (store) => {
    const row = await dueHook(store).then(() => claimOne(store));
    const failed = rested(row, { cursor: 1, attempts: 12, dead: true, error: "gone" });
    await moveOne(store, failed);
    await commitOne(store, append(await taskOf(store, row), [event("status")]));
    assert.deepEqual(await claim(store), []);
    const task = await taskOf(store, row);
    const ended = { ...columnsOf(task), state: "TASK_STATE_COMPLETED" } as const;
    await commitOne(store, append(task, [event("status")], ended));
    const probe = await claimOne(store);
    assert.deepEqual([probe.dead, probe.attempts, probe.cursor, probe.state], [true, 12, 1, "TASK_STATE_COMPLETED"]);
    await moveOne(store, { ...failed, epoch: probe.epoch, attempts: 13 });
    assert.deepEqual(await claim(store), []);
    assert.equal(await store.hooks.redrive(row.key, "other", Date.now()), false);
    assert.equal(await store.hooks.redrive(row.key, row.id, Date.now()), true);
    const again = await claimOne(store);
    assert.deepEqual([again.dead, again.attempts, again.cursor], [false, 0, 1]);
  },

  "registering again revives, keeps the cursor, and fences whoever delivers": async (store) => {
    const row = await dueHook(store).then(() => claimOne(store));
    assert.equal(await put(store, row, { ...hook(row.id), config: "{}" }), "put");
    assert.equal(await moveOne(store, rested(row)), false);
    const again = await claimOne(store);
    assert.deepEqual([again.config, again.cursor, again.attempts], ["{}", row.cursor, 0]);
    await store.hooks.remove(row.key, row.id);
    assert.equal(await moveOne(store, rested(again)), false);
    assert.equal(await store.hooks.nextDue(["agent"]), undefined);
  },

  "the leases of a dead holder end": async (store) => {
    const row = await dueHook(store).then(() => claimOne(store));
    assert.deepEqual(await store.holders(), ["p1"]);
    await store.expire("p1");
    assert.deepEqual(await store.holders(), []);
    assert.equal((await claimOne(store, { holder: "p2" })).key, row.key);
  },

  "an operator finds what is dead or behind, in pages": async (store) => {
    const dead = await dueHook(store).then(() => claimOne(store));
    await moveOne(store, { ...rested(dead), dead: true });
    const behind = await dueHook(store);
    const even = await createTask(store);
    await put(store, even, hook("a"));
    const find = async (filter: Partial<Parameters<Store["hooks"]["find"]>[0]>) =>
      (await store.hooks.find({ agents: ["agent"], limit: 10, ...filter })).map(({ key }) => key);
    assert.deepEqual(await find({}), [dead.key, behind.key, even.key]);
    assert.deepEqual(await find({ dead: true }), [dead.key]);
    assert.deepEqual(await find({ dead: false, behind: true }), [behind.key]);
    assert.deepEqual(await find({ limit: 1, after: { key: dead.key, id: "a" } }), [behind.key]);
    assert.deepEqual(await find({ agents: [] }), []);
    assert.deepEqual(await find({ agents: undefined }), [dead.key, behind.key, even.key]);
  },
};

function hook(id: string): NewHook {
  return { id, config: '{"url":"https://example.com/hook"}', version: "1.0" };
}

function put(store: Store, task: Pick<TaskRow, "key">, given: NewHook, limit = 10) {
  return store.hooks.put(task.key, given, { limit, now: Date.now() });
}

/** A task with one webhook `a` that has a status to deliver. */
async function dueHook(store: Store, given: Parameters<typeof createTask>[1] = {}): Promise<TaskRow> {
  const task = await createTask(store, given);
  await put(store, task, hook("a"));
  await commitOne(store, append(task, [event("status", Date.now())]));
  return task;
}

function claim(store: Store, given: Partial<HookClaim> = {}): Promise<readonly HookRow[]> {
  return store.hooks.claim({
    ...{ holder: "p1", now: Date.now() + 5, leaseMs: 60_000, limit: 10, agents: ["agent"] },
    ...{ minAttempts: 0, maxAttempts: Number.MAX_SAFE_INTEGER },
    ...given,
  });
}

async function claimOne(store: Store, given: Partial<HookClaim> = {}): Promise<HookRow> {
  const [row] = await claim(store, { limit: 1, ...given });
  if (row === undefined) throw new Error("no webhook is due");
  return row;
}

/** The move that gives a lease back with everything delivered that the claim saw. */
function rested({ key, id, epoch, seq }: HookRow, given: Partial<HookMove> = {}): HookMove {
  return {
    key,
    id,
    epoch,
    cursor: given.cursor ?? seq,
    attempts: 0,
    dead: false,
    error: null,
    leaseUntil: 0,
    due: null,
    ...given,
  };
}

async function moveOne(store: Store, move: HookMove): Promise<boolean | undefined> {
  const holder = (await store.hooks.get(move.key, move.id))?.holder ?? "nobody";
  return (await store.hooks.move(holder, [move], Date.now()))[0];
}

async function readHook(store: Store, { key, id }: HookRow): Promise<HookRow> {
  return (await store.hooks.get(key, id)) as HookRow;
}

function taskOf(store: Store, { taskId }: HookRow): Promise<TaskRow> {
  return rowOf(store, taskId);
}
