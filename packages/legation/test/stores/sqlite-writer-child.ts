/** Writes to one SQLite file as fast as it can and prints what was acknowledged; killed by the test that starts it. */
import { createSqliteStore } from "../../src/stores/sqlite/store.ts";
import { append, batchOf, createTask, event, rowOf, START } from "../../src/testing/store-contract/sample.ts";

const [path = "", first = "", second = ""] = process.argv.slice(2);
const store = createSqliteStore(path);
await store.open();
const ids = [first, second];
for (const id of ids) if ((await store.task(id)) === undefined) await createTask(store, { id });
process.stdout.write("ready\n");
for (;;) {
  const rows = [await rowOf(store, first), await rowOf(store, second)];
  // Both tasks in one batch, two entries each: after a kill they must have grown alike.
  const commits = rows.map((row) =>
    append(row, [event("artifact", START, `"${row.seq + 1}"`), event("artifact", START, `"${row.seq + 2}"`)], {
      run: String(row.seq + 2),
    }),
  );
  const { tasks } = await store.commit(batchOf(commits));
  if (tasks.every(({ ok }) => ok)) process.stdout.write(`${(rows[0]?.seq ?? 0) + 2}\n`);
}
