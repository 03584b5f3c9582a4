/**
 * The words of 0.3 and of 1.0 for the same states and roles.
 *
 * 0.3 has two spellings. What is called `kind` here is the JSON of its JSON-RPC: lower-case words, and a `kind` in every
 * object. `proto` is the JSON of the protobuf package `a2a.v1`, which its SDKs speak over HTTP+JSON: `ROLE_USER`,
 * `content`, `TASK_STATE_CANCELLED` with two L, and no `kind`.
 *
 * @see specification of 0.3, §6.3, §6.4, and its `a2a.proto`
 */
import type { Role, TaskState } from "../../model/gen/types.ts";

/** A spelling of 0.3: as its JSON-RPC writes, or as the JSON of its protobuf package. */
export type OldForm = "kind" | "proto";

/** The version that these words are of, `Major.Minor`. */
export const OLD_VERSION = "0.3";

/** The version as cards of 0.3 write it. */
export const OLD_CARD_VERSION = "0.3.0";

const STATES: readonly (readonly [TaskState, string])[] = [
  ["TASK_STATE_SUBMITTED", "submitted"],
  ["TASK_STATE_WORKING", "working"],
  ["TASK_STATE_COMPLETED", "completed"],
  ["TASK_STATE_FAILED", "failed"],
  ["TASK_STATE_CANCELED", "canceled"],
  ["TASK_STATE_INPUT_REQUIRED", "input-required"],
  ["TASK_STATE_REJECTED", "rejected"],
  ["TASK_STATE_AUTH_REQUIRED", "auth-required"],
];

const UNSPECIFIED = "TASK_STATE_UNSPECIFIED";

const KIND_OF_STATE: ReadonlyMap<string, string> = new Map(STATES);

const STATE_OF_WORD: ReadonlyMap<string, string> = new Map([
  ...STATES.map(([state, word]) => [word, state] as const),
  ["unknown", UNSPECIFIED],
  ["TASK_STATE_CANCELLED", "TASK_STATE_CANCELED"],
]);

/** The states of 0.3 as its JSON-RPC writes them, for error texts. */
export const OLD_STATES: readonly string[] = [...STATES.map(([, word]) => word), "unknown"];

/** A state in the words of 0.3; one that it does not have is `unknown`. */
export function writeState(state: string, form: OldForm): string {
  if (form === "kind") return KIND_OF_STATE.get(state) ?? "unknown";
  if (state === "TASK_STATE_CANCELED") return "TASK_STATE_CANCELLED";
  return KIND_OF_STATE.has(state) ? state : UNSPECIFIED;
}

/** A state in the words of 1.0, from either spelling; what is neither is given back as it is. */
export function readState(state: unknown): unknown {
  return typeof state === "string" ? (STATE_OF_WORD.get(state) ?? state) : state;
}

/** A role in the words of 0.3. */
export function writeRole(role: Role, form: OldForm): string {
  if (form === "proto") return role;
  return role === "ROLE_AGENT" ? "agent" : "user";
}

/** A role in the words of 1.0, from either spelling; what is neither is given back as it is. */
export function readRole(role: unknown): unknown {
  if (role === "user") return "ROLE_USER";
  return role === "agent" ? "ROLE_AGENT" : role;
}
