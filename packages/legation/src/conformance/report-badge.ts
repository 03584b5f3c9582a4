/** Results as a badge. */
import type { ConformanceResult } from "./run-conformance.ts";
import { tallyOf } from "./tally.ts";

const CHARACTER_WIDTH = 7;
const LABEL = "A2A 1.0";

/** A badge as SVG: how many requirements held, red when a MUST is broken. */
export function reportBadge(results: readonly ConformanceResult[]): string {
  const { failed, requirementsHeld } = tallyOf(results);
  const value = failed > 0 ? `${failed} failed` : `${requirementsHeld} requirements held`;
  const left = LABEL.length * CHARACTER_WIDTH + 10;
  const right = value.length * CHARACTER_WIDTH + 10;
  const colour = failed > 0 ? "#b3261e" : "#1b7f3b";
  const text = (x: number, content: string): string =>
    `<text x="${x}" y="14" fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">${content}</text>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${LABEL}: ${value}">` +
    `<rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${right}" height="20" fill="${colour}"/>` +
    `${text(left / 2, LABEL)}${text(left + right / 2, value)}</svg>\n`
  );
}
