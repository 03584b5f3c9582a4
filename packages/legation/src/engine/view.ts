/** The row of a task on its way: what writers look at and change before it is committed. */
import type { TaskState } from "../model/gen/types.ts";
import { NEW_RUN, type RunState } from "./journal.ts";
import { StoreCorrupt, type TaskColumns, type TaskRow } from "./store.ts";

/** The row of a task as it will be when everything that is pending is committed. */
export interface View {
  seq: number;
  /** Time of the last entry. */
  time: number;
  state: TaskState;
  statusTime: number;
  epoch: number;
  holder: string | null;
  leaseUntil: number;
  attempts: number;
  due: number | null;
  held: string | null;
  agentVersion: string;
  run: RunState;
}

/** The columns that a view writes. */
export function columnsOf(view: View): TaskColumns {
  return {
    state: view.state,
    statusTime: view.statusTime,
    epoch: view.epoch,
    holder: view.holder,
    leaseUntil: view.leaseUntil,
    attempts: view.attempts,
    due: view.due,
    held: view.held,
    agentVersion: view.agentVersion,
    run: runJson(view.run),
  };
}

/** Runs whose JSON was made last: most tasks go through the same few, and all of them then share one text. */
const made: { readonly run: RunState; readonly json: string }[] = [];
const MADE = 32;

function runJson(run: RunState): string {
  if (!isPlain(run)) return JSON.stringify(run);
  const at = (run.statusSeq * 5 + run.turnSeq + run.mailbox.length) % MADE;
  const known = made[at];
  if (known !== undefined && isSame(known.run, run)) return known.json;
  const json = JSON.stringify(run);
  made[at] = { run, json };
  return json;
}

/** True for a run that is numbers alone. One that has more than is known here, from a later version, is none. */
function isPlain(run: RunState): boolean {
  return run.wait === null && run.mailbox.length <= 1 && fieldsOf(run) === FIELDS;
}

/** Counted without a list of them. */
function fieldsOf(run: RunState): number {
  let count = 0;
  for (const _name in run) count += 1;
  return count;
}

const FIELDS = fieldsOf(NEW_RUN);

function isSame(a: RunState, b: RunState): boolean {
  return (
    a.turn === b.turn &&
    a.turnSeq === b.turnSeq &&
    a.message === b.message &&
    a.open === b.open &&
    a.statusSeq === b.statusSeq &&
    a.since === b.since &&
    a.cancel === b.cancel &&
    a.mailbox.length === b.mailbox.length &&
    a.mailbox[0] === b.mailbox[0]
  );
}

/** The view of a task that does not exist yet. */
export function newView(): View {
  return {
    seq: 0,
    time: 0,
    state: "TASK_STATE_SUBMITTED",
    statusTime: 0,
    epoch: 0,
    holder: null,
    leaseUntil: 0,
    attempts: 0,
    due: null,
    held: null,
    agentVersion: "",
    run: NEW_RUN,
  };
}

/** The view that a row stands for. @param time that of the last entry of the log */
export function viewOfRow(row: TaskRow, time: number): View {
  const { seq, state, statusTime, epoch, holder, leaseUntil, attempts, due, held, agentVersion } = row;
  const run = runOfRow(row);
  return { seq, time, state, statusTime, epoch, holder, leaseUntil, attempts, due, held, agentVersion, run };
}

function runOfRow({ id, run }: TaskRow): RunState {
  try {
    return JSON.parse(run) as RunState;
  } catch (cause) {
    throw new StoreCorrupt(`task ${id}: column run cannot be read: restore the row from a backup`, { cause });
  }
}
