/**
 * The cache of fetched cards, a private cache in the sense of RFC 9111: an entry is fresh, or is asked for again with
 * its validators, or is not kept at all.
 *
 * @see specification §8.6.2, RFC 9111 §4.2, §4.3, §5.2.2
 */

/** One stored answer. Plain data, so that a store of the user can keep it anywhere. */
export interface CachedCard {
  /** The address that was asked for. */
  readonly url: string;
  /** The address that answered, after redirects. */
  readonly finalUrl: string;
  /** The body as it came: signatures hold for it. */
  readonly text: string;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** When it was asked for, in ms of wall time: an entry may outlive its process. */
  readonly storedAt: number;
  /** Its age then, in ms (RFC 9111 §4.2.3). */
  readonly initialAgeMs: number;
  /** How long it is fresh, in ms, counted from age 0. */
  readonly freshForMs: number;
  /** `no-cache`, or `Vary: *`: kept, but asked for again each time. */
  readonly alwaysRevalidate: boolean;
  /** `must-revalidate`: never served stale, not even when the agent cannot be reached. */
  readonly mustRevalidate: boolean;
}

/** Where cards are kept. Losing an entry costs one request. */
export interface CardCache {
  get(url: string): Promise<CachedCard | undefined> | CachedCard | undefined;
  set(entry: CachedCard): Promise<void> | void;
  delete(url: string): Promise<void> | void;
}

/**
 * A cache in memory, the least recently used entry leaving first.
 *
 * @param options `maxEntries`, default 500
 */
export function createCardCache(options: { readonly maxEntries?: number | undefined } = {}): CardCache {
  const maxEntries = options.maxEntries ?? 500;
  const entries = new Map<string, CachedCard>();
  return {
    get(url) {
      const entry = entries.get(url);
      if (entry === undefined) return undefined;
      entries.delete(url);
      entries.set(url, entry);
      return entry;
    },
    set(entry) {
      entries.delete(entry.url);
      entries.set(entry.url, entry);
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries) break;
        entries.delete(oldest);
      }
    },
    delete(url) {
      entries.delete(url);
    },
  };
}

/** What is read of an answer: one header by its lower-case name. */
export type HeaderReader = (name: string) => string | null | undefined;

/** One moment by both clocks, in ms. */
export interface Moment {
  readonly wall: number;
  readonly monotonic: number;
}

/** Since when this process itself has what it asked for, in monotonic time. */
const heldSince = new WeakMap<CachedCard, number>();

/**
 * True while an entry may be used without asking. Age is the longer of what the two clocks say: a wall clock may be set
 * back, and monotonic time stands still while the machine sleeps.
 */
export function isFresh(entry: CachedCard, now: Moment): boolean {
  const residentMs = Math.max(now.wall - entry.storedAt, now.monotonic - (heldSince.get(entry) ?? Infinity));
  // Stored by another process after this moment: the clock was set back, and nobody knows for how long it has lain.
  return residentMs >= 0 && !entry.alwaysRevalidate && entry.initialAgeMs + residentMs < entry.freshForMs;
}

/** Without any caching header a card is heuristically fresh for a tenth of its age, but for no longer than this. */
const MAX_HEURISTIC_MS = 3_600_000;

/**
 * Makes the entry of an answer 200.
 *
 * @param answer the address, the final address, the body and a reader of headers
 * @param sent when the request was sent: from then on its answer ages (RFC 9111 §4.2.3)
 * @returns undefined where the answer must not be stored (`no-store`)
 */
export function cacheEntry(
  answer: { readonly url: string; readonly finalUrl: string; readonly text: string; readonly header: HeaderReader },
  sent: Moment,
): CachedCard | undefined {
  const { url, finalUrl, text, header } = answer;
  const control = parseCacheControl(header("cache-control") ?? "");
  if (control.has("no-store")) return undefined;
  const date = parseDate(header("date")) ?? sent.wall;
  const ageMs = (Number.parseInt(header("age") ?? "", 10) || 0) * 1000;
  const entry: CachedCard = {
    url,
    finalUrl,
    text,
    etag: header("etag") ?? undefined,
    lastModified: header("last-modified") ?? undefined,
    storedAt: sent.wall,
    initialAgeMs: Math.max(0, sent.wall - date, ageMs),
    freshForMs: freshness(control, header, date),
    alwaysRevalidate: control.has("no-cache") || header("vary")?.trim() === "*",
    mustRevalidate: control.has("must-revalidate"),
  };
  heldSince.set(entry, sent.monotonic);
  return entry;
}

/** The entry after a 304: the stored body, with what the new headers say. */
export function revalidatedEntry(entry: CachedCard, header: HeaderReader, sent: Moment): CachedCard | undefined {
  const stored: Record<string, string | undefined> = { etag: entry.etag, "last-modified": entry.lastModified };
  const merged: HeaderReader = (name) => header(name) ?? stored[name];
  const renewed = cacheEntry({ url: entry.url, finalUrl: entry.finalUrl, text: entry.text, header: merged }, sent);
  if (renewed === undefined || header("cache-control") || header("expires")) return renewed;
  // A 304 without Cache-Control leaves the stored one in force (RFC 9111 §3.2).
  const { freshForMs, alwaysRevalidate, mustRevalidate } = entry;
  return Object.assign(renewed, { freshForMs, alwaysRevalidate, mustRevalidate });
}

/** The headers that ask whether an entry still holds; none for an entry without validators. */
export function conditionalHeaders(entry: CachedCard): Record<string, string> {
  const headers: Record<string, string> = {};
  if (entry.etag !== undefined) headers["if-none-match"] = entry.etag;
  if (entry.lastModified !== undefined) headers["if-modified-since"] = entry.lastModified;
  return headers;
}

function freshness(control: ReadonlyMap<string, string>, header: HeaderReader, date: number): number {
  const maxAge = control.get("max-age");
  if (maxAge !== undefined) {
    const seconds = Number.parseInt(maxAge, 10);
    // An unreadable lifetime counts as stale (RFC 9111 §4.2.1).
    return seconds > 0 ? seconds * 1000 : 0;
  }
  const expires = header("expires");
  if (expires !== null && expires !== undefined) return Math.max(0, (parseDate(expires) ?? date) - date);
  const modified = parseDate(header("last-modified")) ?? date;
  return Math.min(MAX_HEURISTIC_MS, Math.max(0, (date - modified) / 10));
}

function parseDate(text: string | null | undefined): number | undefined {
  const time = Date.parse(text ?? "");
  return Number.isNaN(time) ? undefined : time;
}

function parseCacheControl(text: string): Map<string, string> {
  const directives = new Map<string, string>();
  for (const item of text.split(",")) {
    const [name = "", value = ""] = item.split("=", 2);
    const key = name.trim().toLowerCase();
    // The first of two that contradict each other counts (RFC 9111 §4.2.1).
    if (key !== "" && !directives.has(key)) directives.set(key, value.trim().replaceAll('"', ""));
  }
  return directives;
}
