/** Results for programs. */
import { findRequirement } from "./requirements.ts";
import type { ConformanceResult } from "./run-conformance.ts";
import { tallyOf } from "./tally.ts";

/** A report as JSON text: the numbers, the results, and the requirements that they cite. */
export function reportJson(results: readonly ConformanceResult[]): string {
  const cited = [...new Set(results.flatMap(({ requirements }) => requirements))];
  const requirements = Object.fromEntries(
    cited.flatMap((id) => {
      const found = findRequirement(id);
      return found === undefined ? [] : [[id, { section: found.section, level: found.level, text: found.text }]];
    }),
  );
  return `${JSON.stringify({ summary: tallyOf(results), results, requirements }, undefined, 2)}\n`;
}
