import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import pg from "pg";
import type { Store } from "../../src/engine/store.ts";
import { createRunner, type PgQuery } from "../../src/stores/postgres/driver.ts";
import { createPostgresStore, type PostgresStoreOptions } from "../../src/stores/postgres/store.ts";
import { migrationText, pendingMigrations } from "../../src/stores/postgres/upgrade.ts";
import {
  append,
  commitOne,
  createTask,
  creation,
  event,
  START,
  sampleColumns,
} from "../../src/testing/store-contract/sample.ts";
import { storeContract } from "../../src/testing/store-contract.ts";
import { checkListProperty } from "./list-property.ts";
import { startPostgres } from "./postgres-server.ts";

const server = await startPostgres();
const schemas = new WeakMap<Store, string>();
const used: string[] = [];

function makeStore(options: PostgresStoreOptions, schema: string = `contract_${process.pid}_${used.length}`): Store {
  if (!used.includes(schema)) used.push(schema);
  const store = createPostgresStore({ ...options, schema, pollMs: 200 });
  schemas.set(store, schema);
  return store;
}

if (server !== undefined) {
  const { dsn } = server;
  const pool = new pg.Pool({ connectionString: dsn, max: 20 });
  after(async () => {
    for (const schema of used) await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await pool.end();
    await server.stop();
  });

  storeContract(async () => makeStore({ pool }), {
    name: "postgres",
    again: async (store) => makeStore({ pool }, schemas.get(store)),
  });

  storeContract(async () => makeStore({ dsn, prepare: false, maxConnections: 4 }), {
    name: "postgres, nothing prepared, a pool of its own",
    again: async (store) => makeStore({ dsn, prepare: false, maxConnections: 4 }, schemas.get(store)),
  });

  describe("postgres store", () => {
    it("takes three round trips for the three commits of a task", async () => {
      let roundTrips = 0;
      const counted = {
        connect: async () => {
          const client = await pool.connect();
          return new Proxy(client, {
            get: (target, name) => {
              if (name === "query") roundTrips += 1;
              const value: unknown = Reflect.get(target, name);
              return typeof value === "function" ? value.bind(target) : value;
            },
          });
        },
        query: (query: PgQuery) => {
          roundTrips += 1;
          return pool.query(query as never) as Promise<unknown>;
        },
      };
      await using store = makeStore({ pool: counted, listenDsn: dsn });
      await store.open();
      await createTask(store);
      const commit = creation({ holder: "h", leaseUntil: Date.now() + 15_000, state: "TASK_STATE_WORKING" });
      roundTrips = 0;
      const made = await commitOne(store, commit);
      const row = { ...sampleColumns(), key: made.ok ? made.key : 0, seq: 1, epoch: 1 };
      assert.equal((await commitOne(store, append(row, [event("artifact"), event("artifact")]))).ok, true);
      const end = { state: "TASK_STATE_COMPLETED", statusTime: START + 1 } as const;
      assert.equal((await commitOne(store, append({ ...row, seq: 3 }, [event("status")], end))).ok, true);
      assert.equal(roundTrips, 3);
    });

    it("prints the statements that make its schema, and finds nothing to do once they were run", async () => {
      const schema = `printed_${process.pid}`;
      used.push(schema);
      const run = createRunner(true);
      const pending = await pendingMigrations(pool, run, schema);
      assert.equal(pending.length > 0, true);
      await pool.query(migrationText(pending, schema));
      assert.deepEqual(await pendingMigrations(pool, run, schema), []);
      await using store = makeStore({ pool }, schema);
      await store.open();
      assert.equal((await createTask(store)).seq, 1);
    });

    it("lists like the model while tasks move between pages", async () => {
      await checkListProperty(async () => {
        const store = makeStore({ pool });
        await store.open();
        return store;
      }, 25);
    });
  });
}
