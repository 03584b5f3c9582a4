/** What a client under test did: its requests, one by one, and what they were answered. */
import { GRPC_SERVICE, methodOfPath } from "../bindings/grpc/names.ts";
import { isJsonObject } from "../model/json.ts";
import { METHODS, type MethodName } from "../operations/methods.ts";
import { textAt, valueAt } from "./json-path.ts";
import type { BindingName } from "./raw-reply.ts";

/** One request as it came, and its answer as far as it went. */
export interface ClientExchange {
  readonly method: string;
  /** Below the URL of the interface, with a leading slash; of gRPC the path of the method. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: string;
  readonly status: number;
  /** The answer, of a stream all that was read of it. */
  answer: string;
  /** True for an answer that was an event stream. */
  readonly isStream: boolean;
  /** Wall time in ms. */
  readonly at: number;
}

/** A request for an operation, understood. */
export interface ClientOperation {
  readonly exchange: ClientExchange;
  readonly binding: BindingName;
  /** Undefined for a method, called by name, that is none of the eleven. */
  readonly method: MethodName | undefined;
  /** The tenant that the request names, in path, query or body. */
  readonly tenant: string | undefined;
  /** The request message: params of JSON-RPC, the body of HTTP+JSON, the message of gRPC as JSON. */
  readonly params: unknown;
}

/** Traffic of one client, sorted. */
export interface ClientTraffic {
  readonly operations: readonly ClientOperation[];
  readonly cards: readonly ClientExchange[];
  /** Requests to paths where nothing is. */
  readonly strays: readonly ClientExchange[];
}

const REST_PATHS: readonly (readonly [RegExp, MethodName])[] = [
  [/^POST (?:\/([^/]+))?\/message:send$/, "SendMessage"],
  [/^POST (?:\/([^/]+))?\/message:stream$/, "SendStreamingMessage"],
  [/^GET (?:\/([^/]+))?\/tasks$/, "ListTasks"],
  [/^GET (?:\/([^/]+))?\/extendedAgentCard$/, "GetExtendedAgentCard"],
  [/^POST (?:\/([^/]+))?\/tasks\/[^/]+:cancel$/, "CancelTask"],
  [/^(?:GET|POST) (?:\/([^/]+))?\/tasks\/[^/]+:subscribe$/, "SubscribeToTask"],
  [/^POST (?:\/([^/]+))?\/tasks\/[^/]+\/pushNotificationConfigs$/, "CreateTaskPushNotificationConfig"],
  [/^GET (?:\/([^/]+))?\/tasks\/[^/]+\/pushNotificationConfigs$/, "ListTaskPushNotificationConfigs"],
  [/^GET (?:\/([^/]+))?\/tasks\/[^/]+\/pushNotificationConfigs\/[^/]+$/, "GetTaskPushNotificationConfig"],
  [/^DELETE (?:\/([^/]+))?\/tasks\/[^/]+\/pushNotificationConfigs\/[^/]+$/, "DeleteTaskPushNotificationConfig"],
  [/^GET (?:\/([^/]+))?\/tasks\/[^/]+$/, "GetTask"],
];

/** Sorts what came. */
export function sortTraffic(exchanges: readonly ClientExchange[]): ClientTraffic {
  const operations: ClientOperation[] = [];
  const cards: ClientExchange[] = [];
  const strays: ClientExchange[] = [];
  for (const exchange of exchanges) {
    const operation = grpcOperation(exchange) ?? restOperation(exchange) ?? rpcOperation(exchange);
    if (operation !== undefined) operations.push(operation);
    else if (/\/\.well-known\/agent(-card)?\.json$/.test(exchange.path)) cards.push(exchange);
    else strays.push(exchange);
  }
  return { operations, cards, strays };
}

function grpcOperation(exchange: ClientExchange): ClientOperation | undefined {
  const isGrpc = exchange.headers["content-type"]?.startsWith("application/grpc") === true;
  if (!isGrpc || !exchange.path.startsWith(`/${GRPC_SERVICE}/`)) return undefined;
  const params = parse(exchange.body);
  return { exchange, binding: "grpc", method: methodOfPath(exchange.path), params, tenant: textAt(params, "tenant") };
}

function restOperation(exchange: ClientExchange): ClientOperation | undefined {
  const line = `${exchange.method} ${exchange.path}`;
  for (const [form, method] of REST_PATHS) {
    const found = form.exec(line);
    if (found === null) continue;
    const params = parse(exchange.body);
    const inQuery = new URLSearchParams(exchange.query).get("tenant") ?? undefined;
    const tenant = found[1] === undefined ? undefined : decodeURIComponent(found[1]);
    return { exchange, binding: "rest", method, params, tenant: tenant ?? inQuery ?? textAt(params, "tenant") };
  }
  return undefined;
}

function rpcOperation(exchange: ClientExchange): ClientOperation | undefined {
  if (exchange.method !== "POST" || exchange.path !== "/") return undefined;
  const envelope = parse(exchange.body);
  const name = textAt(envelope, "method");
  const method = name !== undefined && Object.hasOwn(METHODS, name) ? (name as MethodName) : undefined;
  const params = valueAt(envelope, "params");
  return { exchange, binding: "jsonrpc", method, params, tenant: textAt(params, "tenant") };
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
