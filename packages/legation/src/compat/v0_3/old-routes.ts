/**
 * The paths of the HTTP+JSON of 0.3, below `/v1`, in both directions.
 *
 * @see specification of 0.3, §3.5.6
 */
import { percentDecode } from "../../bindings/http/query.ts";
import type { MethodName } from "../../operations/methods.ts";

/** A path that is one of 0.3. */
export interface OldRoute {
  /** What each HTTP method means there. */
  readonly methods: Readonly<Partial<Record<string, MethodName>>>;
  readonly taskId?: string;
  readonly configId?: string;
}

type Methods = OldRoute["methods"];

const CARD: Methods = { GET: "GetExtendedAgentCard" };
const SEND: Methods = { POST: "SendMessage" };
const STREAM: Methods = { POST: "SendStreamingMessage" };
const TASK: Methods = { GET: "GetTask" };
const CANCEL: Methods = { POST: "CancelTask" };
// The table of the specification says POST, the proto says GET: both work; so does the verb of JSON-RPC, resubscribe.
const SUBSCRIBE: Methods = { POST: "SubscribeToTask", GET: "SubscribeToTask" };
const CONFIGS: Methods = { POST: "CreateTaskPushNotificationConfig", GET: "ListTaskPushNotificationConfigs" };
const CONFIG: Methods = { GET: "GetTaskPushNotificationConfig", DELETE: "DeleteTaskPushNotificationConfig" };

/**
 * Finds the operation of a path.
 *
 * @param path undecoded, what follows `/v1`
 * @returns undefined for a path that 0.3 does not have, an undecodable or empty id included
 */
export function matchOldRoute(path: string): OldRoute | undefined {
  if (path === "/card") return { methods: CARD };
  if (path === "/message:send") return { methods: SEND };
  if (path === "/message:stream") return { methods: STREAM };
  const [, rawTask = "", rest, rawConfig] =
    /^\/tasks?\/([^/]+)(\/pushNotificationConfigs(?:\/([^/]+))?)?\/?$/.exec(path) ?? [];
  if (rest === undefined) return matchTask(rawTask);
  const taskId = percentDecode(rawTask);
  if (taskId === undefined) return undefined;
  if (rawConfig === undefined) return { methods: CONFIGS, taskId };
  const configId = percentDecode(rawConfig);
  return configId === undefined ? undefined : { methods: CONFIG, taskId, configId };
}

function matchTask(segment: string): OldRoute | undefined {
  const [, raw = "", verb] = /^(.+?)(?::(cancel|subscribe|resubscribe))?$/.exec(segment) ?? [];
  const taskId = percentDecode(raw);
  if (taskId === undefined || taskId === "") return undefined;
  return { methods: verb === undefined ? TASK : verb === "cancel" ? CANCEL : SUBSCRIBE, taskId };
}

const TEMPLATES: Readonly<Partial<Record<MethodName, string>>> = {
  SendMessage: "POST /v1/message:send",
  SendStreamingMessage: "POST /v1/message:stream",
  GetTask: "GET /v1/tasks/{id}",
  CancelTask: "POST /v1/tasks/{id}:cancel",
  SubscribeToTask: "POST /v1/tasks/{id}:subscribe",
  CreateTaskPushNotificationConfig: "POST /v1/tasks/{taskId}/pushNotificationConfigs",
  GetTaskPushNotificationConfig: "GET /v1/tasks/{taskId}/pushNotificationConfigs/{id}",
  ListTaskPushNotificationConfigs: "GET /v1/tasks/{taskId}/pushNotificationConfigs",
  DeleteTaskPushNotificationConfig: "DELETE /v1/tasks/{taskId}/pushNotificationConfigs/{id}",
  GetExtendedAgentCard: "GET /v1/card",
};

/** The HTTP method of an operation and its path below the interface URL; undefined for one that 0.3 does not have. */
export function oldRouteOf(
  method: MethodName,
  request: object,
): { readonly verb: string; readonly path: string } | undefined {
  const template = TEMPLATES[method];
  if (template === undefined) return undefined;
  const [verb = "", path = ""] = template.split(" ");
  const filled = path.replace(/\{(\w+)\}/g, (_, field: string) => {
    const id = (request as Readonly<Record<string, unknown>>)[field];
    return typeof id === "string" ? encodeURIComponent(id) : "";
  });
  return { verb, path: filled };
}
