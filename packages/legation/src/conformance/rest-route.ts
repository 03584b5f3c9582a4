/** Where an operation lies in HTTP+JSON, written down from §5.3 and §11.3. */
import type { JsonObject, JsonValue } from "../model/json.ts";
import type { MethodName } from "../operations/methods.ts";

/** One request of the binding, below the URL of the interface. */
export interface RestRequest {
  readonly verb: "GET" | "POST" | "DELETE";
  readonly path: string;
  /** With its question mark, `""` where there is none. */
  readonly query: string;
  /** Undefined for GET and DELETE. */
  readonly body: JsonObject | undefined;
}

const VERBS: Readonly<Record<MethodName, RestRequest["verb"]>> = {
  SendMessage: "POST",
  SendStreamingMessage: "POST",
  GetTask: "GET",
  ListTasks: "GET",
  CancelTask: "POST",
  SubscribeToTask: "POST",
  CreateTaskPushNotificationConfig: "POST",
  GetTaskPushNotificationConfig: "GET",
  ListTaskPushNotificationConfigs: "GET",
  DeleteTaskPushNotificationConfig: "DELETE",
  GetExtendedAgentCard: "GET",
};

/** A path of HTTP+JSON as it stands behind the tenant of an interface, `""` where it has none. */
export function tenantPath(tenant: string, path: string): string {
  return tenant === "" ? path : `/${encodeURIComponent(tenant)}${path}`;
}

/**
 * The request of an operation.
 *
 * @param params the request message in its JSON form
 * @param tenant of the interface, `""` where it has none
 */
export function restRequest(method: MethodName, params: JsonObject, tenant: string): RestRequest {
  const { path, used } = pathOf(method, params);
  const rest = Object.fromEntries(Object.entries(params).filter(([name]) => !used.includes(name)));
  const verb = VERBS[method];
  const full = tenantPath(tenant, path);
  if (verb === "POST") return { verb, path: full, query: "", body: rest };
  return { verb, path: full, query: queryOf(rest), body: undefined };
}

function pathOf(method: MethodName, params: JsonObject): { path: string; used: readonly string[] } {
  const id = encodeURIComponent(textOf(params["id"]));
  const configs = `/tasks/${encodeURIComponent(textOf(params["taskId"]))}/pushNotificationConfigs`;
  switch (method) {
    case "SendMessage":
      return { path: "/message:send", used: [] };
    case "SendStreamingMessage":
      return { path: "/message:stream", used: [] };
    case "GetTask":
      return { path: `/tasks/${id}`, used: ["id"] };
    case "ListTasks":
      return { path: "/tasks", used: [] };
    case "CancelTask":
      return { path: `/tasks/${id}:cancel`, used: ["id"] };
    case "SubscribeToTask":
      return { path: `/tasks/${id}:subscribe`, used: ["id"] };
    case "CreateTaskPushNotificationConfig":
    case "ListTaskPushNotificationConfigs":
      return { path: configs, used: ["taskId"] };
    case "GetTaskPushNotificationConfig":
    case "DeleteTaskPushNotificationConfig":
      return { path: `${configs}/${id}`, used: ["taskId", "id"] };
    case "GetExtendedAgentCard":
      return { path: "/extendedAgentCard", used: [] };
  }
}

function queryOf(fields: JsonObject): string {
  const pairs = Object.entries(fields).map(([name, value]) => `${name}=${encodeURIComponent(textOf(value))}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
}
