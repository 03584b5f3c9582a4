import { RenewedMap } from "../../engine/renewed-map.ts";
import {
  type Batch,
  type BatchOutcome,
  type BlobWrite,
  type ClaimQuery,
  type DedupeKey,
  type DedupeRow,
  type EventRow,
  type LeaseRef,
  type ListPage,
  type ListQuery,
  type Store,
  StoreUnavailable,
  type TaskCommit,
  type TaskOutcome,
  type TaskRow,
} from "../../engine/store.ts";
import type { UpkeepStore } from "../../engine/upkeep.ts";
import type { TaskState } from "../../model/gen/types.ts";
import { dueWith, hasPublic } from "../sql/hook-wake.ts";
import { wakeOf } from "../sql/wake.ts";
import { DedupeTable } from "./dedupe-table.ts";
import { HookTable } from "./hook-table.ts";
import { listTasks } from "./list-tasks.ts";
import { dropContext, joinKey, noteContext, placeTask, Scopes, unplaceTask } from "./scope.ts";
import {
  appendEvents,
  compactLog,
  type Lane,
  newStoredTask,
  readEvents,
  type StoredTask,
  setColumns,
  viewTask,
} from "./stored-task.ts";
import { createMemoryUpkeep } from "./upkeep.ts";

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /** How many ended tasks keep their whole log; default 256. */
  readonly recentTasks?: number | undefined;
  /** Length of the payloads that ended tasks may keep together; default 16 Mi. */
  readonly recentLength?: number | undefined;
}

const TERMINAL: ReadonlySet<TaskState> = new Set<TaskState>([
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
]);

/** A log that outlives two rounds of the collector is copied in each; who comes back later is given the Task. */
const RECENT_TASKS = 256;

