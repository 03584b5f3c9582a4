/**
 * The methods of the gRPC of 0.3 and the names of its resources, in both directions.
 *
 * @see specification of 0.3, §3.5.6, and its `a2a.proto`
 */
import type { MethodName } from "../../operations/methods.ts";

/** Names that are others than in 1.0; the rest is called the same. */
const RPC_OF: Readonly<Partial<Record<MethodName, string>>> = {
  SubscribeToTask: "TaskSubscription",
  ListTaskPushNotificationConfigs: "ListTaskPushNotificationConfig",
  GetExtendedAgentCard: "GetAgentCard",
};

const METHOD_OF: ReadonlyMap<string, MethodName> = new Map([
  ...(
    [
      "SendMessage",
      "SendStreamingMessage",
      "GetTask",
      "CancelTask",
      "CreateTaskPushNotificationConfig",
      "GetTaskPushNotificationConfig",
      "DeleteTaskPushNotificationConfig",
    ] as const
  ).map((name) => [name, name] as const),
  ...Object.entries(RPC_OF).map(([method, rpc]) => [rpc, method as MethodName] as const),
]);

const RPC_NAMES: ReadonlyMap<MethodName, string> = new Map([...METHOD_OF].map(([rpc, method]) => [method, rpc]));

/** The 1.0 name of a method of `a2a.v1`; undefined for any other text. */
export function methodOfRpc(rpc: string): MethodName | undefined {
  return METHOD_OF.get(rpc);
}

/** What a method is called in `a2a.v1`; undefined for one that it does not have. */
export function rpcOf(method: MethodName): string | undefined {
  return RPC_NAMES.get(method);
}

/** The ids in the name of a resource; undefined where one is missing that must be there. */
export interface ResourceIds {
  readonly taskId: string;
  readonly configId: string | undefined;
}

/** Reads `tasks/{id}` and `tasks/{id}/pushNotificationConfigs/{id}`; undefined for any other text. */
export function parseResourceName(name: unknown): ResourceIds | undefined {
  const [, taskId, configId] =
    /^tasks\/([^/]+)(?:\/pushNotificationConfigs(?:\/(.*))?)?$/s.exec(typeof name === "string" ? name : "") ?? [];
  return taskId === undefined ? undefined : { taskId, configId: configId === "" ? undefined : configId };
}

/** The name of a task, or of one of its webhooks. */
export function resourceName(taskId: string, configId?: string): string {
  return configId === undefined ? `tasks/${taskId}` : `tasks/${taskId}/pushNotificationConfigs/${configId}`;
}
