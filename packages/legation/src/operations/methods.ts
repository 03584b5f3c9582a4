/**
 * The eleven methods by name: what each takes, gives and needs. Bindings and clients are driven by this table.
 *
 * @see specification §5.3
 */
import type { Service } from "./service.ts";

/** What the table says of one method. */
export interface MethodRow {
  /** The member of {@link Service} that carries it out. */
  readonly operation: keyof Service;
  /** `stream` answers with an event stream. */
  readonly kind: "unary" | "stream";
  /** True where the agent itself runs: required extensions are checked there (§4.6). */
  readonly runsAgent: boolean;
}

function row(operation: keyof Service, kind: "unary" | "stream", runsAgent: boolean): MethodRow {
  return { operation, kind, runsAgent };
}

/** The name of a method on the wire. */
export type MethodName =
  | "SendMessage"
  | "SendStreamingMessage"
  | "GetTask"
  | "ListTasks"
  | "CancelTask"
  | "SubscribeToTask"
  | "CreateTaskPushNotificationConfig"
  | "GetTaskPushNotificationConfig"
  | "ListTaskPushNotificationConfigs"
  | "DeleteTaskPushNotificationConfig"
  | "GetExtendedAgentCard";

/** The methods of §5.3 by their JSON-RPC and gRPC name. */
export const METHODS: Readonly<Record<MethodName, MethodRow>> = {
  SendMessage: row("sendMessage", "unary", true),
  SendStreamingMessage: row("sendStreamingMessage", "stream", true),
  GetTask: row("getTask", "unary", false),
  ListTasks: row("listTasks", "unary", false),
  CancelTask: row("cancelTask", "unary", true),
  SubscribeToTask: row("subscribeToTask", "stream", false),
  CreateTaskPushNotificationConfig: row("createTaskPushNotificationConfig", "unary", false),
  GetTaskPushNotificationConfig: row("getTaskPushNotificationConfig", "unary", false),
  ListTaskPushNotificationConfigs: row("listTaskPushNotificationConfigs", "unary", false),
  DeleteTaskPushNotificationConfig: row("deleteTaskPushNotificationConfig", "unary", false),
  GetExtendedAgentCard: row("getExtendedAgentCard", "unary", false),
};
