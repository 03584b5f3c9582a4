/** Which `fetch` the requests go through. */
import type { ClientFetch } from "../client/fetch-card.ts";

/** The `fetch` of the platform as a client uses it. */
export type HttpFetch = (...request: Parameters<ClientFetch>) => Promise<Response>;

/** What the options demand of it. */
export interface HttpFetchOptions {
  /** Accepts any certificate. */
  readonly isInsecure: boolean;
  /** Waits without limit for the answer: the agent works before it sends the first byte. */
  readonly isPatient: boolean;
}

/**
 * Node's own `fetch` gives up after five minutes without an answer and takes no certificate that it cannot verify.
 * Where that is not wanted, undici does it with settings of ours; it is loaded only then, for that takes its time.
 */
export function createHttpFetch(options: HttpFetchOptions): HttpFetch {
  if (!options.isInsecure && !options.isPatient) return (url, init) => globalThis.fetch(url, init);
  let loading: Promise<HttpFetch> | undefined;
  return async (url, init) => {
    loading ??= loadTuned(options);
    return (await loading)(url, init);
  };
}

async function loadTuned(options: HttpFetchOptions): Promise<HttpFetch> {
  const { createTunedFetch } = await import("../outbound/tuned-fetch.ts");
  return createTunedFetch(options);
}

/** Adds query parameters to every request: where a card wants its key there. */
export function withQuery(inner: HttpFetch, query: Readonly<Record<string, string>>): HttpFetch {
  return (url, init) => {
    const target = new URL(url);
    for (const [name, value] of Object.entries(query)) target.searchParams.set(name, value);
    return inner(target.href, init);
  };
}
