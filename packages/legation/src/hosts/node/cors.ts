/**
 * Lets pages of other origins call an agent, as browsers ask for it. Without it a page can call the agents of its own
 * origin alone.
 *
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
import type { HttpHandler, HttpRequest, HttpResponse } from "../../bindings/http/exchange.ts";

/** What a page may read of an answer beside the few headers that it always may. */
const EXPOSED = "a2a-extensions, etag, last-modified, retry-after, www-authenticate";

/** How long a browser may remember the answer to its question, in seconds; browsers cut it to two hours at most. */
const MAX_AGE = "7200";

/**
 * Wraps a handler.
 *
 * Cookies are not asked for: credentials go in headers, so that a page cannot use those of somebody who is logged in.
 *
 * @param origins such as `https://app.example.com`, compared exactly; `*` stands for every page
 */
export function withCors(handler: HttpHandler, origins: readonly string[]): HttpHandler {
  return async (request) => {
    const origin = request.header("origin");
    const isAllowed = origin !== undefined && (origins.includes("*") || origins.includes(origin));
    const question = request.header("access-control-request-method");
    if (isAllowed && request.method === "OPTIONS" && question !== undefined) return preflight(request, origin);
    const response = await handler(request);
    // Also where nobody asked: what a cache keeps of this answer must not be given to a page of another origin.
    return response === undefined ? undefined : withHeaders(response, isAllowed ? origin : undefined);
  };
}

function preflight(request: HttpRequest, origin: string): HttpResponse {
  const wanted = request.header("access-control-request-headers");
  return {
    status: 204,
    headers: {
      "access-control-allow-origin": origin,
      "access-control-allow-methods": "GET, POST, DELETE",
      // Which header carries an API key is the agent's affair: whatever the page wants to send, it may.
      ...(wanted === undefined ? {} : { "access-control-allow-headers": wanted }),
      "access-control-max-age": MAX_AGE,
      vary: "origin, access-control-request-headers",
    },
  };
}

function withHeaders(response: HttpResponse, origin: string | undefined): HttpResponse {
  const { vary } = response.headers;
  const headers: Record<string, string> = {
    ...response.headers,
    vary: vary === undefined ? "origin" : `${vary}, origin`,
  };
  if (origin !== undefined) {
    headers["access-control-allow-origin"] = origin;
    headers["access-control-expose-headers"] = EXPOSED;
  }
  return { ...response, headers };
}
