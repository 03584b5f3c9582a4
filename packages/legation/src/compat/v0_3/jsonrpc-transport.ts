/**
 * The client side of the JSON-RPC of 0.3.
 *
 * @see specification of 0.3, §3.2.1, §7
 */
import { openIncoming, singleEvent } from "../../bindings/http/incoming-stream.ts";
import {
  DEFAULT_MAX_RESPONSE_BYTES,
  type FetchResponse,
  readText,
  retryAfter,
  send,
} from "../../bindings/http/outgoing.ts";
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
import type { StreamResponse } from "../../model/gen/types.ts";
import { isObject } from "../../model/notes.ts";
import type { Call } from "../../operations/call.ts";
import { A2AError } from "../../operations/errors.ts";
import type { MethodName } from "../../operations/methods.ts";
import { payloadOfValue } from "../../operations/payload.ts";
import type { Service } from "../../operations/service.ts";
import { canonicalRequest } from "./canonical-request.ts";
import { noteOldExtensions, oldHeaders } from "./old-headers.ts";
import { oldNameOf } from "./old-methods.ts";
import { notInOld, readOldAnswer, readOldEvent } from "./read-old-answer.ts";
import { writeOldParams } from "./write-old-request.ts";

/**
 * A Service that calls an agent over the JSON-RPC of 0.3. ListTasks, which 0.3 does not have, is UNSUPPORTED_OPERATION.
 *
 * @param options URL, fetch, headers, limits; a tenant is not sent, for 0.3 has none
 */
export function createOldJsonRpcTransport(options: TransportOptions): Service {
  let lastId = 0;

  async function post(method: MethodName, request: object, call: Call, accept: string): Promise<FetchResponse> {
    const name = oldNameOf(method);
    if (name === undefined) throw notInOld(method);
    const params = writeOldParams(method, canonicalRequest(method, request));
    const headers = await oldHeaders(options, call, { "content-type": "application/json", accept });
    lastId++;
    const response = await send(options.fetch ?? globalFetch, options.url, {
      method: "POST",
      headers,
      body: JSON.stringify({ jsonrpc: "2.0", id: lastId, method: name, params }),
      redirect: "manual",
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });
    noteOldExtensions(response, call);
    return response;
  }

  async function resultOf(response: FetchResponse, call: Call): Promise<unknown> {
    const maxBytes = options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
    const text = await readText(response, options.url, { maxBytes, signal: call.signal });
    const foreign = () => foreignResponse(response, options.url);
    const body = parseBody(text, foreign);
    // Agents made with the Go SDK name no type, and what answers for them takes it for text.
    if (!isJson(response) && !(isObject(body) && body["jsonrpc"] === "2.0")) throw foreign();
    const error = errorIn(body);
    if (error !== undefined) throw withChallenge(decodeErrorObject(error, retryAfter(response)), response);
    if (!isObject(body) || !("result" in body)) throw foreign();
    return body["result"];
  }

  return serviceOf({
    async unary(method, request, call) {
      const response = await post(method, request, call, "application/json");
      const value = readOldAnswer(method, request, await resultOf(response, call), options.onWarning);
      return value === undefined ? undefined : payloadOfValue(value);
    },
    async stream(method, request, call) {
      const response = await post(method, request, call, "text/event-stream, application/json");
      if (!isEventStream(response)) {
        return singleEvent(readOldEvent(await resultOf(response, call), options.onWarning));
      }
      return openIncoming(response, {
        url: options.url,
        signal: call.signal,
        maxEventChars: options.maxEventChars,
        read: ({ data }) => readFrame(data, options),
      });
    },
  });
}

function errorIn(body: unknown): unknown {
  return isObject(body) ? (body["error"] ?? undefined) : undefined;
}

function readFrame(data: string, options: TransportOptions): StreamResponse {
  const noResponse = () =>
    new A2AError("INVALID_AGENT_RESPONSE", "the agent sent an event that is no JSON-RPC response of 0.3");
  const body = parseBody(data, noResponse);
  const error = errorIn(body);
  if (error !== undefined) throw decodeErrorObject(error);
  if (!isObject(body) || !("result" in body)) throw noResponse();
  return readOldEvent(body["result"], options.onWarning);
}
