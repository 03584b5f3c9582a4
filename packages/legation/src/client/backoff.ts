/** How often something is tried again, and how long between. */
export interface Backoff {
  /** Tries in a row without any progress before giving up. Default 10 for streams, 2 further tries for single calls. */
  readonly attempts: number;
  /** Longest wait before the first retry, in ms; doubled each time. */
  readonly minMs: number;
  /** No wait is longer, in ms. */
  readonly maxMs: number;
}

/** A broken stream is resumed for about a minute: a restarting agent or a short loss of network does not end a run. */
export const STREAM_BACKOFF: Backoff = { attempts: 10, minMs: 250, maxMs: 10_000 };

/** A lost single call is tried twice more, quickly: whoever waits for it should soon know. */
export const CALL_BACKOFF: Backoff = { attempts: 2, minMs: 100, maxMs: 2_000 };

/**
 * The wait before a retry: exponential with full jitter, so that the clients of a restarted agent do not all come back
 * at once.
 *
 * @param backoff the bounds
 * @param attempt 1 before the first retry
 * @param random from 0 up to 1
 * @param floorMs what the other side asked for with Retry-After; never undercut
 * @returns ms
 */
export function backoffMs(backoff: Backoff, attempt: number, random: () => number, floorMs = 0): number {
  const ceiling = Math.min(backoff.maxMs, backoff.minMs * 2 ** Math.min(attempt - 1, 30));
  return Math.max(floorMs, Math.round(random() * ceiling));
}
