/** Results for people. */
import type { ConformanceResult } from "./run-conformance.ts";
import { tallyOf } from "./tally.ts";

/** One result: a line, and for a failure what was expected, what came, and the exchange. */
export function textLine(result: ConformanceResult): string {
  const { outcome, level, title, binding, check, reason, expected, got, exchange } = result;
  const word = outcome === "fail" ? (level === "MUST" ? "FAIL" : "warn") : outcome === "pass" ? "ok  " : "skip";
  const head = `${word} ${title} [${binding}]`;
  if (outcome !== "fail") return reason === undefined ? head : `${head}: ${reason}`;
  const lines = [head, `     check     ${check}`, `     expected  ${expected}`, `     got       ${got}`];
  for (const line of exchange?.split("\n") ?? []) lines.push(`     | ${line}`);
  return lines.join("\n");
}

/** The last line of a run. */
export function textSummary(results: readonly ConformanceResult[]): string {
  const { passed, failed, advised, skipped, requirementsHeld } = tallyOf(results);
  return `${passed} passed, ${failed} failed, ${advised} advised, ${skipped} skipped; ${requirementsHeld} requirements held`;
}

/** A whole report; passed checks are left out unless `all`. */
export function reportText(results: readonly ConformanceResult[], options: { readonly all?: boolean } = {}): string {
  const shown = results.filter(({ outcome }) => options.all === true || outcome === "fail");
  return `${[...shown.map(textLine), textSummary(results)].join("\n")}\n`;
}
