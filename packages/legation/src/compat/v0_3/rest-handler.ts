/**
 * The server side of the HTTP+JSON of 0.3: the paths below `/v1`.
 *
 * Bodies are read in both spellings. Answers are in the one of `a2a.v1`, which the SDKs of 0.3 read, but to a message
 * that was sent with `kind`s, they have them too.
 *
 * @see specification of 0.3, §3.2.3, §3.5.6, §7
 */
import { admit, DEFAULT_MAX_BODY_BYTES, type HttpBindingOptions } from "../../bindings/http/binding-options.ts";
import type { HttpRequest, HttpResponse } from "../../bindings/http/exchange.ts";
import { httpCall, versionOf } from "../../bindings/http/http-call.ts";
import { requireMediaType, requirePlainBody } from "../../bindings/http/media-types.ts";
import { parseQuery } from "../../bindings/http/query.ts";
import { unknownPath, wrongMethod } from "../../bindings/http/refusal.ts";
import { failureOf, report } from "../../bindings/http/respond.ts";
import { requireKnownTenant } from "../../bindings/http/tenants.ts";
import { isObject, type Loose } from "../../model/notes.ts";
import { A2AError } from "../../operations/errors.ts";
import { METHODS, type MethodName } from "../../operations/methods.ts";
import type { EventStream, Service } from "../../operations/service.ts";
import { encodeOldError } from "./encode-old-error.ts";
import { carryOutOld } from "./old-operations.ts";
import { matchOldRoute, type OldRoute } from "./old-routes.ts";
import { OLD_VERSION, type OldForm } from "./old-words.ts";
import { readOldRegistration } from "./read-old-registration.ts";
import { readOldRequest } from "./read-old-request.ts";
import { answerOldJson, answerOldStream, writeOldAnswer } from "./serve-old-call.ts";

/**
 * Answers the paths below `/v1` to callers who speak 0.3.
 *
 * @returns undefined, at once, for every other path and for callers of another version
 */
export function createOldRestHandler(
  service: Service,
  options: HttpBindingOptions,
): (request: HttpRequest) => Promise<HttpResponse> | undefined {
  return (request) => {
    if (!request.path.startsWith("/v1/") || versionOf(request).version !== OLD_VERSION) return undefined;
    return answer(request, service, options).catch((thrown: unknown) => refuse(request, thrown, options));
  };
}

async function answer(request: HttpRequest, service: Service, options: HttpBindingOptions): Promise<HttpResponse> {
  const route = matchOldRoute(request.path.slice("/v1".length));
  if (route === undefined) throw unknownPath(request.path, "see §3.5.6 of the specification of 0.3");
  const method = route.methods[request.method];
  if (method === undefined) throw wrongMethod(request.method, request.path, Object.keys(route.methods).join(", "));
  const principal = await admit(request, options);
  const body = request.method === "POST" ? await readBody(request, options) : {};
  const form = formOf(body);
  const parsed = readOldRequest(method, paramsOf(method, route, body, request.query));
  requireKnownTenant(undefined, options.tenants);
  const call = httpCall(request, OLD_VERSION, principal);
  const value = await carryOutOld(service, method, parsed, call);
  if (METHODS[method].kind === "unary") {
    const written = method === "DeleteTaskPushNotificationConfig" ? {} : writeAnswer(method, value, form);
    return answerOldJson(JSON.stringify(written), call.activeExtensions);
  }
  return await answerOldStream(value as EventStream, call.activeExtensions, options, {
    binding: "rest",
    operation: request.path,
    form,
    frame: (json) => `data: ${json}\n\n`,
    errorFrame: (error) => `event: error\ndata: ${encodeOldError(error)}\n\n`,
  });
}

function writeAnswer(method: MethodName, value: unknown, form: OldForm): unknown {
  const written = writeOldAnswer(method, value, form);
  // §7.1: {task} or {message}, whatever is in them.
  if (method !== "SendMessage" || form === "proto" || !isObject(written)) return written;
  return written["kind"] === "task" ? { task: written } : { message: written };
}

async function readBody(request: HttpRequest, options: HttpBindingOptions): Promise<Loose> {
  requirePlainBody(request.header("content-encoding"));
  const text = await request.text(options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
  if (text.trim() === "") return {};
  requireMediaType(request.header("content-type"), ["application/json", "application/a2a+json"]);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    // The engine's own message quotes the body, so it stays here.
    throw new A2AError("PARSE_ERROR", "the body is not valid JSON");
  }
  if (body === null) return {};
  if (!isObject(body)) throw new A2AError("INVALID_REQUEST", "the body is not an object");
  if ("jsonrpc" in body && "method" in body) {
    throw new A2AError("INVALID_REQUEST", "this is a JSON-RPC request; post it to the JSON-RPC interface of the card");
  }
  return body;
}

function formOf(body: Loose): OldForm {
  const message = body["message"] ?? body["request"];
  return isObject(message) && (message["kind"] !== undefined || Array.isArray(message["parts"])) ? "kind" : "proto";
}

/** The params that the same call has on JSON-RPC. */
function paramsOf(method: MethodName, { taskId: id, configId }: OldRoute, body: Loose, query: string): Loose {
  switch (method) {
    case "SendMessage":
    case "SendStreamingMessage":
      return body;
    case "GetTask":
      return { id, ...parseQuery(query, { historyLength: "number" }) };
    case "CancelTask":
      return { id, metadata: body["metadata"] };
    case "CreateTaskPushNotificationConfig":
      return { ...readOldRegistration(body), taskId: id };
    default:
      return { id, pushNotificationConfigId: configId };
  }
}

function refuse(request: HttpRequest, thrown: unknown, options: HttpBindingOptions): HttpResponse {
  const { error, status, headers } = failureOf(thrown, request, options, (row) => row.http);
  report(options, { binding: "rest", operation: request.path, error });
  return { status, headers: { "content-type": "application/json", ...headers }, body: encodeOldError(error) };
}
