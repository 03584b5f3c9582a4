/**
 * The server side of the HTTP+JSON binding: a path and a verb in, JSON or an event stream out.
 *
 * @see specification §11
 */
import { ANONYMOUS, type Call } from "../../operations/call.ts";
import type { A2AError, ErrorRow } from "../../operations/errors.ts";
import { METHODS } from "../../operations/methods.ts";
import { parseRequest } from "../../operations/parse-request.ts";
import type { EventStream, Service, StreamEvent } from "../../operations/service.ts";
import { decideVersion } from "../../operations/version.ts";
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
import { type HttpRefusal, unknownPath, wrongMethod } from "../http/refusal.ts";
import { answerHeaders, failureOf, report, streamHeaders } from "../http/respond.ts";
import { goodbyeError, openSse, type SseEncoding } from "../http/sse-writer.ts";
import { requireKnownTenant } from "../http/tenants.ts";
import { answerType, assembleRequest, REST_MEDIA_TYPES } from "./codec.ts";
import { encodeErrorBody } from "./errors.ts";
import { matchRoute, type RestRoute } from "./names.ts";
import { meantByPath, teachPath } from "./teach-path.ts";

/**
 * The HTTP+JSON binding of a service.
 *
 * @param service carries the operations out
 * @param options who may call, limits, log
 * @returns a handler that never rejects; `undefined` for every path that is not of §11.3
 */
export function createRestHandler(service: Service, options: HttpBindingOptions = {}): BindingHandler {
  return (request) => {
    const route = matchRoute(request.path);
    if (route === undefined) return undefined;
    return answer(request, route, service, options).catch((thrown: unknown) => refuse(request, thrown, options));
  };
}

/** The answer to a path that is nobody's, in the shape of this binding; says what is meant by paths of older versions. */
export function restNotFound(request: HttpRequest): HttpResponse {
  return refuse(request, unknownPath(request.path, teachPath(request.path)), {});
}

async function answer(
  request: HttpRequest,
  route: RestRoute,
  service: Service,
  options: HttpBindingOptions,
): Promise<HttpResponse> {
  // `/v1/…` is a path of 0.3, and never a tenant.
  if (route.tenant === "v1") throw unknownPath(request.path, teachPath(request.path));
  const method = route.methods[request.method];
  if (method === undefined) throw misdirected(request, route);
  const principal = isOpen(request, options) ? ANONYMOUS : await admit(request, options);
  const version = decideVersion(versionOf(request), options.versions);
  const text = request.method === "POST" ? await readBody(request, options) : "";
  const parsed = parseRequest(method, assembleRequest(method, route, request, text));
  requireKnownTenant(parsed.tenant, options.tenants);
  const call = httpCall(request, version, principal);
  const row = METHODS[method];
  const operation = service[row.operation] as (request: unknown, call: Call) => Promise<unknown>;
  const result = await operation.call(service, parsed, call);
  if (row.kind === "stream") return await streamResponse(request, result as EventStream, call, options);
  const contentType = answerType(request.header("accept"), request.header("content-type"));
  const headers = answerHeaders(contentType, call.activeExtensions);
  return {
    status: 200,
    headers: method === "GetExtendedAgentCard" ? { ...headers, "cache-control": "private" } : headers,
    body: result === undefined ? "{}" : (result as { readonly json: string }).json,
  };
}

/** An old path may look like one of ours, `/tasks/send` like the task `send`: the method tells them apart. */
function misdirected({ method, path }: HttpRequest, route: RestRoute): HttpRefusal {
  return meantByPath(path) === undefined ? wrongMethod(method, path, route.allow) : unknownPath(path, teachPath(path));
}

function readBody(request: HttpRequest, options: HttpBindingOptions): Promise<string> {
  const contentType = request.header("content-type");
  if (contentType !== undefined) requireMediaType(contentType, REST_MEDIA_TYPES);
  requirePlainBody(request.header("content-encoding"));
  const text = request.text(options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
  // Cancel and subscribe need no body, and then no type; a body without one is refused once it is known to be there.
  return contentType === undefined ? text.then(requireNone) : text;
}

function requireNone(text: string): string {
  if (text !== "") requireMediaType(undefined, REST_MEDIA_TYPES);
  return text;
}

const FRAMES: SseEncoding = {
  // The frame is the same for every subscriber of the event: it is made once and kept on it.
  frame(event: StreamEvent): string {
    event.memo ??= event.seq === undefined ? `data: ${event.json}\n\n` : `id: ${event.seq}\ndata: ${event.json}\n\n`;
    return event.memo;
  },
  errorFrame(error: A2AError): string {
    return `event: error\ndata: ${encodeErrorBody(error)}\n\n`;
  },
};

async function streamResponse(
  request: HttpRequest,
  events: EventStream,
  call: Call,
  options: HttpBindingOptions,
): Promise<HttpResponse> {
  const stream = await openSse(events, FRAMES, {
    heartbeatMs: options.heartbeatMs ?? DEFAULT_HEARTBEAT_MS,
    onError: (error) => report(options, { binding: "rest", operation: request.path, error }),
  });
  return {
    status: 200,
    headers: streamHeaders(call.activeExtensions),
    stream,
    goodbye: () => FRAMES.errorFrame(goodbyeError()),
  };
}

function statusOf(row: ErrorRow): number {
  return row.http;
}

function refuse(request: HttpRequest, thrown: unknown, options: HttpBindingOptions): HttpResponse {
  const { error, status, headers } = failureOf(thrown, request, options, statusOf);
  report(options, { binding: "rest", operation: request.path, error }, request);
  const contentType = answerType(request.header("accept"), request.header("content-type"));
  return { status, headers: { "content-type": contentType, ...headers }, body: encodeErrorBody(error, status) };
}
