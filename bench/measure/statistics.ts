/** The middle of some numbers. @throws RangeError when there are none */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  if (upper === undefined || lower === undefined) throw new RangeError("no values to take the median of");
  return (upper + lower) / 2;
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
