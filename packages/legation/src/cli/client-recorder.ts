/** Writes down what comes and what is answered, around a handler. */
import type { HttpHandler, HttpRequest } from "../bindings/http/exchange.ts";
import type { ClientExchange } from "../conformance/client-traffic.ts";

/** Longest text of one answer that is kept: a judge of clients must not fill the memory with what an agent streams. */
export const MAX_ANSWER_CHARS: number = 256 * 1024;

/** Headers that rules look at, and some that help a reader. */
export const RECORDED_HEADERS: readonly string[] = [
  "a2a-version",
  "a2a-extensions",
  "content-type",
  "accept",
  "if-none-match",
  "if-modified-since",
];

/** Wraps a handler; every exchange is pushed to `into` as soon as its answer begins. */
export function recordExchanges(handler: HttpHandler, into: ClientExchange[]): HttpHandler {
  return async (request) => {
    const at = Date.now();
    const seen = { body: "" };
    const response = await handler(watched(request, seen));
    const exchange: ClientExchange = {
      method: request.method,
      path: request.path,
      query: request.query,
      headers: Object.fromEntries(RECORDED_HEADERS.map((name) => [name, request.header(name)])),
      body: seen.body,
      status: response?.status ?? 404,
      answer: response?.body?.slice(0, MAX_ANSWER_CHARS) ?? "",
      isStream: response?.stream !== undefined,
      at,
    };
    into.push(exchange);
    if (response?.stream === undefined) return response;
    return { ...response, stream: noted(response.stream, exchange) };
  };
}

function watched(request: HttpRequest, seen: { body: string }): HttpRequest {
  return {
    method: request.method,
    origin: request.origin,
    path: request.path,
    query: request.query,
    header: (name) => request.header(name),
    async text(maxBytes) {
      seen.body = await request.text(maxBytes);
      return seen.body;
    },
    signal: request.signal,
    principal: request.principal,
    peer: request.peer,
  };
}

async function* noted(stream: AsyncIterable<string>, exchange: ClientExchange): AsyncGenerator<string> {
  for await (const piece of stream) {
    if (exchange.answer.length < MAX_ANSWER_CHARS) exchange.answer += piece;
    yield piece;
  }
}
