/** Bringing an agent into the states that checks look at. */
import type { JsonObject, JsonValue } from "../model/json.ts";
import type { Probe } from "./check.ts";
import { expect, expectResult, Inapplicable, Mismatch } from "./expect.ts";
import { textAt, valueAt } from "./json-path.ts";
import type { RequestOptions, Wire } from "./wire.ts";
import type { Frame } from "./wire-stream.ts";

/** The four states that end a task. */
export const TERMINAL_STATES: readonly string[] = [
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
];

/** What may be said of a message beside its content. */
export interface Sending {
  /** Members of the Message. */
  readonly message?: JsonObject | undefined;
  readonly configuration?: JsonObject | undefined;
  readonly options?: RequestOptions | undefined;
  /** Default: the wire of the probe. */
  readonly wire?: Wire | undefined;
}

/** The params of a send request with these parts. */
export function sendParams(probe: Probe, parts: readonly JsonObject[], sending: Sending = {}): JsonObject {
  return {
    message: { messageId: probe.newId(), role: "ROLE_USER", parts: [...parts], ...sending.message },
    ...(sending.configuration === undefined ? {} : { configuration: sending.configuration }),
  };
}

/** The data part that holds a script of the rehearsal extension. */
export function script(steps: readonly JsonValue[]): JsonObject {
  return { data: { rehearse: [...steps] } };
}

/** Sends a script and gives the whole answer, `{task}` or `{message}`. */
export async function rehearse(probe: Probe, steps: readonly JsonValue[], sending: Sending = {}): Promise<JsonObject> {
  const wire = sending.wire ?? probe.wire;
  return expectResult(await wire.call("SendMessage", sendParams(probe, [script(steps)], sending), sending.options));
}

/** Sends a script and gives the task that answers. */
export async function rehearseTask(
  probe: Probe,
  steps: readonly JsonValue[],
  sending: Sending = {},
): Promise<JsonObject> {
  return taskOf(await rehearse(probe, steps, sending));
}

/** The task of an answer. */
export function taskOf(answer: JsonObject): JsonObject {
  const task = valueAt(answer, "task");
  expect(typeof task === "object" && task !== null, "an answer with a task", answer);
  return task as JsonObject;
}

/** Sends a plain text, which every agent takes, and gives the answer. */
export async function say(probe: Probe, sending: Sending = {}): Promise<JsonObject> {
  const wire = sending.wire ?? probe.wire;
  return expectResult(await wire.call("SendMessage", sendParams(probe, [{ text: "hello" }], sending), sending.options));
}

/** A task of the agent in whatever state; skips agents that answer with messages. */
export async function anyTask(probe: Probe, sending: Sending = {}): Promise<JsonObject> {
  const answer = await say(probe, sending);
  const task = valueAt(answer, "task");
  if (typeof task !== "object" || task === null) throw new Inapplicable("the agent answers a text with a message");
  return task as JsonObject;
}

/** A task that has ended. */
export async function endedTask(probe: Probe, sending: Sending = {}): Promise<JsonObject> {
  if (probe.facts.rehearsal) return rehearseTask(probe, [{ end: "COMPLETED" }], sending);
  const task = await anyTask(probe, sending);
  if (!TERMINAL_STATES.includes(stateOf(task))) {
    throw new Inapplicable(`a text leads to ${stateOf(task)}, and the agent takes no scripts to end it`);
  }
  return task;
}

/** A task that waits for input. Needs the rehearsal extension. */
export function waitingTask(probe: Probe, sending: Sending = {}): Promise<JsonObject> {
  return rehearseTask(probe, [{ ask: "which one?" }, { end: "COMPLETED" }], sending);
}

/** The state of a task, `""` where it has none. */
export function stateOf(task: unknown): string {
  return textAt(task, "status.state") ?? "";
}

/** The id of a task, `""` where it has none. */
export function idOf(task: unknown): string {
  return textAt(task, "id") ?? "";
}

/** Reads a task. */
export async function getTask(probe: Probe, id: string, params: JsonObject = {}): Promise<JsonObject> {
  return expectResult(await probe.wire.call("GetTask", { id, ...params }));
}

/** Reads a task again and again until it is as wanted. A task that ends otherwise fails the check. */
export async function until(probe: Probe, id: string, isReached: (task: JsonObject) => boolean): Promise<JsonObject> {
  for (;;) {
    const task = await getTask(probe, id);
    if (isReached(task)) return task;
    if (TERMINAL_STATES.includes(stateOf(task))) throw new Mismatch("another course of the task", stateOf(task));
    await pause(20, probe.signal);
  }
}

/** Waits. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Streams a script and gives every event. */
export async function rehearseStream(
  probe: Probe,
  steps: readonly JsonValue[],
  sending: Sending = {},
): Promise<readonly Frame[]> {
  const wire = sending.wire ?? probe.wire;
  const stream = await wire.stream(
    "SendStreamingMessage",
    sendParams(probe, [script(steps)], sending),
    sending.options,
  );
  expect(stream.isStream, "an event stream", stream.error?.message ?? `status ${stream.status}`);
  return stream.rest();
}

/** What kind of event a frame is: `task`, `message`, `WORKING`, `artifact`, `error`, or what it holds instead. */
export function kindOf({ payload, error }: Frame): string {
  if (error !== undefined) return "error";
  const state = textAt(payload, "statusUpdate.status.state");
  if (state !== undefined) return state.replace("TASK_STATE_", "");
  if (valueAt(payload, "artifactUpdate") !== undefined) return "artifact";
  return Object.keys(payload ?? { nothing: 1 }).join("+");
}
