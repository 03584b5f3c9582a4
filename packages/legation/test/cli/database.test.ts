/** `legation db`, and servers whose store is a PostgreSQL. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import pg from "pg";
import { openStore } from "../../src/hosts/node/open-store.ts";
import { startPostgres } from "../stores/postgres-server.ts";
import { startRehearsal, temporaryFolder } from "./rehearsal-process.ts";
import { runCli } from "./run-cli.ts";

interface Status {
  readonly store: string;
  readonly version: number;
  readonly pending: readonly { readonly version: number }[];
  readonly problems: readonly string[];
}

async function statusOf(store: string): Promise<Status> {
  const result = await runCli(["db", "status", "--store", store, "-o", "json"]);
  assert.equal(result.code, 0, result.stderr);
  return result.json() as Status;
}

describe("db on SQLite", () => {
  it("says what a new file needs without making it, makes it, and says that nothing is pending", async (t) => {
    const file = path.join(temporaryFolder(t), "a.db");
    const before = await statusOf(`sqlite:${file}`);
    assert.deepEqual([before.store, before.version], ["sqlite", 0]);
    assert.ok(before.pending.length > 0);
    assert.equal(existsSync(file), false);
    const sql = await runCli(["db", "upgrade", "--sql", "--store", `sqlite:${file}`]);
    assert.match(sql.stdout, /^BEGIN IMMEDIATE;[\s\S]*CREATE TABLE tasks[\s\S]*COMMIT;\n$/);
    assert.equal(existsSync(file), false);
    const upgraded = await runCli(["db", "upgrade", "--store", `sqlite:${file}`]);
    assert.equal(upgraded.code, 0, upgraded.stderr);
    assert.equal(upgraded.field("Schema version"), String(before.pending.length));
    assert.deepEqual(await statusOf(`sqlite:${file}`), {
      store: "sqlite",
      version: before.pending.length,
      pending: [],
      problems: [],
    });
    const text = await runCli(["db", "status", "--store", `sqlite:${file}`]);
    assert.equal(text.field("Pending"), "none");
  });

  it("what --sql prints is what a file needs: a store opens it and finds nothing to do", async (t) => {
    const { DatabaseSync } = await import("node:sqlite");
    const file = path.join(temporaryFolder(t), "b.db");
    const { stdout } = await runCli(["db", "upgrade", "--sql", "--store", `sqlite:${file}`]);
    const db = new DatabaseSync(file);
    db.exec(stdout);
    db.close();
    assert.deepEqual((await statusOf(`sqlite:${file}`)).pending, []);
    await using store = await openStore(`sqlite:${file}`);
    await store.open();
    assert.equal(await store.task("none"), undefined);
  });

  it("refuses memory:, and tells what a wrong URL should be, without its password", async () => {
    const memory = await runCli(["db", "status"]);
    assert.equal(memory.code, 2);
    assert.match(memory.stderr, /memory: has no database/);
    const wrong = await runCli(["db", "status", "--store", "postgres://u:secret@h:notaport/x"]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /postgres:\/\/user:password@host:5432\/database/);
    assert.doesNotMatch(wrong.stderr, /secret/);
    const unknown = await runCli(["db", "status", "--store", "redis://u:secret@h/x"]);
    assert.doesNotMatch(unknown.stderr, /secret/);
  });
});

const server = await startPostgres();
if (server !== undefined) {
  after(() => server.stop());
  const { dsn } = server;

  describe("PostgreSQL by URL", () => {
    it("db status, --sql and upgrade of a schema of its own", async () => {
      const store = `${dsn}?schema=by_hand`;
      const before = await statusOf(store);
      assert.deepEqual([before.store, before.version], ["postgres", 0]);
      const { stdout } = await runCli(["db", "upgrade", "--sql", "--store", store]);
      assert.match(stdout, /^BEGIN;\nCREATE SCHEMA IF NOT EXISTS "by_hand";/);
      const client = new pg.Client({ connectionString: dsn });
      await client.connect();
      await client.query(stdout);
      await client.end();
      assert.deepEqual((await statusOf(store)).pending, []);
      const again = await runCli(["db", "upgrade", "--sql", "--store", store]);
      assert.equal(again.stdout, "");
      const other = await runCli(["db", "upgrade", "--store", `${dsn}?schema=by_program`, "-o", "json"]);
      assert.equal((other.json() as { taken: unknown[] }).taken.length, before.pending.length);
    });

    it("a wrong DSN is told in one text that says what to do, by db and by a server", async () => {
      const nowhere = "postgres://postgres:secret@127.0.0.1:1/postgres";
      const status = await runCli(["db", "status", "--store", nowhere, "-o", "json"]);
      assert.equal(status.error().code, "LEGATION_ERR_STORE_UNAVAILABLE");
      assert.match(status.error().message, /check the server and the DSN/);
      const serving = await runCli(["demo-server", "--port", "0", "--store", nowhere]);
      assert.equal(serving.field("Error"), undefined);
      assert.match(serving.stderr, /^Code: LEGATION_ERR_STORE_UNAVAILABLE$/m);
      assert.doesNotMatch(serving.stderr, /secret/);
      const database = await runCli([
        "db",
        "status",
        "--store",
        dsn.replace(/\/postgres$/, "/nothing_there"),
        "-o",
        "json",
      ]);
      assert.match(database.error().message, /create the database or name another in the DSN/);
    });

    it("a task outlives its server", async (t) => {
      const cwd = temporaryFolder(t);
      const store = `${dsn}?schema=rehearsal&prepare=false`;
      const first = await startRehearsal(t, { cwd, store });
      const data = JSON.stringify({ rehearse: [{ ask: "which?" }, { end: "COMPLETED", text: "that one" }] });
      const asked = await runCli(["send", "-a", first.url, "--data", data, "-o", "json"]);
      const { id } = asked.task();
      assert.equal(asked.task().status.state, "TASK_STATE_INPUT_REQUIRED");
      await first.kill();
      const second = await startRehearsal(t, { cwd, store });
      const done = await runCli(["send", "-a", second.url, "--task-id", id, "this", "-o", "json"]);
      assert.equal(done.task().status.state, "TASK_STATE_COMPLETED");
    });
  });
}
