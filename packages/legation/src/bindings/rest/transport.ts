/**
 * The client side of the HTTP+JSON binding.
 *
 * @see specification §11
 */
import type { StreamResponse } from "../../model/gen/types.ts";
import type { Call } from "../../operations/call.ts";
import { A2AError } from "../../operations/errors.ts";
import type { MethodName } from "../../operations/methods.ts";
import { parseAnswer, parseStreamAnswer } from "../../operations/parse-answer.ts";
import { type Payload, payloadOfValue } from "../../operations/payload.ts";
import type { EventStream, Service } from "../../operations/service.ts";
import { openIncoming, singleEvent } from "../http/incoming-stream.ts";
import {
  DEFAULT_MAX_RESPONSE_BYTES,
  discard,
  type FetchResponse,
  readText,
  retryAfter,
  send,
} from "../http/outgoing.ts";
import { encodeQuery } from "../http/query.ts";
import type { SseMessage } from "../http/sse-reader.ts";
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
import { A2A_JSON, PLAIN_JSON, QUERY_FIELDS } from "./codec.ts";
import { decodeErrorBody } from "./errors.ts";
import { routeOf } from "./routes.ts";

/**
 * A Service that calls an agent over HTTP+JSON.
 *
 * Nothing is retried, but for `:subscribe`, which is tried by GET where POST does not exist. Answers are read
 * leniently; errors that the agent sends are thrown as A2AError, everything else that goes wrong as LocalError.
 *
 * @param options URL, tenant, fetch, headers, limits
 */
export function createRestTransport(options: TransportOptions): Service {
  return serviceOf({
    async unary(method, request, call): Promise<Payload<unknown> | undefined> {
      const response = await exchange(options, { method, request, call, accept: ACCEPT_JSON });
      const body = await readJson(response, options, call);
      const value = parseAnswer(method, body, options.onWarning);
      return value === undefined ? undefined : payloadOfValue(value);
    },
    async stream(method, request, call): Promise<EventStream> {
      const outgoing: Outgoing = { method, request, call, accept: `text/event-stream, ${ACCEPT_JSON}` };
      let response = await exchange(options, outgoing);
      if (method === "SubscribeToTask" && (await isWrongVerb(response, options, call))) {
        response = await exchange(options, { ...outgoing, verb: "GET" });
      }
      if (!isEventStream(response)) {
        return singleEvent(parseStreamAnswer(await readJson(response, options, call), options.onWarning));
      }
      return openIncoming(response, {
        url: options.url,
        signal: call.signal,
        maxEventChars: options.maxEventChars,
        read: (message) => readEvent(message, options),
      });
    },
  });
}

const ACCEPT_JSON = `${A2A_JSON}, ${PLAIN_JSON}`;

interface Outgoing {
  readonly method: MethodName;
  /** In the place of the verb of the route. */
  readonly verb?: string;
  readonly request: object;
  readonly call: Call;
  readonly accept: string;
}

async function exchange(options: TransportOptions, outgoing: Outgoing): Promise<FetchResponse> {
  const { method, call } = outgoing;
  const tenant = options.tenant ?? "";
  const request = withTenant(outgoing.request, tenant);
  const route = routeOf(method, request, tenant);
  const { verb = route.verb } = outgoing;
  const query = verb === "POST" ? "" : encodeQuery(request, queryFields(method, tenant));
  const url = urlOf(options.url, route.path, query);
  const more = verb === "POST" ? { "content-type": A2A_JSON, accept: outgoing.accept } : { accept: outgoing.accept };
  const response = await send(options.fetch ?? globalFetch, url, {
    method: verb,
    headers: await callHeaders(options, call, more),
    redirect: "manual",
    ...(verb === "POST" ? { body: JSON.stringify(request) } : {}),
    ...(call.signal === undefined ? {} : { signal: call.signal }),
  });
  noteExtensions(response, call);
  return response;
}

// The tenant stands in the path where the interface has one; in the query only where the caller names it itself.
function queryFields(method: MethodName, tenant: string): readonly string[] {
  const fields = Object.keys(QUERY_FIELDS[method] ?? {});
  return tenant === "" ? fields : fields.filter((field) => field !== "tenant");
}

function urlOf(base: string, path: string, query: string): string {
  const cut = base.indexOf("?");
  const [front, own] = cut === -1 ? [base, ""] : [base.slice(0, cut), base.slice(cut + 1)];
  const joined = own === "" ? query : `?${own}${query.replace("?", "&")}`;
  return front.replace(/\/+$/, "") + path + joined;
}

async function isWrongVerb(response: FetchResponse, options: TransportOptions, call: Call): Promise<boolean> {
  const { status } = response;
  if (status === 405 || status === 501) {
    await discard(response);
    return true;
  }
  if (status !== 404) return false;
  if (!isJson(response)) {
    await discard(response);
    return true;
  }
  // A task that is not there is 404 too, and then GET would only ask again.
  const error = await readJson(response, options, call).catch((thrown: unknown) => thrown);
  if (error instanceof A2AError && error.code === "TASK_NOT_FOUND") throw error;
  return true;
}

async function readJson(response: FetchResponse, options: TransportOptions, call: Call): Promise<unknown> {
  const maxBytes = options.maxResponseBytes ?? DEFAULT_MAX_RESPONSE_BYTES;
  const text = await readText(response, options.url, { maxBytes, signal: call.signal });
  const ok = response.status >= 200 && response.status < 300;
  // An answer without content is how some agents say that a webhook is deleted.
  if (ok && text === "") return {};
  const foreign = () => foreignResponse(response, options.url);
  if (!isJson(response)) throw foreign();
  const body = parseBody(text, foreign);
  if (ok) return body;
  const error = decodeErrorBody(body, response.status, retryAfter(response));
  throw error === undefined ? foreign() : withChallenge(error, response);
}

function readEvent({ data, event }: SseMessage, options: TransportOptions): StreamResponse {
  const body = parseBody(
    data,
    () => new A2AError("INVALID_AGENT_RESPONSE", "the agent sent an event that is not JSON; expected a StreamResponse"),
  );
  if (event === "error" || (typeof body === "object" && body !== null && "error" in body)) {
    throw decodeErrorBody(body, 200) ?? new A2AError("INTERNAL", "the agent sent an error event without an error");
  }
  return parseStreamAnswer(body, options.onWarning);
}
