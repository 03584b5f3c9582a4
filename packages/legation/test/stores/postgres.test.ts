import { after, describe, it } from "node:test";
import pg from "pg";
import type { Store } from "../../src/engine/store.ts";
import { createPostgresStore, type PostgresStoreOptions } from "../../src/stores/postgres/store.ts";
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
    it("lists like the model while tasks move between pages", async () => {
      await checkListProperty(async () => {
        const store = makeStore({ pool });
        await store.open();
        return store;
      }, 25);
    });
  });
}
