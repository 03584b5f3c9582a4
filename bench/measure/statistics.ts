/** The middle of some numbers. @throws RangeError when there are none */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  if (upper === undefined || lower === undefined) throw new RangeError("no values to take the median of");
  return (upper + lower) / 2;
}

/** The value that a part of them does not exceed: 0.99 for the 99th percentile. @throws RangeError when there are none */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.max(0, Math.ceil(sorted.length * part) - 1)];
  if (value === undefined) throw new RangeError("no values to take a quantile of");
  return value;
}

/** Median, lowest and highest. */
export interface Summary {
  readonly median: number;
  readonly low: number;
  readonly high: number;
  readonly rounds: number;
}

/** Sums up what several rounds gave. */
export function summarise(values: readonly number[]): Summary {
  return { median: median(values), low: Math.min(...values), high: Math.max(...values), rounds: values.length };
}
