/** When a webhook that failed is tried again. */
import type { PushSettings } from "./push-options.ts";

/** No wait is longer, whatever the settings come to. */
const LONGEST_WAIT_MS = 7 * 86_400_000;
/** Digits of more seconds than anybody can mean. */
const MANY_DIGITS = 12;

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
  const limit = Math.min(LONGEST_WAIT_MS, settings.retryMs * settings.retryFactor ** (attempts - 1));
  return Math.max(1, Math.round(random() * limit), Math.min(retryAfterMs, settings.maxRetryAfterMs));
}

/** What a Retry-After header asks for, in ms; 0 where it is neither seconds nor a date (RFC 9110 §10.2.3). */
export function parseRetryAfter(header: string | undefined, now: number): number {
  const text = header?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text.slice(0, MANY_DIGITS)) * 1_000;
  // The parser of dates would make one of nearly anything.
  const time = /^[A-Z][a-z]{2,8},? .* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(time) ? 0 : Math.max(0, time - now);
}
