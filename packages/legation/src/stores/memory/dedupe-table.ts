import { type DedupeKey, type DedupeRow, dedupeText, type ReplyCommit, type ReplyOutcome } from "../../engine/store.ts";
import { bucketOf, LIFE_BUCKET, oldestBucket } from "../sql/dedupe-bucket.ts";

/** What is kept per key: the id of the task alone, or the state of a reply. */
type Entry = string | { readonly reply: string | null; readonly leaseUntil: number };

/** Accepted requests, in one map per bucket so that what expired is dropped without looking at it. */
export class DedupeTable {
  readonly #buckets = new Map<number, Map<string, Entry>>();
  #oldest = 0;

  /** Gives what is known of a request. */
  find(key: DedupeKey): DedupeRow | undefined {
    const text = dedupeText(key);
    for (const bucket of this.#buckets.values()) {
      const entry = bucket.get(text);
      if (entry !== undefined) return toRow(key, entry);
    }
    return undefined;
  }

  /** Remembers that a task answers a request that {@link find} does not know. */
  add(key: DedupeKey, taskId: string, expires: number | null): void {
    this.#put(dedupeText(key), taskId, expires);
  }

  /** Takes one step in the life of a request that is answered by a message. */
  step(commit: ReplyCommit): ReplyOutcome {
    this.forget(commit.now);
    const text = dedupeText(commit.key);
    const row = this.find(commit.key);
    const answered = row !== undefined && (row.taskId !== null || row.reply !== null);
    const leased = row !== undefined && commit.step === "lease" && row.leaseUntil > commit.now;
    if (row !== undefined && (answered || leased)) return { ok: false, row };
    if (row !== undefined) for (const bucket of this.#buckets.values()) bucket.delete(text);
    if (commit.step === "lease") this.#put(text, { reply: null, leaseUntil: commit.leaseUntil }, commit.expires);
    if (commit.step === "reply") this.#put(text, { reply: commit.reply ?? "", leaseUntil: 0 }, commit.expires);
    return { ok: true };
  }

  /** Forgets the requests that these tasks answered. */
  forgetTasks(ids: ReadonlySet<string>): void {
    for (const bucket of this.#buckets.values()) {
      for (const [text, entry] of bucket) if (typeof entry === "string" && ids.has(entry)) bucket.delete(text);
    }
  }

  /** Forgets every request of an owner. */
  forgetOwner(tenant: string, owner: string): void {
    for (const bucket of this.#buckets.values()) {
      for (const text of bucket.keys()) {
        const [tenantLength, ownerLength, messageLength] = text.split(":", 3);
        const lead = `${tenantLength}:${ownerLength}:${messageLength}:`;
        const isTheirs = Number(tenantLength) === tenant.length && Number(ownerLength) === owner.length;
        if (isTheirs && text.startsWith(`${tenant + owner}:`, lead.length)) bucket.delete(text);
      }
    }
  }

  /** Drops what expired more than a day before. */
  forget(now: number): void {
    const oldest = oldestBucket(now);
    if (oldest <= this.#oldest) return;
    this.#oldest = oldest;
    for (const bucket of this.#buckets.keys()) {
      if (bucket !== LIFE_BUCKET && bucket < oldest) this.#buckets.delete(bucket);
    }
  }

  #put(text: string, entry: Entry, expires: number | null): void {
    const number = bucketOf(expires);
    let bucket = this.#buckets.get(number);
    if (bucket === undefined) {
      bucket = new Map();
      this.#buckets.set(number, bucket);
    }
    bucket.set(text, entry);
  }
}

function toRow(key: DedupeKey, entry: Entry): DedupeRow {
  const { tenant, owner, messageId, hash } = key;
  if (typeof entry === "string") return { tenant, owner, messageId, hash, taskId: entry, reply: null, leaseUntil: 0 };
  return { tenant, owner, messageId, hash, taskId: null, reply: entry.reply, leaseUntil: entry.leaseUntil };
}
