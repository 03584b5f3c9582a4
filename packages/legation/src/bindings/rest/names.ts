/**
 * The paths of the HTTP+JSON binding, as a server reads them: which operation a path is.
 *
 * @see specification §5.3, §11.3
 */
import type { MethodName } from "../../operations/methods.ts";
import { percentDecode } from "../http/query.ts";

/** How a card names this binding (§4.4.6). */
export const REST_BINDING = "HTTP+JSON";

/** A path that is one of ours: what each HTTP method means there, and the ids in it. */
export interface RestRoute {
  readonly methods: Readonly<Partial<Record<string, MethodName>>>;
  /** Value of the Allow header. */
  readonly allow: string;
  /** Fields of the request that the path gives. */
  readonly fields: Readonly<Record<string, string>>;
  readonly tenant: string;
}

interface Shape {
  readonly methods: Readonly<Partial<Record<string, MethodName>>>;
  readonly allow: string;
}

function shape(methods: Partial<Record<string, MethodName>>): Shape {
  return { methods, allow: Object.keys(methods).join(", ") };
}

const SEND = shape({ POST: "SendMessage" });
const STREAM = shape({ POST: "SendStreamingMessage" });
const TASKS = shape({ GET: "ListTasks" });
const TASK = shape({ GET: "GetTask" });
const CANCEL = shape({ POST: "CancelTask" });
// The table of §5.3 says POST, the proto says GET: both work.
const SUBSCRIBE = shape({ POST: "SubscribeToTask", GET: "SubscribeToTask" });
const CONFIGS = shape({ POST: "CreateTaskPushNotificationConfig", GET: "ListTaskPushNotificationConfigs" });
const CONFIG = shape({ GET: "GetTaskPushNotificationConfig", DELETE: "DeleteTaskPushNotificationConfig" });
const CARD = shape({ GET: "GetExtendedAgentCard" });

const ROOTS: readonly string[] = ["message:send", "message:stream", "tasks", "extendedAgentCard"];

/** The fields of a path that gives none; one object, so that it is recognised. */
export const NO_FIELDS: Readonly<Record<string, string>> = Object.freeze({});

// The two paths that nearly every call has: made once.
const SEND_ROUTE: RestRoute = { ...SEND, fields: NO_FIELDS, tenant: "" };
const STREAM_ROUTE: RestRoute = { ...STREAM, fields: NO_FIELDS, tenant: "" };

/**
 * Finds the operation of a path, with or without a tenant in front and a slash behind.
 *
 * @param path undecoded, with a leading slash
 * @returns undefined for a path that is not of this binding, an undecodable or an empty segment included
 */
export function matchRoute(path: string): RestRoute | undefined {
  if (path === "/message:send") return SEND_ROUTE;
  if (path === "/message:stream") return STREAM_ROUTE;
  const segments = (path.endsWith("/") ? path.slice(1, -1) : path.slice(1)).split("/");
  const [first = "", second] = segments;
  if (ROOTS.includes(first)) return matchSegments(segments, "");
  if (second === undefined || !ROOTS.includes(second)) return undefined;
  const tenant = percentDecode(first);
  return tenant === undefined || tenant === "" ? undefined : matchSegments(segments.slice(1), tenant);
}

function matchSegments(segments: readonly string[], tenant: string): RestRoute | undefined {
  const [root, id, collection, configId] = segments;
  if (segments.length === 1) {
    switch (root) {
      case "message:send":
        return { ...SEND, fields: NO_FIELDS, tenant };
      case "message:stream":
        return { ...STREAM, fields: NO_FIELDS, tenant };
      case "extendedAgentCard":
        return { ...CARD, fields: NO_FIELDS, tenant };
      default:
        return { ...TASKS, fields: NO_FIELDS, tenant };
    }
  }
  if (root !== "tasks" || id === undefined) return undefined;
  if (segments.length === 2) return matchTask(id, tenant);
  if (collection !== "pushNotificationConfigs") return undefined;
  if (segments.length === 3) return route(CONFIGS, { taskId: percentDecode(id) }, tenant);
  if (segments.length > 4 || configId === undefined) return undefined;
  return route(CONFIG, { taskId: percentDecode(id), id: percentDecode(configId) }, tenant);
}

// The verb is what follows the last literal colon; an id may hold encoded colons, and literal ones before it.
function matchTask(segment: string, tenant: string): RestRoute | undefined {
  const cut = segment.lastIndexOf(":");
  const verb = cut === -1 ? "" : segment.slice(cut + 1);
  if (verb === "cancel") return route(CANCEL, { id: percentDecode(segment.slice(0, cut)) }, tenant);
  if (verb === "subscribe") return route(SUBSCRIBE, { id: percentDecode(segment.slice(0, cut)) }, tenant);
  return route(TASK, { id: percentDecode(segment) }, tenant);
}

function route(
  { methods, allow }: Shape,
  decoded: Record<string, string | undefined>,
  tenant: string,
): RestRoute | undefined {
  const fields: Record<string, string> = {};
  for (const [name, value] of Object.entries(decoded)) {
    if (value === undefined || value === "") return undefined;
    fields[name] = value;
  }
  return { methods, allow, fields, tenant };
}
