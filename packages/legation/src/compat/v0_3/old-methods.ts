/**
 * The methods of 0.3 and what they are in 1.0.
 *
 * @see specification of 0.3, §3.5.6, §7
 */
import type { MethodName } from "../../operations/methods.ts";

/** Name on JSON-RPC → name in 1.0. `ListTasks` has none there. */
const METHODS_OF_OLD: Readonly<Record<string, MethodName>> = {
  "message/send": "SendMessage",
  "message/stream": "SendStreamingMessage",
  "tasks/get": "GetTask",
  "tasks/cancel": "CancelTask",
  "tasks/resubscribe": "SubscribeToTask",
  "tasks/pushNotificationConfig/set": "CreateTaskPushNotificationConfig",
  "tasks/pushNotificationConfig/get": "GetTaskPushNotificationConfig",
  "tasks/pushNotificationConfig/list": "ListTaskPushNotificationConfigs",
  "tasks/pushNotificationConfig/delete": "DeleteTaskPushNotificationConfig",
  "agent/getAuthenticatedExtendedCard": "GetExtendedAgentCard",
};

const OLD_NAMES: ReadonlyMap<MethodName, string> = new Map(
  Object.entries(METHODS_OF_OLD).map(([old, method]) => [method, old]),
);

/** The 1.0 name of a method of 0.3; undefined for any other text. */
export function methodOfOld(name: string): MethodName | undefined {
  return Object.hasOwn(METHODS_OF_OLD, name) ? METHODS_OF_OLD[name] : undefined;
}

/** What a method is called on the JSON-RPC of 0.3; undefined for one that it does not have. */
export function oldNameOf(method: MethodName): string | undefined {
  return OLD_NAMES.get(method);
}
