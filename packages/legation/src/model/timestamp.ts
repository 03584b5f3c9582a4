const RFC3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)?$/;
const CANONICAL = /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const YEAR_1_MS = -62_135_596_800_000;
const YEAR_10000_MS = 253_402_300_800_000;

/**
 * Tells whether a text is a time in the one form that this implementation writes: `2026-08-01T12:00:00.000Z`.
 *
 * @param text - Any text.
 * @returns True only for UTC with exactly three digits and a date that exists.
 */
export function isCanonicalTimestamp(text: string): boolean {
  if (!CANONICAL.test(text)) return false;
  const day = twoDigits(text, 8);
  return day <= 28 || day <= daysOf(Number(text.slice(0, 4)), twoDigits(text, 5));
}

/**
 * Turns an RFC 3339 time (any offset, 0 to 9 digits of a second) into UTC with three digits.
 *
 * Digits beyond milliseconds are cut off, not rounded: an instant never moves into the future.
 *
 * @param text - Such as `2026-08-01T14:00:00+02:00`.
 * @param zone - What a time without an offset means: `"refuse"` (the default) or `"utc"`.
 * @returns `2026-08-01T12:00:00.000Z`, or undefined when the text is not a time in the years 1 to 9999.
 */
export function canonicalTimestamp(text: string, zone: "refuse" | "utc" = "refuse"): string | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", offset] = match;
  if (offset === undefined && zone === "refuse") return undefined;
  const digits = fraction.slice(0, 3).padEnd(3, "0");
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${digits}Z`;
  if (!isCanonicalTimestamp(local)) return undefined;
  if (offset === undefined || offset === "Z") return local;
  const hours = twoDigits(offset, 1);
  const minutes = twoDigits(offset, 4);
  if (hours > 23 || minutes > 59) return undefined;
  const sign = offset.startsWith("-") ? 1 : -1;
  const instant = Date.parse(local) + sign * (hours * 60 + minutes) * 60_000;
  return instant >= YEAR_1_MS && instant < YEAR_10000_MS ? new Date(instant).toISOString() : undefined;
}

function twoDigits(text: string, at: number): number {
  return text.charCodeAt(at) * 10 + text.charCodeAt(at + 1) - 528;
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
