import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import {
  type Batch,
  type BatchOutcome,
  type ClaimQuery,
  type DedupeKey,
  type DedupeRow,
  type EventRow,
  type LeaseRef,
  type ListPage,
  type ListQuery,
  type Store,
  StoreUnavailable,
  type TaskRow,
} from "../../engine/store.ts";
import { migrate, openDatabase, SqliteBusy, translated } from "./driver.ts";
import { createReader, type SqliteReader } from "./reader.ts";
import { createWriter, type SqliteWriter } from "./writer.ts";

/** Options of {@link createSqliteStore}. */
export interface SqliteStoreOptions {
  /** How long a call waits, without blocking, for a lock of another process; default 5,000. */
  readonly busyMs?: number | undefined;
  /** How often a watched file is asked whether another process wrote to it; default 25. */
  readonly pollMs?: number | undefined;
  /** The file may not grow beyond this many bytes; default no limit. A commit that needs more is refused. */
  readonly maxBytes?: number | undefined;
}

/** Rows of a blob that are read in one turn of the loop: 2 MiB. */
const BLOB_ROWS_AT_ONCE = 8;

/**
 * Gives a store in one SQLite file: durable, for one machine. A commit is on the disk before it is acknowledged.
 *
 * Several processes may use one file and see each other's tasks, but every commit takes the file's only write lock: it
 * is a way to hand over, not to scale. The file must be on a local disk.
 *
 * @param path of the file, made when it is missing; its directory must exist. `:memory:` keeps nothing.
 * @param options waiting times and limits.
 * @returns a store that reads and writes nothing before `open`.
 */
export function createSqliteStore(path: string, options: SqliteStoreOptions = {}): Store {
  return new SqliteStore(path, options);
}

class SqliteStore implements Store {
  readonly name = "sqlite";
  readonly pauseMs = 3;
  readonly exclusive = false;
  readonly #path: string;
  readonly #busyMs: number;
  readonly #pollMs: number;
  readonly #maxBytes: number | undefined;
  readonly #watchers = new Set<(taskIds: undefined) => void>();
  #db: DatabaseSync | undefined;
  #reader: SqliteReader | undefined;
  #writer: SqliteWriter | undefined;
  #poll: NodeJS.Timeout | undefined;

  constructor(path: string, options: SqliteStoreOptions) {
    this.#path = path;
    this.#busyMs = options.busyMs ?? 5_000;
    this.#pollMs = options.pollMs ?? 25;
    this.#maxBytes = options.maxBytes;
  }

  async open(): Promise<void> {
    const db = await this.#retry(() => openDatabase(this.#path, { busyTimeoutMs: 0, maxBytes: this.#maxBytes }));
    try {
      await this.#retry(() => migrate(db, this.#path));
      this.#reader = createReader(db);
      this.#writer = createWriter(db, this.#path);
    } catch (error) {
      db.close();
      throw error;
    }
    this.#db = db;
  }

  async close(): Promise<void> {
    clearInterval(this.#poll);
    const db = this.#db;
    this.#db = undefined;
    this.#reader = undefined;
    this.#writer = undefined;
    db?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  commit(batch: Batch): Promise<BatchOutcome> {
    return this.#write((writer) => writer.commit(batch));
  }

  task(id: string): Promise<TaskRow | undefined> {
    return this.#read((reader) => reader.task(id));
  }

  events(key: number, afterSeq: number, maxBytes: number): Promise<readonly EventRow[]> {
    return this.#read((reader) => reader.events(key, afterSeq, maxBytes));
  }

  list(query: ListQuery): Promise<ListPage> {
    return this.#read((reader) => reader.list(query));
  }

  dedupe(key: DedupeKey): Promise<DedupeRow | undefined> {
    return this.#read((reader) => reader.dedupe(key));
  }

  claim(query: ClaimQuery): Promise<readonly TaskRow[]> {
    return this.#write((writer) => writer.claim(query));
  }

  renew(holder: string, leases: readonly LeaseRef[], until: number): Promise<readonly LeaseRef[]> {
    return this.#write((writer) => writer.renew(holder, leases, until));
  }

  release(holder: string, leases: readonly LeaseRef[], due: number): Promise<void> {
    return this.#write((writer) => writer.release(holder, leases, due));
  }

  holders(): Promise<readonly string[]> {
    return this.#read((reader) => reader.holders());
  }

  expire(holder: string): Promise<void> {
    return this.#write((writer) => writer.expire(holder));
  }

  nextDue(agents: readonly string[]): Promise<number | undefined> {
    return this.#read((reader) => reader.nextDue(agents));
  }

  async blob(tenant: string, owner: string, sha256: string): Promise<Uint8Array | undefined> {
    const found = await this.#read((reader) => reader.blobs.find(tenant, owner, sha256));
    if (found === undefined) return undefined;
    const bytes = new Uint8Array(found.length);
    for (let n = 0, at = 0; at < bytes.length; n += 1) {
      // Ten MiB in one go would keep every other caller waiting.
      if (n > 0 && n % BLOB_ROWS_AT_ONCE === 0) await nextTurn();
      const row = await this.#read((reader) => reader.blobs.row(found.id, n));
      if (row === undefined) return undefined;
      bytes.set(row, at);
      at += row.length;
    }
    return bytes;
  }

  watch(hint: (taskIds: readonly string[] | undefined) => void): Disposable {
    this.#watchers.add(hint);
    if (this.#watchers.size === 1) this.#startPoll();
    return {
      [Symbol.dispose]: () => {
        this.#watchers.delete(hint);
        if (this.#watchers.size === 0) clearInterval(this.#poll);
      },
    };
  }

  /** Asks the file for its version while somebody watches: it moves with every commit of another connection. */
  #startPoll(): void {
    const db = this.#db;
    if (db === undefined) throw closed(this.#path);
    const version = db.prepare("PRAGMA data_version");
    const read = () => version.get()?.["data_version"];
    let last = read();
    this.#poll = setInterval(() => {
      const now = read();
      if (now === last) return;
      last = now;
      for (const hint of this.#watchers) hint(undefined);
    }, this.#pollMs).unref();
  }

  #read<Result>(work: (reader: SqliteReader) => Result): Promise<Result> {
    return this.#retry(() => {
      const reader = this.#reader;
      if (reader === undefined) throw closed(this.#path);
      return work(reader);
    });
  }

  #write<Result>(work: (writer: SqliteWriter) => Result): Promise<Result> {
    return this.#retry(() => {
      const writer = this.#writer;
      if (writer === undefined) throw closed(this.#path);
      return work(writer);
    });
  }

  /** Runs `work` again while another process holds the lock; the loop goes on meanwhile. */
  async #retry<Result>(work: () => Result): Promise<Result> {
    const giveUp = performance.now() + this.#busyMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 25)) {
      try {
        return translated(this.#path, work);
      } catch (error) {
        if (!(error instanceof SqliteBusy)) throw error;
        if (performance.now() >= giveUp) {
          throw new StoreUnavailable(
            `sqlite file ${this.#path} was locked by another process for ${this.#busyMs} ms: end what holds it`,
            { cause: error },
          );
        }
      }
      await sleep(pauseMs * (0.5 + Math.random()));
    }
  }
}

function closed(path: string): StoreUnavailable {
  return new StoreUnavailable(`the store of sqlite file ${path} is closed`);
}
