import assert from "node:assert/strict";
import type { ReplyCommit, ReplyOutcome, Store } from "../../engine/store.ts";
import type { ContractTest } from "./log-part.ts";
import { append, commitOne, createTask, creation, dedupeKey, event, rowOf, START, sampleId } from "./sample.ts";

const DAY = 86_400_000;

/** Accepted requests: one answer each, however often and at once they are sent. */
export const DEDUPE_PART: Readonly<Record<string, ContractTest>> = {
  "the same request twice gives one task": async (store) => {
    const first = firstSend("m-1");
    const second = firstSend("m-1");
    assert.equal((await commitOne(store, first)).ok, true);
    const row = { ...dedupeKey("m-1"), taskId: first.create?.id ?? "", reply: null, leaseUntil: 0 };
    assert.deepEqual(await commitOne(store, second), { ok: false, why: "duplicate", row });
    assert.deepEqual(await store.dedupe(dedupeKey("m-1")), row);
    assert.equal(await store.task(second.create?.id ?? ""), undefined);
  },

  "twenty at once, in one batch and in many, give one task": async (store) => {
    const commits = Array.from({ length: 20 }, () => firstSend("m-20"));
    const [batch, ...single] = await Promise.all([
      store.commit({ tasks: commits.slice(0, 10), replies: [] }),
      ...commits.slice(10).map((commit) => commitOne(store, commit)),
    ]);
    const outcomes = [...batch.tasks, ...single];
    const winners = commits.filter((_, n) => outcomes[n]?.ok === true).map((commit) => commit.create?.id);
    assert.equal(winners.length, 1);
    for (const outcome of outcomes) {
      if (!outcome.ok) assert.equal(outcome.why === "duplicate" && outcome.row.taskId, winners[0]);
    }
    assert.equal((await store.list({ tenant: "", owner: "", agent: "agent", limit: 50 })).total, 1);
  },

  "another tenant, owner, id or hash is another request": async (store) => {
    const keys = [
      dedupeKey("m"),
      dedupeKey("m", { tenant: "t" }),
      dedupeKey("m", { owner: "t" }),
      dedupeKey("tm"),
      dedupeKey("m", { hash: "11".repeat(32) }),
    ];
    for (const key of keys) {
      const id = sampleId();
      const outcome = await commitOne(store, creation({ id, dedupe: { key, taskId: id, expires: null } }));
      assert.equal(outcome.ok, true);
      assert.equal((await store.dedupe(key))?.taskId, id);
    }
  },

  "a follow-up is remembered for the task's life, and duplicate goes before seq": async (store) => {
    const row = await createTask(store);
    const dedupe = { key: dedupeKey("f-1"), taskId: row.id, expires: null };
    const followUp = { ...append(row, [event("message")]), dedupe };
    assert.equal((await commitOne(store, followUp)).ok, true);
    const again = await commitOne(store, followUp);
    assert.equal(!again.ok && again.why, "duplicate");
    assert.equal((await rowOf(store, row.id)).seq, 2);
    const muchLater = [event("message", START + 400 * DAY)];
    const late = await commitOne(store, { ...followUp, seq: 2, events: muchLater });
    assert.equal(!late.ok && late.why, "duplicate");
  },

  "a first send is remembered until it expires, and a day later no more": async (store) => {
    const send = (time: number) => {
      const id = sampleId();
      const dedupe = { key: dedupeKey("e"), taskId: id, expires: START + DAY };
      return creation({ id, events: [event("created", time)], dedupe });
    };
    assert.equal((await commitOne(store, send(START))).ok, true);
    assert.equal((await commitOne(store, send(START + DAY - 1))).ok, false);
    assert.equal((await commitOne(store, send(START + 2 * DAY + 1))).ok, true);
  },

  "a lease on a reply is taken once": async (store) => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, () => step(store, "r-1", "lease")));
    assert.equal(outcomes.filter(({ ok }) => ok).length, 1);
    const row = { ...dedupeKey("r-1"), taskId: null, reply: null, leaseUntil: START + 1_000 };
    for (const outcome of outcomes) if (!outcome.ok) assert.deepEqual(outcome.row, row);
    assert.deepEqual(await store.dedupe(dedupeKey("r-1")), row);
  },

  "a lease that ran out is taken over": async (store) => {
    assert.equal((await step(store, "r-2", "lease")).ok, true);
    assert.equal((await step(store, "r-2", "lease", { now: START + 999 })).ok, false);
    const later = { now: START + 1_000, leaseUntil: START + 2_000 };
    assert.equal((await step(store, "r-2", "lease", later)).ok, true);
    assert.equal((await step(store, "r-2", "lease", { now: START + 1_500 })).ok, false);
  },

  "a reply is kept, and the first one wins": async (store) => {
    assert.equal((await step(store, "r-3", "lease")).ok, true);
    assert.equal((await step(store, "r-3", "reply", { reply: '{"text":"hi"}' })).ok, true);
    const row = { ...dedupeKey("r-3"), taskId: null, reply: '{"text":"hi"}', leaseUntil: 0 };
    assert.deepEqual(await step(store, "r-3", "lease", { now: START + 50_000 }), { ok: false, row });
    assert.deepEqual(await step(store, "r-3", "reply", { reply: "{}" }), { ok: false, row });
    assert.deepEqual(await step(store, "r-3", "release"), { ok: false, row });
    const asTask = await commitOne(store, firstSend("r-3"));
    assert.deepEqual(asTask, { ok: false, why: "duplicate", row });
  },

  "a released request is new again, also for a task in the same batch": async (store) => {
    assert.equal((await step(store, "r-4", "lease")).ok, true);
    const leased = await commitOne(store, firstSend("r-4"));
    assert.equal(!leased.ok && leased.why === "duplicate" && leased.row.taskId, null);
    assert.equal((await step(store, "r-4", "release")).ok, true);
    assert.equal(await store.dedupe(dedupeKey("r-4")), undefined);
    assert.equal((await step(store, "r-4", "release")).ok, true);
    assert.equal((await step(store, "r-4", "lease")).ok, true);
    const { tasks, replies } = await store.commit({
      tasks: [firstSend("r-4")],
      replies: [reply("r-4", "release")],
    });
    assert.deepEqual([tasks[0]?.ok, replies[0]?.ok], [true, true]);
  },

  "a task and a reply never answer the same request": async (store) => {
    const send = firstSend("r-5");
    assert.equal((await commitOne(store, send)).ok, true);
    for (const which of ["lease", "reply", "release"] as const) {
      const outcome = await step(store, "r-5", which);
      assert.equal(!outcome.ok && outcome.row.taskId, send.create?.id);
    }
  },
};

function firstSend(messageId: string) {
  const id = sampleId();
  return creation({ id, dedupe: { key: dedupeKey(messageId), taskId: id, expires: START + DAY } });
}

function reply(messageId: string, which: ReplyCommit["step"], given: Partial<ReplyCommit> = {}): ReplyCommit {
  const times = { now: START, leaseUntil: START + 1_000, expires: START + DAY };
  return { key: dedupeKey(messageId), step: which, ...times, ...given };
}

async function step(
  store: Store,
  messageId: string,
  which: ReplyCommit["step"],
  given: Partial<ReplyCommit> = {},
): Promise<ReplyOutcome> {
  const outcome = (await store.commit({ tasks: [], replies: [reply(messageId, which, given)] })).replies[0];
  if (outcome === undefined) throw new Error("the store gave no outcome for the reply");
  return outcome;
}
