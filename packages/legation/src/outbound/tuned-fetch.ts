/** A `fetch` with settings that the platform's own does not take. */
import { Agent, fetch } from "undici";

/** What is asked of it. */
export interface TunedFetchOptions {
  /** Accepts any certificate: for development, and never without telling the user. */
  readonly isInsecure: boolean;
  /** Waits without limit for an answer; node's own gives up after five minutes without a byte. */
  readonly isPatient: boolean;
}

/** The request as clients make it. */
export interface TunedFetchInit {
  readonly method: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  readonly redirect: "follow" | "manual";
}

/** Makes the `fetch`. It checks no address: what it is given it calls. */
export function createTunedFetch(options: TunedFetchOptions): (url: string, init: TunedFetchInit) => Promise<Response> {
  const dispatcher = new Agent({
    ...(options.isPatient ? { headersTimeout: 0, bodyTimeout: 0 } : {}),
    ...(options.isInsecure ? { connect: { rejectUnauthorized: false } } : {}),
  });
  return async (url, init) => (await fetch(url, { ...init, dispatcher })) as unknown as Response;
}
