import { StoreCorrupt, type TaskRow } from "../../engine/store.ts";
import { stateOf } from "./codes.ts";

/**
 * What is selected of a task, in the order that {@link mapTaskRow} reads; `t` is tasks and `s` its snapshot.
 * Both SQL stores give rows as arrays: an object per row costs more.
 */
export const TASK_COLUMNS: string =
  "t.key, t.id, t.scope, t.context_id, t.created_at, t.state, t.status_time, t.seq, t.epoch, t.holder, " +
  "t.lease_until, t.attempts, t.due, t.held, t.agent_version, t.run, s.json, s.seq";

/** How many columns {@link TASK_COLUMNS} names. */
export const TASK_COLUMN_COUNT = 18;

/** Whose a scope is. */
export interface ScopeNames {
  readonly tenant: string;
  readonly owner: string;
  readonly agent: string;
}

/**
 * Reads a row of {@link TASK_COLUMNS}.
 *
 * @param values the columns as the driver gives them, integers as numbers.
 * @param names whose the task is.
 * @throws StoreCorrupt naming the task and the column when a value is not what was ever written there.
 */
export function mapTaskRow(values: readonly unknown[], names: ScopeNames | undefined): TaskRow {
  const id = values[1];
  if (typeof id !== "string") throw new StoreCorrupt(`task with key ${String(values[0])}: its id cannot be read`);
  const state = stateOf(values[5]);
  if (state === undefined) throw corrupt(id, "state", values[5]);
  if (names === undefined) throw corrupt(id, "scope", values[2]);
  return {
    key: integer(id, "key", values[0]),
    id,
    tenant: names.tenant,
    owner: names.owner,
    agent: names.agent,
    contextId: text(id, "context_id", values[3]),
    createdAt: integer(id, "created_at", values[4]),
    state,
    statusTime: integer(id, "status_time", values[6]),
    seq: integer(id, "seq", values[7]),
    epoch: integer(id, "epoch", values[8]),
    holder: values[9] === null ? null : text(id, "holder", values[9]),
    leaseUntil: integer(id, "lease_until", values[10]),
    attempts: integer(id, "attempts", values[11]),
    due: values[12] === null ? null : integer(id, "due", values[12]),
    held: values[13] === null ? null : text(id, "held", values[13]),
    agentVersion: text(id, "agent_version", values[14]),
    run: text(id, "run", values[15]),
    snapshot: values[16] === null ? null : text(id, "snapshot", values[16]),
    snapshotSeq: values[17] === null ? 0 : integer(id, "snapshot seq", values[17]),
  };
}

function text(id: string, column: string, value: unknown): string {
  if (typeof value !== "string") throw corrupt(id, column, value);
  return value;
}

function integer(id: string, column: string, value: unknown): number {
  if (!Number.isSafeInteger(value)) throw corrupt(id, column, value);
  return value as number;
}

function corrupt(id: string, column: string, value: unknown): StoreCorrupt {
  const shown = typeof value === "number" ? String(value) : typeof value;
  return new StoreCorrupt(
    `task ${id}: column ${column} holds ${shown}, which cannot be read; restore the row from a backup`,
  );
}
