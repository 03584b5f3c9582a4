import type { Batch, BatchOutcome, BlobWrite } from "../../engine/store.ts";
import { oldestBucket } from "../sql/dedupe-bucket.ts";
import {
  acceptedBlobs,
  acceptedHooks,
  type BatchCall,
  decodeOutcomes,
  encodeBatch,
  type ScopeNumbers,
  touchedTasks,
} from "./batch-call.ts";
import type { DatabaseClock } from "./database-clock.ts";
import {
  type PgClient,
  type PgPool,
  type PgRunner,
  type RunStatement,
  translatePgError,
  withClient,
} from "./driver.ts";
import type { PgHooks } from "./hooks.ts";
import { keyOf, type PgScopes } from "./scopes.ts";
import type { PgStatements } from "./statements.ts";

/** Bytes of one row of a blob. */
const BLOB_ROW_BYTES = 262_144;
/** The totals of a scope are spread over so many rows, so that replicas do not wait for each other's commits. */
const SHARDS = 64;

/** What commits need of the store. */
export interface CommitSettings {
  readonly pool: PgPool;
  readonly run: RunStatement;
  readonly statements: PgStatements;
  readonly scopes: PgScopes;
  readonly clock: DatabaseClock;
  readonly hooks: PgHooks;
  /** Told of every task that a commit wrote; `isLazy` where no other process can wait for it. */
  readonly touched: (taskId: string, isLazy: boolean) => void;
}

/** Writes batches: one round trip each, some more when a batch holds blobs, new webhooks or a task twice. */
export class PgCommits {
  readonly #settings: CommitSettings;
  readonly #shard = Math.floor(Math.random() * SHARDS);
  #cleaned = 0;

  /** @param settings what it works with. */
  constructor(settings: CommitSettings) {
    this.#settings = settings;
  }

  /**
   * Writes one batch.
   *
   * @throws PgCollision when it should be done again; StoreUnavailable, `unknown` when the answer was lost.
   */
  commit(batch: Batch): Promise<BatchOutcome> {
    const { pool, scopes, touched } = this.#settings;
    return withClient(pool, async (client) => {
      const creates = batch.tasks.flatMap(({ create }) => create ?? []);
      const numbers = await working(scopes.obtainAll(client, creates));
      const calls = this.#encode(batch, numbers);
      const hasMore = batch.tasks.some(({ blobs, hooks }) => (blobs?.length ?? 0) + (hooks?.length ?? 0) > 0);
      const [only] = calls;
      const rows =
        calls.length === 1 && only !== undefined && !hasMore
          ? await this.#callAlone(client, only)
          : await this.#callTogether(client, batch, calls);
      for (const { id, isOurs } of touchedTasks(batch, rows)) touched(id, isOurs);
      return decodeOutcomes(batch, rows);
    });
  }

  /** Removes what expired, piece by piece, once a day has passed. */
  async clean(now: number): Promise<void> {
    const oldest = oldestBucket(now);
    if (oldest <= this.#cleaned) return;
    const { pool, run, statements } = this.#settings;
    const { rowCount } = await run(pool, statements.cleanDedupe, [oldest]);
    if (rowCount === 0) this.#cleaned = oldest;
  }

  #encode(batch: Batch, numbers: ReadonlyMap<string, ScopeNumbers>): readonly BatchCall[] {
    return encodeBatch(batch, {
      shard: this.#shard,
      toDatabase: (ms) => this.#settings.clock.toDatabase(ms),
      scopeOf: (create) => numbers.get(keyOf(create)) as ScopeNumbers,
    });
  }

  /** One statement is one transaction: the answer comes after COMMIT. */
  async #callAlone(client: PgClient, call: BatchCall): Promise<readonly (readonly unknown[])[]> {
    try {
      return (await this.#call(client, call)).rows;
    } catch (error) {
      throw translatePgError(error, "committing");
    }
  }

  async #callTogether(
    client: PgClient,
    batch: Batch,
    calls: readonly BatchCall[],
  ): Promise<readonly (readonly unknown[])[]> {
    const rows: (readonly unknown[])[] = [];
    try {
      await working(client.query({ text: "BEGIN" }));
      for (const call of calls) rows.push(...(await working(this.#call(client, call))).rows);
      const outcome = decodeOutcomes(batch, rows);
      for (const blob of acceptedBlobs(batch, outcome)) await working(this.#keepBlob(client, blob));
      for (const hook of acceptedHooks(batch, outcome)) {
        await working(this.#settings.hooks.write(client, hook.key, hook));
      }
    } catch (error) {
      await client.query({ text: "ROLLBACK" }).catch(() => {});
      throw error;
    }
    await client.query({ text: "COMMIT" }).catch((error: unknown) => {
      throw translatePgError(error, "committing");
    });
    return rows;
  }

  #call(runner: PgRunner, call: BatchCall) {
    return this.#settings.run(runner, this.#settings.statements.commit, call.values);
  }

  async #keepBlob(runner: PgRunner, { tenant, owner, sha256, bytes }: BlobWrite): Promise<void> {
    const { run, statements } = this.#settings;
    const { rows } = await run(runner, statements.makeBlob, [tenant, owner, sha256, bytes.length]);
    const id = rows[0]?.[0];
    // Its owner has it already.
    if (id === undefined) return;
    for (let n = 0; n * BLOB_ROW_BYTES < bytes.length; n += 1) {
      const row = bytes.subarray(n * BLOB_ROW_BYTES, (n + 1) * BLOB_ROW_BYTES);
      await run(runner, statements.putBlobRow, [id, n, Buffer.from(row.buffer, row.byteOffset, row.length)]);
    }
  }
}

async function working<Result>(result: Promise<Result>): Promise<Result> {
  try {
    return await result;
  } catch (error) {
    throw translatePgError(error, "working");
  }
}
