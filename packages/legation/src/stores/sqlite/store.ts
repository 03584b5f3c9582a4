import type { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { HookStore } from "../../engine/push-hook.ts";
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
import type { UpkeepStore } from "../../engine/upkeep.ts";
import { migrate, openDatabase, SqliteBusy, translated } from "./driver.ts";
import { createReader, type SqliteReader } from "./reader.ts";
import { type CommitThread, Writing } from "./writing.ts";

/** Options of {@link createSqliteStore}. */
export interface SqliteStoreOptions {
  /** How long a call waits, without blocking, for a lock of another process; default 5,000. */
  readonly busyMs?: number | undefined;
  /** How often a watched file is asked whether another process wrote to it; default 25. */
  readonly pollMs?: number | undefined;
  /**
   * On which thread commits are written. `auto`, the default, begins on the main thread and moves to a worker when
   * the disk takes longer than 1 ms for a commit or a batch holds a MiB; `main` saves the thread, `worker` starts it at
   * once. A worker costs more CPU per commit.
   */
  readonly commits?: CommitThread | undefined;
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
  readonly hooks: HookStore = {
    put: (key, hook, options) => this.#write((writing) => writing.call("putHook", key, hook, options)),
    get: (key, id) => this.#read((reader) => reader.hooks.get(key, id)),
    list: (key, afterId, limit) => this.#read((reader) => reader.hooks.list(key, afterId, limit)),
    remove: (key, id) => this.#write((writing) => writing.call("removeHook", key, id)),
    claim: (query) => this.#write((writing) => writing.call("claimHooks", query)),
    move: (holder, moves, now) => this.#write((writing) => writing.call("moveHooks", holder, moves, now)),
    redrive: (key, id, now) => this.#write((writing) => writing.call("redriveHook", key, id, now)),
    nextDue: (agents) => this.#read((reader) => reader.hooks.nextDue(agents)),
    find: (filter) => this.#read((reader) => reader.hooks.find(filter)),
  };
  readonly upkeep: UpkeepStore<TaskRow> = {
    unfinished: (query) => this.#read((reader) => reader.upkeep.unfinished(query)),
    openTasks: (tenant) => this.#read((reader) => reader.upkeep.openTasks(tenant)),
    ended: (query) => this.#read((reader) => reader.upkeep.ended(query)),
    compact: (keys) => this.#write((writing) => writing.call("compactTasks", keys)),
    remove: (keys) => this.#write((writing) => writing.call("removeTasks", keys)),
    erase: (tenant, owner, limit) => this.#write((writing) => writing.call("eraseOwner", tenant, owner, limit)),
  };
  readonly #path: string;
  readonly #busyMs: number;
  readonly #pollMs: number;
  readonly #maxBytes: number | undefined;
  readonly #commits: CommitThread;
  readonly #watchers = new Set<(taskIds: undefined) => void>();
  #db: DatabaseSync | undefined;
  #reader: SqliteReader | undefined;
  #writing: Writing | undefined;

  constructor(path: string, options: SqliteStoreOptions) {
    this.#path = path;
    this.#busyMs = options.busyMs ?? 5_000;
    this.#pollMs = options.pollMs ?? 25;
    this.#maxBytes = options.maxBytes;
    this.#commits = options.commits ?? "auto";
  }

  async open(): Promise<void> {
    const db = await this.#retry(() => openDatabase(this.#path, { busyTimeoutMs: 0, maxBytes: this.#maxBytes }));
    const settings = { path: this.#path, busyMs: this.#busyMs, pollMs: this.#pollMs, maxBytes: this.#maxBytes };
    const changed = () => {
      for (const hint of this.#watchers) hint(undefined);
    };
    try {
      await this.#retry(() => migrate(db, this.#path));
      this.#reader = createReader(db);
      this.#writing = new Writing(db, settings, { thread: this.#commits, changed });
      await this.#writing.open();
    } catch (error) {
      db.close();
      throw error;
    }
    this.#db = db;
  }

  async close(): Promise<void> {
    const { db, writing } = { db: this.#db, writing: this.#writing };
    this.#db = undefined;
    this.#reader = undefined;
    this.#writing = undefined;
    await writing?.close();
    db?.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  commit(batch: Batch): Promise<BatchOutcome> {
    return this.#write((writing) => writing.commit(batch));
  }

  task(
    id: string,
    { snapshot = true }: { readonly snapshot?: boolean | undefined } = {},
  ): Promise<TaskRow | undefined> {
    return this.#read((reader) => (snapshot ? reader.task(id) : reader.row(id)));
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
    return this.#write((writing) => writing.call("claim", query));
  }

  renew(holder: string, leases: readonly LeaseRef[], until: number): Promise<readonly LeaseRef[]> {
    return this.#write((writing) => writing.call("renew", holder, leases, until));
  }

  release(holder: string, leases: readonly LeaseRef[], due: number): Promise<void> {
    return this.#write((writing) => writing.call("release", holder, leases, due));
  }

  holders(): Promise<readonly string[]> {
    return this.#read((reader) => reader.holders());
  }

  expire(holder: string): Promise<void> {
    return this.#write((writing) => writing.call("expire", holder));
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
    const writing = this.#writing;
    if (writing === undefined) throw closed(this.#path);
    this.#watchers.add(hint);
    if (this.#watchers.size === 1) writing.watch(true);
    return {
      [Symbol.dispose]: () => {
        if (this.#watchers.delete(hint) && this.#watchers.size === 0) this.#writing?.watch(false);
      },
    };
  }

  #read<Result>(work: (reader: SqliteReader) => Result): Promise<Result> {
    return this.#retry(() => {
      const reader = this.#reader;
      if (reader === undefined) throw closed(this.#path);
      return work(reader);
    });
  }

  #write<Result>(work: (writing: Writing) => Promise<Result>): Promise<Result> {
    return this.#retry(() => {
      const writing = this.#writing;
      if (writing === undefined) throw closed(this.#path);
      return work(writing);
    });
  }

  /** Runs `work` again while another process holds the lock; the loop goes on meanwhile. */
  async #retry<Result>(work: () => Result | Promise<Result>): Promise<Result> {
    const giveUp = performance.now() + this.#busyMs;
    for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, 25)) {
      try {
        return await translated(this.#path, work);
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
