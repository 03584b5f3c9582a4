import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
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
import { PgCommits } from "./commits.ts";
import { openClient, openPool } from "./connection.ts";
import { createDatabaseClock, type DatabaseClock } from "./database-clock.ts";
import {
  createRunner,
  PgCollision,
  type PgPool,
  quoteName,
  type RunStatement,
  translatePgError,
  withClient,
} from "./driver.ts";
import { type PostgresHealth, readHealth } from "./health.ts";
import { Hints } from "./hints.ts";
import { pgHookStatements } from "./hook-statements.ts";
import { PgHooks } from "./hooks.ts";
import { PgLeases } from "./leases.ts";
import { PgReads } from "./reads.ts";
import { PgScopes } from "./scopes.ts";
import { DATABASE_NOW, pgStatements } from "./statements.ts";
import { upgradeSchema } from "./upgrade.ts";
import { PgUpkeep } from "./upkeep.ts";

/** Options of {@link createPostgresStore}. One of `pool` and `dsn` is needed. */
export interface PostgresStoreOptions {
  /** A pool of the package `pg`, or what behaves like one; it stays open when the store is closed. */
  readonly pool?: PgPool | undefined;
  /** `postgres://user:password@host:port/database`: the store makes a pool of its own with the package `pg`. */
  readonly dsn?: string | undefined;
  /** Connections of the pool that the store makes; default 10. */
  readonly maxConnections?: number | undefined;
  /** Whether the server keeps plans under names; default true. Set it to false behind a transaction pooler. */
  readonly prepare?: boolean | undefined;
  /**
   * Where the connection for hints goes; needed when `pool` or `dsn` lead through a transaction pooler, which loses
   * notifications. Default: `dsn`, or a connection of `pool` that is kept.
   */
  readonly listenDsn?: string | undefined;
  /** The schema that holds the tables, made when it is missing; default `legation`. */
  readonly schema?: string | undefined;
  /** How often watchers are told "something" when no hint was heard; default 2,000 ms. */
  readonly pollMs?: number | undefined;
}

/** The store with what only this one can tell. */
export interface PostgresStore extends Store {
  /** Whether the server keeps the promise of durability, and whether hints of other replicas are heard. */
  health(): Promise<PostgresHealth & { readonly listening: boolean }>;
}

/** So often a batch is done again after another transaction was in its way. */
const COLLISIONS = 5;
/** How often the clocks are compared. */
const CLOCK_MS = 60_000;

/**
 * Gives a store in PostgreSQL (13 or newer): durable, for many replicas. A commit is one statement, one round trip and
 * one transaction, acknowledged after the server has it; how safe that is depends on the server, see `health`.
 *
 * Leases go by the clock of the database. Hints of other replicas' commits come over a connection of their own; when it
 * is away they come slower.
 *
 * @param options how to reach the server.
 * @returns a store that connects when it is opened.
 * @throws StoreUnavailable when neither `pool` nor `dsn` is given.
 */
export function createPostgresStore(options: PostgresStoreOptions): PostgresStore {
  if (options.pool === undefined && options.dsn === undefined) {
    throw new StoreUnavailable("the postgres store needs to know its server: give it pool or dsn");
  }
  return new PgStore(options);
}

/** What there is while the store is open. */
interface Open {
  readonly pool: PgPool;
  readonly commits: PgCommits;
  readonly reads: PgReads;
  readonly leases: PgLeases;
  readonly hooks: PgHooks;
  readonly upkeep: PgUpkeep;
  readonly hints: Hints;
  readonly timer: NodeJS.Timeout;
}

