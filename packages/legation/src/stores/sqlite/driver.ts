import { hash } from "node:crypto";
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreCorrupt, StoreUnavailable, Unstorable } from "../../engine/store.ts";
import { type AppliedMigration, type Migration, planMigrations } from "../sql/migration-plan.ts";
import { SQLITE_MIGRATIONS } from "./migrations.ts";

/** Before it, a reader of a WAL file could see a torn checkpoint and a commit could be lost. */
const OLDEST_SQLITE = "3.51.3";

/** "LGAT" */
const APPLICATION_ID = 0x4c474154;

/** The file is locked by another process now: try again soon. Never leaves this room. */
export class SqliteBusy extends Error {
  override readonly name = "SqliteBusy";
}

/** How a file is opened. */
export interface OpenOptions {
  /** How long a lock of another process is waited for while this thread does nothing else; 0 on the main thread. */
  readonly busyTimeoutMs: number;
  /** The file may not grow beyond this; undefined for no limit. */
  readonly maxBytes?: number | undefined;
}

/**
 * Refuses an SQLite library that can lose what it acknowledged.
 *
 * @param version as `sqlite_version()` gives it.
 * @throws StoreUnavailable that names the version which is needed.
 */
export function requireSqlite(version: string): void {
  const numbers = version.split(".").map(Number);
  for (const [at, oldest] of OLDEST_SQLITE.split(".").map(Number).entries()) {
    const number = numbers[at] ?? 0;
    if (number > oldest) return;
    if (number < oldest || Number.isNaN(number)) {
      throw new StoreUnavailable(
        `sqlite ${version} is too old, ${OLDEST_SQLITE} or newer is needed: use node 22.23.3 or newer`,
      );
    }
  }
}

/**
 * Opens a file for the store: WAL, every commit on the disk before it is acknowledged.
 *
 * @throws SqliteBusy, StoreUnavailable, StoreCorrupt
 */
