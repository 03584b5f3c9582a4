import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Store, TaskRow } from "../../src/engine/store.ts";
import { createMemoryStore } from "../../src/stores/memory/store.ts";
import { append, commitOne, createTask, event, START } from "../../src/testing/store-contract/sample.ts";
import { storeContract } from "../../src/testing/store-contract.ts";
import { checkListProperty } from "./list-property.ts";

storeContract(async () => createMemoryStore(), { name: "memory" });

describe("memory store", () => {
  it("lists like the model while tasks move between pages", async () => {
    await checkListProperty(async () => createMemoryStore(), 300);
  });

  it("keeps the whole log of the tasks that ended last, and of the others what their snapshot does not hold", async () => {
    await using store = createMemoryStore({ recentTasks: 2 });
    const rows = [];
    for (let n = 0; n < 4; n += 1) rows.push(await endedTask(store, "{}"));
    const payloads = async (row: TaskRow) => (await store.events(row.key, 0, 1_000)).map(({ payload }) => payload);
    const [first, second, third, fourth] = rows as [TaskRow, TaskRow, TaskRow, TaskRow];
    assert.deepEqual(await payloads(first), ["", ""]);
    assert.deepEqual(await payloads(second), ["", ""]);
    assert.deepEqual(await payloads(third), ['{"kind":"created"}', '{"kind":"status"}']);
    assert.deepEqual(await payloads(fourth), ['{"kind":"created"}', '{"kind":"status"}']);
    assert.deepEqual(
      (await store.events(first.key, 1, 1_000)).map(({ seq, kind, time }) => [seq, kind, time]),
      [[2, "status", START + 1]],
    );
    assert.equal((await commitOne(store, append(first, [event("message.unprocessed", START + 2)]))).ok, true);
    assert.deepEqual(await payloads(first), ["", "", '{"kind":"message.unprocessed"}']);
    const after = { statusTime: START + 5, id: "z", asOf: START };
    const page = await store.list({ tenant: "", owner: "", agent: "agent", limit: 9, after });
    assert.deepEqual(page.places, [START, START, START, START]);
  });

  it("never drops the log of an ended task without a snapshot", async () => {
    await using store = createMemoryStore({ recentTasks: 0 });
    const row = await endedTask(store, undefined);
    assert.equal((await store.events(row.key, 0, 1_000))[1]?.payload, '{"kind":"status"}');
  });

  it("bounds what ended tasks keep by length too", async () => {
    await using store = createMemoryStore({ recentTasks: 100, recentLength: 80 });
    const rows = [];
    for (let n = 0; n < 4; n += 1) rows.push(await endedTask(store, "{}"));
    const kept = [];
    for (const row of rows) kept.push((await store.events(row.key, 0, 1_000))[0]?.payload !== "");
    assert.deepEqual(kept, [false, false, true, true]);
  });
});

async function endedTask(store: Store, snapshot: string | undefined): Promise<TaskRow> {
  const row = await createTask(store);
  const end = { state: "TASK_STATE_COMPLETED", statusTime: START + 1 } as const;
  await commitOne(store, { ...append(row, [event("status", START + 1)], end), snapshot });
  return { ...row, seq: 2 };
}
