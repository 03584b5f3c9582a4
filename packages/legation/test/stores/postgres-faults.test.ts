import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, describe, it, mock } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { Engine } from "../../src/engine/engine.ts";
import { StoreCorrupt, StoreUnavailable } from "../../src/engine/store.ts";
import type { Message } from "../../src/model/gen/types.ts";
import { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from "../../src/stores/postgres/store.ts";
import {
  append,
  batchOf,
  commitOne,
  createTask,
  creation,
  dedupeKey,
  event,
  readLog,
  rowOf,
  sampleId,
} from "../../src/testing/store-contract/sample.ts";
import { startCuttingProxy } from "./cutting-proxy.ts";
import { startPostgres } from "./postgres-server.ts";

const CHILD = fileURLToPath(new URL("./postgres-writer-child.ts", import.meta.url));
const children: ChildProcess[] = [];
const server = await startPostgres();

if (server !== undefined) {
  const { dsn, restart } = server;
  const url = new URL(dsn);
  const pool = new pg.Pool({ connectionString: dsn, max: 10 });
  pool.on("error", () => {});
  const schemas: string[] = [];

  after(async () => {
    for (const child of children) child.kill("SIGKILL");
    for (const schema of schemas) await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await pool.end();
    await server.stop();
  });

  const freshSchema = (): string => {
    schemas.push(`faults_${process.pid}_${schemas.length}`);
    return schemas.at(-1) ?? "";
  };
  const opened = async (schema: string, options: PostgresStoreOptions = { dsn }): Promise<PostgresStore> => {
    const store = createPostgresStore({ maxConnections: 4, pollMs: 100, ...options, schema });
    await store.open();
    return store;
  };
  const refuses = async (
    options: PostgresStoreOptions,
    kind: typeof StoreCorrupt | typeof StoreUnavailable,
    text: RegExp,
  ) => {
    await assert.rejects(opened(options.schema ?? "none", options), (error: unknown) => {
      assert.ok(error instanceof kind, String(error));
      assert.match(error.message, text);
      return true;
    });
  };

  describe("postgres store, when things go wrong", () => {
    it("says that a commit is unknown when its answer was lost, and the commit was done", async () => {
      const proxy = await startCuttingProxy(Number(url.port));
      const schema = freshSchema();
      const through = new URL(dsn);
      through.port = String(proxy.port);
      const store = await opened(schema, { dsn: through.href, listenDsn: dsn });
      const row = await createTask(store);
      proxy.cutAnswers(true);
      await assert.rejects(
        commitOne(store, append(row, [event("status")])),
        (error: unknown) => error instanceof StoreUnavailable && error.unknown,
      );
      await assert.rejects(store.task(row.id), (error: unknown) => error instanceof StoreUnavailable && !error.unknown);
      proxy.cutAnswers(false);
      for (let n = 0; n < 100 && (await rowOf(store, row.id)).seq === 1; n += 1) await sleep(10);
      assert.equal((await rowOf(store, row.id)).seq, 2);
      await store.close();
      await proxy.close();
    });

    it("keeps every acknowledged batch whole when its process is killed", async () => {
      const schema = freshSchema();
      const ids = [sampleId(), sampleId()] as const;
      for (let round = 0; round < 2; round += 1) {
        const child = spawn(process.execPath, [CHILD, dsn, schema, ...ids], { stdio: ["ignore", "pipe", "inherit"] });
        children.push(child);
        let acknowledged = 0;
        let lines = 0;
        for await (const line of createInterface({ input: child.stdout })) {
          acknowledged = Number(line);
          lines += 1;
          if (lines === 20 + round * 7) child.kill("SIGKILL");
        }
        await using store = await opened(schema);
        // The server may still be at the last statement of the process that is gone.
        await sleep(50);
        const [first, second] = [await rowOf(store, ids[0]), await rowOf(store, ids[1])];
        assert.ok(first.seq >= acknowledged && acknowledged > 20);
        assert.equal(second.seq, first.seq);
        assert.equal(first.run, String(first.seq));
        assert.equal((await readLog(store, first.key)).length, first.seq);
      }
    });

    it("writes crossing batches of two replicas without losing one", async () => {
      const schema = freshSchema();
      await using one = await opened(schema);
      await using two = await opened(schema);
      const rows = [await createTask(one), await createTask(one), await createTask(one)];
      const write = async (store: PostgresStore, order: readonly number[]) => {
        for (let n = 0; n < 15; n += 1) {
          const now = await Promise.all(order.map((at) => rowOf(store, rows[at]?.id ?? "")));
          await store.commit(batchOf(now.map((row) => append(row, [event("artifact")]))));
          const keys = order.map((at) => dedupeKey(`${n}-${at}`));
          const sends = keys.map((key) => {
            const id = sampleId();
            return creation({ id, owner: "o", dedupe: { key, taskId: id, expires: Date.now() + 86_400_000 } });
          });
          const { tasks } = await store.commit(batchOf(sends));
          assert.ok(tasks.every((outcome) => outcome.ok || outcome.why === "duplicate"));
        }
      };
      await Promise.all([write(one, [0, 1, 2]), write(two, [2, 1, 0])]);
      const page = await one.list({ tenant: "", owner: "o", agent: "agent", limit: 1 });
      assert.equal(page.total, 45);
      for (const row of rows) {
        const now = await rowOf(one, row.id);
        assert.equal((await readLog(one, now.key)).length, now.seq);
      }
    });

    it("goes by the clock of the database when that of the process is wrong", async () => {
      const schema = freshSchema();
      await using right = await opened(schema);
      mock.timers.enable({ apis: ["Date"], now: Date.now() - 3_600_000 });
      const wrong = await opened(schema);
      const leaseUntil = Date.now() + 60_000;
      const row = await createTask(wrong, { holder: "wrong", leaseUntil, due: Date.now() - 1_000 });
      assert.ok(Math.abs(row.leaseUntil - leaseUntil) < 1_000);
      const query = { now: 0, leaseMs: 15_000, limit: 9, agents: ["agent"], minAttempts: 0, maxAttempts: 9 };
      assert.deepEqual(await wrong.claim({ ...query, holder: "again" }), []);
      mock.timers.reset();
      assert.deepEqual(await right.claim({ ...query, holder: "right" }), []);
      assert.ok(Math.abs((await rowOf(right, row.id)).leaseUntil - Date.now() - 60_000) < 5_000);
      await wrong.close();
    });

    it("tells other replicas which tasks were touched, soon and together", async () => {
      const schema = freshSchema();
      await using one = await opened(schema);
      await using two = await opened(schema, { dsn, pollMs: 60_000 });
      const rows = await Promise.all(Array.from({ length: 20 }, () => createTask(one)));
      while (!(await one.health()).listening || !(await two.health()).listening) await sleep(10);
      await sleep(50);
      const hints: (readonly string[] | undefined)[] = [];
      let own = 0;
      using _watching = two.watch((ids) => hints.push(ids));
      using _own = one.watch((ids) => {
        if (ids !== undefined) own += 1;
      });
      await Promise.all(rows.map((row) => commitOne(one, append(row, [event("artifact")]))));
      for (let n = 0; n < 200 && new Set(hints.flat()).size < 20; n += 1) await sleep(10);
      assert.deepEqual(new Set(hints.flat()), new Set(rows.map((row) => row.id)));
      assert.ok(hints.length < 20, `${hints.length} hints for 20 commits`);
      assert.equal(own, 0);
    });

    it("hears again after its connection for hints was cut", async () => {
      const schema = freshSchema();
      await using one = await opened(schema);
      await using two = await opened(schema, { dsn, pollMs: 60_000 });
      const row = await createTask(one);
      const everyone = async () => (await one.health()).listening && (await two.health()).listening;
      while (!(await everyone())) await sleep(10);
      await pool.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'legation-hints'",
      );
      for (let n = 0; n < 100 && (await everyone()); n += 1) await sleep(5);
      for (let n = 0; n < 300 && !(await everyone()); n += 1) await sleep(10);
      const heard = Promise.withResolvers<void>();
      using _watching = two.watch((ids) => {
        if (ids?.includes(row.id) === true) heard.resolve();
      });
      await commitOne(one, append(row, [event("artifact")]));
      await heard.promise;
    });

    it("refuses a schema newer than it knows, and one made by another text", async () => {
      const schema = freshSchema();
      await (await opened(schema)).close();
      await pool.query(`INSERT INTO ${schema}.migrations VALUES (999, 'later', 'x')`);
      await refuses({ dsn, schema }, StoreCorrupt, /has schema version 999, this program knows up to \d+/);
      await pool.query(`DELETE FROM ${schema}.migrations WHERE version = 999`);
      await pool.query(`UPDATE ${schema}.migrations SET checksum = 'x'`);
      await refuses({ dsn, schema }, StoreCorrupt, /was made by another text of migration 1 \(tasks\)/);
    });

    it("says what is wrong with a DSN", async () => {
      const unused = await startCuttingProxy(1);
      await unused.close();
      const changed = (change: (wrong: URL) => void): string => {
        const wrong = new URL(dsn);
        change(wrong);
        return wrong.href;
      };
      const wrongPort = changed((wrong) => {
        wrong.port = String(unused.port);
      });
      await refuses(
        { dsn: wrongPort },
        StoreUnavailable,
        /postgres cannot be reached \(.*\): check the server and the DSN/,
      );
      const wrongDatabase = changed((wrong) => {
        wrong.pathname = "/nothing";
      });
      await refuses({ dsn: wrongDatabase }, StoreUnavailable, /create the database or name another in the DSN/);
      const wrongUser = changed((wrong) => {
        wrong.password = "wrong";
      });
      await refuses({ dsn: wrongUser }, StoreUnavailable, /refuses this user .*: check user and password of the DSN/);
      assert.throws(() => createPostgresStore({}), /needs to know its server: give it pool or dsn/);
    });

    it("names the task whose row cannot be read, and holds it instead of claiming it", async () => {
      const schema = freshSchema();
      await using store = await opened(schema);
      const bad = await createTask(store, { due: 1 });
      const good = await createTask(store, { due: 2 });
      await pool.query(`UPDATE ${schema}.tasks SET state = 99 WHERE key = ${bad.key}`);
      await assert.rejects(store.task(bad.id), (error: unknown) => {
        assert.ok(error instanceof StoreCorrupt);
        assert.match(error.message, new RegExp(`task ${bad.id}: column state holds 99`));
        return true;
      });
      const query = { holder: "p", now: Date.now(), leaseMs: 1_000, limit: 9, agents: ["agent"], minAttempts: 0 };
      const claimed = await store.claim({ ...query, maxAttempts: 9 });
      assert.deepEqual(
        claimed.map(({ id }) => id),
        [good.id],
      );
      await pool.query(`UPDATE ${schema}.tasks SET state = 1 WHERE key = ${bad.key}`);
      assert.match((await rowOf(store, bad.id)).held ?? "", /column state holds 99/);
    });

    it("does not call itself away over a value that it cannot keep", async () => {
      await using store = await opened(freshSchema());
      const long = Array.from({ length: 2_000 }, () => crypto.randomUUID()).join();
      for (const contextId of ["c\0", "\ud83d", long]) {
        await assert.rejects(commitOne(store, creation({ contextId })), (error: unknown) => {
          assert.ok(error instanceof Error && !(error instanceof StoreUnavailable), String(error));
          assert.match(error.message, /postgres cannot keep a value/);
          return true;
        });
      }
      assert.equal((await commitOne(store, creation())).ok, true);
    });

    it("lets the engine tell a sender that a value can never be kept, and take the next message", async () => {
      const store = createPostgresStore({ maxConnections: 4, pollMs: 100, dsn, schema: freshSchema() });
      const engine = new Engine({ store, agents: [{ name: "a", version: "1", run: async () => undefined }] });
      await engine.start();
      const scope = { tenant: "", owner: "", agent: "a" };
      const message: Message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "a\0b" }] };
      const incoming = { message, meta: {} };
      const send = (contextId: string) => engine.createTask({ scope, contextId, incoming, dedupe: undefined });
      await assert.rejects(send("c\0"), { code: "INVALID_PARAMS", message: /sending it again does not help/ });
      // A text of a message is kept as JSON, where U+0000 has a form.
      const { taskId } = await send("c");
      await engine.settled(scope, taskId, 2);
      assert.equal((await engine.getTask(scope, taskId)).value.history?.[0]?.parts[0]?.text, "a\0b");
      await engine.stop({ graceMs: 0 });
    });

    it("says whether the server keeps the promise", async () => {
      const schema = freshSchema();
      const lax = new pg.Pool({ connectionString: dsn, max: 2, options: "-c synchronous_commit=off" });
      await using loose = await opened(schema, { pool: lax, listenDsn: dsn });
      assert.match(
        (await loose.health()).problems.join(),
        /synchronous_commit is off: a crash loses acknowledged tasks/,
      );
      await using strict = await opened(schema);
      const health = await strict.health();
      assert.deepEqual([health.synchronousCommit, health.synchronousStandbys], ["on", 0]);
      await loose.close();
      await lax.end();
    });

    if (restart !== undefined) {
      it("is unavailable while the server is away, and goes on when it is back", async () => {
        const schema = freshSchema();
        await using store = await opened(schema);
        const row = await createTask(store);
        const away = restart(300);
        let refused = 0;
        let seq = 1;
        for (let n = 0; n < 500 && (refused === 0 || seq === 1); n += 1) {
          try {
            const now = await rowOf(store, row.id);
            seq = now.seq;
            if (refused > 0 && (await commitOne(store, append(now, [event("status")]))).ok) seq += 1;
          } catch (error) {
            assert.ok(error instanceof StoreUnavailable, String(error));
            refused += 1;
          }
          await sleep(20);
        }
        await away;
        assert.ok(refused > 0);
        assert.equal((await rowOf(store, row.id)).seq, seq);
      });
    }
  });
}
