import type { DatabaseSync } from "node:sqlite";
import type { HookClaim, HookMove, HookRow, NewHook } from "../../engine/push-hook.ts";
import type {
  Batch,
  BatchOutcome,
  ClaimQuery,
  DedupeRow,
  LeaseRef,
  TaskCommit,
  TaskOutcome,
  TaskRow,
} from "../../engine/store.ts";
import { isTerminal } from "../../model/task-state.ts";
import { dedupeDigest } from "../sql/dedupe-digest.ts";
import { dueWith, hasPublic } from "../sql/hook-wake.ts";
import { createBlobRows } from "./blob-rows.ts";
import { createCounts } from "./counts.ts";
import { createDedupeRows } from "./dedupe-rows.ts";
import { inTransaction, translated } from "./driver.ts";
import { createEventWriter } from "./event-writer.ts";
import { createHookReader, createHookRows, type HookRows } from "./hook-rows.ts";
import { createLeases } from "./leases.ts";
import { createScopeTable } from "./scope-table.ts";
import { createTaskRows } from "./task-rows.ts";
import { createUpkeepRows } from "./upkeep.ts";

/** Everything that writes, synchronously and on one connection, each call one transaction; runs on any thread. */
export interface SqliteWriter {
  commit(batch: Batch): BatchOutcome;
  claim(query: ClaimQuery): readonly TaskRow[];
  renew(holder: string, leases: readonly LeaseRef[], until: number): readonly LeaseRef[];
  release(holder: string, leases: readonly LeaseRef[], due: number): void;
  expire(holder: string): void;
  putHook(
    key: number,
    hook: NewHook,
    options: { readonly limit: number; readonly now: number },
  ): "put" | "full" | "missing";
  removeHook(key: number, id: string): boolean;
  claimHooks(query: HookClaim): readonly HookRow[];
  moveHooks(holder: string, moves: readonly HookMove[], now: number): readonly boolean[];
  redriveHook(key: number, id: string, now: number): boolean;
  removeTasks(keys: readonly number[]): void;
  compactTasks(keys: readonly number[]): void;
  eraseOwner(tenant: string, owner: string, limit: number): readonly string[];
}

/**
 * Makes the writer of a connection.
 *
 * Its calls throw SqliteBusy when another process holds the write lock (then nothing was done), and the errors of the
 * port.
 *
 * @param db an open database with the current schema.
 * @param path names the file in messages.
 * @param committed told how long the disk took for every COMMIT, in ms.
 */
export function createWriter(
  db: DatabaseSync,
  path: string,
  committed: (tookMs: number) => void = () => {},
): SqliteWriter {
  const hooks = createHookRows(db);
  const hookReader = createHookReader(db);
  const upkeep = createUpkeepRows(db);
  const commits = createCommits(db, hooks);
  const leases = createLeases(db);
  const transaction = <Result>(work: () => Result): Result => {
    try {
      const { result, commitMs } = inTransaction(db, path, work);
      committed(commitMs);
      return result;
    } catch (error) {
      commits.forget();
      throw error;
    }
  };
  return {
    commit: (batch) => transaction(() => commits.apply(batch)),
    // Most looks find nothing: they take no lock.
    claim: (query) => (translated(path, () => leases.anyDue(query)) ? transaction(() => leases.claim(query)) : []),
    renew: (holder, refs, until) => (refs.length === 0 ? [] : transaction(() => leases.renew(holder, refs, until))),
    release: (holder, refs, due) => {
      if (refs.length > 0) transaction(() => leases.release(holder, refs, due));
    },
    expire: (holder) =>
      transaction(() => {
        leases.expire(holder);
        hooks.expire(holder);
      }),
    putHook: (key, hook, options) => transaction(() => hooks.put(key, hook, options)),
    removeHook: (key, id) => transaction(() => hooks.remove(key, id)),
    claimHooks: (query) =>
      translated(path, () => hookReader.anyDue(query)) ? transaction(() => hooks.claim(query)) : [],
    moveHooks: (holder, moves, now) => transaction(() => hooks.move(holder, moves, now)),
    redriveHook: (key, id, now) => transaction(() => hooks.redrive(key, id, now)),
    compactTasks: (keys) => transaction(() => upkeep.compact(keys)),
    removeTasks: (keys) => transaction(() => upkeep.remove(keys)),
    eraseOwner: (tenant, owner, limit) => {
      const erased = transaction(() => upkeep.erase(tenant, owner, limit));
      // What was written before stands in the log until it goes into the file.
      if (erased.length < limit) translated(path, () => db.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
      return erased;
    },
  };
}

interface Commits {
  apply(batch: Batch): BatchOutcome;
  /** Forgets what a transaction that was rolled back had made. */
  forget(): void;
}

function createCommits(db: DatabaseSync, hooks: HookRows): Commits {
  const scopes = createScopeTable(db);
  const dedupe = createDedupeRows(db);
  const blobs = createBlobRows(db);
  const counts = createCounts(db);
  const rows = createTaskRows(db, scopes, counts);
  const events = createEventWriter(db);
  const putSnapshot = db.prepare("INSERT OR REPLACE INTO snapshots (task, seq, json) VALUES (?, ?, ?)");

  const applyTask = (commit: TaskCommit): TaskOutcome => {
    const digest = commit.dedupe === undefined ? "" : dedupeDigest(commit.dedupe.key);
    const duplicate = findDuplicate(commit, digest);
    if (duplicate !== undefined) return { ok: false, why: "duplicate", row: duplicate };
    let key = commit.key;
    let hooked = 0;
    if (commit.create !== undefined) {
      const created = rows.create(commit);
      if (created === undefined) return { ok: false, why: "seq" };
      key = created;
    } else {
      const written = commit.columns === undefined ? rows.grow(commit) : rows.update(commit, commit.columns);
      if (typeof written === "string") return { ok: false, why: written };
      hooked = written;
    }
    events.append(key, commit.seq, commit.events);
    if (commit.snapshot !== undefined) putSnapshot.run(key, commit.seq + commit.events.length, commit.snapshot);
    if (commit.dedupe !== undefined) dedupe.add(digest, key, commit.dedupe.expires);
    for (const blob of commit.blobs ?? []) blobs.keep(blob);
    return tellHooks(key, hooked, commit) ? { ok: true, key, hooked: true } : { ok: true, key };
  };

  const tellHooks = (key: number, hooked: number, commit: TaskCommit): boolean => {
    const { events, columns } = commit;
    const now = dueWith(events);
    for (const hook of commit.hooks ?? []) hooks.write(key, hook, commit.seq + events.length, now);
    const isTold = hooked > 0 && hasPublic(events);
    if (isTold) hooks.touch(key, now, columns !== undefined && isTerminal(columns.state));
    return isTold || commit.hooks !== undefined;
  };

  const findDuplicate = (commit: TaskCommit, digest: string): DedupeRow | undefined => {
    if (commit.dedupe === undefined) return undefined;
    dedupe.advance(commit.events.at(-1)?.time ?? 0);
    return dedupe.find(commit.dedupe.key, digest);
  };

  return {
    apply: (batch) => {
      const replies = batch.replies.map((reply) => dedupe.step(reply));
      const tasks = batch.tasks.map(applyTask);
      counts.flush();
      return { tasks, replies };
    },
    forget: () => {
      scopes.forget();
      dedupe.forget();
      counts.forget();
    },
  };
}
