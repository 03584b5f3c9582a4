/**
 * The client side of the JSON-RPC binding.
 *
 * @see specification §9
 */
import type { StreamResponse } from "../../model/gen/types.ts";
import type { Call } from "../../operations/call.ts";
import { A2AError } from "../../operations/errors.ts";
import type { MethodName } from "../../operations/methods.ts";
import { parseAnswer, parseStreamAnswer } from "../../operations/parse-answer.ts";
import { type Payload, payloadOfValue } from "../../operations/payload.ts";
import type { EventStream, Service } from "../../operations/service.ts";
import { openIncoming, singleEvent } from "../http/incoming-stream.ts";
import { DEFAULT_MAX_RESPONSE_BYTES, type FetchResponse, readText, retryAfter, send } from "../http/outgoing.ts";
import {
  callHeaders,
  foreignResponse,
  globalFetch,
  isEventStream,
  isJson,
  noteExtensions,
  parseBody,
  serviceOf,
  type TransportOptions,
  withChallenge,
  withTenant,
} from "../http/transport.ts";
import { encodeRequest } from "./codec.ts";
import { decodeErrorObject } from "./errors.ts";

/**
 * A Service that calls an agent over JSON-RPC.
 *
 * Nothing is retried. Answers are read leniently; errors that the agent sends are thrown as A2AError, everything else
 * that goes wrong as LocalError.
 *
 * @param options URL, tenant, fetch, headers, limits
 */
export function createJsonRpcTransport(options: TransportOptions): Service {
  let lastId = 0;

  async function post(method: MethodName, request: object, call: Call, accept: string): Promise<FetchResponse> {
    const headers = await callHeaders(options, call, { "content-type": "application/json", accept });
    lastId++;
    const body = encodeRequest(lastId, method, JSON.stringify(withTenant(request, options.tenant)));
    const response = await send(options.fetch ?? globalFetch, options.url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    });
    noteExtensions(response, call);
    return response;
  }

  async function plainResult(response: FetchResponse, call: Call): Promise<unknown> {
    const maxBytes = options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
    const text = await readText(response, options.url, { maxBytes, signal: call.signal });
    const foreign = () => foreignResponse(response, options.url);
    if (!isJson(response)) throw foreign();
    const body = parseBody(text, foreign);
    if (typeof body !== "object" || body === null) throw foreign();
    if ("error" in body && body.error !== null && body.error !== undefined) {
      throw withChallenge(decodeErrorObject(body.error, retryAfter(response)), response);
    }
    if ("result" in body) return body.result;
    throw foreign();
  }

  return serviceOf({
    async unary(method, request, call): Promise<Payload<unknown> | undefined> {
      const response = await post(method, request, call, "application/json");
      const value = parseAnswer(method, await plainResult(response, call), options.onWarning);
      return value === undefined ? undefined : payloadOfValue(value);
    },
    async stream(method, request, call): Promise<EventStream> {
      const response = await post(method, request, call, "text/event-stream, application/json");
      if (!isEventStream(response)) {
        return singleEvent(parseStreamAnswer(await plainResult(response, call), options.onWarning));
      }
      return openIncoming(response, {
        url: options.url,
        signal: call.signal,
        maxEventChars: options.maxEventChars,
        read: ({ data }) => readEvent(data, options),
      });
    },
  });
}

function readEvent(data: string, options: TransportOptions): StreamResponse {
  const body = parseBody(
    data,
    () =>
      new A2AError("INVALID_AGENT_RESPONSE", "the agent sent an event that is not JSON; expected a JSON-RPC response"),
  );
  if (typeof body === "object" && body !== null) {
    if ("error" in body && body.error !== null && body.error !== undefined) throw decodeErrorObject(body.error);
    if ("result" in body) return parseStreamAnswer(body.result, options.onWarning);
  }
  throw new A2AError(
    "INVALID_AGENT_RESPONSE",
    'the agent sent an event that is no JSON-RPC response; expected {"jsonrpc":"2.0","id":…,"result":{…}}',
  );
}
