/** What the soak holds its stores to when it is over. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../packages/legation/src/engine/store.ts";
import { isTerminal } from "../../packages/legation/src/model/task-state.ts";
import {
  allEffects,
  assertSawAll,
  assertWhole,
  readLog,
  type WholeLog,
} from "../../packages/legation/test/guarantees/fault-checks.ts";
import type { Driven, Driving } from "./drive.ts";
import type { SoakWebhook } from "./webhook.ts";

/** What was found. */
export interface Verdict {
  readonly acknowledged: number;
  readonly states: Readonly<Record<string, number>>;
  readonly events: number;
  readonly connections: number;
  readonly keys: number;
  readonly runs: number;
  /** Events that webhooks were told. */
  readonly told: number;
  /** Logs that were emptied. */
  readonly emptied: number;
  /** Empty when everything is as it was promised. */
  readonly faults: readonly string[];
}

const SETTLE_MS = 60_000;

/** Waits until every task is terminal or parked, and holds each against what its client saw. */
export async function judge(store: Store, driving: Driving, effects: string, webhook: SoakWebhook): Promise<Verdict> {
  const faults = [...driving.violations, ...driving.failures];
  const states: Record<string, number> = {};
  const sums = { events: 0, connections: 0, keys: 0, runs: 0, told: 0, emptied: 0 };
  const giveUp = Date.now() + SETTLE_MS;
  for (const { seen } of driving.driven) await settled(store, seen.taskId ?? "", giveUp).catch(() => {});
  const counts = allEffects(effects);
  for (const driven of driving.driven) {
    const { seen, steps, isCanceled, isHooked } = driven;
    const taskId = seen.taskId ?? "";
    try {
      const row = await settled(store, taskId, giveUp);
      states[row] = (states[row] ?? 0) + 1;
      const log = await readLog(store, taskId);
      assertWhole(log);
      const isWatched = isTerminal(seen.state as "TASK_STATE_COMPLETED");
      const { whole, isEmptied } = withoutGaps(log, driven);
      if (isEmptied) sums.emptied += 1;
      if (isWatched) assertSawAll(seen, whole);
      if (isHooked) sums.told += await webhook.assertDelivered(taskId, log, giveUp);
      sums.events += seen.events.length;
      sums.connections += seen.connections;
      const counted = Object.entries(counts.get(taskId) ?? {});
      for (const [name, { keys, runs }] of counted) {
        sums.keys += keys;
        sums.runs += runs;
        if (keys !== 1) faults.push(`${taskId}: ${name} carried ${keys} keys`);
      }
      if (row === "TASK_STATE_COMPLETED" && counted.length !== steps + 1) {
        faults.push(`${taskId}: ${counted.length} effects, ${steps + 1} were promised`);
      }
      if (!isCanceled && (row === "TASK_STATE_CANCELED" || row === "TASK_STATE_FAILED")) {
        faults.push(`${taskId} is ${row} and nobody asked for that`);
      }
    } catch (failed) {
      faults.push(`${taskId}: ${failed instanceof Error ? failed.message : String(failed)}`);
    }
  }
  return { acknowledged: driving.driven.length, states, ...sums, faults };
}

/** A log that was emptied as its rule says still has its skeleton; what was in it is taken from who saw it. */
function withoutGaps(log: WholeLog, { seen, isCanceled }: Driven): { whole: WholeLog; isEmptied: boolean } {
  const isEmptied = log.entries.some(({ payload }) => payload === "");
  if (!isEmptied) return { whole: log, isEmptied };
  if (!isCanceled || log.row.snapshot === null) throw new Error("its log is empty, and no rule says so");
  const saw = new Map(seen.events.map(({ seq, json }) => [seq, json]));
  const entries = log.entries.map((entry) => ({ ...entry, payload: entry.payload || (saw.get(entry.seq) ?? "{}") }));
  return { whole: { ...log, entries }, isEmptied };
}

async function settled(store: Store, taskId: string, giveUp: number): Promise<string> {
  for (;;) {
    const row = await store.task(taskId);
    if (row === undefined) throw new Error("it is not there");
    if (row.held !== null) throw new Error(`it is held: ${row.held}`);
    if (isTerminal(row.state) || row.state === "TASK_STATE_INPUT_REQUIRED") return row.state;
    if (Date.now() > giveUp) throw new Error(`it is ${row.state} and does not go on`);
    await sleep(50);
  }
}
