/** Reads the request of a method from what came over the wire. */
import type {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SendMessageRequest,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
} from "../model/gen/types.ts";
import {
  parseCancelTaskRequest,
  parseDeleteTaskPushNotificationConfigRequest,
  parseGetExtendedAgentCardRequest,
  parseGetTaskPushNotificationConfigRequest,
  parseGetTaskRequest,
  parseListTaskPushNotificationConfigsRequest,
  parseListTasksRequest,
  parseSendMessageRequest,
  parseSubscribeToTaskRequest,
  parseTaskPushNotificationConfig,
} from "../model/parse-request.ts";
import { invalidField } from "./errors.ts";
import type { MethodName } from "./methods.ts";

/** The request of any method; every one has a tenant. */
export type AnyRequest =
  | SendMessageRequest
  | GetTaskRequest
  | ListTasksRequest
  | CancelTaskRequest
  | SubscribeToTaskRequest
  | TaskPushNotificationConfig
  | GetTaskPushNotificationConfigRequest
  | ListTaskPushNotificationConfigsRequest
  | DeleteTaskPushNotificationConfigRequest
  | GetExtendedAgentCardRequest;

/**
 * Validates and normalises a request in place.
 *
 * @param method whose request it is
 * @param value parsed JSON
 * @returns the same object in canonical form
 * @throws ModelError, which `A2AError.from` makes INVALID_PARAMS with the path of each violation; INVALID_PARAMS for an
 *   id that is longer than 512 characters, no Unicode text, or holds U+0000
 */
export function parseRequest(method: MethodName, value: object): AnyRequest {
  const request = parseFields(method, value);
  requireIds("", request);
  if ("message" in request) {
    requireIds("message.", request.message);
    const hook = request.configuration?.taskPushNotificationConfig;
    if (hook !== undefined) requireIds("configuration.taskPushNotificationConfig.", hook);
  }
  return request;
}

function parseFields(method: MethodName, value: object): AnyRequest {
  switch (method) {
    case "SendMessage":
    case "SendStreamingMessage":
      return parseSendMessageRequest(value);
    case "GetTask":
      return parseGetTaskRequest(value);
    case "ListTasks":
      return parseListTasksRequest(value);
    case "CancelTask":
      return parseCancelTaskRequest(value);
    case "SubscribeToTask":
      return parseSubscribeToTaskRequest(value);
    case "CreateTaskPushNotificationConfig":
      return withTaskId(parseTaskPushNotificationConfig(value));
    case "GetTaskPushNotificationConfig":
      return parseGetTaskPushNotificationConfigRequest(value);
    case "ListTaskPushNotificationConfigs":
      return parseListTaskPushNotificationConfigsRequest(value);
    case "DeleteTaskPushNotificationConfig":
      return parseDeleteTaskPushNotificationConfigRequest(value);
    case "GetExtendedAgentCard":
      return parseGetExtendedAgentCardRequest(value);
  }
}

// Not REQUIRED in the proto, for inline configs have none; the operation needs one (§3.1.7).
function withTaskId(config: TaskPushNotificationConfig): TaskPushNotificationConfig {
  if (config.taskId === undefined) throw invalidField("taskId", "is required: the task whose updates are sent");
  return config;
}

const IDS = ["tenant", "id", "taskId", "contextId", "messageId"] as const;

/** Ids are keys of the store: an index of PostgreSQL takes 2,704 bytes, and no text with U+0000. */
const LONGEST_ID = 512;

function requireIds(path: string, fields: { readonly [name in (typeof IDS)[number]]?: unknown }): void {
  for (const name of IDS) {
    const id = fields[name];
    if (typeof id !== "string") continue;
    if (id.length > LONGEST_ID)
      throw invalidField(path + name, `has ${id.length} characters; an id has at most ${LONGEST_ID}`);
    if (!id.isWellFormed() || id.includes("\0"))
      throw invalidField(path + name, "is no id: it holds U+0000 or half of a surrogate pair");
  }
}
