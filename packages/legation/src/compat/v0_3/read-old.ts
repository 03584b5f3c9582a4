/**
 * Objects of 0.3, in either of its spellings, as 1.0 writes them. The result is loose: the validator of 1.0 has the last
 * word on it. What is not understood is given on as it is, so that the validator, or a lenient reader, sees it.
 *
 * Tolerated: `type` for `kind`, as 0.2 wrote; snake_case; objects without their `kind`; times without a zone, which are
 * taken for UTC, for the specification of 0.3 prints such.
 *
 * @see specification of 0.3, §6, §7
 */
import { isObject, type Loose, show } from "../../model/notes.ts";
import { undoDoubledBase64 } from "./doubled-base64.ts";
import { OLD_STATES, readRole, readState } from "./old-words.ts";
import { WRAPPED_DATA } from "./write-old.ts";

/** Told of what 0.3 does not have: the path in the object that is read, and one sentence. */
export type OldFault = (field: string, description: string) => void;

/** For readers of answers, which are lenient anyway. */
export const noFault: OldFault = () => undefined;

function under(fault: OldFault, field: string): OldFault {
  return (inner, description) => fault(inner === "" ? field : `${field}.${inner}`, description);
}

/** A part. */
export function readPart(part: unknown, fault: OldFault): unknown {
  if (!isObject(part)) return part;
  const kind = part["kind"] ?? part["type"] ?? impliedKind(part);
  const metadata = part["metadata"];
  switch (kind) {
    case "text":
      return pick({ text: part["text"], metadata });
    case "file":
      return pick({ ...readFile(part["file"], fault), metadata });
    case "data":
      return readData(part);
    default:
      if (kind !== undefined) fault("kind", `${show(kind)} is no kind of part; use text, file or data`);
      return part;
  }
}

function impliedKind(part: Loose): string | undefined {
  return ["text", "file", "data"].find((name) => name in part);
}

function readFile(file: unknown, fault: OldFault): Loose {
  if (!isObject(file)) {
    fault("file", 'is required: write {"bytes":"<base64>"} or {"uri":"…"}');
    return {};
  }
  const mediaType = get(file, "mimeType");
  const raw = file["bytes"] ?? undoDoubledBase64(get(file, "fileWithBytes"), mediaType);
  const url = file["uri"] ?? get(file, "fileWithUri");
  if (raw === undefined && url === undefined) fault("file", "has neither bytes nor uri");
  return { raw, url, filename: file["name"], mediaType };
}

function readData(part: Loose): Loose {
  let { data, metadata } = part;
  // The JSON of protobuf has a message between: {"data":{"data":{…}}}; with a kind, data is what it says.
  const isProto = part["kind"] === undefined && part["type"] === undefined;
  if (isProto && isObject(data) && isObject(data["data"]) && Object.keys(data).length === 1) data = data["data"];
  if (isObject(metadata) && metadata[WRAPPED_DATA] === true && isObject(data) && "value" in data) {
    const { [WRAPPED_DATA]: _, ...rest } = metadata;
    data = data["value"];
    metadata = Object.keys(rest).length === 0 ? undefined : rest;
  }
  return pick({ data, metadata });
}

/** A message. */
export function readMessage(message: unknown, fault: OldFault): unknown {
  if (!isObject(message)) return message;
  const role = message["role"];
  const read = readRole(role);
  if (typeof role === "string" && !/^ROLE_/.test(String(read)))
    fault("role", `${show(role)} is no role; use user or agent`);
  const parts = message["parts"] ?? message["content"];
  const name = message["parts"] === undefined && message["content"] !== undefined ? "content" : "parts";
  return pick({
    messageId: get(message, "messageId"),
    contextId: get(message, "contextId"),
    taskId: get(message, "taskId"),
    role: read,
    parts: readList(parts, (part, at) => readPart(part, under(fault, `${name}[${at}]`))),
    metadata: message["metadata"],
    extensions: message["extensions"],
    referenceTaskIds: get(message, "referenceTaskIds"),
  });
}

/** An artifact. */
export function readArtifact(artifact: unknown, fault: OldFault): unknown {
  if (!isObject(artifact)) return artifact;
  return pick({
    artifactId: get(artifact, "artifactId"),
    name: artifact["name"],
    description: artifact["description"],
    parts: readList(artifact["parts"], (part, at) => readPart(part, under(fault, `parts[${at}]`))),
    metadata: artifact["metadata"],
    extensions: artifact["extensions"],
  });
}

function readStatus(status: unknown, fault: OldFault): unknown {
  if (!isObject(status)) return status;
  const state = readState(status["state"]);
  if (typeof state === "string" && !state.startsWith("TASK_STATE_"))
    fault("state", `${show(state)} is no state; use one of ${OLD_STATES.join(", ")}`);
  const time = status["timestamp"];
  return pick({
    state,
    message: readMessage(status["message"] ?? status["update"], under(fault, "message")),
    timestamp: typeof time === "string" && /T[\d:.]+$/.test(time) ? `${time}Z` : time,
  });
}

