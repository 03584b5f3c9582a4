/**
 * The names of methods on the gRPC binding: the path of a method, and what is meant by paths that are none.
 *
 * @see specification §5.3, §10.3
 */
import { METHODS, type MethodName } from "../../operations/methods.ts";

/** How a card names this binding (§4.4.6). */
export const GRPC_BINDING = "GRPC";

/** The full name of the service. */
export const GRPC_SERVICE = "lf.a2a.v1.A2AService";

const PREFIX = `/${GRPC_SERVICE}/`;

const BY_PATH: ReadonlyMap<string, MethodName> = new Map(
  (Object.keys(METHODS) as MethodName[]).map((method) => [PREFIX + method, method]),
);

/** The path of a method. */
export function pathOf(method: MethodName): string {
  return PREFIX + method;
}

/** The method of a path; undefined for a path that is not of this service. */
export function methodOfPath(path: string): MethodName | undefined {
  return BY_PATH.get(path);
}

/** Names that methods had before, on this binding or on JSON-RPC, in letters alone. */
const FORMER: Readonly<Record<string, MethodName>> = {
  tasksubscription: "SubscribeToTask",
  tasksresubscribe: "SubscribeToTask",
  resubscribe: "SubscribeToTask",
  getagentcard: "GetExtendedAgentCard",
  getauthenticatedextendedcard: "GetExtendedAgentCard",
  listtaskpushnotificationconfig: "ListTaskPushNotificationConfigs",
  settaskpushnotificationconfig: "CreateTaskPushNotificationConfig",
  messagesend: "SendMessage",
  sendtask: "SendMessage",
  messagestream: "SendStreamingMessage",
  sendmessagestream: "SendStreamingMessage",
  tasksget: "GetTask",
  tasklist: "ListTasks",
  taskslist: "ListTasks",
  taskscancel: "CancelTask",
};

/** The method that a name probably means: one of before, or the same letters in another case. */
function meantBy(name: string): MethodName | undefined {
  const letters = name.replaceAll(/[^A-Za-z]/g, "").toLowerCase();
  const same = (Object.keys(METHODS) as MethodName[]).find((method) => method.toLowerCase() === letters);
  return same ?? (Object.hasOwn(FORMER, letters) ? FORMER[letters] : undefined);
}

/**
 * A hint for the caller of an unknown method.
 *
 * @param path as it came
 * @returns a clause for the message
 */
export function teachMethod(path: string): string {
  const [, service = "", ...names] = path.split("/");
  const meant = meantBy(names.join("/").slice(0, 80));
  if (service === GRPC_SERVICE) return meant === undefined ? `see ${GRPC_SERVICE} by reflection` : `use ${meant}`;
  if (/^a2a\.v1(alpha)?\.A2AService$/.test(service)) {
    return `that is the service of 0.3; use ${GRPC_SERVICE}${meant === undefined ? "" : `/${meant}`} with a2a-version: 1.0`;
  }
  return `the service is ${GRPC_SERVICE}`;
}
