const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * Reads a duration such as `500ms`, `2s`, `1.5m` or `1h`; a bare number is seconds.
 *
 * @returns Whole milliseconds, or undefined when the text is no duration.
 */
export function parseDuration(text: string): number | undefined {
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text.trim());
  if (found === null) return undefined;
  return Math.round(Number(found[1]) * (UNITS[found[2] ?? "s"] ?? 1_000));
}

/** Writes milliseconds as {@link parseDuration} reads them. */
export function formatDuration(ms: number): string {
  if (ms !== 0 && ms % 3_600_000 === 0) return `${ms / 3_600_000}h`;
  if (ms !== 0 && ms % 60_000 === 0) return `${ms / 60_000}m`;
  return ms % 1_000 === 0 ? `${ms / 1_000}s` : `${ms}ms`;
}
