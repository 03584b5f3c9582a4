/**
 * The server side of the JSON-RPC binding: one path, POST, an envelope in, an envelope or an event stream out.
 *
 * @see specification §9
 */
import { ANONYMOUS, type Call, type Principal } from "../../operations/call.ts";
import type { ErrorRow } from "../../operations/errors.ts";
import { METHODS } from "../../operations/methods.ts";
import { parseRequest } from "../../operations/parse-request.ts";
import type { EventStream, Service } from "../../operations/service.ts";
import { PROTOCOL_VERSION } from "../../operations/version.ts";
import {
  admit,
  DEFAULT_HEARTBEAT_MS,
  DEFAULT_MAX_BODY_BYTES,
  type HttpBindingOptions,
  isOpen,
} from "../http/binding-options.ts";
import type { BindingHandler, HttpRequest, HttpResponse } from "../http/exchange.ts";
import { httpCall, versionOf } from "../http/http-call.ts";
import { requireMediaType, requirePlainBody } from "../http/media-types.ts";
import { HttpRefusal, unknownPath, wrongMethod } from "../http/refusal.ts";
import { answerHeaders, failureOf, report, streamHeaders } from "../http/respond.ts";
import { goodbyeError, openSse } from "../http/sse-writer.ts";
import { requireKnownTenant } from "../http/tenants.ts";
import { type Envelope, parseEnvelope, RESULT_END, resultStart } from "./codec.ts";
import { encodeErrorResponse } from "./errors.ts";
import { isMethodName } from "./names.ts";
import { teachMethod, teachVersion } from "./teach-method.ts";

const MEDIA_TYPE = "application/json";
const MEDIA_TYPES: readonly string[] = [MEDIA_TYPE];

/** A refused caller's body is read this far, for the id that the refusal carries, and no further. */
const REFUSED_BODY_BYTES = 65_536;

const SUPPORTED: readonly string[] = [PROTOCOL_VERSION];

/** What is known of a request while it is answered: a refusal tells as much of it as there is. */
interface Exchange {
  readonly request: HttpRequest;
  /** JSON text; undefined for a notification once the envelope is read. */
  id: string | undefined;
  method: string | undefined;
}

/**
 * The JSON-RPC binding of a service. It answers at the base path, with or without a slash, and takes no other.
 *
 * @param service carries the operations out
 * @param options who may call, limits, log
 * @returns a handler that never rejects; `undefined` for every path but its own
 */
export function createJsonRpcHandler(service: Service, options: HttpBindingOptions = {}): BindingHandler {
  return (request) => {
    if (request.path !== "/" && request.path !== "") return undefined;
    const exchange: Exchange = { request, id: "null", method: undefined };
    return answer(exchange, service, options).catch((thrown: unknown) => refuse(exchange, thrown, options));
  };
}

/** The answer of an agent that speaks nothing but JSON-RPC to a path that is nobody's. */
export function jsonRpcNotFound(request: HttpRequest): HttpResponse {
  const exchange: Exchange = { request, id: "null", method: undefined };
  return refuse(exchange, unknownPath(request.path, "POST JSON-RPC to the interface URL of the agent card"), {});
}

