// `npm test [-- <file patterns> <node options>]`: runs node's test runner over every test file of the repository.
// What the machine cannot run is named in one line each, then come the tests and node's summary.

import { spawn } from "node:child_process";
import { globSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { findUnmetNeed } from "./test-needs.ts";

const root = path.resolve(import.meta.dirname, "..");
const places = [
  "packages/*/src/**/*.test.ts",
  "packages/*/test/**/*.test.ts",
  "scripts/**/*.test.ts",
  "examples/**/*.test.ts",
  "bench/**/*.test.ts",
];

/** A hung test must end the run, not the patience of whoever waits for it. */
const hangsAfterMs = 600_000;

const options = process.argv.slice(2).filter((arg) => arg.startsWith("-"));
const patterns = process.argv.slice(2).filter((arg) => !arg.startsWith("-"));

function isWanted(file: string): boolean {
  if (patterns.length === 0) return true;
  return patterns.some((pattern) => file.includes(pattern) || path.matchesGlob(file, pattern));
}

const all = globSync(places, { cwd: root, exclude: (name) => name.includes("node_modules") }).sort();
const wanted = all.filter(isWanted);
if (wanted.length === 0) {
  console.error(`no test file matches ${patterns.join(" ") || places.join(" ")}: give part of a path, or a glob`);
  process.exit(1);
}

const runnable: string[] = [];
let left = 0;
for (const file of wanted) {
  const unmet = findUnmetNeed(path.join(root, file));
  if (unmet === undefined) {
    runnable.push(file);
    continue;
  }
  if (unmet.isOptional !== true) left += 1;
  console.log(`not run: ${file} needs ${unmet.name}: ${unmet.remedy}`);
}
if (left > 0 && process.env["LEGATION_TEST_ALL"] === "1") {
  console.error(`${left} test files cannot run here, and LEGATION_TEST_ALL=1 asks for all`);
  process.exit(1);
}
if (runnable.length === 0) {
  console.error("no test file can run on this machine");
  process.exit(1);
}

const isReporterGiven = options.some((option) => option.startsWith("--test-reporter"));
const quiet = process.stdout.isTTY ? "spec" : path.join(root, "scripts/quiet-reporter.ts");
const runner = spawn(
  process.execPath,
  [
    "--disable-warning=ExperimentalWarning",
    "--test",
    `--test-concurrency=${Math.max(1, Math.min(4, os.availableParallelism()))}`,
    `--test-timeout=${hangsAfterMs}`,
    ...(isReporterGiven ? [] : [`--test-reporter=${quiet}`, "--test-reporter-destination=stdout"]),
    ...options,
    ...runnable,
  ],
  { cwd: root, stdio: "inherit" },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => runner.kill(signal));
runner.on("error", (error) => {
  console.error(`cannot start the test runner: ${error.message}`);
  process.exit(1);
});
runner.on("exit", (code) => process.exit(code ?? 1));
