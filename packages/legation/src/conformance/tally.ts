/** Results in numbers. */
import type { ConformanceResult } from "./run-conformance.ts";

/** How a run went. */
export interface Tally {
  readonly passed: number;
  /** Failures of checks that verify a MUST. */
  readonly failed: number;
  /** Failures of checks that verify nothing but SHOULDs. */
  readonly advised: number;
  readonly skipped: number;
  /** Requirements that at least one passed check verifies and no failed one. */
  readonly requirementsHeld: number;
}

/** Counts. */
export function tallyOf(results: readonly ConformanceResult[]): Tally {
  const count = (fits: (result: ConformanceResult) => boolean): number => results.filter(fits).length;
  const failed = new Set(idsOf(results, "fail"));
  return {
    passed: count(({ outcome }) => outcome === "pass"),
    failed: count(({ outcome, level }) => outcome === "fail" && level === "MUST"),
    advised: count(({ outcome, level }) => outcome === "fail" && level === "SHOULD"),
    skipped: count(({ outcome }) => outcome === "skipped"),
    requirementsHeld: new Set(idsOf(results, "pass").filter((id) => !failed.has(id))).size,
  };
}

function idsOf(results: readonly ConformanceResult[], wanted: ConformanceResult["outcome"]): readonly string[] {
  return results.filter(({ outcome }) => outcome === wanted).flatMap(({ requirements }) => requirements);
}
