import type { EventRow, NewEvent, TaskColumns, TaskIdentity, TaskRow } from "../../engine/store.ts";
import type { TaskState } from "../../model/gen/types.ts";
import type { OrderedTasks } from "./ordered-tasks.ts";
import { StoredLog } from "./stored-log.ts";
import type { WakeHeap } from "./wake-heap.ts";

/** What is claimed together: the tasks of one agent for one tenant. */
export interface Lane {
  readonly tenant: string;
  readonly agent: string;
  readonly heap: WakeHeap<StoredTask>;
}

/** What is listed together: the tasks of one owner within a lane. */
export interface Scope {
  readonly lane: Lane;
  readonly owner: string;
  /** One order per state: a task stands in exactly one, and the whole is their merge. */
  readonly byState: Map<TaskState, OrderedTasks<StoredTask>>;
  /** Most contexts hold one task: an array only from the second on. */
  readonly byContext: Map<string, StoredTask | StoredTask[]>;
}

/** A task in memory: one mutable record, so that an append costs no more than a push. */
export interface StoredTask {
  readonly key: number;
  readonly id: string;
  contextId: string;
  readonly createdAt: number;
  scope: Scope;
  state: TaskState;
  statusTime: number;
  seq: number;
  epoch: number;
  holder: string | null;
  leaseUntil: number;
  attempts: number;
  due: number | null;
  held: string | null;
  agentVersion: string;
  run: string;
  snapshot: string | null;
  snapshotSeq: number;
  /** When it may be claimed, in ms; see `wakeOf`. */
  wake: number | null;
  /** Place in the heap of its lane, -1 when it is in none. */
  heapAt: number;
  /** All entries, or what is left of them once the task ended long ago. */
  readonly log: StoredLog;
}

/** Makes the record of a new task; the caller puts it into the indexes. */
export function newStoredTask(key: number, identity: TaskIdentity, scope: Scope, columns: TaskColumns): StoredTask {
  return {
    key,
    id: identity.id,
    contextId: identity.contextId,
    createdAt: identity.createdAt,
    scope,
    state: columns.state,
    statusTime: columns.statusTime,
    seq: 0,
    epoch: columns.epoch,
    holder: columns.holder,
    leaseUntil: columns.leaseUntil,
    attempts: columns.attempts,
    due: columns.due,
    held: columns.held,
    agentVersion: columns.agentVersion,
    run: columns.run,
    snapshot: null,
    snapshotSeq: 0,
    wake: null,
    heapAt: -1,
    log: new StoredLog(),
  };
}

/** Takes over new columns; the caller moves the task in the indexes. */
export function setColumns(task: StoredTask, columns: TaskColumns): void {
  task.state = columns.state;
  task.statusTime = columns.statusTime;
  task.epoch = columns.epoch;
  task.holder = columns.holder;
  task.leaseUntil = columns.leaseUntil;
  task.attempts = columns.attempts;
  task.due = columns.due;
  task.held = columns.held;
  task.agentVersion = columns.agentVersion;
  task.run = columns.run;
}

/** Gives what the port shows of a task: a copy of the columns, so that later commits do not change it. */
export function viewTask(task: StoredTask): TaskRow {
  return {
    key: task.key,
    id: task.id,
    tenant: task.scope.lane.tenant,
    owner: task.scope.owner,
    agent: task.scope.lane.agent,
    contextId: task.contextId,
    createdAt: task.createdAt,
    state: task.state,
    statusTime: task.statusTime,
    seq: task.seq,
    epoch: task.epoch,
    holder: task.holder,
    leaseUntil: task.leaseUntil,
    attempts: task.attempts,
    due: task.due,
    held: task.held,
    agentVersion: task.agentVersion,
    run: task.run,
    snapshot: task.snapshot,
    snapshotSeq: task.snapshotSeq,
  };
}

/** Appends entries: O(1) each, nothing is copied that is there already. */
export function appendEvents(task: StoredTask, events: readonly NewEvent[]): void {
  task.log.append(task.seq, events);
  task.seq += events.length;
}

/** Drops the payloads that the snapshot covers. Afterwards those entries read as erased. */
export function compactLog(task: StoredTask): void {
  task.log.forget(task.snapshotSeq);
}

/** Gives a page of entries: at least one when there is any, then until `maxBytes`. */
export function readEvents(task: StoredTask, afterSeq: number, maxBytes: number): readonly EventRow[] {
  return afterSeq >= task.seq ? [] : task.log.read(Math.max(0, afterSeq), maxBytes);
}

/**
 * Gives the place of a task in a listing that began at `asOf`: the time of its last status at or before it, undefined
 * when there was none yet.
 */
export function placeAsOf(task: StoredTask, asOf: number): number | undefined {
  return task.statusTime <= asOf ? task.statusTime : task.log.statusTime(asOf);
}
