/**
 * `npm run bench [-- options]`: measures every scenario, prints what it gave beside the goals and writes
 * `results.json`. See README.md for what the numbers mean.
 *
 *   --only <text>      the scenario of that name, or all whose names contain it; may be repeated; nothing is written then
 *   --update           takes what --only measured into the results of the last whole run
 *   --rounds <n>       rounds of each scenario, default 5; 2 of a quick look
 *   --quick            a tenth of the work, for a look; nothing is written
 *   --table            prints the results of the last full run as the table of README.md
 *   --profile <folder> writes CPU profiles of our servers there
 */
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { measure, type Outcome } from "./measure/measure.ts";
import { markdownTable, printable } from "./measure/report.ts";
import { conversationScenarios } from "./scenarios/conversation.ts";
import { fanOutScenarios } from "./scenarios/fan-out.ts";
import { footprintScenarios } from "./scenarios/footprint.ts";
import { grpcScenarios } from "./scenarios/grpc.ts";
import { latencyScenarios } from "./scenarios/latency.ts";
import { postgresScenarios } from "./scenarios/postgres.ts";
import { pushScenarios } from "./scenarios/push.ts";
import { pushBesideScenarios } from "./scenarios/push-beside.ts";
import { readScenarios } from "./scenarios/read.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { sendScenarios } from "./scenarios/send.ts";
import { stallScenarios } from "./scenarios/stall.ts";
import { streamScenarios } from "./scenarios/stream.ts";
import { takeoverScenarios } from "./scenarios/takeover.ts";

const scenarios: readonly Scenario[] = [
  ...sendScenarios,
  ...streamScenarios,
  ...grpcScenarios,
  ...fanOutScenarios,
  ...readScenarios,
  ...conversationScenarios,
  ...pushScenarios,
  ...pushBesideScenarios,
  ...postgresScenarios,
  ...takeoverScenarios,
  ...latencyScenarios,
  ...stallScenarios,
  ...footprintScenarios,
];

const file = path.join(import.meta.dirname, "results.json");

/** What was measured on what. */
interface Results {
  readonly date: string;
  readonly node: string;
  readonly sqlite: string;
  readonly cpu: string;
  readonly cpus: number;
  readonly versions: Readonly<Record<string, string>>;
  readonly rounds: number;
  readonly outcomes: readonly Outcome[];
}

function versionOf(name: string): string {
  const require = createRequire(import.meta.url);
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return (JSON.parse(readFileSync(path.join(folder, name, "package.json"), "utf8")) as { version: string }).version;
    } catch {
      // Not in this folder.
    }
  }
  return "not installed";
}

function describe(rounds: number, outcomes: readonly Outcome[]): Results {
  const names = ["legation", "@a2a-js/sdk", "express", "kysely"];
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    sqlite: process.versions["sqlite"] ?? "",
    cpu: os.cpus()[0]?.model ?? "",
    cpus: os.cpus().length,
    versions: Object.fromEntries(names.map((name) => [name, versionOf(name)])),
    rounds,
    outcomes,
  };
}

const { values: options } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [] },
    rounds: { type: "string" },
    quick: { type: "boolean", default: false },
    table: { type: "boolean", default: false },
    update: { type: "boolean", default: false },
    profile: { type: "string" },
  },
});

/** A whole name means that scenario alone, a part of names all that have it. */
function isMeant(name: string, text: string): boolean {
  return scenarios.some((scenario) => scenario.name === text) ? name === text : name.includes(text);
}

async function main(): Promise<void> {
  if (process.platform !== "linux") throw new Error("the benchmark reads /proc: run it on Linux");
  const rounds = Number(options.rounds ?? (options.quick ? 2 : 5));
  const wanted = scenarios.filter(
    ({ name }) => options.only.length === 0 || options.only.some((text) => isMeant(name, text)),
  );
  if (wanted.length === 0 || !(rounds >= 1)) {
    throw new Error(`no such scenario or number of rounds; scenarios: ${scenarios.map(({ name }) => name).join(", ")}`);
  }
  const outcomes: Outcome[] = [];
  for (const scenario of wanted) {
    const begun = performance.now();
    const outcome = await measure(scenario, rounds, { quick: options.quick, profileTo: options.profile });
    outcomes.push(outcome);
    console.log(`${printable(outcome)}\n    (${Math.round((performance.now() - begun) / 1_000)} s)`);
  }
  const isFull = !options.quick && options.profile === undefined;
  const isWhole = isFull && wanted.length === scenarios.length;
  if (isWhole) write(describe(rounds, outcomes));
  else if (isFull && options.update) write(updated(readResults(), outcomes));
  else console.log("not written: only a whole run is a result");
}

function readResults(): Results {
  return JSON.parse(readFileSync(file, "utf8")) as Results;
}

/** Ratios hold within a scenario: one can be measured anew without the others. */
function updated(before: Results, outcomes: readonly Outcome[]): Results {
  const byName = new Map([...before.outcomes, ...outcomes].map((outcome) => [outcome.name, outcome]));
  return { ...before, outcomes: scenarios.flatMap(({ name }) => byName.get(name) ?? []) };
}

function write(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
  console.log(`written: ${path.relative(process.cwd(), file)}`);
}

/** What stands in README.md: the table, and what it was measured on. */
function documented({ date, node, sqlite, cpu, cpus, versions, rounds, outcomes }: Results): string {
  const packages = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  const machine = `node ${node}, SQLite ${sqlite}, ${cpus} × ${cpu}`;
  return `${markdownTable(outcomes)}\n\n${date}, ${rounds} rounds, ${machine}; ${packages.join(", ")}.`;
}

if (options.table) {
  console.log(documented(readResults()));
} else {
  await main();
}
