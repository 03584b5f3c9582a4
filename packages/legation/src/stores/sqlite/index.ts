// The face "./sqlite": tasks in one SQLite file.

export type { Store } from "../../engine/store.ts";
export { createSqliteStore, type SqliteStoreOptions } from "./store.ts";
