import type { HookWrite } from "../../engine/push-hook.ts";
import type {
  Batch,
  BatchOutcome,
  BlobWrite,
  DedupeKey,
  DedupeRow,
  ReplyCommit,
  TaskCommit,
  TaskOutcome,
} from "../../engine/store.ts";
import { KIND_CODES, STATE_CODES } from "../sql/codes.ts";
import { bucketOf, oldestBucket } from "../sql/dedupe-bucket.ts";
import { dedupeDigest } from "../sql/dedupe-digest.ts";
import { hasPublic } from "../sql/hook-wake.ts";
import { wakeOf } from "../sql/wake.ts";

/** The numbers of a (tenant, owner, agent), as the database has them. */
export interface ScopeNumbers {
  readonly scope: number;
  readonly lane: number;
}

/** What turns a batch into the call of the commit function. */
export interface EncodeSettings {
  readonly scopeOf: (create: NonNullable<TaskCommit["create"]>) => ScopeNumbers;
  /** Turns wall time of this process into that of the database. */
  readonly toDatabase: (ms: number) => number;
  readonly shard: number;
}

/** One call of the commit function. */
export interface BatchCall {
  readonly values: readonly [tasks: string, events: string, replies: string, shard: number, bucket: number];
  /** Places in the batch of the tasks in it. */
  readonly places: readonly number[];
}

/**
 * Turns a batch into calls: one, unless a task stands in it twice. Then its second entry goes into a second call of the
 * same transaction, because the function decides about all entries at once.
 */
export function encodeBatch(batch: Batch, settings: EncodeSettings): readonly BatchCall[] {
  const waves: number[][] = [];
  const seen = new Map<number, number>();
  for (const [place, { key, create }] of batch.tasks.entries()) {
    const wave = create === undefined ? (seen.get(key) ?? 0) : 0;
    if (create === undefined) seen.set(key, wave + 1);
    waves[wave] ??= [];
    waves[wave].push(place);
  }
  if (waves.length === 0) waves.push([]);
  return waves.map((places, wave) => encodeWave(batch, places, wave === 0 ? batch.replies : [], settings));
}

function encodeWave(
  batch: Batch,
  places: readonly number[],
  replies: readonly ReplyCommit[],
  settings: EncodeSettings,
): BatchCall {
  const tasks: unknown[] = [];
  const events: unknown[] = [];
  let now = replies.at(-1)?.now ?? 0;
  for (const n of places) {
    const commit = batch.tasks[n];
    if (commit === undefined) continue;
    tasks.push(encodeTask(n, commit, settings));
    for (const [at, { kind, time, payload }] of commit.events.entries()) {
      events.push({ n, at: at + 1, kind: KIND_CODES[kind], time, payload });
      now = Math.max(now, time);
    }
  }
  const encoded = replies.map((reply, n) => encodeReply(n, reply));
  const values = [JSON.stringify(tasks), JSON.stringify(events), JSON.stringify(encoded)] as const;
  return { values: [...values, settings.shard, oldestBucket(now)], places };
}

function encodeTask(n: number, commit: TaskCommit, { scopeOf, toDatabase }: EncodeSettings): unknown {
  const { create, columns, dedupe } = commit;
  if (create !== undefined && columns === undefined)
    throw new TypeError(`the commit of task ${create.id} has no columns`);
  return {
    n,
    key: commit.key,
    seq: commit.seq,
    epoch: commit.epoch,
    added: commit.events.length,
    snapshot: commit.snapshot,
    ...(dedupe === undefined ? {} : { digest: dedupeDigest(dedupe.key), bucket: bucketOf(dedupe.expires) }),
    ...(create === undefined
      ? {}
      : { id: create.id, context_id: create.contextId, created_at: create.createdAt, ...scopeOf(create) }),
    ...(columns === undefined ? {} : encodeColumns(columns, toDatabase)),
  };
}

