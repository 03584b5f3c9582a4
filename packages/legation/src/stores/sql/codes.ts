import type { EventKind } from "../../engine/store.ts";
import type { TaskState } from "../../model/gen/types.ts";

/** The numbers of the states in the rows: those of the protocol's enumeration, so that they never change. */
export const STATE_CODES: Readonly<Record<TaskState, number>> = {
  TASK_STATE_SUBMITTED: 1,
  TASK_STATE_WORKING: 2,
  TASK_STATE_COMPLETED: 3,
  TASK_STATE_FAILED: 4,
  TASK_STATE_CANCELED: 5,
  TASK_STATE_INPUT_REQUIRED: 6,
  TASK_STATE_REJECTED: 7,
  TASK_STATE_AUTH_REQUIRED: 8,
};

/** The numbers of the kinds of entry in the rows. A number may be added, never used again. */
export const KIND_CODES: Readonly<Record<EventKind, number>> = {
  created: 1,
  message: 2,
  status: 3,
  artifact: 4,
  turn: 5,
  decision: 6,
  opened: 7,
  "cancel.requested": 8,
  "message.unprocessed": 9,
  held: 10,
  authorized: 11,
};

const STATES = invert(STATE_CODES);
const KINDS = invert(KIND_CODES);

/** Gives the state of a number, undefined when no state has it. */
export function stateOf(code: unknown): TaskState | undefined {
  return typeof code === "number" ? STATES[code] : undefined;
}

/** Gives the kind of a number, undefined when no kind has it. */
export function kindOf(code: unknown): EventKind | undefined {
  return typeof code === "number" ? KINDS[code] : undefined;
}

function invert<Name extends string>(codes: Readonly<Record<Name, number>>): readonly (Name | undefined)[] {
  const names: (Name | undefined)[] = [];
  for (const name of Object.keys(codes) as Name[]) names[codes[name]] = name;
  return names;
}
