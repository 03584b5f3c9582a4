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
 * @throws ModelError, which `A2AError.from` makes INVALID_PARAMS with the path of each violation
 */
export function parseRequest(method: MethodName, value: object): AnyRequest {
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