async function answer(exchange: Exchange, service: Service, options: HttpBindingOptions): Promise<HttpResponse> {
  const { request } = exchange;
  if (request.method !== "POST") throw wrongMethod(request.method, request.path === "" ? "/" : request.path, "POST");
  const principal = isOpen(request, options) ? ANONYMOUS : await admitted(exchange, options);
  requireMediaType(request.header("content-type"), MEDIA_TYPES);
  requirePlainBody(request.header("content-encoding"));
  const text = await request.text(options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
  const { method, params } = readEnvelope(exchange, text);
  const call = httpCall(request, versionFor(request, method, options), principal);
  if (!isMethodName(method)) {
    const extra = options.extraMethod?.(method);
    if (extra === undefined) throw teachMethod(method);
    return plainAnswer(exchange, JSON.stringify(await extra(params, call)), call);
  }
  const parsed = parseRequest(method, params);
  requireKnownTenant(parsed.tenant, options.tenants);
  const { operation, kind } = METHODS[method];
  const result = await (service[operation] as Operation).call(service, parsed, call);
  if (kind === "stream") return await streamResponse(exchange, result as EventStream, call, options);
  return plainAnswer(exchange, result === undefined ? "{}" : (result as { readonly json: string }).json, call);
}

type Operation = (request: unknown, call: Call) => Promise<unknown>;

/** @throws VERSION_NOT_SUPPORTED */
function versionFor(request: HttpRequest, method: string, options: HttpBindingOptions): string {
  const requested = versionOf(request);
  const supported = options.versions ?? SUPPORTED;
  if (requested.version !== undefined && supported.includes(requested.version)) return requested.version;
  throw teachVersion(requested, supported, method);
}

function plainAnswer({ id }: Exchange, json: string, call: Call): HttpResponse {
  if (id === undefined) return NO_CONTENT;
  return {
    status: 200,
    headers: answerHeaders(MEDIA_TYPE, call.activeExtensions),
    body: resultStart(id) + json + RESULT_END,
  };
}

const NO_CONTENT: HttpResponse = { status: 204, headers: {} };

async function streamResponse(
  exchange: Exchange,
  events: EventStream,
  call: Call,
  options: HttpBindingOptions,
): Promise<HttpResponse> {
  const { id } = exchange;
  if (id === undefined) {
    await events[Symbol.asyncIterator]().return?.();
    return NO_CONTENT;
  }
  const start = `data: ${resultStart(id)}`;
  const end = `${RESULT_END}\n\n`;
  const stream = await openSse(
    events,
    {
      frame: (event) => (event.seq === undefined ? start : `id: ${event.seq}\n${start}`) + event.json + end,
      errorFrame: (error) => `data: ${encodeErrorResponse(id, error)}\n\n`,
    },
    {
      heartbeatMs: options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS,
      onError: (error) => report(options, { binding: "jsonrpc", operation: exchange.method, error }),
    },
  );
  return {
    status: 200,
    headers: streamHeaders(call.activeExtensions),
    stream,
    goodbye: () => `data: ${encodeErrorResponse(id, goodbyeError())}\n\n`,
  };
}

function readEnvelope(exchange: Exchange, text: string): Envelope {
  const envelope = parseEnvelope(text, (id) => {
    // A bad envelope without an id is no notification: the refusal must be seen.
    if (id !== undefined) exchange.id = id;
  });
  exchange.id = envelope.id;
  exchange.method = envelope.method;
  return envelope;
}

async function admitted(exchange: Exchange, options: HttpBindingOptions): Promise<Principal> {
  try {
    return await admit(exchange.request, options);
  } catch (denied) {
    await readRefused(exchange);
    throw denied;
  }
}

async function readRefused(exchange: Exchange): Promise<void> {
  try {
    readEnvelope(exchange, await exchange.request.text(REFUSED_BODY_BYTES));
  } catch {
    // Whatever is wrong with the body, the caller is told that it may not call.
  }
}

function statusOf(row: ErrorRow): number {
  return row.jsonRpcHttp;
}

function refuse(exchange: Exchange, thrown: unknown, options: HttpBindingOptions): HttpResponse {
  const { error, status, headers } = failureOf(thrown, exchange.request, options, statusOf);
  report(options, { binding: "jsonrpc", operation: exchange.method, error }, exchange.request);
  if (exchange.id === undefined && !(thrown instanceof HttpRefusal)) {
    return status === 200 ? NO_CONTENT : { status, headers };
  }
  return {
    status,
    headers: { "content-type": MEDIA_TYPE, ...headers },
    body: encodeErrorResponse(exchange.id ?? "null", error),
  };
}
