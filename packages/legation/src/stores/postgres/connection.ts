import { StoreUnavailable } from "../../engine/store.ts";
import { LocalError } from "../../operations/errors.ts";
import type { PgClient, PgPool } from "./driver.ts";

/** The part of the `pg` package that is used when it makes the connections itself. */
interface PgModule {
  readonly Pool: new (config: unknown) => PgPool;
  readonly Client: new (
    config: unknown,
  ) => Omit<PgClient, "release"> & { connect(): Promise<void>; end(): Promise<void> };
}

/** How long a new connection is waited for. */
const CONNECT_MS = 5_000;

/**
 * Makes a pool of the `pg` package.
 *
 * @param dsn `postgres://user:password@host:port/database`
 * @param max how many connections.
 * @throws StoreUnavailable that says how to install `pg` when it is missing.
 */
export async function openPool(dsn: string, max: number): Promise<PgPool> {
  const { Pool } = await loadPg();
  const pool = new Pool({
    connectionString: dsn,
    max,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: "legation",
  });
  // The pool tells of idle connections that ended; the next statement finds out by itself.
  pool.on?.("error", () => {});
  return pool;
}

/** Makes one connection beside the pool; its `release` ends it. */
export async function openClient(dsn: string): Promise<PgClient> {
  const { Client } = await loadPg();
  const client = new Client({
    connectionString: dsn,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: "legation-hints",
  });
  // Without a listener an error would end the process; who needs to know adds its own.
  client.on("error", () => {});
  await client.connect();
  return Object.assign(client, { release: () => void client.end().catch(() => {}) });
}

/** For who makes a store of a URL. @throws LocalError CONFIGURATION that says how to install the package `pg` when it is missing */
export async function requirePg(): Promise<void> {
  try {
    await import("pg");
  } catch (cause) {
    throw new LocalError("CONFIGURATION", "a postgres store needs the package pg; npm install pg", { cause });
  }
}

async function loadPg(): Promise<PgModule> {
  try {
    const loaded = (await import("pg")) as unknown as PgModule & { readonly default?: PgModule };
    return loaded.default ?? loaded;
  } catch (error) {
    throw new StoreUnavailable("the postgres store needs the package pg: npm install pg", { cause: error });
  }
}