/**
 * Gives a store that keeps everything in the memory of this process, under the same contract as the durable ones.
 *
 * Nothing survives the process. Tasks stay until it ends. A task that ended keeps its whole log while it is among the
 * most recent ones; after that the payloads that its snapshot covers read as erased (`""`), because nobody can
 * subscribe to a terminal task. An ended task without a snapshot keeps its log.
 *
 * @param options how much of the logs of ended tasks is kept.
 * @returns a store that needs no path and no opening, and never calls its watchers.
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  return new MemoryStore(options.recentTasks ?? RECENT_TASKS, options.recentLength ?? 16_777_216);
}

class MemoryStore implements Store {
  readonly name = "memory";
  readonly pauseMs = 0;
  readonly exclusive = true;
  readonly hooks: HookTable = new HookTable({
    check: () => this.#check(),
    task: (key) => this.#byKey[key - 1],
    drained: (task) => {
      if (this.#waiting.has(task) && !this.hooks.needsLog(task)) this.#compact(task);
    },
  });
  readonly #recentTasks: number;
  readonly #recentLength: number;
  readonly #scopes = new Scopes();
  readonly #byId = new Map<string, StoredTask>();
  /** By key - 1. */
  readonly #byKey: StoredTask[] = [];
  readonly #dedupe = new DedupeTable();
  readonly #blobs = new Map<string, Uint8Array>();
  readonly upkeep: UpkeepStore<TaskRow> = createMemoryUpkeep({
    check: () => this.#check(),
    scopes: this.#scopes,
    hooks: this.hooks,
    dedupe: this.#dedupe,
    tasks: () => this.#byId.values(),
    forget: (task) => this.#forget(task),
    forgetBlobs: (tenant, owner) => {
      const lead = joinKey(tenant, owner, "");
      for (const key of this.#blobs.keys()) if (key.startsWith(lead)) this.#blobs.delete(key);
    },
  });
  /** Ended tasks with their whole log, oldest first, and the length of it that {@link #endedLength} counts. */
  readonly #ended = new RenewedMap<StoredTask, number>();
  #endedLength = 0;
  /** Tasks that ended long ago and whose log a webhook has yet to read. */
  readonly #waiting = new Set<StoredTask>();
  /** The tenant that claimed last in each agent: the next claim goes on behind it. */
  #lastTenant = "";
  #closed = false;

  constructor(recentTasks: number, recentLength: number) {
    this.#recentTasks = recentTasks;
    this.#recentLength = recentLength;
  }

  async open(): Promise<void> {
    this.#check();
  }

  async close(): Promise<void> {
    this.#closed = true;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async commit(batch: Batch): Promise<BatchOutcome> {
    this.#check();
    const replies = batch.replies.map((reply) => this.#dedupe.step(reply));
    const tasks = batch.tasks.map((commit) => this.#commitTask(commit));
    return { tasks, replies };
  }

  async task(id: string): Promise<TaskRow | undefined> {
    this.#check();
    const task = this.#byId.get(id);
    return task === undefined ? undefined : viewTask(task);
  }

  async events(key: number, afterSeq: number, maxBytes: number): Promise<readonly EventRow[]> {
    this.#check();
    const task = this.#byKey[key - 1];
    return task === undefined ? [] : readEvents(task, afterSeq, maxBytes);
  }

  async list(query: ListQuery): Promise<ListPage> {
    this.#check();
    return listTasks(this.#scopes.find(query.tenant, query.owner, query.agent), query);
  }

  async dedupe(key: DedupeKey): Promise<DedupeRow | undefined> {
    this.#check();
    return this.#dedupe.find(key);
  }

  async claim(query: ClaimQuery): Promise<readonly TaskRow[]> {
    this.#check();
    const claimed: TaskRow[] = [];
    for (const task of this.#takeDue(query)) {
      task.epoch += 1;
      task.attempts += 1;
      task.holder = query.holder;
      task.leaseUntil = query.now + query.leaseMs;
      wake(task);
      claimed.push(viewTask(task));
    }
    return claimed;
  }

  async renew(holder: string, leases: readonly LeaseRef[], until: number): Promise<readonly LeaseRef[]> {
    this.#check();
    const lost: LeaseRef[] = [];
    for (const lease of leases) {
      const task = this.#held(holder, lease);
      if (task === undefined) lost.push(lease);
      else {
        task.leaseUntil = until;
        wake(task);
      }
    }
    return lost;
  }

  async release(holder: string, leases: readonly LeaseRef[], due: number): Promise<void> {
    this.#check();
    for (const lease of leases) {
      const task = this.#held(holder, lease);
      if (task !== undefined) endLease(task, due);
    }
  }

  async holders(): Promise<readonly string[]> {
    this.#check();
    const holders = new Set<string>(this.hooks.holders());
    for (const lane of this.#scopes.lanes()) {
      for (const { holder } of lane.heap.values()) if (holder !== null) holders.add(holder);
    }
    return [...holders];
  }

  async expire(holder: string): Promise<void> {
    this.#check();
    for (const lane of this.#scopes.lanes()) {
      for (const task of [...lane.heap.values()]) if (task.holder === holder) endLease(task, 0);
    }
    this.hooks.expire(holder);
  }

  async nextDue(agents: readonly string[]): Promise<number | undefined> {
    this.#check();
    let next: number | undefined;
    for (const lane of this.#scopes.lanes()) {
      const first = agents.includes(lane.agent) ? lane.heap.first?.wake : undefined;
      if (typeof first === "number" && (next === undefined || first < next)) next = first;
    }
    return next;
  }

  async blob(tenant: string, owner: string, sha256: string): Promise<Uint8Array | undefined> {
    this.#check();
    return this.#blobs.get(joinKey(tenant, owner, sha256));
  }

  watch(): Disposable {
    return { [Symbol.dispose]: () => {} };
  }

  #forget(task: StoredTask): void {
    this.#byId.delete(task.id);
    delete this.#byKey[task.key - 1];
    this.#endedLength -= this.#ended.get(task) ?? 0;
    this.#ended.delete(task);
    this.#waiting.delete(task);
    dropContext(task);
    task.scope.lane.heap.set(task, null);
  }

  #check(): void {
    if (this.#closed) throw new StoreUnavailable("the memory store is closed");
  }

  /** Checks every guard before it changes anything, so that a refused commit leaves nothing behind. */
  #commitTask(commit: TaskCommit): TaskOutcome {
    if (commit.dedupe !== undefined) {
      this.#dedupe.forget(commit.events.at(-1)?.time ?? 0);
      const row = this.#dedupe.find(commit.dedupe.key);
      if (row !== undefined) return { ok: false, why: "duplicate", row };
    }
    const { create, columns } = commit;
    let task: StoredTask | undefined;
    if (create === undefined) {
      task = this.#byKey[commit.key - 1];
      if (task === undefined) return { ok: false, why: "missing" };
      if (task.epoch !== commit.epoch) return { ok: false, why: "epoch" };
      if (task.seq !== commit.seq) return { ok: false, why: "seq" };
      appendEvents(task, commit.events);
      if (columns !== undefined) replaceColumns(task, columns);
    } else {
      if (columns === undefined) throw new TypeError(`the commit that creates task ${create.id} has no columns`);
      if (this.#byId.has(create.id)) return { ok: false, why: "seq" };
      const scope = this.#scopes.obtain(create.tenant, create.owner, create.agent);
      task = newStoredTask(this.#byKey.length + 1, create, scope, columns);
      this.#byKey.push(task);
      this.#byId.set(task.id, task);
      appendEvents(task, commit.events);
      placeTask(task);
      noteContext(task);
      wake(task);
    }
    if (commit.snapshot !== undefined) {
      task.snapshot = commit.snapshot;
      task.snapshotSeq = task.seq;
    }
    if (commit.dedupe !== undefined) {
      this.#dedupe.add(commit.dedupe.key, commit.dedupe.taskId, commit.dedupe.expires);
    }
    for (const blob of commit.blobs ?? []) this.#keepBlob(blob);
    const isHooked = this.#tellHooks(task, commit);
    if (TERMINAL.has(task.state)) this.#end(task);
    else if (task.holder === null) task.log.rest();
    return isHooked ? { ok: true, key: task.key, hooked: true } : { ok: true, key: task.key };
  }

  #tellHooks(task: StoredTask, { events, hooks }: TaskCommit): boolean {
    const now = dueWith(events);
    for (const hook of hooks ?? []) this.hooks.write(task, hook, now);
    const isTold = hasPublic(events) && this.hooks.touch(task, now, TERMINAL.has(task.state));
    return isTold || hooks !== undefined;
  }

  #keepBlob({ tenant, owner, sha256, bytes }: BlobWrite): void {
    const key = joinKey(tenant, owner, sha256);
    // A copy: the caller's array may be a view of a whole request body, which must not live as long as the blob.
    if (!this.#blobs.has(key)) this.#blobs.set(key, new Uint8Array(bytes));
  }

  /** Enters an ended task among the recent ones and compacts those that are recent no more. */
  #end(task: StoredTask): void {
    task.log.close();
    this.#endedLength += task.log.length - (this.#ended.get(task) ?? 0);
    this.#ended.set(task, task.log.length);
    for (const [oldest, length] of this.#ended) {
      if (this.#ended.size <= this.#recentTasks && this.#endedLength <= this.#recentLength) return;
      this.#ended.delete(oldest);
      this.#endedLength -= length;
      if (this.hooks.needsLog(oldest)) this.#waiting.add(oldest);
      else this.#compact(oldest);
    }
  }

  #compact(task: StoredTask): void {
    this.#waiting.delete(task);
    compactLog(task);
  }

  /** Takes the tasks to claim out of their heaps: one of each tenant in turn, each tenant's as they fell due. */
  #takeDue(query: ClaimQuery): StoredTask[] {
    const { now, limit, minAttempts, maxAttempts } = query;
    const turns = this.#turns(query);
    const taken: StoredTask[] = [];
    const passedOver: StoredTask[] = [];
    while (turns.length > 0 && taken.length < limit) {
      const lanes = turns.shift() as Lane[];
      const task = soonest(lanes, now);
      if (task === undefined) continue;
      take(task);
      turns.push(lanes);
      if (task.attempts >= minAttempts && task.attempts < maxAttempts) {
        taken.push(task);
        this.#lastTenant = task.scope.lane.tenant;
      } else {
        passedOver.push(task);
        turns.unshift(turns.pop() as Lane[]);
      }
    }
    for (const task of passedOver) wake(task);
    return taken;
  }

  /** The lanes in question by tenant, beginning behind the tenant that was served last. */
  #turns({ agents, now }: ClaimQuery): Lane[][] {
    const byTenant = new Map<string, Lane[]>();
    for (const lane of this.#scopes.lanes()) {
      if (!agents.includes(lane.agent) || soonest([lane], now) === undefined) continue;
      const lanes = byTenant.get(lane.tenant);
      if (lanes === undefined) byTenant.set(lane.tenant, [lane]);
      else lanes.push(lane);
    }
    const tenants = [...byTenant.keys()].sort();
    const start = Math.max(
      0,
      tenants.findIndex((tenant) => tenant > this.#lastTenant),
    );
    return [...tenants.slice(start), ...tenants.slice(0, start)].map((tenant) => byTenant.get(tenant) as Lane[]);
  }

  #held(holder: string, lease: LeaseRef): StoredTask | undefined {
    const task = this.#byKey[lease.key - 1];
    return task !== undefined && task.holder === holder && task.epoch === lease.epoch ? task : undefined;
  }
}

function replaceColumns(task: StoredTask, columns: NonNullable<TaskCommit["columns"]>): void {
  const moves = columns.state !== task.state || columns.statusTime !== task.statusTime;
  if (moves) unplaceTask(task);
  setColumns(task, columns);
  if (moves) placeTask(task);
  wake(task);
}

/** Moves a task to where its columns put it among those that wait. */
function wake(task: StoredTask): void {
  task.scope.lane.heap.set(task, wakeOf(task));
}

function endLease(task: StoredTask, due: number): void {
  task.holder = null;
  task.leaseUntil = 0;
  task.due = due;
  wake(task);
}

/** The task of these lanes that fell due first, undefined when none did. */
function soonest(lanes: readonly Lane[], now: number): StoredTask | undefined {
  let best: StoredTask | undefined;
  for (const lane of lanes) {
    const first = lane.heap.first;
    if (first === undefined || (first.wake ?? now + 1) > now) continue;
    if (best === undefined || (first.wake ?? 0) < (best.wake ?? 0)) best = first;
  }
  return best;
}

/** Takes a task out of its heap until {@link wake} puts it back. */
function take(task: StoredTask): void {
  task.scope.lane.heap.set(task, null);
}
