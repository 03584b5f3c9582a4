/**
 * What every pair of client and server goes through. A client, whatever its language, carries out each scenario against
 * a server that takes the scripts of `scenarios.json`, and reports what it saw; what it should have seen is here, once.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { JsonObject, JsonValue } from "../../src/model/json.ts";

/** The bindings by their names in a card. */
export const BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;

/** A binding by its name in a card. */
export type Binding = (typeof BINDINGS)[number];

/** All scenarios, in the order in which a client carries them out. */
export const SCENARIOS = [
  "send",
  "parts",
  "stream",
  "get",
  "list",
  "cancel",
  "subscribe",
  "input",
  "errors",
  "refused",
  "message",
] as const;

/** A scenario. */
export type Scenario = (typeof SCENARIOS)[number];

/** What a client reports of one scenario. */
export type Sighting = { readonly saw: JsonValue } | { readonly error: string };

/** What a client reports. A scenario that it never came to is missing. */
export type Report = Readonly<Partial<Record<Scenario, Sighting>>>;

/** The scripts that the scenarios send. */
export const scripts: Readonly<Record<string, JsonValue[]>> = JSON.parse(
  readFileSync(new URL("./scenarios.json", import.meta.url), "utf8"),
);

/** The parts of a message that asks for a script: what a person reads, and what the agent carries out. */
export function partsFor(scenario: string): [{ text: string }, { data: JsonObject }] {
  const script = scripts[scenario];
  if (script === undefined) throw new Error(`scenarios.json has no script ${scenario}`);
  return [{ text: `rehearse ${scenario}` }, { data: { rehearse: script } }];
}

/** What a faultless pair shows. */
const EXPECTED: Readonly<Record<Scenario, JsonValue>> = {
  send: { state: "COMPLETED", text: "done", artifacts: { "a.txt": "héllo 日本 😀" } },
  parts: { bytes: "AAH+/w==", data: { n: 1.5, list: [true, null, "x"] }, link: "https://example.com/a.txt" },
  stream: { first: "task", states: ["WORKING", "COMPLETED"], chunks: ["one ", "two ", "three"] },
  get: { same: true, state: "COMPLETED", artifacts: { "a.txt": "héllo 日本 😀" }, asked: "rehearse send", bare: 0 },
  list: { total: 2, pages: [1, 1], distinct: 2, lastToken: "", failed: 0 },
  cancel: { state: "CANCELED", read: "CANCELED" },
  subscribe: { first: "task", last: "COMPLETED", text: "late" },
  input: {
    state: "INPUT_REQUIRED",
    question: "which one?",
    after: "COMPLETED",
    artifacts: { "answer.txt": "taken" },
    answered: true,
  },
  errors: { unknown: "TASK_NOT_FOUND", terminal: "TASK_NOT_CANCELABLE" },
  refused: { lost: "TASK_NOT_FOUND", ended: "UNSUPPORTED_OPERATION" },
  message: { text: "hello" },
};

/**
 * @param options `old`: over v0.3, in which nobody can ask for no history at all, and where it is open what a
 *   resubscription begins with
 * @throws AssertionError, with the differences, where a client saw something else than it should have
 */
export function assertSighting(
  scenario: Scenario,
  sighting: Sighting | undefined,
  options: { readonly old?: boolean } = {},
): void {
  if (sighting === undefined) assert.fail(`the client never came to ${scenario}`);
  if ("error" in sighting) assert.fail(sighting.error);
  const open = options.old === true ? OPEN_IN_OLD[scenario] : undefined;
  if (open === undefined) assert.deepEqual(sighting.saw, EXPECTED[scenario]);
  else assert.deepEqual(without(open, sighting.saw), without(open, EXPECTED[scenario]));
}

/** What v0.3 leaves open. */
const OPEN_IN_OLD: Readonly<Partial<Record<Scenario, string>>> = { get: "bare", subscribe: "first" };

function without(name: string, saw: JsonValue): JsonValue {
  return Object.fromEntries(Object.entries(saw as JsonObject).filter(([key]) => key !== name));
}

/** Longest that one scenario may take: a peer that never answers is a fault, not a run that hangs. */
const SCENARIO_MS = 20_000;

/** Carries out every scenario, and reports what each saw or how it failed: one fault hides no other. */
export async function report(acts: Readonly<Record<Scenario, () => Promise<JsonValue>>>): Promise<Report> {
  const seen: Partial<Record<Scenario, Sighting>> = {};
  for (const scenario of SCENARIOS) {
    try {
      seen[scenario] = { saw: await within(SCENARIO_MS, acts[scenario]()) };
    } catch (thrown) {
      seen[scenario] = { error: thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown) };
    }
  }
  return seen;
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no end after ${ms} ms`)), ms);
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The states of a stream as scenarios report them: SUBMITTED, which a server may pass over, and repeats are left out. */
export function distinctStates(states: readonly string[]): string[] {
  return states.filter((state, index) => state !== "SUBMITTED" && state !== states[index - 1]);
}