class PgStore implements PostgresStore {
  readonly name = "postgres";
  readonly pauseMs = 3;
  readonly exclusive = false;
  readonly hooks: HookStore = {
    put: (key, hook, options) => this.#attempt(({ hooks }) => hooks.put(key, hook, options)),
    get: (key, id) => this.#attempt(({ hooks }) => hooks.get(key, id)),
    list: (key, afterId, limit) => this.#attempt(({ hooks }) => hooks.list(key, afterId, limit)),
    remove: (key, id) => this.#attempt(({ hooks }) => hooks.remove(key, id)),
    claim: (query) => this.#attempt(({ hooks }) => hooks.claim(query)),
    move: (holder, moves) => this.#attempt(({ hooks }) => hooks.move(holder, moves)),
    redrive: (key, id) => this.#attempt(({ hooks }) => hooks.redrive(key, id)),
    nextDue: (agents) => this.#attempt(({ hooks }) => hooks.nextDue(agents)),
    find: (filter) => this.#attempt(({ hooks }) => hooks.find(filter)),
  };
  readonly upkeep: UpkeepStore<TaskRow> = {
    unfinished: (query) => this.#attempt(({ upkeep }) => upkeep.unfinished(query)),
    openTasks: (tenant) => this.#attempt(({ upkeep }) => upkeep.openTasks(tenant)),
    ended: (query) => this.#attempt(({ upkeep }) => upkeep.ended(query)),
    compact: (keys) => this.#attempt(({ upkeep }) => upkeep.compact(keys)),
    remove: (keys) => this.#attempt(({ upkeep }) => upkeep.remove(keys)),
    erase: (tenant, owner, limit) => this.#attempt(({ upkeep }) => upkeep.erase(tenant, owner, limit)),
  };
  readonly #options: PostgresStoreOptions;
  readonly #schema: string;
  readonly #run: RunStatement;
  readonly #clock: DatabaseClock = createDatabaseClock();
  #open: Open | undefined;

  constructor(options: PostgresStoreOptions) {
    this.#options = options;
    this.#schema = options.schema ?? "legation";
    this.#run = createRunner(options.prepare ?? true);
  }

  async open(): Promise<void> {
    const { dsn, maxConnections } = this.#options;
    const pool = this.#options.pool ?? (await openPool(dsn ?? "", maxConnections ?? 10));
    try {
      await withClient(pool, (client) => upgradeSchema(client, this.#run, this.#schema));
      await this.#readClock(pool);
    } catch (error) {
      if (this.#options.pool === undefined) await pool.end?.();
      throw translatePgError(error, "working");
    }
    this.#open = this.#assemble(pool);
    this.#open.hints.start();
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    clearInterval(open.timer);
    open.hints.close();
    if (this.#options.pool === undefined) await open.pool.end?.();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  commit(batch: Batch): Promise<BatchOutcome> {
    return this.#attempt(({ commits }) => commits.commit(batch));
  }

  task(
    id: string,
    { snapshot = true }: { readonly snapshot?: boolean | undefined } = {},
  ): Promise<TaskRow | undefined> {
    return this.#attempt(({ reads }) => reads.task(id, snapshot));
  }

  events(key: number, afterSeq: number, maxBytes: number): Promise<readonly EventRow[]> {
    return this.#attempt(({ reads }) => reads.events(key, afterSeq, maxBytes));
  }

  list(query: ListQuery): Promise<ListPage> {
    return this.#attempt(({ reads }) => reads.list(query));
  }

  dedupe(key: DedupeKey): Promise<DedupeRow | undefined> {
    return this.#attempt(({ reads }) => reads.dedupe(key));
  }

  claim(query: ClaimQuery): Promise<readonly TaskRow[]> {
    return this.#attempt(({ leases }) => leases.claim(query));
  }

  renew(holder: string, leases: readonly LeaseRef[], until: number): Promise<readonly LeaseRef[]> {
    return this.#attempt((open) => open.leases.renew(holder, leases, until));
  }

  release(holder: string, leases: readonly LeaseRef[], due: number): Promise<void> {
    return this.#attempt((open) => open.leases.release(holder, leases, due));
  }

  holders(): Promise<readonly string[]> {
    return this.#attempt(async ({ leases, hooks }) => [
      ...new Set([...(await leases.holders()), ...(await hooks.holders())]),
    ]);
  }

  expire(holder: string): Promise<void> {
    return this.#attempt(async ({ leases, hooks }) => {
      await leases.expire(holder);
      await hooks.expire(holder);
    });
  }

