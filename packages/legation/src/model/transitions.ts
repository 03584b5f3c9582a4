import type { TaskState } from "./gen/types.ts";
import { isTaskState, isTerminal } from "./task-state.ts";

/** What can happen to a task, in the words of the lifecycle simulator. */
export type TaskEvent =
  | "progress"
  | "artifact"
  | "askInput"
  | "askAuth"
  | "resume"
  | "reject"
  | "complete"
  | "fail"
  | "cancel";

/** One legal step of a task's life. */
export interface Transition {
  readonly from: TaskState;
  readonly event: TaskEvent;
  readonly to: TaskState;
  /** True: an edge of the picture that people learn. False: legal too, but not drawn. */
  readonly drawn: boolean;
}

/**
 * Every legal transition. What is not here is illegal; nothing leaves a terminal state.
 *
 * It judges our own agents. A peer's transitions are never refused by it.
 *
 * @see specification §4.1.3
 */
export const TRANSITIONS: readonly Transition[] = [
  drawn("TASK_STATE_SUBMITTED", "progress", "TASK_STATE_WORKING"),
  drawn("TASK_STATE_SUBMITTED", "askAuth", "TASK_STATE_AUTH_REQUIRED"),
  drawn("TASK_STATE_SUBMITTED", "reject", "TASK_STATE_REJECTED"),
  drawn("TASK_STATE_AUTH_REQUIRED", "resume", "TASK_STATE_WORKING"),
  drawn("TASK_STATE_WORKING", "progress", "TASK_STATE_WORKING"),
  drawn("TASK_STATE_WORKING", "artifact", "TASK_STATE_WORKING"),
  drawn("TASK_STATE_WORKING", "askInput", "TASK_STATE_INPUT_REQUIRED"),
  drawn("TASK_STATE_WORKING", "complete", "TASK_STATE_COMPLETED"),
  drawn("TASK_STATE_WORKING", "fail", "TASK_STATE_FAILED"),
  drawn("TASK_STATE_WORKING", "cancel", "TASK_STATE_CANCELED"),
  drawn("TASK_STATE_INPUT_REQUIRED", "resume", "TASK_STATE_WORKING"),
  undrawn("TASK_STATE_SUBMITTED", "askInput", "TASK_STATE_INPUT_REQUIRED"),
  undrawn("TASK_STATE_SUBMITTED", "fail", "TASK_STATE_FAILED"),
  undrawn("TASK_STATE_SUBMITTED", "cancel", "TASK_STATE_CANCELED"),
  undrawn("TASK_STATE_WORKING", "askAuth", "TASK_STATE_AUTH_REQUIRED"),
  undrawn("TASK_STATE_WORKING", "reject", "TASK_STATE_REJECTED"),
  undrawn("TASK_STATE_INPUT_REQUIRED", "askInput", "TASK_STATE_INPUT_REQUIRED"),
  undrawn("TASK_STATE_INPUT_REQUIRED", "askAuth", "TASK_STATE_AUTH_REQUIRED"),
  undrawn("TASK_STATE_INPUT_REQUIRED", "reject", "TASK_STATE_REJECTED"),
  undrawn("TASK_STATE_INPUT_REQUIRED", "fail", "TASK_STATE_FAILED"),
  undrawn("TASK_STATE_INPUT_REQUIRED", "cancel", "TASK_STATE_CANCELED"),
  undrawn("TASK_STATE_AUTH_REQUIRED", "askAuth", "TASK_STATE_AUTH_REQUIRED"),
  undrawn("TASK_STATE_AUTH_REQUIRED", "askInput", "TASK_STATE_INPUT_REQUIRED"),
  undrawn("TASK_STATE_AUTH_REQUIRED", "reject", "TASK_STATE_REJECTED"),
  undrawn("TASK_STATE_AUTH_REQUIRED", "fail", "TASK_STATE_FAILED"),
  undrawn("TASK_STATE_AUTH_REQUIRED", "cancel", "TASK_STATE_CANCELED"),
];

function drawn(from: TaskState, event: TaskEvent, to: TaskState): Transition {
  return { from, event, to, drawn: true };
}

function undrawn(from: TaskState, event: TaskEvent, to: TaskState): Transition {
  return { from, event, to, drawn: false };
}

/**
 * Finds the transition that an event makes from a state.
 *
 * @param from - The current state.
 * @param event - What happens.
 * @returns The transition, or undefined when it is illegal.
 */
export function transitionOf(from: TaskState, event: TaskEvent): Transition | undefined {
  return TRANSITIONS.find((one) => one.from === from && one.event === event);
}

/**
 * Tells whether a status may follow another, whatever event brings it.
 *
 * @param from - The current state.
 * @param to - The next state; the same state again is legal while the task is working or waits.
 */
export function mayFollow(from: TaskState, to: TaskState): boolean {
  return TRANSITIONS.some((one) => one.from === from && one.to === to);
}

/**
 * Says in words why an event is illegal, for a button that is disabled and an error that is answered.
 *
 * @param from - The current state.
 * @param event - What somebody wants to happen.
 * @returns The reason, or undefined when the event is legal.
 */
export function whyIllegal(from: TaskState, event: TaskEvent): string | undefined {
  if (transitionOf(from, event) !== undefined) return undefined;
  if (isTerminal(from)) return `${from} is terminal: nothing leaves it`;
  if (!isTaskState(from)) return `${String(from)} is no state`;
  const legal = TRANSITIONS.filter((one) => one.from === from).map((one) => one.event);
  return `${event} is not possible in ${from}: possible are ${legal.join(", ")}`;
}
