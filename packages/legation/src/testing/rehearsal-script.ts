/**
 * The scripts of the rehearsal agent: a data part `{"rehearse":[…]}` of the caller's message, carried out in order.
 */
import { canonicalBase64 } from "../model/base64.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";

/** States by their short names. */
export type ShortState =
  | "SUBMITTED"
  | "WORKING"
  | "INPUT_REQUIRED"
  | "AUTH_REQUIRED"
  | "COMPLETED"
  | "FAILED"
  | "CANCELED"
  | "REJECTED";

/** States that end a task. */
export type EndState = "COMPLETED" | "FAILED" | "CANCELED" | "REJECTED";

/** The artifact that a step writes: exactly one of `text`, `data`, `rawBase64` and `url`. */
export interface ScriptedArtifact {
  readonly name: string;
  readonly content:
    | { readonly text: string }
    | { readonly data: JsonValue }
    | { readonly raw: string }
    | { readonly url: string };
  readonly mediaType: string | undefined;
  readonly filename: string | undefined;
  readonly append: boolean;
  readonly lastChunk: boolean;
}

/** One step. */
export type Step =
  /** A Message and no task; only `wait` may stand before it. */
  | { readonly do: "reply"; readonly text: string }
  | { readonly do: "working"; readonly text: string | undefined }
  | { readonly do: "artifact"; readonly artifact: ScriptedArtifact }
  /** Appends `chunks` pieces of exactly `bytes` bytes of text, one every `everyMs`. */
  | {
      readonly do: "stream";
      readonly name: string;
      readonly chunks: number;
      readonly bytes: number;
      readonly everyMs: number;
    }
  /** Waits durably. */
  | { readonly do: "wait"; readonly ms: number }
  | { readonly do: "ask"; readonly text: string }
  | { readonly do: "requestAuth"; readonly text: string }
  /** An effect that is counted by its key. */
  | { readonly do: "step"; readonly name: string }
  | { readonly do: "end"; readonly state: EndState; readonly text: string | undefined }
  | { readonly do: "throw"; readonly text: string }
  | { readonly do: "refuseCancel" }
  | { readonly do: "ignoreAbort" };

/** A script, or a sentence that says what is wrong with it and what would be right. */
export type ParsedScript =
  | { readonly ok: true; readonly steps: readonly Step[] }
  | { readonly ok: false; readonly why: string };

/** One example of every step, by its key: what a teaching answer shows. */
export const STEP_EXAMPLES: Readonly<Record<string, string>> = {
  reply: '{"reply":"hello"}',
  state: '{"state":"WORKING","text":"thinking"}',
  artifact: '{"artifact":{"name":"a.txt","text":"hello"}}',
  stream: '{"stream":{"name":"a.txt","chunks":1000,"bytes":16,"everyMs":0}}',
  wait: '{"wait":500}',
  ask: '{"ask":"which one?"}',
  requestAuth: '{"requestAuth":"may I?"}',
  step: '{"step":"pay"}',
  end: '{"end":"COMPLETED","text":"done"}',
  throw: '{"throw":"boom"}',
  refuseCancel: '{"refuseCancel":true}',
  ignoreAbort: '{"ignoreAbort":true}',
};

/** Bounds of numbers in a script: guard a shared agent against a script that never ends. */
const MAX_STEPS = 1_000;
const MAX_CHUNKS = 1_000_000;
const MAX_CHUNK_BYTES = 1_048_576;
const MAX_WAIT_MS = 86_400_000;

class Malformed extends Error {}

/** The script of a data part, or undefined when it holds none. */
export function parseScript(data: JsonValue | undefined): ParsedScript | undefined {
  if (!isJsonObject(data) || !Object.hasOwn(data, "rehearse")) return undefined;
  const list = data["rehearse"];
  try {
    if (!Array.isArray(list)) throw new Malformed('"rehearse" must be a list of steps, such as [{"state":"WORKING"}]');
    if (list.length > MAX_STEPS)
      throw new Malformed(`"rehearse" has ${list.length} steps, at most ${MAX_STEPS} are taken`);
    const steps = list.map((entry, index) => parseStep(entry ?? null, `rehearse[${index}]`));
    checkReply(steps);
    return { ok: true, steps };
  } catch (thrown) {
    if (thrown instanceof Malformed) return { ok: false, why: thrown.message };
    throw thrown;
  }
}

/** A reply means that there is no task, so nothing that needs one may stand beside it. */
function checkReply(steps: readonly Step[]): void {
  const at = steps.findIndex((step) => step.do === "reply");
  if (at < 0) return;
  const isAlone = at === steps.length - 1 && steps.slice(0, at).every((step) => step.do === "wait");
  if (!isAlone)
    throw new Malformed(
      `rehearse[${at}]: "reply" answers without a task; only "wait" may stand before it, nothing after it`,
    );
}

/** True when the script answers with a Message. */
export function isReplyScript(steps: readonly Step[]): boolean {
  return steps.at(-1)?.do === "reply";
}

