/** The webhook tests with other SDKs, run and told as rows of the page on interop. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { findUnmetNeed } from "../../../../scripts/test-needs.ts";

/** The test files, each with one SDK. */
const FILES: Readonly<Record<string, string>> = {
  "a2a-js": "push-js.test.ts",
  "a2a-python": "push-python.test.ts",
};

export interface WebhookRow {
  readonly peer: string;
  /** What the test holds, in its own words. */
  readonly what: string;
  readonly passed: boolean;
}

/** Runs the tests of every SDK that is installed. */
export function webhookRows(): readonly WebhookRow[] {
  return Object.entries(FILES).flatMap(([peer, name]) => {
    const file = path.join(import.meta.dirname, name);
    if (findUnmetNeed(file) !== undefined) return [];
    const args = [
      "--conditions=legation-source",
      "--disable-warning=ExperimentalWarning",
      "--test",
      "--test-reporter=tap",
      file,
    ];
    const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    const rows = [...stdout.matchAll(/^(not ok|ok) \d+ - (.+)$/gm)].map(([, outcome, what = ""]) => ({
      peer,
      what: what.replaceAll("|", "\\|"),
      passed: outcome === "ok",
    }));
    if (rows.length === 0) throw new Error(`${name} ran no test`);
    return rows;
  });
}
