import type { DatabaseSync } from "node:sqlite";
import type { DedupeKey, DedupeRow, ReplyCommit, ReplyOutcome } from "../../engine/store.ts";
import { bucketOf, LIFE_BUCKET, oldestBucket } from "../sql/dedupe-bucket.ts";
import { dedupeDigest } from "../sql/dedupe-digest.ts";

/** Rows deleted per transaction once their day is over: they lie side by side, so this is cheap. */
const DELETED_AT_ONCE = 500;

/** The accepted requests in the file. All but `find` only inside a transaction. */
export interface DedupeRows {
  /** Gives what is known of a request whose digest is given. */
  find(key: DedupeKey, digest: string): DedupeRow | undefined;
  /** Remembers that a task answers a request that `find` does not know. */
  add(digest: string, task: number, expires: number | null): void;
  /** Takes one step in the life of a request that is answered by a message. */
  step(commit: ReplyCommit): ReplyOutcome;
  /** Notes the time of a writer; from then on older buckets do not count, and go piece by piece. */
  advance(now: number): void;
  /** Forgets the buckets that a transaction had made that was rolled back. */
  forget(): void;
}

/** Makes the rows of a connection. */
export function createDedupeRows(db: DatabaseSync): DedupeRows {
  const select = db.prepare(
    "SELECT d.bucket, t.id AS taskId, d.reply, d.lease_until AS leaseUntil FROM dedupe d LEFT JOIN tasks t ON t.key = d.task " +
      "WHERE d.bucket IN (SELECT bucket FROM dedupe_buckets) AND d.digest = ? AND (d.bucket = 0 OR d.bucket >= ?) LIMIT 1",
  );
  const insert = db.prepare(
    "INSERT OR REPLACE INTO dedupe (bucket, digest, task, reply, lease_until) VALUES (?, ?, ?, ?, ?)",
  );
  const remove = db.prepare("DELETE FROM dedupe WHERE bucket = ? AND digest = ?");
  const addBucket = db.prepare("INSERT OR IGNORE INTO dedupe_buckets (bucket) VALUES (?)");
  const oldBucket = db.prepare("SELECT bucket FROM dedupe_buckets WHERE bucket > ? AND bucket < ? LIMIT 1");
  const clean = db.prepare(
    `DELETE FROM dedupe WHERE bucket = ?1 AND digest IN (SELECT digest FROM dedupe WHERE bucket = ?1 LIMIT ${DELETED_AT_ONCE})`,
  );
  const removeBucket = db.prepare("DELETE FROM dedupe_buckets WHERE bucket = ?");
  /** Buckets that are in the file for sure: nobody removes those that count. */
  const buckets = new Set<number>();
  let oldest = 0;
  let cleaned = 0;

  const read = (digest: string): ({ readonly bucket: number } & Omit<DedupeRow, keyof DedupeKey>) | undefined =>
    select.get(digest, oldest) as never;
  const put = (digest: string, expires: number | null, values: readonly [number | null, string | null, number]) => {
    const bucket = bucketOf(expires);
    if (!buckets.has(bucket)) addBucket.run(bucket);
    buckets.add(bucket);
    insert.run(bucket, digest, ...values);
  };
  const find = (key: DedupeKey, digest: string): DedupeRow | undefined => {
    const row = read(digest);
    return row === undefined ? undefined : toRow(key, row);
  };
  const advance = (now: number): void => {
    oldest = Math.max(oldest, oldestBucket(now));
    if (cleaned >= oldest) return;
    const bucket = oldBucket.get(LIFE_BUCKET, oldest)?.["bucket"];
    if (typeof bucket !== "number") cleaned = oldest;
    else if (Number(clean.run(bucket).changes) < DELETED_AT_ONCE) removeBucket.run(bucket);
  };

  return {
    find,
    add: (digest, task, expires) => put(digest, expires, [task, null, 0]),
    step: (commit) => {
      advance(commit.now);
      const digest = dedupeDigest(commit.key);
      const row = read(digest);
      const answered = row !== undefined && (row.taskId !== null || row.reply !== null);
      const leased = row !== undefined && commit.step === "lease" && row.leaseUntil > commit.now;
      if (row !== undefined && (answered || leased)) return { ok: false, row: toRow(commit.key, row) };
      if (row !== undefined) remove.run(row.bucket, digest);
      if (commit.step === "lease") put(digest, commit.expires, [null, null, commit.leaseUntil]);
      if (commit.step === "reply") put(digest, commit.expires, [null, commit.reply ?? "", 0]);
      return { ok: true };
    },
    advance,
    forget: () => buckets.clear(),
  };
}

function toRow({ tenant, owner, messageId, hash }: DedupeKey, row: Omit<DedupeRow, keyof DedupeKey>): DedupeRow {
  const { taskId, reply, leaseUntil } = row;
  return { tenant, owner, messageId, hash, taskId, reply, leaseUntil };
}
