/** Request and answer of each method, as the service of the proto has them. */
import type { MethodName } from "../../src/operations/methods.ts";

/** Method → names of its messages. */
export const METHOD_MESSAGES: Readonly<Record<MethodName, readonly [request: string, answer: string]>> = {
  SendMessage: ["SendMessageRequest", "SendMessageResponse"],
  SendStreamingMessage: ["SendMessageRequest", "StreamResponse"],
  GetTask: ["GetTaskRequest", "Task"],
  ListTasks: ["ListTasksRequest", "ListTasksResponse"],
  CancelTask: ["CancelTaskRequest", "Task"],
  SubscribeToTask: ["SubscribeToTaskRequest", "StreamResponse"],
  CreateTaskPushNotificationConfig: ["TaskPushNotificationConfig", "TaskPushNotificationConfig"],
  GetTaskPushNotificationConfig: ["GetTaskPushNotificationConfigRequest", "TaskPushNotificationConfig"],
  ListTaskPushNotificationConfigs: [
    "ListTaskPushNotificationConfigsRequest",
    "ListTaskPushNotificationConfigsResponse",
  ],
  DeleteTaskPushNotificationConfig: [
    "DeleteTaskPushNotificationConfigRequest",
    "DeleteTaskPushNotificationConfigRequest",
  ],
  GetExtendedAgentCard: ["GetExtendedAgentCardRequest", "AgentCard"],
};
