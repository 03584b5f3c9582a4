import { bareWord, type EnumNames, foldEnumName } from "./enum-names.ts";

/** Words without prefix, upper case, that probably mean this: only suggested, never taken for it. */
const GUESSES: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["RUNNING", "TASK_STATE_WORKING"],
  ["IN_PROGRESS", "TASK_STATE_WORKING"],
  ["PENDING", "TASK_STATE_SUBMITTED"],
  ["QUEUED", "TASK_STATE_SUBMITTED"],
  ["CREATED", "TASK_STATE_SUBMITTED"],
  ["DONE", "TASK_STATE_COMPLETED"],
  ["SUCCESS", "TASK_STATE_COMPLETED"],
  ["SUCCEEDED", "TASK_STATE_COMPLETED"],
  ["ERROR", "TASK_STATE_FAILED"],
  ["CLIENT", "ROLE_USER"],
  ["HUMAN", "ROLE_USER"],
  ["ASSISTANT", "ROLE_AGENT"],
  ["MODEL", "ROLE_AGENT"],
]);

/**
 * The name that was probably meant: what {@link foldEnumName} finds, or a guess (`RUNNING` → `TASK_STATE_WORKING`).
 *
 * @param received - What was written.
 * @param names - The enum.
 * @returns A wire name to suggest, or undefined.
 */
export function guessEnumName(received: string, names: EnumNames): string | undefined {
  const folded = foldEnumName(received, names);
  if (folded !== undefined) return folded;
  const guess = GUESSES.get(bareWord(received, names));
  return guess?.startsWith(names.prefix) === true ? guess : undefined;
}
