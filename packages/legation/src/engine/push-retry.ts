/** When a webhook that failed is tried again. */
import type { PushSettings } from "./push-options.ts";

/**
 * Exponential backoff with full jitter: anywhere between now and the limit of this attempt, so that the webhooks of a
 * server that was away do not come back all at once. What the server asked for is the least.
 *
 * @param attempts failures in a row, this one included
 * @param retryAfterMs what the server asked for
 */
export function retryDelayMs(
  settings: PushSettings,
  attempts: number,
  random: () => number,
  retryAfterMs: number = 0,
): number {
  const limit = settings.retryMs * settings.retryFactor ** (attempts - 1);
  return Math.max(1, Math.round(random() * limit), Math.min(retryAfterMs, settings.maxRetryAfterMs));
}

/** What a Retry-After header asks for, in ms; 0 where it cannot be read (RFC 9110 §10.2.3). */
export function parseRetryAfter(header: string | undefined, now: number): number {
  if (header === undefined) return 0;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * 1_000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? 0 : Math.max(0, time - now);
}
