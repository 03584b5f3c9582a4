/**
 * Serves the public card: to anybody, without a version header, with everything that HTTP caches need.
 *
 * @see specification §8.2, §8.6
 */
import type { BindingHandler, HttpRequest, HttpResponse } from "../bindings/http/exchange.ts";
import { wrongMethod } from "../bindings/http/refusal.ts";
import { encodeErrorBody } from "../bindings/rest/errors.ts";
import type { AgentCard } from "../model/gen/types.ts";
import { A2AError } from "../operations/errors.ts";
import { hash128 } from "./request-hash.ts";

/**
 * Where a card is found below the base URL of an agent, and where clients of 0.2 look for it; that of a tenant below
 * the tenant's name.
 */
const CARD_PATH = /^(?:\/([^/]+))?\/\.well-known\/agent(?:-card)?\.json$/;

/** A new card after a deploy is seen after that long at the latest, and a busy client does not ask more often. */
const MAX_AGE_SECONDS = 300;

/** How many cards of one agent are remembered; a Host header that changes with every request is answered anew each time. */
const MAX_CARDS = 64;

interface ServedCard {
  readonly json: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Makes the handler of the card paths.
 *
 * @param card gives the card for the address that was called, and for a tenant
 * @param madeAt when the card came to be, wall time in ms: its Last-Modified
 * @param tenants that have a card of their own
 */
export function createCardHandler(
  card: (origin: string, tenant: string | undefined) => AgentCard,
  madeAt: number,
  tenants: readonly string[] = [],
): BindingHandler {
  const served = new Map<string, ServedCard>();
  const lastModified = new Date(Math.floor(madeAt / 1000) * 1000);

  function serve(origin: string, tenant: string | undefined): ServedCard {
    const key = `${origin} ${tenant ?? ""}`;
    let found = served.get(key);
    if (found === undefined) {
      const json = JSON.stringify(card(origin, tenant));
      found = { json, headers: headersOf(json, lastModified) };
      if (served.size < MAX_CARDS) served.set(key, found);
    }
    return found;
  }

  async function answer(request: HttpRequest, tenant: string | undefined): Promise<HttpResponse> {
    if (request.method !== "GET" && request.method !== "HEAD") return wrongCardMethod(request);
    // The Host header as it came: what is no authority would stand in the card as one.
    if (!isOrigin(request.origin)) return wrongHost();
    const { json, headers } = serve(request.origin, tenant);
    if (isUnchanged(request, headers["etag"] ?? "", lastModified)) return { status: 304, headers };
    const full = { ...headers, "content-type": "application/json" };
    return request.method === "HEAD" ? { status: 200, headers: full } : { status: 200, headers: full, body: json };
  }

  return (request) => {
    const match = CARD_PATH.exec(request.path);
    const tenant = match?.[1];
    if (match === null || (tenant !== undefined && !tenants.includes(tenant))) return undefined;
    return answer(request, tenant);
  };
}

function headersOf(json: string, lastModified: Date): Record<string, string> {
  return {
    etag: `"${hash128(json)}"`,
    "cache-control": `public, max-age=${MAX_AGE_SECONDS}`,
    "last-modified": lastModified.toUTCString(),
  };
}

/** If-None-Match decides where it is sent; only else the date does (RFC 9110 §13.2.2). */
function isUnchanged(request: HttpRequest, etag: string, lastModified: Date): boolean {
  const tags = request.header("if-none-match");
  if (tags !== undefined) {
    return tags.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
  }
  const since = Date.parse(request.header("if-modified-since") ?? "");
  return !Number.isNaN(since) && lastModified.getTime() <= since;
}

function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { username, password, pathname, search, hash } = new URL(text);
  return pathname === "/" && !text.endsWith("/") && username + password + search + hash === "";
}

function wrongHost(): HttpResponse {
  const error = new A2AError("INVALID_REQUEST", "the Host header is no host with a port; send the one of the URL");
  return { status: 400, headers: { "content-type": "application/json" }, body: encodeErrorBody(error) };
}

function wrongCardMethod(request: HttpRequest): HttpResponse {
  const { error, status, headers } = wrongMethod(request.method, request.path, "GET, HEAD");
  return { status, headers: { ...headers, "content-type": "application/json" }, body: encodeErrorBody(error, status) };
}
