// `npm run soak [-- --minutes 10 --seed 1]`: three replicas on one PostgreSQL and one process on SQLite under random
// sends, replies, cancels, kills, pauses and slow readers. In the end every acknowledged task must be terminal or
// parked, every keyed effect counted once, and nobody may have seen an event twice, out of order, or not at all. The
// report goes to bench/soak-report.md.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import type { RetentionRule } from "../packages/legation/src/engine/defaults.ts";
import { openStore } from "../packages/legation/src/hosts/node/open-store.ts";
import { startPostgres } from "../packages/legation/test/stores/postgres-server.ts";
import { createDice, type Dice, Fleet } from "./soak/chaos.ts";
import { type Driving, drive, newDriving } from "./soak/drive.ts";
import { judge, type Verdict } from "./soak/judge.ts";
import { SoakWebhook } from "./soak/webhook.ts";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "10" }, seed: { type: "string", default: "1" } },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes > 0 && minutes <= 60) || !Number.isInteger(seed)) {
  console.error("--minutes takes a number up to 60, --seed a whole number");
  process.exit(1);
}

/** Clients of each fleet, and the pause between two strikes against it in ms. */
const CLIENTS = 4;
const STRIKES: readonly [number, number] = [4_000, 12_000];

/** Logs of tasks that were canceled are emptied: their clients are done with them by then. */
const RETENTION: RetentionRule = { states: ["TASK_STATE_CANCELED"], afterMs: 45_000, drop: "log" };
/** Bounds that are counted up to, and not reached. */
const QUOTAS = { maxOpenTasks: 1_000_000, maxTaskBytes: 100_000_000 };
/** A webhook that fails is tried again soon, and never given up. */
const PUSH = { retryMs: 200, retryFactor: 1.2, maxAttempts: 1_000, timeoutMs: 1_000, leaseMs: 8_000 };

/** How often it says how far it is. */
const TELL_MS = 15_000;

interface Side {
  readonly title: string;
  readonly fleet: Fleet;
  readonly driving: Driving;
  readonly webhook: SoakWebhook;
  peakRss: number;
  verdict?: Verdict;
}

const endings: (() => unknown)[] = [];
const cleanup = { after: (end: () => unknown): void => void endings.push(end) };
const folder = mkdtempSync(path.join(os.tmpdir(), "legation-soak-"));
cleanup.after(() => rmSync(folder, { recursive: true, force: true }));

async function startSide(title: string, url: string, size: number): Promise<Side> {
  const effects = path.join(folder, `${title}.effects.jsonl`);
  const engine = { leaseMs: 3_000, snapshotBytes: 8_192, retention: [RETENTION], ...QUOTAS };
  const settings = { agent: "soak", store: url, effects, engine, push: PUSH };
  const webhook = await SoakWebhook.start(createDice(seed * 1_000 + 50 + size));
  cleanup.after(() => webhook[Symbol.asyncDispose]());
  return {
    title,
    fleet: await Fleet.start(settings, size, cleanup),
    driving: newDriving(webhook.url),
    webhook,
    peakRss: 0,
  };
}

function rssOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}

async function strikeAtRandom(side: Side, dice: Dice, until: number): Promise<void> {
  for (;;) {
    await sleep(dice.between(...STRIKES));
    if (Date.now() >= until) return;
    await side.fleet.strike(dice);
  }
}

async function soak(side: Side, index: number, until: number): Promise<void> {
  const dice = (n: number): Dice => createDice(seed * 1_000 + index * 100 + n);
  const watching = setInterval(() => {
    side.peakRss = Math.max(side.peakRss, ...side.fleet.pids.map(rssOf));
  }, 1_000);
  const telling = setInterval(() => {
    const { driven, violations, failures } = side.driving;
    console.log(`${side.title}: ${driven.length} tasks, ${violations.length} violations, ${failures.length} failures`);
  }, TELL_MS);
  const clients = Array.from({ length: CLIENTS }, (_, n) => drive(side.fleet, dice(n), side.driving, until));
  await Promise.all([...clients, strikeAtRandom(side, dice(99), until)]);
  clearInterval(watching);
  clearInterval(telling);
  const store = await openStore(side.fleet.settings.store);
  await store.open();
  side.verdict = await judge(store, side.driving, side.fleet.settings.effects, side.webhook);
  await store.close();
}

