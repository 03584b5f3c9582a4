import assert from "node:assert/strict";
import { test } from "node:test";
import { METHODS } from "./methods.ts";

test("§5.3 the method table is the one of the specification", () => {
  const rows = Object.entries(METHODS).map(([name, row]) => [name, row.operation, row.kind, row.runsAgent].join(" "));
  assert.deepEqual(rows, [
    "SendMessage sendMessage unary true",
    "SendStreamingMessage sendStreamingMessage stream true",
    "GetTask getTask unary false",
    "ListTasks listTasks unary false",
    "CancelTask cancelTask unary true",
    "SubscribeToTask subscribeToTask stream false",
    "CreateTaskPushNotificationConfig createTaskPushNotificationConfig unary false",
    "GetTaskPushNotificationConfig getTaskPushNotificationConfig unary false",
    "ListTaskPushNotificationConfigs listTaskPushNotificationConfigs unary false",
    "DeleteTaskPushNotificationConfig deleteTaskPushNotificationConfig unary false",
    "GetExtendedAgentCard getExtendedAgentCard unary false",
  ]);
});
