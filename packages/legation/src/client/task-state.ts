import { foldEnumName, TASK_STATE_NAMES } from "../model/enum-names.ts";
import type { TaskState } from "../model/gen/types.ts";
import { isTaskState, type ShortTaskState, shortTaskState } from "../model/task-state.ts";

/**
 * The states of a task by their short names, a closed set: UNRECOGNIZED stands for whatever else a peer sends, and is
 * treated as in flight. What was sent is in `raw.status.state`.
 *
 * @see specification §4.1.3
 */
export type TaskStateName = ShortTaskState | "UNRECOGNIZED";

/** A state as it was read. */
export interface ReadState {
  readonly name: TaskStateName;
  /** The spelling of the specification; undefined for an unrecognised state. */
  readonly canonical: TaskState | undefined;
  /** True where a known state was spelled in another way than the specification's. */
  readonly folded: boolean;
}

/**
 * Reads a state as peers send it: the specification's names, the bare and lower-case spellings of older versions
 * (`working`, `input-required`, `TASK_STATE_CANCELLED`), anything else as UNRECOGNIZED.
 */
export function readTaskState(raw: unknown): ReadState {
  if (typeof raw !== "string") return { name: "UNRECOGNIZED", canonical: undefined, folded: false };
  if (isTaskState(raw)) return { name: shortTaskState(raw), canonical: raw, folded: false };
  const canonical = foldEnumName(raw, TASK_STATE_NAMES);
  if (!isTaskState(canonical)) return { name: "UNRECOGNIZED", canonical: undefined, folded: false };
  return { name: shortTaskState(canonical), canonical, folded: true };
}

/** True for the four states that nothing leaves. */
export function isTerminalState(name: TaskStateName): boolean {
  return name === "COMPLETED" || name === "FAILED" || name === "CANCELED" || name === "REJECTED";
}

/** True for the two states that wait for somebody. */
export function isInterruptedState(name: TaskStateName): boolean {
  return name === "INPUT_REQUIRED" || name === "AUTH_REQUIRED";
}
