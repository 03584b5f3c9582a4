/** Tells what some JSON is: a card, a message, a task, an event, an error, and what is around it. */
import { nameSince10 } from "../bindings/jsonrpc/names.ts";
import type { SHAPES } from "../model/gen/shapes.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import { METHODS, type MethodName } from "../operations/methods.ts";

/** What can be explained. */
export type SubjectType = keyof typeof SHAPES | "SendMessageRequest" | "Error" | "Request";

/** Some JSON, recognised. */
export interface Subject {
  readonly type: SubjectType;
  readonly value: JsonObject;
  /** What was around it, outermost first: `JSON-RPC request message/send`. */
  readonly inside: readonly string[];
  /** The method of the protocol that it belongs to, where that is known. */
  readonly method?: MethodName | undefined;
}

/**
 * Recognises a value.
 *
 * @returns undefined for JSON that is nothing of the protocol
 */
export function recognise(value: JsonValue, inside: readonly string[] = []): Subject | undefined {
  if (!isJsonObject(value)) return undefined;
  if (value["jsonrpc"] !== undefined || typeof value["method"] === "string") return recogniseEnvelope(value, inside);
  if (isJsonObject(value["error"]))
    return { type: "Error", value: value["error"], inside: [...inside, "an error body"] };
  const type = typeOf(value);
  return type === undefined ? undefined : { type, value, inside };
}

function recogniseEnvelope(envelope: JsonObject, inside: readonly string[]): Subject | undefined {
  const { method, params, result, error } = envelope;
  if (isJsonObject(error)) return { type: "Error", value: error, inside: [...inside, "a JSON-RPC error response"] };
  if (isJsonObject(result)) return recognise(result, [...inside, "a JSON-RPC response"]);
  if (typeof method !== "string") return undefined;
  const name = Object.hasOwn(METHODS, method) ? (method as MethodName) : nameSince10(method);
  const meant = name === undefined || name === method ? "" : `, in 1.0 ${name}`;
  const around = [...inside, `a JSON-RPC request of ${method}${meant}`];
  const value = isJsonObject(params) ? params : {};
  if (name === "SendMessage" || name === "SendStreamingMessage") {
    return { type: "SendMessageRequest", value, inside: around, method: name };
  }
  if (name === "CreateTaskPushNotificationConfig") {
    return { type: "TaskPushNotificationConfig", value, inside: around, method: name };
  }
  return { type: "Request", value, inside: around, method: name };
}

type Test = readonly [SubjectType, (value: JsonObject) => boolean];

function has(value: JsonObject, ...names: readonly string[]): boolean {
  return names.every((name) => Object.hasOwn(value, name));
}

function hasAny(value: JsonObject, ...names: readonly string[]): boolean {
  return names.some((name) => Object.hasOwn(value, name));
}

const TESTS: readonly Test[] = [
  ["StreamResponse", (value) => hasAny(value, "statusUpdate", "artifactUpdate", "status_update", "artifact_update")],
  ["StreamResponse", ({ kind }) => kind === "status-update" || kind === "artifact-update"],
  ["Task", ({ kind }) => kind === "task"],
  ["Message", ({ kind }) => kind === "message"],
  [
    "AgentCard",
    (value) =>
      has(value, "name") && hasAny(value, "skills", "supportedInterfaces", "capabilities", "supported_interfaces"),
  ],
  ["ListTasksResponse", (value) => Array.isArray(value["tasks"])],
  [
    "SendMessageRequest",
    (value) => isJsonObject(value["message"]) && hasAny(value, "configuration", "metadata", "tenant"),
  ],
  ["Artifact", (value) => hasAny(value, "artifactId", "artifact_id")],
  ["TaskStatusUpdateEvent", (value) => hasAny(value, "taskId", "task_id") && isJsonObject(value["status"])],
  ["TaskArtifactUpdateEvent", (value) => isJsonObject(value["artifact"])],
  ["Task", (value) => has(value, "id", "status")],
  ["SendMessageResponse", (value) => isJsonObject(value["task"])],
  [
    "Message",
    (value) =>
      hasAny(value, "parts", "content", "messageId", "message_id") && hasAny(value, "role", "parts", "content"),
  ],
  ["SendMessageRequest", (value) => isJsonObject(value["message"])],
  ["TaskStatus", (value) => has(value, "state")],
  [
    "TaskPushNotificationConfig",
    (value) =>
      hasAny(value, "pushNotificationConfig", "push_notification_config") ||
      (has(value, "url") && hasAny(value, "taskId", "token")),
  ],
  ["Error", (value) => typeof value["code"] === "number" && hasAny(value, "message", "status")],
  ["Part", (value) => hasAny(value, "text", "raw", "url", "data", "file")],
];

function typeOf(value: JsonObject): SubjectType | undefined {
  return TESTS.find(([, test]) => test(value))?.[0];
}

/** The version that wrote a value, and what tells it. */
export interface Told {
  readonly version: "1.0" | "0.3";
  /** Empty for a value of 1.0, or one that is the same in both. */
  readonly signs: readonly string[];
}

/** Words that only 0.3 has, by what they are found in. */
export function versionOf(value: JsonValue): Told {
  const signs: Signs = { strong: new Set(), weak: new Set() };
  walk(value, "", signs);
  if (signs.strong.size === 0) return { version: "1.0", signs: [] };
  return { version: "0.3", signs: [...signs.strong, ...signs.weak] };
}

/** Weak are the signs that also stand in tutorials of 1.0: alone they are mistakes, beside others they are 0.3. */
interface Signs {
  readonly strong: Set<string>;
  readonly weak: Set<string>;
}

function walk(value: JsonValue, field: string, signs: Signs): void {
  if (Array.isArray(value)) {
    for (const item of value) walk(item, field, signs);
    return;
  }
  if (!isJsonObject(value)) {
    if (typeof value !== "string") return;
    if (field === "state" && /^[a-z-]+$/.test(value)) signs.weak.add(`the state ${value}`);
    if (field === "state" && value === "TASK_STATE_CANCELLED") signs.strong.add("TASK_STATE_CANCELLED with two L");
    if (field === "role" && (value === "user" || value === "agent")) signs.weak.add(`the role ${value}`);
    if (field === "method" && nameSince10(value) !== undefined) signs.strong.add(`the method ${value}`);
    return;
  }
  for (const [name, inner] of Object.entries(value)) {
    // Free JSON tells nothing of the protocol.
    if (name === "metadata" || (name === "data" && !isError(value)) || (name === "params" && field === "extensions"))
      continue;
    if (name === "kind" && typeof inner === "string") signs.strong.add(`kind on a ${inner}`);
    if (name === "file" && isJsonObject(inner)) signs.strong.add("file within a part");
    if (name === "final" && typeof inner === "boolean") signs.strong.add("final on an event");
    if (name === "blocking") signs.strong.add("blocking in the configuration");
    if (name === "preferredTransport" || name === "additionalInterfaces") signs.strong.add(`${name} on the card`);
    if (name === "supportsAuthenticatedExtendedCard") signs.strong.add(`${name} on the card`);
    walk(inner, name, signs);
  }
}

function isError(value: JsonObject): boolean {
  return typeof value["code"] === "number";
}
