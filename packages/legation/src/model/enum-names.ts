import type { Role, TaskState } from "./gen/types.ts";

/** The names of one enum of the protocol, and the other spellings that mean the same. */
export interface EnumNames {
  /** The enum's word in messages: `state`. */
  readonly word: string;
  /** `TASK_STATE_`, the prefix of every name. */
  readonly prefix: string;
  /** Names by number; index 0 is the unset value, which is not valid in JSON. */
  readonly names: readonly string[];
  /** Words without prefix, upper case, that mean exactly the same: a peer's are folded. */
  readonly synonyms: ReadonlyMap<string, string>;
}

/** The eight states by number, as {@link EnumNames}. */
export const TASK_STATE_NAMES: EnumNames & { readonly names: readonly ("TASK_STATE_UNSPECIFIED" | TaskState)[] } = {
  word: "state",
  prefix: "TASK_STATE_",
  names: [
    "TASK_STATE_UNSPECIFIED",
    "TASK_STATE_SUBMITTED",
    "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",
    "TASK_STATE_FAILED",
    "TASK_STATE_CANCELED",
    "TASK_STATE_INPUT_REQUIRED",
    "TASK_STATE_REJECTED",
    "TASK_STATE_AUTH_REQUIRED",
  ],
  synonyms: /* @__PURE__ */ new Map([["CANCELLED", "TASK_STATE_CANCELED"]]),
};

/** The two roles by number, as {@link EnumNames}. */
export const ROLE_NAMES: EnumNames & { readonly names: readonly ("ROLE_UNSPECIFIED" | Role)[] } = {
  word: "role",
  prefix: "ROLE_",
  names: ["ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"],
  synonyms: /* @__PURE__ */ new Map(),
};

/**
 * The name that a wrong spelling stands for beyond doubt: other case, `-` for `_`, prefix left out, or a synonym.
 *
 * @param received - What was written, such as `working`, `input-required`, `TASK_STATE_CANCELLED`.
 * @param names - The enum.
 * @returns The wire name, or undefined when there is none (`RUNNING` is only a guess).
 */
export function foldEnumName(received: string, names: EnumNames): string | undefined {
  const bare = bareWord(received, names);
  const full = names.prefix + bare;
  return names.names.indexOf(full) > 0 ? full : names.synonyms.get(bare);
}

/** A spelling in upper case, with `_`, without the prefix. */
export function bareWord(received: string, names: EnumNames): string {
  const upper = received.slice(0, 64).trim().toUpperCase().replaceAll(/[-\s]/g, "_");
  return upper.startsWith(names.prefix) ? upper.slice(names.prefix.length) : upper;
}
