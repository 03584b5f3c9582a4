/**
 * The routes of the HTTP+JSON binding, as a client writes them.
 *
 * @see specification §5.3, §11.3
 */
import type { MethodName } from "../../operations/methods.ts";

const ROUTES: Readonly<Record<MethodName, string>> = {
  SendMessage: "POST /message:send",
  SendStreamingMessage: "POST /message:stream",
  GetTask: "GET /tasks/{id}",
  ListTasks: "GET /tasks",
  CancelTask: "POST /tasks/{id}:cancel",
  SubscribeToTask: "POST /tasks/{id}:subscribe",
  CreateTaskPushNotificationConfig: "POST /tasks/{taskId}/pushNotificationConfigs",
  GetTaskPushNotificationConfig: "GET /tasks/{taskId}/pushNotificationConfigs/{id}",
  ListTaskPushNotificationConfigs: "GET /tasks/{taskId}/pushNotificationConfigs",
  DeleteTaskPushNotificationConfig: "DELETE /tasks/{taskId}/pushNotificationConfigs/{id}",
  GetExtendedAgentCard: "GET /extendedAgentCard",
};

/** The HTTP method of an operation, and its path below the interface URL, tenant included. */
export function routeOf(
  method: MethodName,
  request: object,
  tenant: string,
): { readonly verb: string; readonly path: string } {
  const [verb = "", template = ""] = ROUTES[method].split(" ");
  const prefix = tenant === "" ? "" : `/${encodeURIComponent(tenant)}`;
  const path = template.replace(/\{(\w+)\}/g, (_, field: string) => {
    const id = (request as Readonly<Record<string, unknown>>)[field];
    // An absent id gives an empty segment, which the agent answers with "no such path": never the path of something else.
    return typeof id === "string" ? encodeURIComponent(id) : "";
  });
  return { verb, path: prefix + path };
}
