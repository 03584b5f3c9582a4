/** What the soak holds its stores to when it is over. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../packages/legation/src/engine/store.ts";
import { isTerminal } from "../../packages/legation/src/model/task-state.ts";
import {
  allEffects,
  assertSawAll,
  assertWhole,
  readLog,
} from "../../packages/legation/test/guarantees/fault-checks.ts";
import type { Driving } from "./drive.ts";

/** What was found. */
export interface Verdict {
  readonly acknowledged: number;
  readonly states: Readonly<Record<string, number>>;
  readonly events: number;
  readonly connections: number;
  readonly keys: number;
  readonly runs: number;
  /** Empty when everything is as it was promised. */
  readonly faults: readonly string[];
}

const SETTLE_MS = 60_000;

/** Waits until every task is terminal or parked, and holds each against what its client saw. */
export async function judge(store: Store, driving: Driving, effects: string): Promise<Verdict> {
  const faults = [...driving.violations, ...driving.failures];
  const states: Record<string, number> = {};
  const sums = { events: 0, connections: 0, keys: 0, runs: 0 };
  const giveUp = Date.now() + SETTLE_MS;
  for (const { seen } of driving.driven) await settled(store, seen.taskId ?? "", giveUp).catch(() => {});
  const counts = allEffects(effects);
  for (const { seen, steps, isCanceled } of driving.driven) {
    const taskId = seen.taskId ?? "";
    try {
      const row = await settled(store, taskId, giveUp);
      states[row] = (states[row] ?? 0) + 1;
      const log = await readLog(store, taskId);
      assertWhole(log);
      const isWatched = isTerminal(seen.state as "TASK_STATE_COMPLETED");
      if (isWatched) assertSawAll(seen, log);
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
