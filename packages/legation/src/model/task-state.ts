import { TASK_STATE_NAMES } from "./enum-names.ts";
import type { TaskState } from "./gen/types.ts";

/** The eight states by number of the proto, in the order that error texts list them. */
export const TASK_STATES: readonly TaskState[] = /* @__PURE__ */ TASK_STATE_NAMES.names.slice(1) as TaskState[];

/** The states that are never left (§4.1.3). */
export const TERMINAL_STATES: ReadonlySet<TaskState> = /* @__PURE__ */ new Set<TaskState>([
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
]);

/** The states in which a task waits for somebody and is resumed by them (§4.1.3). */
export const INTERRUPTED_STATES: ReadonlySet<TaskState> = /* @__PURE__ */ new Set<TaskState>([
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_AUTH_REQUIRED",
]);

/** A state without its prefix, for people: handlers, command line, console. Never on the wire. */
export type ShortTaskState = TaskState extends `TASK_STATE_${infer Short}` ? Short : never;

/**
 * Tells whether a value is one of the eight states. What was parsed leniently need not be.
 *
 * @param value - Anything.
 */
export function isTaskState(value: unknown): value is TaskState {
  return (TASK_STATES as readonly unknown[]).includes(value);
}

/**
 * Tells whether a task in this state has ended.
 *
 * @param state - A state; one that this version does not know counts as in flight.
 */
export function isTerminal(state: string): boolean {
  return TERMINAL_STATES.has(state as TaskState);
}

/**
 * Tells whether a task in this state waits for a message or an authorisation.
 *
 * @param state - A state; one that this version does not know does not wait.
 */
export function isInterrupted(state: string): boolean {
  return INTERRUPTED_STATES.has(state as TaskState);
}

/**
 * The state that a short or a full name stands for.
 *
 * @param name - `WORKING` or `TASK_STATE_WORKING`, in upper case.
 * @returns The wire name, or undefined for anything else.
 */
export function toTaskState(name: string): TaskState | undefined {
  const full = name.startsWith("TASK_STATE_") ? name : `TASK_STATE_${name}`;
  return isTaskState(full) ? full : undefined;
}

/**
 * A state without its prefix.
 *
 * @param state - A wire name, or what a peer sent.
 * @returns `WORKING` for `TASK_STATE_WORKING`; anything without the prefix as it is.
 */
export function shortTaskState(state: TaskState): ShortTaskState;
export function shortTaskState(state: string): string;
export function shortTaskState(state: string): string {
  return state.startsWith("TASK_STATE_") ? state.slice("TASK_STATE_".length) : state;
}
