/** How outcomes are shown. */
import type { Outcome, Verdict } from "./measure.ts";
import type { Summary } from "./statistics.ts";

/** A number with three digits that say something. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

/** Lines for a terminal. */
export function printable({ name, work, unit, values, verdicts, missing }: Outcome): string {
  const lines = [`${name}: ${work}`];
  if (missing !== undefined) lines.push(`  ! not measured here: ${missing}`);
  for (const [of, summary] of Object.entries(values)) lines.push(`    ${of}: ${spread(summary)} ${unit}`);
  for (const verdict of verdicts) lines.push(`  ${mark(verdict)} ${verdict.what}: ${spread(verdict)}${goal(verdict)}`);
  return lines.join("\n");
}

/** The table of a document: one row for every ratio and bound. */
export function markdownTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap(({ name, work, verdicts, missing }) => {
    if (missing !== undefined) return [`| \`${name}\`: ${work} | not measured here: ${missing} | | | | |`];
    return verdicts.map((verdict, index) => {
      const first = index === 0 ? `\`${name}\`: ${work}` : "";
      return `| ${first} | ${verdict.what} | ${short(verdict.median)} | ${range(verdict)} | ${limit(verdict)} | ${said(verdict)} |`;
    });
  });
  return ["| work | compared | median | low – high | goal | |", "|---|---|---|---|---|---|", ...rows].join("\n");
}

function range({ low, high, rounds }: Summary): string {
  return rounds === 1 ? "one round" : `${short(low)} – ${short(high)}`;
}

function spread(summary: Summary): string {
  return `${short(summary.median)} (${range(summary)})`;
}

function limit({ atMost, atLeast }: Verdict): string {
  if (atMost !== undefined) return `≤ ${short(atMost)}`;
  return atLeast === undefined ? "" : `≥ ${short(atLeast)}`;
}

function goal(verdict: Verdict): string {
  const text = limit(verdict);
  return text === "" ? "" : `, goal ${text}`;
}

function said({ met }: Verdict): string {
  return met === undefined ? "" : met ? "met" : "missed";
}

function mark({ met }: Verdict): string {
  return met === undefined ? " " : met ? "+" : "-";
}
