/**
 * Objects of 1.0 as 0.3 writes them, in either of its spellings. Nothing is changed in what comes in; free JSON
 * (metadata, data) is shared with it.
 *
 * What 0.3 cannot say is left out: the media type and file name of text and data, the tenant.
 *
 * @see specification of 0.3, §6, §7
 */
import type {
  Artifact,
  Message,
  Part,
  StreamResponse,
  Task,
  TaskArtifactUpdateEvent,
  TaskPushNotificationConfig,
  TaskStatus,
  TaskStatusUpdateEvent,
} from "../../model/gen/types.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../model/json.ts";
import { isTerminal } from "../../model/task-state.ts";
import { type OldForm, writeRole, writeState } from "./old-words.ts";

/**
 * Says in the metadata of a data part that its data is `{value: …}` because the value is no object, which is all that
 * 0.3 carries. The official SDKs use the same name.
 */
export const WRAPPED_DATA = "data_part_compat";

/** A {@link Part}. */
export function writePart(part: Part, form: OldForm): JsonObject {
  const { text, raw, url, data, filename: name, mediaType: mimeType, metadata } = part;
  if (text !== undefined) return form === "kind" ? fill({ kind: "text", text, metadata }) : fill({ text, metadata });
  if (data !== undefined) return writeData(data, metadata, form);
  const file =
    form === "kind"
      ? fill({ name, mimeType, bytes: raw, uri: url })
      : fill({ fileWithBytes: raw, fileWithUri: url, mimeType, name });
  return form === "kind" ? fill({ kind: "file", file, metadata }) : fill({ file, metadata });
}

function writeData(value: JsonValue, metadata: JsonObject | undefined, form: OldForm): JsonObject {
  const isPlain = isJsonObject(value);
  const data = isPlain ? value : { value };
  const noted = isPlain ? metadata : { ...metadata, [WRAPPED_DATA]: true };
  return form === "kind" ? fill({ kind: "data", data, metadata: noted }) : fill({ data: { data }, metadata: noted });
}

/** A {@link Message}. */
export function writeMessage(message: Message, form: OldForm): JsonObject {
  const { messageId, contextId, taskId, metadata, extensions, referenceTaskIds } = message;
  const role = writeRole(message.role, form);
  const parts = message.parts.map((part) => writePart(part, form));
  if (form === "proto") return fill({ messageId, contextId, taskId, role, content: parts, metadata, extensions });
  return fill({ kind: "message", messageId, contextId, taskId, role, parts, metadata, extensions, referenceTaskIds });
}

/** An {@link Artifact}. */
export function writeArtifact(artifact: Artifact, form: OldForm): JsonObject {
  const { artifactId, name, description, metadata, extensions } = artifact;
  const parts = artifact.parts.map((part) => writePart(part, form));
  return fill({ artifactId, name, description, parts, metadata, extensions });
}

function writeStatus({ state, message, timestamp }: TaskStatus, form: OldForm): JsonObject {
  return fill({ state: writeState(state, form), message: optional(message, writeMessage, form), timestamp });
}

/** A {@link Task}. */
export function writeTask(task: Task, form: OldForm): JsonObject {
  const { id, contextId = "", metadata } = task;
  const artifacts = task.artifacts?.map((artifact) => writeArtifact(artifact, form));
  const history = task.history?.map((message) => writeMessage(message, form));
  const fields = { id, contextId, status: writeStatus(task.status, form), artifacts, history, metadata };
  return fill(form === "kind" ? { kind: "task", ...fields } : fields);
}

/** True for a state after which nothing more comes before somebody acts; AUTH_REQUIRED is none in 0.3. */
export function isFinalState(state: string): boolean {
  return isTerminal(state) || state === "TASK_STATE_INPUT_REQUIRED";
}

/** A {@link TaskStatusUpdateEvent}, with the `final` that 1.0 no longer has. */
export function writeStatusUpdate(event: TaskStatusUpdateEvent, form: OldForm): JsonObject {
  const { taskId, contextId, metadata } = event;
  const status = writeStatus(event.status, form);
  const fields = { taskId, contextId, status, final: isFinalState(event.status.state), metadata };
  return fill(form === "kind" ? { kind: "status-update", ...fields } : fields);
}

/** A {@link TaskArtifactUpdateEvent}. */
export function writeArtifactUpdate(event: TaskArtifactUpdateEvent, form: OldForm): JsonObject {
  const { taskId, contextId, append, lastChunk, metadata } = event;
  const fields = { taskId, contextId, artifact: writeArtifact(event.artifact, form), append, lastChunk, metadata };
  return fill(form === "kind" ? { kind: "artifact-update", ...fields } : fields);
}

/** What a send or a stream answers: bare with its `kind`, or as the one member that it is. */
export function writeStreamResponse(response: StreamResponse, form: OldForm): JsonObject {
  const { task, message, statusUpdate, artifactUpdate } = response;
  const written = fill({
    task: optional(task, writeTask, form),
    message: optional(message, writeMessage, form),
    statusUpdate: optional(statusUpdate, writeStatusUpdate, form),
    artifactUpdate: optional(artifactUpdate, writeArtifactUpdate, form),
  });
  return form === "proto" ? written : (Object.values(written)[0] as JsonObject);
}

/** A webhook by itself, as a message carries it. */
export function writePushConfig({ id, url, token, authentication }: TaskPushNotificationConfig): JsonObject {
  const credentials = authentication?.credentials;
  const old = authentication === undefined ? undefined : fill({ schemes: [authentication.scheme], credentials });
  return fill({ id, url, token, authentication: old });
}

/** A webhook with its task. */
export function writeTaskPushConfig(config: TaskPushNotificationConfig, form: OldForm): JsonObject {
  const { taskId = "", id = "" } = config;
  const pushNotificationConfig = writePushConfig(config);
  return form === "kind"
    ? { taskId, pushNotificationConfig }
    : { name: `tasks/${taskId}/pushNotificationConfigs/${id}`, pushNotificationConfig };
}

function optional<T>(
  value: T | undefined,
  write: (value: T, form: OldForm) => JsonObject,
  form: OldForm,
): JsonObject | undefined {
  return value === undefined ? undefined : write(value, form);
}

/** An object without the members that are undefined. */
export function fill(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  const object: JsonObject = {};
  for (const [key, value] of Object.entries(members)) if (value !== undefined) object[key] = value;
  return object;
}
