/**
 * What a command makes of the states of a task (a2a-cli specification §9.1): four end a wait for good, two end it so
 * that the caller can act, and everything else, unknown states included, is waited through.
 */

const TERMINAL = new Set(["COMPLETED", "FAILED", "CANCELED", "REJECTED"]);
const INTERRUPTED = new Set(["INPUT_REQUIRED", "AUTH_REQUIRED"]);

/** The short form of a state, `WORKING`; a state that this version does not know stays as it was received. */
export function shortState(state: string): string {
  return state.replace(/^TASK_STATE_/, "");
}

/** True for a state that is never left. */
export function isTerminal(state: string): boolean {
  return TERMINAL.has(shortState(state));
}

/** True for a state in which the caller has to act. */
export function isInterrupted(state: string): boolean {
  return INTERRUPTED.has(shortState(state));
}

/** True where a wait ends. */
export function isSettled(state: string): boolean {
  return isTerminal(state) || isInterrupted(state);
}

/** The name on the wire of a state in either spelling, or undefined when there is no such state. */
export function stateOnWire(text: string): string | undefined {
  const short = shortState(text.trim().toUpperCase().replaceAll("-", "_"));
  const known = TERMINAL.has(short) || INTERRUPTED.has(short) || short === "SUBMITTED" || short === "WORKING";
  return known ? `TASK_STATE_${short}` : undefined;
}
