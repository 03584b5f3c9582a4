/**
 * A batch on its way to the commit thread, and what became of it on the way back. A structured clone writes the name of
 * every member of every object, and whatever else hangs on an entry; a list of plain values is copied for a tenth of it.
 */
import type {
  Batch,
  BatchOutcome,
  EventKind,
  NewEvent,
  TaskColumns,
  TaskCommit,
  TaskIdentity,
  TaskOutcome,
} from "../../engine/store.ts";
import type { TaskState } from "../../model/gen/types.ts";

type Plain = string | number | null;

/** A batch as one list of plain values. */
export interface FlatBatch {
  readonly values: readonly Plain[];
  readonly replies: Batch["replies"];
  /** What most commits have none of, by the index of the task. */
  readonly rest: readonly (readonly [task: number, Pick<TaskCommit, "blobs" | "hooks">])[];
}

/** The key of every task that was written, 0 where `rest` says what became of it. */
export interface FlatOutcome {
  readonly keys: readonly number[];
  readonly replies: BatchOutcome["replies"];
  readonly rest: readonly (readonly [task: number, TaskOutcome])[];
}

/** Makes the list of a batch. */
export function flattenBatch({ tasks, replies }: Batch): FlatBatch {
  const values: Plain[] = [tasks.length];
  const rest: [number, Pick<TaskCommit, "blobs" | "hooks">][] = [];
  for (const [index, commit] of tasks.entries()) {
    const { create, key, seq, epoch, events, columns, snapshot = null, dedupe, blobs, hooks } = commit;
    values.push(key, seq, epoch, snapshot, events.length);
    for (const { kind, time, payload } of events) values.push(kind, time, payload);
    if (create === undefined) values.push(0);
    else values.push(1, create.id, create.tenant, create.owner, create.agent, create.contextId, create.createdAt);
    if (columns === undefined) values.push(0);
    else values.push(1, ...flattenColumns(columns));
    if (dedupe === undefined) values.push(0);
    else {
      const { tenant, owner, messageId, hash } = dedupe.key;
      values.push(1, tenant, owner, messageId, hash, dedupe.taskId, dedupe.expires);
    }
    if (blobs !== undefined || hooks !== undefined) rest.push([index, { blobs, hooks }]);
  }
  return { values, replies, rest };
}

/** Makes the batch again that {@link flattenBatch} was given. */
export function unflattenBatch({ values, replies, rest }: FlatBatch): Batch {
  const from = values[Symbol.iterator]();
  const next = <T extends Plain>(): T => from.next().value as T;
  const more = new Map(rest);
  const tasks = Array.from({ length: next<number>() }, (_, index): TaskCommit => {
    const head = { key: next<number>(), seq: next<number>(), epoch: next<number>() };
    const snapshot = next<string | null>() ?? undefined;
    const events = Array.from({ length: next<number>() }, (): NewEvent => {
      return { kind: next<EventKind>(), time: next<number>(), payload: next<string>() };
    });
    const create = next<number>() === 0 ? undefined : identityFrom(next);
    const columns = next<number>() === 0 ? undefined : columnsFrom(next);
    const dedupe = next<number>() === 0 ? undefined : dedupeFrom(next);
    return { ...head, snapshot, events, create, columns, dedupe, ...more.get(index) };
  });
  return { tasks, replies };
}

/** Makes the list of an outcome. */
export function flattenOutcome({ tasks, replies }: BatchOutcome): FlatOutcome {
  const rest: [number, TaskOutcome][] = [];
  const keys = tasks.map((outcome, index) => {
    if (outcome.ok && outcome.hooked === undefined) return outcome.key;
    rest.push([index, outcome]);
    return 0;
  });
  return { keys, replies, rest };
}

/** Makes the outcome again that {@link flattenOutcome} was given. */
export function unflattenOutcome({ keys, replies, rest }: FlatOutcome): BatchOutcome {
  const tasks: TaskOutcome[] = keys.map((key) => ({ ok: true, key }));
  for (const [index, outcome] of rest) tasks[index] = outcome;
  return { tasks, replies };
}

function flattenColumns(columns: TaskColumns): Plain[] {
  const { state, statusTime, epoch, holder, leaseUntil, attempts, due, held, agentVersion, run } = columns;
  return [state, statusTime, epoch, holder, leaseUntil, attempts, due, held, agentVersion, run];
}

type Next = <T extends Plain>() => T;

// Members are read in the order in which they stand: that in which they were written.

function identityFrom(next: Next): TaskIdentity {
  return { id: next(), tenant: next(), owner: next(), agent: next(), contextId: next(), createdAt: next() };
}

function columnsFrom(next: Next): TaskColumns {
  const head = { state: next<TaskState>(), statusTime: next<number>(), epoch: next<number>() };
  const lease = { holder: next<string | null>(), leaseUntil: next<number>(), attempts: next<number>() };
  return { ...head, ...lease, due: next(), held: next(), agentVersion: next(), run: next() };
}

function dedupeFrom(next: Next): NonNullable<TaskCommit["dedupe"]> {
  const key = { tenant: next<string>(), owner: next<string>(), messageId: next<string>(), hash: next<string>() };
  return { key, taskId: next(), expires: next() };
}
