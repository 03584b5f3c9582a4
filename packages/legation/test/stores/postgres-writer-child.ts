/** Writes to one PostgreSQL schema as fast as it can and prints what was acknowledged; killed by the test that starts it. */
import { createPostgresStore } from "../../src/stores/postgres/store.ts";
import { append, batchOf, createTask, event, rowOf, START } from "../../src/testing/store-contract/sample.ts";

const [dsn = "", schema = "", first = "", second = ""] = process.argv.slice(2);
const store = createPostgresStore({ dsn, schema });
await store.open();
for (const id of [first, second]) if ((await store.task(id)) === undefined) await createTask(store, { id });
for (;;) {
  const rows = [await rowOf(store, first), await rowOf(store, second)];
  // Both tasks in one batch, two entries each: after a kill they must have grown alike.
  const commits = rows.map((row) =>
    append(row, [event("artifact", START), event("artifact", START)], { run: String(row.seq + 2) }),
  );
  const { tasks } = await store.commit(batchOf(commits));
  if (tasks.every(({ ok }) => ok)) process.stdout.write(`${(rows[0]?.seq ?? 0) + 2}\n`);
}
