import assert from "node:assert/strict";
import type { ListPage, ListQuery, Store, TaskRow } from "../../engine/store.ts";
import type { ContractTest } from "./log-part.ts";
import { append, batchOf, commitOne, createTask, creation, event, rowOf, START, sampleId } from "./sample.ts";

/** Listings: filters, order, totals, and pages that hold while tasks move. */
export const LIST_PART: Readonly<Record<string, ContractTest>> = {
  "tasks come by status time, then id, both descending": async (store) => {
    const ids = [sampleId(), sampleId(), sampleId(), sampleId()] as const;
    await createTask(store, { id: ids[2], statusTime: START + 5 });
    await createTask(store, { id: ids[0], statusTime: START + 5 });
    await createTask(store, { id: ids[1], statusTime: START + 9, state: "TASK_STATE_WORKING" });
    await createTask(store, { id: ids[3], statusTime: START + 5, state: "TASK_STATE_COMPLETED" });
    const page = await list(store, {});
    assert.deepEqual(idsOf(page), [ids[1], ids[3], ids[2], ids[0]]);
    assert.deepEqual(page.places, [START + 9, START + 5, START + 5, START + 5]);
    assert.deepEqual([page.more, page.total], [false, 4]);
    assert.deepEqual(page.rows[0], await rowOf(store, ids[1]));
  },

  "nobody sees the tasks of another tenant, owner or agent": async (store) => {
    await createTask(store, { tenant: "t" });
    await createTask(store, { owner: "o" });
    await createTask(store, { agent: "a" });
    const mine = await createTask(store);
    assert.deepEqual(idsOf(await list(store, {})), [mine.id]);
    assert.equal((await list(store, { tenant: "t" })).total, 1);
    assert.equal((await list(store, { tenant: "t", owner: "o" })).total, 0);
    assert.equal((await list(store, { tenant: "unknown" })).total, 0);
  },

  "every combination of filters gives its rows and its total": async (store) => {
    const states = ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED", "TASK_STATE_INPUT_REQUIRED"] as const;
    const rows: TaskRow[] = [];
    for (let n = 0; n < 24; n += 1) {
      const contextId = `c${n % 4}`;
      rows.push(
        await createTask(store, { contextId, state: states[n % 3] ?? "TASK_STATE_FAILED", statusTime: START + n }),
      );
    }
    for (const contextId of [undefined, "c1", "nothing"]) {
      for (const state of [undefined, "TASK_STATE_COMPLETED", "TASK_STATE_REJECTED"] as const) {
        for (const since of [undefined, START + 10, START + 100]) {
          const expected = rows
            .filter((row) => contextId === undefined || row.contextId === contextId)
            .filter((row) => state === undefined || row.state === state)
            .filter((row) => since === undefined || row.statusTime >= since)
            .map((row) => row.id)
            .reverse();
          const page = await list(store, { contextId, state, since, limit: 3 });
          assert.deepEqual(idsOf(page), expected.slice(0, 3));
          assert.deepEqual([page.total, page.more], [expected.length, expected.length > 3]);
        }
      }
    }
  },

  "pages meet without a gap, also among equal times": async (store) => {
    const commits = Array.from({ length: 137 }, (_, n) => creation({ statusTime: START + Math.floor(n / 10) }));
    await store.commit(batchOf(commits));
    for (const limit of [1, 7, 50, 137, 200]) {
      const pages = await readPages(store, {}, limit);
      assert.deepEqual(pages, commits.map((commit) => commit.create?.id).reverse(), `pages of ${limit}`);
    }
  },

  "totals follow every change of state": async (store) => {
    const rows = [];
    for (let n = 0; n < 5; n += 1) rows.push(await createTask(store));
    const [first, second] = rows as [TaskRow, TaskRow];
    await commitOne(store, append(first, [event("status")], { state: "TASK_STATE_WORKING", statusTime: START + 1 }));
    await store.commit(
      batchOf([
        append({ ...first, seq: 2 }, [event("status")], { state: "TASK_STATE_COMPLETED", statusTime: START + 2 }),
        append(second, [event("status")], { state: "TASK_STATE_COMPLETED", statusTime: START + 2 }),
      ]),
    );
    const total = async (state?: TaskRow["state"]) => (await list(store, { state, limit: 1 })).total;
    assert.deepEqual(
      [await total(), await total("TASK_STATE_SUBMITTED"), await total("TASK_STATE_WORKING")],
      [5, 3, 0],
    );
    assert.equal(await total("TASK_STATE_COMPLETED"), 2);
  },

  "a task touched between two pages is seen once, at its old place": async (store) => {
    const rows: TaskRow[] = [];
    for (let n = 0; n < 6; n += 1) {
      rows.push(await createTask(store, { statusTime: START + n, events: [event("created", START + n)] }));
    }
    const asOf = START + 100;
    const first = await list(store, { limit: 2 });
    const [unseen, seen] = [rows[1], rows[5]] as [TaskRow, TaskRow];
    for (const row of [unseen, seen]) {
      const touch = { state: "TASK_STATE_WORKING", statusTime: START + 200 } as const;
      await commitOne(store, append(row, [event("artifact", START + 150), event("status", START + 200)], touch));
    }
    await createTask(store, { statusTime: START + 210, events: [event("created", START + 210)] });
    const after = { statusTime: first.places[1] ?? 0, id: first.rows[1]?.id ?? "", asOf };
    const second = await list(store, { limit: 9, after });
    assert.deepEqual([...idsOf(first), ...idsOf(second)], rows.map((row) => row.id).reverse());
    assert.deepEqual(second.places, [START + 3, START + 2, START + 1, START]);
    assert.equal(second.rows[2]?.state, "TASK_STATE_WORKING");
    assert.deepEqual([second.more, second.total], [false, 7]);
  },

  "a touched task is placed by the last of several statuses, and cut by the page": async (store) => {
    const many = [event("created", START), event("status", START + 10), event("status", START + 20)];
    const moved = await createTask(store, { events: many, createdAt: START, statusTime: START + 20 });
    const other = await createTask(store, { events: [event("created", START + 15)], statusTime: START + 15 });
    const last = [event("status", START + 90), event("status", START + 95)];
    await commitOne(store, append(moved, last, { statusTime: START + 95 }));
    const after = { statusTime: START + 30, id: "z", asOf: START + 50 };
    const page = await list(store, { limit: 1, after });
    assert.deepEqual([idsOf(page), page.places, page.more], [[moved.id], [START + 20], true]);
    const next = await list(store, { limit: 1, after: { statusTime: START + 20, id: moved.id, asOf: START + 50 } });
    assert.deepEqual([idsOf(next), next.more], [[other.id], false]);
    for (const contextId of [undefined, "context"]) {
      const early = await list(store, { contextId, after: { ...after, asOf: START + 12 } });
      assert.deepEqual([idsOf(early), early.places], [[moved.id], [START + 10]]);
    }
  },
};

function idsOf(page: ListPage): readonly string[] {
  return page.rows.map((row) => row.id);
}

function list(store: Store, query: Partial<ListQuery>): Promise<ListPage> {
  return store.list({ tenant: "", owner: "", agent: "agent", limit: 50, ...query });
}

async function readPages(store: Store, query: Partial<ListQuery>, limit: number): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: ListQuery["after"];
  for (;;) {
    const page = await list(store, { ...query, limit, after });
    ids.push(...idsOf(page));
    const last = page.rows.at(-1);
    const place = page.places.at(-1);
    assert.equal(page.total, 137);
    if (!page.more || last === undefined || place === undefined) return ids;
    after = { statusTime: place, id: last.id, asOf: START + 1_000 };
  }
}