export function openDatabase(path: string, options: OpenOptions): DatabaseSync {
  const db = translated(path, () => {
    requireDirectory(path);
    return new DatabaseSync(path, { timeout: options.busyTimeoutMs, enableForeignKeyConstraints: false });
  });
  try {
    translated(path, () => configure(db, path, options));
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

const MIGRATIONS_TABLE =
  "CREATE TABLE IF NOT EXISTS legation_migrations " +
  "(version INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL) STRICT";

/** Brings the schema up to date, under the write lock so that two processes do not do it at once. */
export function migrate(db: DatabaseSync, path: string): void {
  inTransaction(db, path, () => {
    // The file's mark. It is written each time because this is what fails when the file is read-only: a transaction
    // begins there without complaint, and otherwise the first commit of a task would be the one to find out.
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
    db.exec(MIGRATIONS_TABLE);
    const note = db.prepare("INSERT INTO legation_migrations (version, name, checksum) VALUES (?, ?, ?)");
    for (const { version, name, sql } of pendingMigrations(db, path)) {
      db.exec(sql);
      note.run(version, name, checksum(sql));
    }
  });
}

/** The steps that a file still needs; reads only. @throws StoreCorrupt for a schema that is newer, or another */
export function pendingMigrations(db: DatabaseSync, path: string): readonly Migration[] {
  const table = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'legation_migrations'").get();
  const applied =
    table === undefined ? [] : db.prepare("SELECT version, checksum FROM legation_migrations ORDER BY version").all();
  return planMigrations(SQLITE_MIGRATIONS, applied as unknown as AppliedMigration[], {
    checksum,
    where: `sqlite file ${path}`,
  });
}

/** What {@link migrate} would run, for somebody who may not let a program change a schema. */
export function migrationText(pending: readonly Migration[]): string {
  if (pending.length === 0) return "";
  const steps = pending.map(
    ({ version, name, sql }) =>
      `-- ${version}: ${name}\n${sql.trim()}\n` +
      `INSERT INTO legation_migrations (version, name, checksum) VALUES (${version}, '${name}', '${checksum(sql)}');\n`,
  );
  return `BEGIN IMMEDIATE;\nPRAGMA application_id = ${APPLICATION_ID};\n${MIGRATIONS_TABLE};\n${steps.join("")}COMMIT;\n`;
}

/**
 * Runs `work` between BEGIN IMMEDIATE and COMMIT; whatever it throws is rolled back.
 *
 * @returns what `work` gave, and how long COMMIT took: that is the disk, the rest is this process.
 * @throws SqliteBusy before anything was done; StoreUnavailable, `unknown` when COMMIT failed on the disk.
 */
export function inTransaction<Result>(
  db: DatabaseSync,
  path: string,
  work: () => Result,
): { readonly result: Result; readonly commitMs: number } {
  translated(path, () => db.exec("BEGIN IMMEDIATE"));
  try {
    const result = translated(path, work);
    const before = performance.now();
    translated(path, () => db.exec("COMMIT"), true);
    return { result, commitMs: performance.now() - before };
  } catch (error) {
    // Some failures, a full disk among them, have rolled back already.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

/**
 * Runs `work` and says in the words of the port what SQLite threw.
 *
 * @param path names the file in messages.
 * @param work what to run.
 * @param committing whether a failure of the disk leaves open what was written.
 */
export function translated<Result>(path: string, work: () => Result, committing: boolean = false): Result {
  try {
    return work();
  } catch (error) {
    throw isSqliteError(error) ? translateError(error, path, committing) : error;
  }
}

interface SqliteError extends Error {
  readonly errcode: number;
}

function isSqliteError(error: unknown): error is SqliteError {
  return error instanceof Error && typeof (error as Partial<SqliteError>).errcode === "number";
}

function translateError(error: SqliteError, path: string, committing: boolean): Error {
  const file = `sqlite file ${path}`;
  // The low byte is the primary code; the rest tells variants of it apart.
  switch (error.errcode & 0xff) {
    case 5:
    case 6:
      return new SqliteBusy(`${file} is locked`, { cause: error });
    case 8:
      return new StoreUnavailable(
        `${file} is read-only: give this process the right to write to it and to its directory`,
        { cause: error },
      );
    case 10:
      return new StoreUnavailable(`${file}: the disk failed (${error.message})`, { cause: error, unknown: committing });
    case 11:
      return new StoreCorrupt(`${file} is damaged (${error.message}): restore it from a backup`, { cause: error });
    case 13:
      return new StoreUnavailable(`${file} cannot grow: free space on its disk`, { cause: error });
    case 14:
      return new StoreUnavailable(`${file} cannot be opened: check that its directory exists and may be written to`, {
        cause: error,
      });
    case 18:
    case 20:
      return new Unstorable(`${file} cannot keep a value (${error.message})`, { cause: error });
    case 26:
      return new StoreCorrupt(`${file} is not an sqlite database: name another file or remove it`, { cause: error });
    default:
      return error;
  }
}

function requireDirectory(path: string): void {
  if (path === ":memory:" || path.startsWith("file:")) return;
  const directory = dirname(path);
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new StoreUnavailable(`sqlite file ${path} cannot be opened: there is no directory ${directory}, create it`);
}

function configure(db: DatabaseSync, path: string, options: OpenOptions): void {
  requireSqlite(String(db.prepare("SELECT sqlite_version() AS version").get()?.["version"]));
  const mode = String(db.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"]);
  if (mode !== "wal" && path !== ":memory:") {
    throw new StoreUnavailable(
      `sqlite file ${path} cannot use a write-ahead log (${mode}): put it on a local disk that may be written to`,
    );
  }
  // FULL: a commit is on the disk before it is acknowledged. The limit gives back a log that one large commit blew up.
  // At the end of most commits SQLite looks through its whole cache, so that one of 16 MB cost more than it saved: what
  // is not in it is in that of the system.
  db.exec("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 67108864; PRAGMA cache_size = -4000");
  // What is deleted or replaced is overwritten, so that data which was erased is in no corner of the file.
  db.exec("PRAGMA secure_delete = ON");
  if (options.maxBytes !== undefined) {
    const pageSize = Number(db.prepare("PRAGMA page_size").get()?.["page_size"]);
    db.exec(`PRAGMA max_page_count = ${Math.max(1, Math.floor(options.maxBytes / pageSize))}`);
  }
}

function checksum(sql: string): string {
  return hash("sha256", sql, "hex");
}
