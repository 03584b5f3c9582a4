/** Fetches one address that may hold a card, through the cache. */
import { connectionError, discard, type FetchBody, readText, retryAfter, shown } from "../bindings/http/outgoing.ts";
import { A2AError, isA2AError, LocalError } from "../operations/errors.ts";
import {
  type CachedCard,
  type CardCache,
  cacheEntry,
  conditionalHeaders,
  isFresh,
  revalidatedEntry,
} from "./card-cache.ts";
import { abortError, type ClientClock } from "./client-clock.ts";

/** What is used of an HTTP answer; the platform's `Response` is one. */
export interface ClientResponse {
  readonly status: number;
  /** Where it came from, after redirects; may be empty. */
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  readonly body: FetchBody | null;
}

/** What is used of `fetch`, for cards and for calls; the platform's is one. */
export type ClientFetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly signal?: AbortSignal;
    readonly redirect: "follow" | "manual";
  },
) => Promise<ClientResponse>;

/** What fetching a card needs from outside. */
export interface FetchCardContext {
  readonly fetch: ClientFetch;
  readonly cache: CardCache;
  readonly clock: ClientClock;
  /** Sent with the request for the card, and with nothing else. */
  readonly headers: Readonly<Record<string, string>>;
  /** A longer card is refused, in bytes. */
  readonly maxBytes: number;
  readonly signal: AbortSignal | undefined;
  /** True asks again even where the cached card is fresh. */
  readonly revalidate: boolean;
  readonly warn: (sentence: string) => void;
}

/** The text of a card, and where it was in the end. */
export interface FetchedCard {
  readonly finalUrl: string;
  readonly text: string;
  /** True when it is from the cache, without or after a 304. */
  readonly fromCache: boolean;
}

/** The largest card that is read unless the caller says otherwise: guards against an address that never ends. */
export const MAX_CARD_BYTES = 1_048_576;

/**
 * Gets one address.
 *
 * @returns the text, or undefined where the address answers that there is nothing (404, 410, 405)
 * @throws LocalError UNREACHABLE, ABORTED, NOT_AN_AGENT (a web page), CARD_INVALID (too large)
 * @throws A2AError UNAUTHENTICATED or PERMISSION_DENIED when the card itself is protected, UNAVAILABLE, RATE_LIMITED
 */
export async function fetchCard(url: string, context: FetchCardContext): Promise<FetchedCard | undefined> {
  const cached = await context.cache.get(url);
  const wall = context.clock.now();
  const sent = { wall, monotonic: context.clock.monotonic?.() ?? wall };
  if (cached !== undefined && !context.revalidate && isFresh(cached, sent)) return fromCache(cached);
  let response: ClientResponse;
  try {
    response = await context.fetch(url, {
      method: "GET",
      headers: { accept: "application/json", ...context.headers, ...(cached && conditionalHeaders(cached)) },
      // Headers that were given for one host must not follow a redirect to another one.
      redirect: Object.keys(context.headers).length === 0 ? "follow" : "manual",
      ...(context.signal === undefined ? {} : { signal: context.signal }),
    });
  } catch (cause) {
    if (context.signal?.aborted === true) throw abortError(context.signal);
    return staleOr(connectionError(cause, url, undefined, "opening"), cached, context);
  }
  const header = (name: string): string | null => response.headers.get(name);
  const keep = async (entry: CachedCard | undefined): Promise<void> =>
    entry === undefined ? context.cache.delete(url) : context.cache.set(entry);
  if (response.status === 304 && cached !== undefined) {
    await discard(response);
    await keep(revalidatedEntry(cached, header, sent));
    return fromCache(cached);
  }
  if (response.status !== 200) return refused(url, response, cached, context);
  refuseDowngrade(url, response.url);
  const text = await readBody(url, response, context);
  refusePage(url, header("content-type") ?? "", text);
  const finalUrl = response.url === "" ? url : response.url;
  await keep(cacheEntry({ url, finalUrl, text, header }, sent));
  return { finalUrl, text, fromCache: false };
}

function fromCache(entry: CachedCard): FetchedCard {
  return { finalUrl: entry.finalUrl, text: entry.text, fromCache: true };
}

// RFC 9111 §4.2.4: an agent that cannot be reached may be known by its stale card, unless it forbade that.
function staleOr(error: Error, cached: CachedCard | undefined, context: FetchCardContext): FetchedCard {
  if (cached === undefined || cached.mustRevalidate || cached.alwaysRevalidate) throw error;
  context.warn(`the cached card is used though it is no longer fresh: ${error.message}`);
  return fromCache(cached);
}

async function refused(
  url: string,
  response: ClientResponse,
  cached: CachedCard | undefined,
  context: FetchCardContext,
): Promise<FetchedCard | undefined> {
  const { status } = response;
  await discard(response);
  const address = shown(url);
  if (status === 404 || status === 410 || status === 405) {
    await context.cache.delete(url);
    return undefined;
  }
  if (status === 0 || (status >= 300 && status < 400)) {
    const location = response.headers.get("location") ?? "another address";
    throw new LocalError(
      "NOT_AN_AGENT",
      `${address} redirects to ${shown(location)}, which is not followed; give that address itself`,
      {
        metadata: { url: address, status: String(status) },
      },
    );
  }
  if (status === 401)
    throw new A2AError("UNAUTHENTICATED", `the card at ${address} needs authentication (401); pass cardHeaders`);
  if (status === 403) throw new A2AError("PERMISSION_DENIED", `the card at ${address} is not for this caller (403)`);
  const options = { retryAfterSeconds: retryAfter(response) };
  if (status === 429)
    throw new A2AError("RATE_LIMITED", `the host of ${address} asks for fewer requests (429)`, options);
  if (status >= 500) {
    return staleOr(
      new A2AError(
        "UNAVAILABLE",
        `the host of ${address} fails to serve the card (${status}); try again later`,
        options,
      ),
      cached,
      context,
    );
  }
  throw new LocalError("NOT_AN_AGENT", `${address} answered ${status}, not an agent card; check the address`, {
    metadata: { url: address, status: String(status) },
  });
}

function refuseDowngrade(asked: string, answered: string): void {
  if (!asked.startsWith("https:") || !answered.startsWith("http:")) return;
  throw new LocalError("CARD_INVALID", `${shown(asked)} redirects to ${shown(answered)} without TLS; refused`, {
    metadata: { url: shown(asked) },
  });
}

function refusePage(url: string, contentType: string, text: string): void {
  if (!contentType.includes("html") && !/^\s*</.test(text)) return;
  const address = shown(url);
  throw new LocalError("NOT_AN_AGENT", `${address} is a web page, not an agent card; check host, port and path`, {
    metadata: { url: address, contentType },
  });
}

async function readBody(
  url: string,
  response: ClientResponse,
  { maxBytes, signal }: FetchCardContext,
): Promise<string> {
  try {
    return await readText(response, url, { maxBytes, signal });
  } catch (cause) {
    if (!isA2AError(cause)) throw cause;
    const message = `${cause.message}, which no agent card does`;
    throw new LocalError("CARD_INVALID", message, { metadata: { url: shown(url) }, cause });
  }
}