function parseStep(entry: JsonValue, at: string): Step {
  if (!isJsonObject(entry))
    throw new Malformed(`${at}: a step is an object such as ${STEP_EXAMPLES["state"]}, not ${shown(entry)}`);
  const keys = Object.keys(entry).filter((key) => Object.hasOwn(STEP_EXAMPLES, key));
  const [key] = keys;
  if (key === undefined) {
    const known = Object.values(STEP_EXAMPLES).join(" ");
    throw new Malformed(`${at}: ${shown(entry)} is no step; the steps are ${known}`);
  }
  if (keys.length > 1)
    throw new Malformed(`${at}: one step has one verb, this has ${keys.join(", ")}; write them as steps of their own`);
  const value = entry[key] ?? null;
  switch (key) {
    case "reply":
    case "throw":
      return { do: key, text: textOf(value, at, key) };
    case "ask":
    case "requestAuth":
      return { do: key, text: textOf(value, at, key) };
    case "step":
      return { do: "step", name: textOf(value, at, key) };
    case "wait":
      return { do: "wait", ms: numberOf(value, `${at}.wait`, 0, MAX_WAIT_MS) };
    case "refuseCancel":
    case "ignoreAbort":
      if (value !== true) throw new Malformed(`${at}: write ${STEP_EXAMPLES[key]}`);
      return { do: key };
    case "state":
      return stateStep(value, entry, at);
    case "end":
      return endStep(value, entry, at);
    case "artifact":
      return { do: "artifact", artifact: parseArtifact(value, at) };
    default:
      return streamStep(value, at);
  }
}

const STATES: readonly ShortState[] = [
  "SUBMITTED",
  "WORKING",
  "INPUT_REQUIRED",
  "AUTH_REQUIRED",
  "COMPLETED",
  "FAILED",
  "CANCELED",
  "REJECTED",
];
const END_STATES: readonly EndState[] = ["COMPLETED", "FAILED", "CANCELED", "REJECTED"];

function stateOf(value: JsonValue, at: string): ShortState {
  const short = typeof value === "string" ? value.replace(/^TASK_STATE_/, "") : "";
  const found = STATES.find((state) => state === short);
  if (found !== undefined) return found;
  const near = STATES.find((state) => state === short.toUpperCase().replaceAll("-", "_"));
  const hint = near === undefined ? `the states are ${STATES.join(", ")}` : `did you mean "${near}"`;
  throw new Malformed(`${at}: no state ${shown(value)}; ${hint}`);
}

function stateStep(value: JsonValue, entry: JsonObject, at: string): Step {
  const state = stateOf(value, at);
  const text = optionalText(entry["text"], at);
  if (state === "WORKING") return { do: "working", text };
  if (state === "SUBMITTED")
    throw new Malformed(`${at}: a task is SUBMITTED before its script begins, and never again`);
  if (state === "INPUT_REQUIRED") return { do: "ask", text: text ?? "input required" };
  if (state === "AUTH_REQUIRED") return { do: "requestAuth", text: text ?? "authorisation required" };
  return { do: "end", state, text };
}

function endStep(value: JsonValue, entry: JsonObject, at: string): Step {
  const state = END_STATES.find((known) => known === stateOf(value, at));
  if (state === undefined) throw new Malformed(`${at}: "end" takes ${END_STATES.join(", ")}, not ${shown(value)}`);
  return { do: "end", state, text: optionalText(entry["text"], at) };
}

function parseArtifact(value: JsonValue, at: string): ScriptedArtifact {
  if (!isJsonObject(value)) throw new Malformed(`${at}: write ${STEP_EXAMPLES["artifact"]}`);
  return {
    name: textOf(value["name"] ?? null, at, "artifact.name"),
    content: contentOf(value, at),
    mediaType: optionalText(value["mediaType"], at),
    filename: optionalText(value["filename"], at),
    append: value["append"] === true,
    lastChunk: value["lastChunk"] === true,
  };
}

function contentOf(value: JsonObject, at: string): ScriptedArtifact["content"] {
  const arms = ["text", "data", "rawBase64", "url"].filter((arm) => Object.hasOwn(value, arm));
  if (arms.length !== 1)
    throw new Malformed(
      `${at}: an artifact has exactly one of text, data, rawBase64 and url, this has ${arms.join(", ") || "none"}`,
    );
  if (Object.hasOwn(value, "data")) return { data: value["data"] ?? null };
  const arm = arms[0] ?? "";
  const text = value[arm];
  if (typeof text !== "string")
    throw new Malformed(`${at}: artifact.${arm} must be a string, not ${shown(text ?? null)}`);
  if (arm === "text") return { text };
  if (arm === "url") return { url: text };
  const raw = canonicalBase64(text);
  if (raw === undefined) throw new Malformed(`${at}: artifact.rawBase64 is not base64`);
  return { raw };
}

function streamStep(value: JsonValue, at: string): Step {
  if (!isJsonObject(value)) throw new Malformed(`${at}: write ${STEP_EXAMPLES["stream"]}`);
  return {
    do: "stream",
    name: textOf(value["name"] ?? null, at, "stream.name"),
    chunks: numberOf(value["chunks"] ?? null, `${at}.stream.chunks`, 1, MAX_CHUNKS),
    bytes: numberOf(value["bytes"] ?? 16, `${at}.stream.bytes`, 1, MAX_CHUNK_BYTES),
    everyMs: numberOf(value["everyMs"] ?? 0, `${at}.stream.everyMs`, 0, MAX_WAIT_MS),
  };
}

function textOf(value: JsonValue, at: string, key: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new Malformed(`${at}: "${key}" must be a text, not ${shown(value)}`);
}

function optionalText(value: JsonValue | undefined, at: string): string | undefined {
  return value === undefined || value === null || value === "" ? undefined : textOf(value, at, "text");
}

function numberOf(value: JsonValue, at: string, min: number, max: number): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Malformed(`${at}: must be a whole number from ${min} to ${max}, not ${shown(value)}`);
}

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/**
 * The text of one chunk of a `stream` step: its number and a space, padded on the left with dots to exactly
 * `bytes` bytes, so that a lost, doubled or swapped chunk shows. A chunk too short for its number has its last digits.
 *
 * @param index - From 0.
 */
export function chunkText(index: number, bytes: number): string {
  const text = `${index} `;
  return text.length >= bytes ? text.slice(-bytes) : text.padStart(bytes, ".");
}
