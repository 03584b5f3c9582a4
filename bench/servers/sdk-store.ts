/** The SDK's own store for SQLite: its migrations, kysely, and the SQLite of node in the place of a native module. */
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { DatabaseTaskStore } from "@a2a-js/sdk/server/database";
import { Kysely, type SqliteDatabase, SqliteDialect } from "kysely";

/** The schema that the SDK's own tool prints. */
function schema(): string {
  const main = createRequire(import.meta.url).resolve("@a2a-js/sdk");
  const tool = path.join(path.dirname(main), "cli/a2a_db.js");
  return execFileSync(process.execPath, [tool, "upgrade", "--sql", "--dialect", "sqlite"], { encoding: "utf8" });
}

/**
 * Opens the store with the promise that ours gives: WAL and synchronous=FULL.
 *
 * @param file created when it is not there
 */
export function openSdkStore(file: string): DatabaseTaskStore {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;");
  database.exec(schema());
  return new DatabaseTaskStore(new Kysely({ dialect: new SqliteDialect({ database: asKyselyWants(database) }) }));
}

// The five members that kysely calls; node gives no `reader`, so the text of the statement tells.
function asKyselyWants(database: DatabaseSync): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        reader: /^\s*(select|with|pragma)\b|\breturning\b/i.test(sql),
        all: (parameters) => statement.all(...(parameters as SQLInputValue[])),
        run: (parameters) => statement.run(...(parameters as SQLInputValue[])),
        iterate: (parameters) => statement.iterate(...(parameters as SQLInputValue[])),
      };
    },
  };
}
