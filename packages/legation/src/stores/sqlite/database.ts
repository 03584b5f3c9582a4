import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Migration } from "../sql/migration-plan.ts";
import type { StoreDatabase } from "../sql/store-database.ts";
import { migrate, migrationText, openDatabase, pendingMigrations, translated } from "./driver.ts";
import { SQLITE_MIGRATIONS } from "./migrations.ts";

/** How long a lock of another process is waited for. */
const BUSY_MS = 5_000;

/**
 * Gives the database of a store without its tasks. A file that is missing is one without a schema: only `upgrade`
 * makes it.
 *
 * @param path of the file.
 */
export function openSqliteDatabase(path: string): StoreDatabase {
  const pending = (): readonly Migration[] => {
    if (!existsSync(path)) return SQLITE_MIGRATIONS;
    return translated(path, () => {
      const db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_MS });
      try {
        return pendingMigrations(db, path);
      } finally {
        db.close();
      }
    });
  };
  return {
    status: async () => {
      const steps = pending();
      return { version: SQLITE_MIGRATIONS.length - steps.length, pending: steps, problems: [] };
    },
    sql: async () => migrationText(pending()),
    upgrade: async () => {
      const steps = pending();
      const db = openDatabase(path, { busyTimeoutMs: BUSY_MS });
      try {
        migrate(db, path);
      } finally {
        db.close();
      }
      return steps;
    },
    [Symbol.asyncDispose]: async () => {},
  };
}
