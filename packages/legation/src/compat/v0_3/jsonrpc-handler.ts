/**
 * The server side of the JSON-RPC of 0.3, at the same address as that of 1.0: the version of a request tells them apart.
 *
 * @see specification of 0.3, §3.2.1, §3.3.1, §7; specification of 1.0, §3.6
 */
import { admit, DEFAULT_MAX_BODY_BYTES, type HttpBindingOptions } from "../../bindings/http/binding-options.ts";
import type { HttpRequest, HttpResponse } from "../../bindings/http/exchange.ts";
import { httpCall, versionOf } from "../../bindings/http/http-call.ts";
import { requireMediaType, requirePlainBody } from "../../bindings/http/media-types.ts";
import { wrongMethod } from "../../bindings/http/refusal.ts";
import { failureOf, report } from "../../bindings/http/respond.ts";
import { requireKnownTenant } from "../../bindings/http/tenants.ts";
import { type Envelope, parseEnvelope, RESULT_END, resultStart } from "../../bindings/jsonrpc/codec.ts";
import { encodeErrorResponse } from "../../bindings/jsonrpc/errors.ts";
import { isMethodName } from "../../bindings/jsonrpc/names.ts";
import { A2AError } from "../../operations/errors.ts";
import { METHODS, type MethodName } from "../../operations/methods.ts";
import type { EventStream, Service } from "../../operations/service.ts";
import { PROTOCOL_VERSION, type RequestedVersion, versionNotSupported } from "../../operations/version.ts";
import { encodeOldError } from "./encode-old-error.ts";
import { methodOfOld } from "./old-methods.ts";
import { carryOutOld } from "./old-operations.ts";
import { OLD_VERSION } from "./old-words.ts";
import { readOldRequest } from "./read-old-request.ts";
import { answerOldJson, answerOldStream, writeOldAnswer } from "./serve-old-call.ts";

const SERVED: readonly string[] = [PROTOCOL_VERSION, OLD_VERSION];

/** A refused caller's body is read this far, for the id that the refusal carries. */
const REFUSED_BODY_BYTES = 65_536;

/** What is known of a request while it is answered. */
interface Exchange {
  readonly request: HttpRequest;
  /** JSON text; undefined for a notification once the envelope is read. */
  id: string | undefined;
  method: string | undefined;
}

/**
 * Answers what is posted to the base path in another version than 1.0: 0.3 is served, any other is refused with what
 * is served.
 *
 * @returns undefined, at once, for every other path and for calls of 1.0
 */
export function createOldJsonRpcHandler(
  service: Service,
  options: HttpBindingOptions,
): (request: HttpRequest) => Promise<HttpResponse> | undefined {
  return (request) => {
    if (request.path !== "/" && request.path !== "") return undefined;
    const requested = versionOf(request);
    if (requested.version === PROTOCOL_VERSION) return undefined;
    const exchange: Exchange = { request, id: "null", method: undefined };
    return answer(exchange, requested, service, options).catch((thrown: unknown) => refuse(exchange, thrown, options));
  };
}

async function answer(
  exchange: Exchange,
  requested: RequestedVersion,
  service: Service,
  options: HttpBindingOptions,
): Promise<HttpResponse> {
  const { request } = exchange;
  if (request.method !== "POST") throw wrongMethod(request.method, request.path === "" ? "/" : request.path, "POST");
  const principal = await admitted(exchange, options);
  requireMediaType(request.header("content-type"), ["application/json"]);
  requirePlainBody(request.header("content-encoding"));
  const text = await request.text(options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
  const { method: name, params } = readEnvelope(exchange, text);
  const method = methodFor(name, requested);
  const parsed = readOldRequest(method, params);
  requireKnownTenant(undefined, options.tenants);
  const call = httpCall(request, OLD_VERSION, principal);
  const value = await carryOutOld(service, method, parsed, call);
  const { id } = exchange;
  if (METHODS[method].kind === "unary") {
    if (id === undefined) return NO_CONTENT;
    const json = JSON.stringify(writeOldAnswer(method, value, "kind"));
    return answerOldJson(resultStart(id) + json + RESULT_END, call.activeExtensions);
  }
  const events = value as EventStream;
  if (id === undefined) {
    await events[Symbol.asyncIterator]().return?.();
    return NO_CONTENT;
  }
  return await answerOldStream(events, call.activeExtensions, options, {
    binding: "jsonrpc",
    operation: name,
    form: "kind",
    frame: (json) => `data: ${resultStart(id)}${json}${RESULT_END}\n\n`,
    errorFrame: (error) => `data: ${oldErrorResponse(id, error)}\n\n`,
  });
}

const NO_CONTENT: HttpResponse = { status: 204, headers: {} };

function methodFor(name: string, requested: RequestedVersion): MethodName {
  if (requested.version !== OLD_VERSION) throw versionNotSupported(requested, SERVED);
  const method = methodOfOld(name);
  if (method !== undefined) return method;
  if (isMethodName(name)) {
    const why = requested.sent === undefined ? "no A2A-Version was sent, which means 0.3" : "A2A-Version is 0.3";
    throw new A2AError(
      "VERSION_NOT_SUPPORTED",
      `${name} is a method of 1.0, and ${why}; send A2A-Version: 1.0 (supported: ${SERVED.join(", ")})`,
      { metadata: { requestedVersion: requested.sent ?? "", supportedVersions: SERVED.join(", ") } },
    );
  }
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
  throw new A2AError("METHOD_NOT_FOUND", `method ${shown} is none of 0.3; to call 1.0, send A2A-Version: 1.0`);
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

async function admitted(exchange: Exchange, options: HttpBindingOptions): ReturnType<typeof admit> {
  try {
    return await admit(exchange.request, options);
  } catch (denied) {
    try {
      readEnvelope(exchange, await exchange.request.text(REFUSED_BODY_BYTES));
    } catch {
      // Whatever is wrong with the body, the caller is told that it may not call.
    }
    throw denied;
  }
}

function refuse(exchange: Exchange, thrown: unknown, options: HttpBindingOptions): HttpResponse {
  const { error, status, headers } = failureOf(thrown, exchange.request, options, (row) => row.jsonRpcHttp);
  report(options, { binding: "jsonrpc", operation: exchange.method, error });
  if (exchange.id === undefined) return status === 200 ? NO_CONTENT : { status, headers };
  return {
    status,
    headers: { "content-type": "application/json", ...headers },
    // Whoever calls no method of 0.3 may well mean 1.0, and reads its form.
    body:
      methodOfOld(exchange.method ?? "") === undefined
        ? encodeErrorResponse(exchange.id, error)
        : oldErrorResponse(exchange.id, error),
  };
}

function oldErrorResponse(id: string, error: A2AError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${encodeOldError(error)}}`;
}