function encodeColumns(columns: NonNullable<TaskCommit["columns"]>, toDatabase: (ms: number) => number): object {
  const leaseUntil = columns.leaseUntil === 0 ? 0 : toDatabase(columns.leaseUntil);
  const due = columns.due === null ? null : toDatabase(columns.due);
  const { holder, held } = columns;
  return {
    state: STATE_CODES[columns.state],
    status_time: columns.statusTime,
    new_epoch: columns.epoch,
    holder,
    lease_until: leaseUntil,
    attempts: columns.attempts,
    due,
    held,
    agent_version: columns.agentVersion,
    run: columns.run,
    wake: wakeOf({ holder, held, leaseUntil, due }),
  };
}

function encodeReply(n: number, { key, step, now, leaseUntil, expires, reply }: ReplyCommit): unknown {
  const lease = step === "lease" ? leaseUntil : 0;
  const kept = step === "reply" ? (reply ?? "") : undefined;
  return { n, digest: dedupeDigest(key), step, now, lease, bucket: bucketOf(expires), reply: kept };
}

/** A row of the commit function. */
type OutcomeRow = readonly [
  what: string,
  n: number,
  key: number | null,
  why: "seq" | "epoch" | "missing" | "duplicate" | null,
  taskId: string | null,
  reply: string | null,
  lease: number | null,
  /** How many webhooks the task has; null for a task that is new. */
  hooks: number | null,
];

/** Puts the rows of all calls of a batch back into its order. */
export function decodeOutcomes(batch: Batch, rows: readonly (readonly unknown[])[]): BatchOutcome {
  const tasks: TaskOutcome[] = [];
  const replies: BatchOutcome["replies"][number][] = [];
  for (const row of rows as readonly OutcomeRow[]) {
    const [what, n, key, why, , , , hooks] = row;
    if (what === "reply") {
      const commit = batch.replies[n];
      if (commit !== undefined)
        replies[n] = why === null ? { ok: true } : { ok: false, row: duplicateOf(commit.key, row) };
      continue;
    }
    const dedupe = batch.tasks[n]?.dedupe;
    if (why === null) tasks[n] = acceptedOf(batch.tasks[n], key ?? 0, hooks ?? 0);
    else if (why !== "duplicate") tasks[n] = { ok: false, why };
    else if (dedupe !== undefined) tasks[n] = { ok: false, why, row: duplicateOf(dedupe.key, row) };
  }
  return { tasks, replies };
}

function acceptedOf(commit: TaskCommit | undefined, key: number, hooks: number): TaskOutcome {
  const isHooked = commit?.hooks !== undefined || (hooks > 0 && hasPublic(commit?.events ?? []));
  return isHooked ? { ok: true, key, hooked: true } : { ok: true, key };
}

/** Gives the webhooks that come with entries that were accepted, each with the key of its task. */
export function acceptedHooks(batch: Batch, outcome: BatchOutcome): readonly (HookWrite & { readonly key: number })[] {
  return batch.tasks.flatMap(({ hooks = [] }, n) => {
    const written = outcome.tasks[n];
    return written?.ok === true ? hooks.map((hook) => ({ ...hook, key: written.key })) : [];
  });
}

function duplicateOf({ tenant, owner, messageId, hash }: DedupeKey, row: OutcomeRow): DedupeRow {
  const [, , , , taskId, reply, lease] = row;
  return { tenant, owner, messageId, hash, taskId, reply, leaseUntil: lease ?? 0 };
}

/** Gives the tasks that the rows say were written; `isOurs` for one that is new and runs where it was made. */
export function touchedTasks(
  batch: Batch,
  rows: readonly (readonly unknown[])[],
): readonly { readonly id: string; readonly isOurs: boolean }[] {
  return (rows as readonly OutcomeRow[]).flatMap(([what, n, , why, id]) => {
    if (what !== "task" || why !== null || id === null) return [];
    const { create, columns } = batch.tasks[n] ?? {};
    return [{ id, isOurs: create !== undefined && typeof columns?.holder === "string" }];
  });
}

/** Gives the blobs of the entries that were accepted. */
export function acceptedBlobs(batch: Batch, outcome: BatchOutcome): readonly BlobWrite[] {
  return batch.tasks.flatMap((commit, n) => (outcome.tasks[n]?.ok === true ? (commit.blobs ?? []) : []));
}