/** A task. */
export function readTask(task: unknown, fault: OldFault): unknown {
  if (!isObject(task)) return task;
  return pick({
    id: task["id"],
    contextId: get(task, "contextId"),
    status: readStatus(task["status"], under(fault, "status")),
    artifacts: readList(task["artifacts"], (item, at) => readArtifact(item, under(fault, `artifacts[${at}]`))),
    history: readList(task["history"], (item, at) => readMessage(item, under(fault, `history[${at}]`))),
    metadata: task["metadata"],
  });
}

function readStatusUpdate(event: unknown, fault: OldFault): unknown {
  if (!isObject(event)) return event;
  return pick({
    taskId: get(event, "taskId"),
    contextId: get(event, "contextId"),
    status: readStatus(event["status"], under(fault, "status")),
    metadata: event["metadata"],
  });
}

function readArtifactUpdate(event: unknown, fault: OldFault): unknown {
  if (!isObject(event)) return event;
  return pick({
    taskId: get(event, "taskId"),
    contextId: get(event, "contextId"),
    artifact: readArtifact(event["artifact"], under(fault, "artifact")),
    append: event["append"],
    lastChunk: get(event, "lastChunk"),
    metadata: event["metadata"],
  });
}

type Reader = (value: unknown, fault: OldFault) => unknown;

const READERS: readonly (readonly [member: string, kind: string, read: Reader])[] = [
  ["task", "task", readTask],
  ["message", "message", readMessage],
  ["statusUpdate", "status-update", readStatusUpdate],
  ["artifactUpdate", "artifact-update", readArtifactUpdate],
];

/** What a send or a stream answered, bare or as a member, as a StreamResponse. */
export function readStreamResponse(response: unknown, fault: OldFault): unknown {
  if (!isObject(response)) return response;
  const kind = response["kind"] ?? guessKind(response);
  for (const [member, name, read] of READERS) {
    if (kind === name) return { [member]: read(response, fault) };
    const inner = get(response, member) ?? (member === "message" ? response["msg"] : undefined);
    if (kind === undefined && isObject(inner)) return { [member]: read(inner, under(fault, member)) };
  }
  return response;
}

/** Some agents leave the `kind` out. */
function guessKind(response: Loose): string | undefined {
  if (isObject(response["status"])) return get(response, "taskId") === undefined ? "task" : "status-update";
  if (isObject(response["artifact"])) return "artifact-update";
  return Array.isArray(response["parts"] ?? response["content"]) ? "message" : undefined;
}

/** A webhook by itself, as a message carries it. Of several schemes the first is taken: 1.0 knows one. */
export function readPushConfig(config: unknown, fault: OldFault): unknown {
  if (!isObject(config)) return config;
  const { id, url, token, authentication } = config;
  if (!isObject(authentication)) return pick({ id, url, token, authentication });
  const { schemes, credentials } = authentication;
  const [scheme] = Array.isArray(schemes) ? schemes : [];
  if (scheme === undefined && credentials !== undefined && credentials !== "")
    fault("authentication.schemes", 'is required: name the scheme of the credentials, such as ["Bearer"]');
  return pick({ id, url, token, authentication: scheme === undefined ? undefined : pick({ scheme, credentials }) });
}

/** A webhook with its task: `{taskId, pushNotificationConfig}`, or `{name, pushNotificationConfig}` of protobuf. */
export function readTaskPushConfig(config: unknown, fault: OldFault): unknown {
  if (!isObject(config)) return config;
  const inner = get(config, "pushNotificationConfig");
  if (!isObject(inner)) fault("pushNotificationConfig", 'is required: write {"url":"…"}');
  const read = readPushConfig(inner, under(fault, "pushNotificationConfig"));
  const named = /^tasks\/([^/]+)(?:\/pushNotificationConfigs\/([^/]*))?$/.exec(String(config["name"] ?? ""));
  const taskId = get(config, "taskId") ?? named?.[1];
  const configId = named?.[2] === "" ? undefined : named?.[2];
  return pick({ id: configId, ...(isObject(read) ? read : {}), taskId });
}

function readList(list: unknown, read: (item: unknown, index: number) => unknown): unknown {
  return Array.isArray(list) ? list.map(read) : list;
}

/** A member in camelCase or snake_case. */
export function get(object: Loose, name: string): unknown {
  return object[name] ?? object[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

/** An object without the members that are undefined or null, which mean the same in 0.3. */
export function pick(members: Loose): Loose {
  const object: Loose = {};
  for (const [key, value] of Object.entries(members))
    if ((value !== undefined && value !== null) || (key === "data" && value === null)) object[key] = value;
  return object;
}
