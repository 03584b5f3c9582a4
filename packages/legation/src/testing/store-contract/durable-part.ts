import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../engine/store.ts";
import {
  append,
  commitOne,
  createTask,
  creation,
  dedupeKey,
  event,
  readLog,
  rowOf,
  START,
  sampleId,
} from "./sample.ts";

/** One test of a store that outlives its process: `again` gives another handle of the same data, not opened. */
export type DurableTest = (store: Store, again: () => Promise<Store>) => Promise<void>;

/** What holds over closing, and between two handles of the same data. */
export const DURABLE_PART: Readonly<Record<string, DurableTest>> = {
  "everything is there after closing and opening again": async (store, again) => {
    const id = sampleId();
    const sha256 = "cd".repeat(32);
    const row = await createTask(store, {
      id,
      owner: "o",
      due: START,
      snapshot: "{}",
      events: [event("created"), event("message")],
      dedupe: { key: dedupeKey("kept"), taskId: id, expires: Date.now() + 86_400_000 },
      blobs: [{ tenant: "", owner: "o", sha256, bytes: new Uint8Array([7]) }],
    });
    await store.close();
    const second = await again();
    await second.open();
    assert.deepEqual(await rowOf(second, id), row);
    assert.equal((await readLog(second, row.key)).length, 2);
    assert.equal((await second.dedupe(dedupeKey("kept")))?.taskId, id);
    assert.deepEqual([...((await second.blob("", "o", sha256)) ?? [])], [7]);
    assert.equal((await second.list({ tenant: "", owner: "o", agent: "agent", limit: 5 })).total, 1);
    assert.equal(await second.nextDue(["agent"]), START);
    assert.equal((await commitOne(second, append(row, [event("status")]))).ok, true);
    const newer = await createTask(second);
    assert.ok(newer.key > row.key);
  },

  "two handles see and fence each other": async (store, again) => {
    const second = await again();
    await second.open();
    const row = await createTask(store);
    assert.deepEqual(await rowOf(second, row.id), row);
    assert.equal((await commitOne(second, append(row, [event("message")]))).ok, true);
    assert.deepEqual(await commitOne(store, append(row, [event("status")])), { ok: false, why: "seq" });
    const key = dedupeKey("both");
    const send = () => {
      const id = sampleId();
      return creation({ id, dedupe: { key, taskId: id, expires: Date.now() + 86_400_000 } });
    };
    const outcomes = await Promise.all([commitOne(store, send()), commitOne(second, send())]);
    assert.equal(outcomes.filter(({ ok }) => ok).length, 1);
    const scopes = await Promise.all([createTask(store, { owner: "new" }), createTask(second, { owner: "new" })]);
    const page = await store.list({ tenant: "", owner: "new", agent: "agent", limit: 5 });
    assert.deepEqual(page.rows.map(({ id }) => id).sort(), scopes.map(({ id }) => id).sort());
  },

  "two handles that write as fast as they can lose nothing": async (store, again) => {
    const second = await again();
    await second.open();
    const row = await createTask(store);
    const write = async (handle: Store): Promise<void> => {
      for (let done = 0; done < 40; ) {
        const outcome = await commitOne(handle, append(await rowOf(handle, row.id), [event("artifact")]));
        if (outcome.ok) done += 1;
        await sleep(0);
      }
    };
    await Promise.all([write(store), write(second)]);
    assert.equal((await rowOf(store, row.id)).seq, 81);
    assert.equal((await readLog(second, row.key)).length, 81);
  },

  "a watcher hears of the commits of the other handle, and no more once it is disposed": async (store, again) => {
    const second = await again();
    await second.open();
    const row = await createTask(store);
    let told = 0;
    const heard = Promise.withResolvers<void>();
    const watching = second.watch((ids) => {
      if (ids !== undefined && !ids.includes(row.id)) return;
      told += 1;
      heard.resolve();
    });
    await sleep(20);
    await commitOne(store, append(row, [event("artifact")]));
    await heard.promise;
    watching[Symbol.dispose]();
    const before = told;
    await commitOne(store, append({ ...row, seq: 2 }, [event("artifact")]));
    await sleep(150);
    assert.equal(told, before);
  },
};
