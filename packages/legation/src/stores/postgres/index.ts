// The face "./postgres": tasks in a PostgreSQL that many replicas share.

export type { Store } from "../../engine/store.ts";
export type { PgClient, PgPool } from "./driver.ts";
export type { PostgresHealth } from "./health.ts";
export { createPostgresStore, type PostgresStore, type PostgresStoreOptions } from "./store.ts";
