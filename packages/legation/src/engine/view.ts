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
    run: JSON.stringify(view.run),
  };
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
