/** Makes 1.0 of JSON that a person has pasted: what 0.3 wrote, and mistakes that tutorials have spread. */

import { ROLE_NAMES, TASK_STATE_NAMES } from "../model/enum-names.ts";
import { guessEnumName } from "../model/guess-enum-name.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import type { SubjectType } from "./recognise.ts";

/** Stands where a sender has to make an id. */
export const NEW_ID = "<a new id>";

/**
 * The value as 1.0 writes it, as far as that can be told; a new value. The validator has the last word on it.
 *
 * @param isOld true for what 0.3 wrote: its requests are answered at once unless they say `blocking: true`
 */
export function mend(type: SubjectType, value: JsonObject, isOld: boolean): JsonObject {
  switch (type) {
    case "Task":
      return mendTask(value);
    case "Message":
      return mendMessage(value);
    case "Artifact":
      return mendArtifact(value);
    case "Part":
      return mendPart(value);
    case "TaskStatus":
      return mendStatus(value);
    case "SendMessageRequest":
      return mendSend(value, isOld);
    case "TaskPushNotificationConfig":
      return mendPush(value);
    case "StreamResponse":
    case "SendMessageResponse":
      return mendStream(value);
    case "TaskStatusUpdateEvent":
    case "TaskArtifactUpdateEvent":
      return mendEvent(value);
    case "ListTasksResponse":
      return { ...value, tasks: mendList(value["tasks"], mendTask) };
    default:
      return structuredClone(value);
  }
}

function without(value: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name, inner]) => !names.includes(name) && inner !== null));
}

function within(value: JsonObject, name: string, change: (inner: JsonObject) => JsonObject): JsonObject {
  const inner = value[name];
  return isJsonObject(inner) ? { ...value, [name]: change(inner) } : value;
}

function mendList(list: JsonValue | undefined, change: (item: JsonObject) => JsonObject): JsonValue {
  return Array.isArray(list) ? list.map((item) => (isJsonObject(item) ? change(item) : item)) : [];
}

function mendLists(value: JsonObject, name: string, change: (item: JsonObject) => JsonObject): JsonObject {
  return Array.isArray(value[name]) ? { ...value, [name]: mendList(value[name], change) } : value;
}

function mendTask(task: JsonObject): JsonObject {
  const bare = within(without(task, "kind"), "status", mendStatus);
  return mendLists(mendLists(bare, "artifacts", mendArtifact), "history", mendMessage);
}

function mendStatus(status: JsonObject): JsonObject {
  const { state, timestamp } = status;
  const mended = within(status, "message", mendMessage);
  // Times without a zone are taken for UTC: the specification of 0.3 prints such.
  if (typeof timestamp === "string" && /T[\d:.]+$/.test(timestamp)) mended["timestamp"] = `${timestamp}Z`;
  return typeof state === "string" ? { ...mended, state: guessEnumName(state, TASK_STATE_NAMES) ?? state } : mended;
}

function mendMessage(message: JsonObject): JsonObject {
  const { role, parts, content, text, messageId, message_id: oldId } = message;
  const said = parts ?? content ?? text;
  const mended = without(message, "kind", "content", "text");
  mended["parts"] = typeof said === "string" ? [{ text: said }] : mendList(said, mendPart);
  mended["role"] = typeof role === "string" ? (guessEnumName(role, ROLE_NAMES) ?? role) : (role ?? "ROLE_USER");
  if ((messageId ?? oldId ?? "") === "") mended["messageId"] = NEW_ID;
  return mended;
}

function mendArtifact(artifact: JsonObject): JsonObject {
  const mended = mendLists(artifact, "parts", mendPart);
  return (artifact["artifactId"] ?? artifact["artifact_id"] ?? "") === "" ? { ...mended, artifactId: NEW_ID } : mended;
}

function mendPart(part: JsonObject): JsonObject {
  const { file, mimeType } = part;
  const bare = without(part, "kind", "type", "file", "mimeType");
  const mediaType = part["mediaType"] ?? mimeType;
  const own = mediaType === undefined ? bare : { ...bare, mediaType };
  if (!isJsonObject(file)) return own;
  const { bytes, uri, fileWithBytes, fileWithUri, name, mimeType: fileType } = file;
  const raw = bytes ?? fileWithBytes;
  const url = uri ?? fileWithUri;
  return {
    ...own,
    ...(url !== undefined ? { url } : { raw: raw ?? "" }),
    ...(name === undefined ? {} : { filename: name }),
    ...(fileType === undefined ? {} : { mediaType: fileType }),
  };
}

function mendSend(request: JsonObject, isOld: boolean): JsonObject {
  const { taskId, contextId } = request;
  const bare = within(without(request, "taskId", "contextId"), "message", (message) => ({
    ...(taskId === undefined ? {} : { taskId }),
    ...(contextId === undefined ? {} : { contextId }),
    ...mendMessage(message),
  }));
  const given = request["configuration"];
  if (!isJsonObject(given) && !isOld) return bare;
  const { blocking, pushNotificationConfig, ...configuration } = isJsonObject(given) ? given : {};
  // The defaults are opposite.
  if (blocking === false || (isOld && blocking !== true)) configuration["returnImmediately"] = true;
  if (isJsonObject(pushNotificationConfig)) {
    configuration["taskPushNotificationConfig"] = mendPush(pushNotificationConfig);
  }
  return { ...bare, configuration };
}

function mendPush(config: JsonObject): JsonObject {
  const { pushNotificationConfig, authentication } = config;
  if (isJsonObject(pushNotificationConfig)) {
    return { ...without(config, "pushNotificationConfig"), ...mendPush(pushNotificationConfig) };
  }
  if (!isJsonObject(authentication)) return without(config);
  const { schemes } = authentication;
  const [scheme] = Array.isArray(schemes) ? schemes : [];
  const mended = without(authentication, "schemes");
  return { ...config, authentication: scheme === undefined ? mended : { scheme, ...mended } };
}

function mendEvent(event: JsonObject): JsonObject {
  return within(within(without(event, "kind", "final"), "status", mendStatus), "artifact", mendArtifact);
}

function mendStream(response: JsonObject): JsonObject {
  const { kind } = response;
  if (kind === "status-update") return { statusUpdate: mendEvent(response) };
  if (kind === "artifact-update") return { artifactUpdate: mendEvent(response) };
  const inner = within(within(response, "task", mendTask), "message", mendMessage);
  return within(within(inner, "statusUpdate", mendEvent), "artifactUpdate", mendEvent);
}
