import type { EventKind, EventRow, NewEvent, TaskColumns, TaskIdentity, TaskRow } from "../../engine/store.ts";
import type { TaskState } from "../../model/gen/types.ts";
import type { OrderedTasks } from "./ordered-tasks.ts";
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

/** The skeleton that is left of a compacted log: one letter per entry, and its time. */
interface Skeleton {
  readonly kinds: string;
  readonly times: readonly number[];
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
  log: EventRow[] | Skeleton;
  /** Length of all payloads in `log`. */
  logLength: number;
}

const LETTERS: Readonly<Record<EventKind, string>> = {
  created: "c",
  message: "m",
  status: "s",
  artifact: "a",
  turn: "t",
  decision: "d",
  opened: "o",
  "cancel.requested": "q",
  authorized: "z",
  "message.unprocessed": "u",
  held: "h",
};
const KINDS: ReadonlyMap<string, EventKind> = new Map(
  Object.entries(LETTERS).map(([kind, letter]) => [letter, kind as EventKind]),
);

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
    log: [],
    logLength: 0,
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

/** Appends entries: O(1) each, nothing is copied. */
export function appendEvents(task: StoredTask, events: readonly NewEvent[]): void {
  const log = Array.isArray(task.log) ? task.log : inflate(task.log);
  task.log = log;
  for (const { kind, time, payload } of events) {
    log.push({ seq: ++task.seq, kind, time, payload });
    task.logLength += payload.length;
  }
}

/**
 * Drops the payloads that the snapshot covers, and the entries themselves when it covers them all. Afterwards those
 * entries read as erased.
 */
export function compactLog(task: StoredTask): void {
  if (!Array.isArray(task.log)) return;
  if (task.snapshotSeq === task.seq) {
    const kinds = task.log.map((event) => LETTERS[event.kind]).join("");
    task.log = { kinds, times: task.log.map((event) => event.time) };
    task.logLength = 0;
    return;
  }
  const { snapshotSeq } = task;
  // A new array also gives back what the old one had reserved to grow.
  task.log = task.log.map((event) => (event.seq <= snapshotSeq ? { ...event, payload: "" } : event));
  task.logLength = task.log.reduce((sum, event) => sum + event.payload.length, 0);
}

/** Gives a page of entries: at least one when there is any, then until `maxBytes`. */
export function readEvents(task: StoredTask, afterSeq: number, maxBytes: number): readonly EventRow[] {
  if (afterSeq >= task.seq) return [];
  const log = Array.isArray(task.log) ? task.log : inflate(task.log);
  const from = Math.max(0, afterSeq);
  let to = from;
  let length = 0;
  for (let event = log[to]; event !== undefined; event = log[to]) {
    length += event.payload.length;
    if (to > from && length > maxBytes) break;
    to += 1;
  }
  return log.slice(from, to);
}

/**
 * Gives the place of a task in a listing that began at `asOf`: the time of its last status at or before it, undefined
 * when there was none yet.
 */
export function placeAsOf(task: StoredTask, asOf: number): number | undefined {
  if (task.statusTime <= asOf) return task.statusTime;
  const log = task.log;
  if (Array.isArray(log)) {
    for (let at = log.length - 1; at >= 0; at -= 1) {
      const event = log[at];
      if (event !== undefined && event.time <= asOf && (event.kind === "status" || event.kind === "created"))
        return event.time;
    }
    return undefined;
  }
  for (let at = log.times.length - 1; at >= 0; at -= 1) {
    const time = log.times[at];
    const letter = log.kinds[at];
    if (time !== undefined && time <= asOf && (letter === LETTERS.status || letter === LETTERS.created)) return time;
  }
  return undefined;
}

function inflate(skeleton: Skeleton): EventRow[] {
  return skeleton.times.map((time, at) => ({
    seq: at + 1,
    kind: KINDS.get(skeleton.kinds[at] ?? "") ?? "status",
    time,
    payload: "",
  }));
}