  nextDue(agents: readonly string[]): Promise<number | undefined> {
    return this.#attempt(({ leases }) => leases.nextDue(agents));
  }

  blob(tenant: string, owner: string, sha256: string): Promise<Uint8Array | undefined> {
    return this.#attempt(({ reads }) => reads.blob(tenant, owner, sha256));
  }

  watch(hint: (taskIds: readonly string[] | undefined) => void): Disposable {
    if (this.#open === undefined) throw this.#closed();
    return this.#open.hints.watch(hint);
  }

  health(): Promise<PostgresHealth & { readonly listening: boolean }> {
    return this.#attempt(async ({ pool, hints }) => ({
      ...(await readHealth(pool, this.#run)),
      listening: hints.listening,
    }));
  }

  #assemble(pool: PgPool): Open {
    const schema = quoteName(this.#schema);
    const statements = pgStatements(schema);
    const scopes = new PgScopes(this.#run, statements);
    const shared = { pool, run: this.#run, statements, scopes, clock: this.#clock };
    const reads = new PgReads({ ...shared, schema });
    const hints = this.#makeHints(pool);
    const hooks = new PgHooks({ pool, run: this.#run, statements: pgHookStatements(schema), clock: this.#clock });
    const commits = new PgCommits({ ...shared, hooks, touched: (taskId, isLazy) => hints.touch(taskId, isLazy) });
    const leases = new PgLeases({ ...shared, read: (values) => reads.named(values) });
    const tend = async () => {
      await this.#readClock(pool);
      await commits.clean(this.#clock.toDatabase(Date.now()));
    };
    const timer = setInterval(() => void tend().catch(() => {}), CLOCK_MS).unref();
    const read = (values: readonly unknown[]) => reads.named(values);
    const touched = (taskId: string) => hints.touch(taskId);
    const upkeep = new PgUpkeep({ pool, run: this.#run, scopes, schema, read, touched });
    return { pool, commits, reads, leases, hooks, upkeep, hints, timer };
  }

  #makeHints(pool: PgPool): Hints {
    const { listenDsn, dsn, pollMs } = this.#options;
    const direct = listenDsn ?? dsn;
    let position: unknown;
    return new Hints({
      connect: () => (direct === undefined ? pool.connect() : openClient(direct)),
      channel: `legation_${createHash("sha256").update(this.#schema).digest("hex").slice(0, 16)}`,
      pollMs: pollMs ?? 2_000,
      moved: async () => {
        const now = (await this.#run(pool, "SELECT pg_current_wal_insert_lsn()::text", [])).rows[0]?.[0];
        const moved = now !== position;
        position = now;
        return moved;
      },
    });
  }

  async #readClock(pool: PgPool): Promise<void> {
    const before = Date.now();
    const now = (await this.#run(pool, `SELECT ${DATABASE_NOW}`, [])).rows[0]?.[0];
    this.#clock.note(Number(now), before, Date.now());
  }

  /** Runs one call; again when another transaction was in its way. */
  async #attempt<Result>(work: (open: Open) => Promise<Result>): Promise<Result> {
    for (let attempt = 1; ; attempt += 1) {
      const open = this.#open;
      if (open === undefined) throw this.#closed();
      try {
        return await work(open);
      } catch (error) {
        const failure = translatePgError(error, "working");
        if (!(failure instanceof PgCollision)) throw failure;
        if (attempt >= COLLISIONS) {
          throw new StoreUnavailable(`postgres undid a transaction ${COLLISIONS} times (${failure.message})`, {
            cause: failure,
          });
        }
      }
      await sleep(attempt * 5 * Math.random());
    }
  }

  #closed(): StoreUnavailable {
    return new StoreUnavailable(`the store of postgres schema ${this.#schema} is closed`);
  }
}
