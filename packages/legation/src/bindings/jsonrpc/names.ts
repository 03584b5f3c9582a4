/**
 * The names of methods on the JSON-RPC binding, and what is meant by names that are not.
 *
 * @see specification §5.3, §9.4
 */
import { METHODS, type MethodName } from "../../operations/methods.ts";

/** How a card names this binding (§4.4.6). */
export const JSON_RPC_BINDING = "JSONRPC";

/** True when a text names a method of 1.0. */
export function isMethodName(text: string): text is MethodName {
  return Object.hasOwn(METHODS, text);
}

/** Names of 0.3 and older → the name in 1.0. */
const FORMER_NAMES: Readonly<Record<string, MethodName>> = {
  "message/send": "SendMessage",
  "message/stream": "SendStreamingMessage",
  "tasks/get": "GetTask",
  "tasks/list": "ListTasks",
  "tasks/cancel": "CancelTask",
  "tasks/resubscribe": "SubscribeToTask",
  "tasks/pushNotificationConfig/set": "CreateTaskPushNotificationConfig",
  "tasks/pushNotificationConfig/get": "GetTaskPushNotificationConfig",
  "tasks/pushNotificationConfig/list": "ListTaskPushNotificationConfigs",
  "tasks/pushNotificationConfig/delete": "DeleteTaskPushNotificationConfig",
  "agent/getAuthenticatedExtendedCard": "GetExtendedAgentCard",
  "agent/authenticatedExtendedCard": "GetExtendedAgentCard",
  "tasks/send": "SendMessage",
  "tasks/sendSubscribe": "SendStreamingMessage",
  "tasks/pushNotification/set": "CreateTaskPushNotificationConfig",
  "tasks/pushNotification/get": "GetTaskPushNotificationConfig",
};

/** The 1.0 name of a method that had another one before, `message/send`; undefined for any other text. */
export function nameSince10(former: string): MethodName | undefined {
  return Object.hasOwn(FORMER_NAMES, former) ? FORMER_NAMES[former] : undefined;
}

/** The method that a misspelt name probably means: the same letters in another case, `sendMessage`, `get_task`. */
export function similarName(text: string): MethodName | undefined {
  const letters = fold(text);
  return (Object.keys(METHODS) as MethodName[]).find((name) => fold(name) === letters);
}

function fold(text: string): string {
  return text
    .slice(0, 80)
    .replaceAll(/[^A-Za-z]/g, "")
    .toLowerCase();
}
