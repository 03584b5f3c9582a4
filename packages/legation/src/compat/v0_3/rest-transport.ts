/**
 * The client side of the HTTP+JSON of 0.3. Bodies are written in the spelling of `a2a.v1`, which the SDKs of 0.3 read;
 * answers are read in both.
 *
 * @see specification of 0.3, §3.2.3, §7
 */
import { openIncoming, singleEvent } from "../../bindings/http/incoming-stream.ts";
import {
  DEFAULT_MAX_RESPONSE_BYTES,
  discard,
  type FetchResponse,
  readText,
  retryAfter,
  send,
} from "../../bindings/http/outgoing.ts";
import type { SseMessage } from "../../bindings/http/sse-reader.ts";
import {
  foreignResponse,
  globalFetch,
  isEventStream,
  isJson,
  parseBody,
  serviceOf,
  type TransportOptions,
  withChallenge,
} from "../../bindings/http/transport.ts";
import { decodeErrorObject } from "../../bindings/jsonrpc/errors.ts";
import { decodeErrorBody } from "../../bindings/rest/errors.ts";
import type { SendMessageRequest, StreamResponse, TaskPushNotificationConfig } from "../../model/gen/types.ts";
import type { JsonObject } from "../../model/json.ts";
import { isObject } from "../../model/notes.ts";
import type { Call } from "../../operations/call.ts";
import { A2AError, ERROR_TABLE } from "../../operations/errors.ts";
import type { MethodName } from "../../operations/methods.ts";
import { payloadOfValue } from "../../operations/payload.ts";
import type { Service } from "../../operations/service.ts";
import { canonicalRequest } from "./canonical-request.ts";
import { codeOfClass } from "./old-error-codes.ts";
import { noteOldExtensions, oldHeaders } from "./old-headers.ts";
import { oldRouteOf } from "./old-routes.ts";
import { notInOld, readOldAnswer, readOldEvent } from "./read-old-answer.ts";
import { lengthFor, writeOldRegistration, writeOldSend } from "./write-old-request.ts";

/**
 * A Service that calls an agent over the HTTP+JSON of 0.3. ListTasks, which its SDKs do not have, is
 * UNSUPPORTED_OPERATION.
 *
 * @param options URL, fetch, headers, limits; a tenant is not sent, for 0.3 has none
 */
export function createOldRestTransport(options: TransportOptions): Service {
  async function exchange(method: MethodName, given: object, call: Call, verb?: string): Promise<FetchResponse> {
    const route = oldRouteOf(method, given);
    if (route === undefined) throw notInOld(method);
    const request = canonicalRequest(method, given);
    const used = verb ?? route.verb;
    const body = used === "POST" ? bodyOf(method, request) : undefined;
    const headers = await oldHeaders(options, call, {
      accept: isStreaming(method) ? "text/event-stream, application/json" : "application/json",
      ...(used === "POST" ? { "content-type": "application/json" } : {}),
    });
    const query = method === "GetTask" ? `?historyLength=${lengthFor(lengthIn(request))}` : "";
    const response = await send(options.fetch ?? globalFetch, options.url.replace(/\/+$/, "") + route.path + query, {
      method: used,
      headers,
      redirect: "manual",
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });
    noteOldExtensions(response, call);
    return response;
  }

  async function bodyIn(response: FetchResponse, call: Call): Promise<unknown> {
    const maxBytes = options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
    const text = await readText(response, options.url, { maxBytes, signal: call.signal });
    const isGood = response.status >= 200 && response.status < 300;
    if (isGood && text === "") return {};
    const foreign = () => foreignResponse(response, options.url);
    if (!isJson(response)) throw foreign();
    const body = parseBody(text, foreign);
    if (isGood) return body;
    const error = decodeOldError(body, response.status, retryAfter(response));
    throw error === undefined ? foreign() : withChallenge(error, response);
  }

  return serviceOf({
    async unary(method, request, call) {
      const answer = await bodyIn(await exchange(method, request, call), call);
      const value = readOldAnswer(method, request, answer, options.onWarning);
      return value === undefined ? undefined : payloadOfValue(value);
    },
    async stream(method, request, call) {
      let response = await exchange(method, request, call);
      if (method === "SubscribeToTask" && isWrongVerb(response)) {
        await discard(response);
        response = await exchange(method, request, call, "GET");
      }
      if (!isEventStream(response)) {
        return singleEvent(readOldEvent(await bodyIn(response, call), options.onWarning));
      }
      return openIncoming(response, {
        url: options.url,
        signal: call.signal,
        maxEventChars: options.maxEventChars,
        read: (message) => readFrame(message, options),
      });
    },
  });
}

/** True where the agent has GET alone, as the proto says; a 404 may be of the task, and says so in JSON then. */
function isWrongVerb(response: FetchResponse): boolean {
  return response.status === 405 || ([404, 501].includes(response.status) && !isJson(response));
}

function isStreaming(method: MethodName): boolean {
  return method === "SendStreamingMessage" || method === "SubscribeToTask";
}

function lengthIn(request: object): number | undefined {
  return (request as { readonly historyLength?: number }).historyLength;
}

function bodyOf(method: MethodName, request: object): JsonObject {
  switch (method) {
    case "SendMessage":
    case "SendStreamingMessage":
      return writeOldSend(request as SendMessageRequest, "proto");
    case "CreateTaskPushNotificationConfig":
      return writeOldRegistration(request as TaskPushNotificationConfig);
    default:
      return { name: `tasks/${(request as { readonly id?: string }).id ?? ""}` };
  }
}

/** An error in any of the shapes that 0.3 left open; undefined for a body that is none. */
function decodeOldError(body: unknown, status: number, retryAfterSeconds?: number): A2AError | undefined {
  if (!isObject(body)) return undefined;
  const { code, type, message } = body;
  if (typeof code === "number" && code < 0) return decodeErrorObject(body, retryAfterSeconds);
  const named = codeOfClass(type);
  if (named !== undefined) {
    return decodeErrorObject({ code: ERROR_TABLE[named].jsonRpc, message }, retryAfterSeconds);
  }
  const known = decodeErrorBody(body, status, retryAfterSeconds);
  if (known !== undefined || typeof message !== "string") return known;
  return decodeErrorBody({ error: { message } }, status, retryAfterSeconds);
}

function readFrame({ data, event }: SseMessage, options: TransportOptions): StreamResponse {
  const body = parseBody(
    data,
    () => new A2AError("INVALID_AGENT_RESPONSE", "the agent sent an event that is not JSON; expected one of 0.3"),
  );
  if (event === "error" || (isObject(body) && typeof body["code"] === "number")) {
    throw decodeOldError(body, 200) ?? new A2AError("INTERNAL", "the agent sent an error event without an error");
  }
  return readOldEvent(body, options.onWarning);
}