function reportOf(sides: readonly Side[], tookMs: number): string {
  const row = (label: string, of: (side: Side) => string | number): string =>
    `| ${label} | ${sides.map((side) => of(side)).join(" | ")} |`;
  const verdict = ({ verdict: found }: Side): Verdict => found as Verdict;
  const states = ({ verdict: found }: Side): string =>
    Object.entries(found?.states ?? {})
      .sort()
      .map(([state, n]) => `${state.replace("TASK_STATE_", "")} ${n}`)
      .join(", ");
  const faults = sides.flatMap((side) => verdict(side).faults.map((fault) => `- ${side.title}: ${fault}`));
  return [
    "# Soak",
    "",
    `Written by \`npm run soak\`: ${minutes} minutes, seed ${seed}, node ${process.versions.node}, ${os.availableParallelism()} cores;`,
    `${Math.round(tookMs / 1_000)} s with start and judgement. Every client follows its tasks over the wire, goes on behind the last event`,
    "when its server dies, and what it saw is held against the log in the end.",
    "",
    row("", ({ title }) => title),
    `| --- |${" --- |".repeat(sides.length)}`,
    row("processes", ({ fleet }) => fleet.size),
    row("`kill -9`", ({ fleet }) => fleet.counts.killed),
    row("SIGSTOP for 1 to 6 s", ({ fleet }) => fleet.counts.paused),
    row("graceful stops", ({ fleet }) => fleet.counts.stopped),
    row("tasks acknowledged", (side) => verdict(side).acknowledged),
    row("in the end", states),
    row("replies by message", ({ driving }) => driving.replies),
    row("answers to questions", ({ driving }) => driving.answers),
    row("messages sent a second time", ({ driving }) => driving.resends),
    row("readers that never read", ({ driving }) => driving.slowReaders),
    row("events held against the log", (side) => verdict(side).events),
    row("connections", (side) => verdict(side).connections),
    row("order violations", ({ driving }) => driving.violations.length),
    row("keyed effects, each under one key", (side) => verdict(side).keys),
    row("runs of them", (side) => verdict(side).runs),
    row(
      "tasks with a webhook, which fails every twentieth time",
      ({ driving }) => driving.driven.filter(({ isHooked }) => isHooked).length,
    ),
    row("events that it was told, each in its order", (side) => verdict(side).told),
    row("requests to it", ({ webhook }) => webhook.requests),
    row("logs emptied 45 s behind their end", (side) => verdict(side).emptied),
    row("highest RSS of a process, MB", ({ peakRss }) => Math.round(peakRss)),
    row("broken promises", (side) => verdict(side).faults.length),
    "",
    ...(faults.length === 0
      ? ["Every acknowledged task is terminal or parked, every keyed effect counted once."]
      : ["Broken promises:", "", ...faults]),
    "",
  ].join("\n");
}

const begun = Date.now();
let isGood = false;
try {
  const server = await startPostgres();
  if (server === undefined) throw new Error("the soak needs a PostgreSQL: set DATABASE_URL");
  cleanup.after(() => server.stop());
  const sides = [
    await startSide("postgres", `${server.dsn}?schema=soak_${seed}_${begun}`, 3),
    await startSide("sqlite", `sqlite:${path.join(folder, "soak.db")}`, 1),
  ];
  const until = Date.now() + minutes * 60_000;
  await Promise.all(sides.map((side, index) => soak(side, index, until)));
  const report = reportOf(sides, Date.now() - begun);
  writeFileSync(path.join(import.meta.dirname, "soak-report.md"), report);
  console.log(report);
  isGood = sides.every(({ verdict }) => verdict?.faults.length === 0);
} finally {
  for (const end of endings.reverse()) await end();
}
process.exit(isGood ? 0 : 1);
