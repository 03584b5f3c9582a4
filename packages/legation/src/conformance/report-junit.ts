/** Results for build servers. */
import type { ConformanceResult } from "./run-conformance.ts";

/** A report as JUnit XML: one suite per binding. A broken SHOULD is no failure there, but a word in `system-out`. */
export function reportJunit(results: readonly ConformanceResult[]): string {
  const bindings = [...new Set(results.map(({ binding }) => binding))];
  const suites = bindings.map((binding) =>
    suiteOf(
      binding,
      results.filter((result) => result.binding === binding),
    ),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="conformance">\n${suites.join("")}</testsuites>\n`;
}

function suiteOf(binding: string, results: readonly ConformanceResult[]): string {
  const failures = results.filter(isFailure).length;
  const skipped = results.filter(({ outcome }) => outcome === "skipped").length;
  const head = `<testsuite name="${escapeXml(binding)}" tests="${results.length}" failures="${failures}" skipped="${skipped}">`;
  return `  ${head}\n${results.map(caseOf).join("")}  </testsuite>\n`;
}

function caseOf(result: ConformanceResult): string {
  const { title, check, ms } = result;
  const head = `<testcase classname="${escapeXml(check)}" name="${escapeXml(title)}" time="${(ms / 1000).toFixed(3)}"`;
  const body = bodyOf(result);
  return body === "" ? `    ${head}/>\n` : `    ${head}>${body}</testcase>\n`;
}

function bodyOf(result: ConformanceResult): string {
  const { outcome, expected, got, exchange, reason } = result;
  if (outcome === "skipped") return `<skipped message="${escapeXml(reason ?? "")}"/>`;
  if (outcome === "pass") return "";
  const message = escapeXml(`expected ${expected}, got ${got}`);
  if (!isFailure(result)) return `<system-out>advice: ${message}</system-out>`;
  return `<failure message="${message}">${escapeXml(exchange ?? "")}</failure>`;
}

function isFailure({ outcome, level }: ConformanceResult): boolean {
  return outcome === "fail" && level === "MUST";
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Control characters that XML cannot hold, not even escaped, become a replacement character. */
function escapeXml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const clean = text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
  return clean.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? "").replaceAll("\n", "&#10;");
}
