/** What the guarantee tests look at after something died: the log itself, and what the world outside counted. */
import assert from "node:assert/strict";
import type { EventRow, Store, TaskRow } from "../../src/engine/store.ts";
import type { StreamResponse } from "../../src/model/gen/types.ts";
import { readEffects } from "../../src/testing/rehearsal-effects.ts";
import type { Seen } from "./sse-reader.ts";

/** A task and its whole log. */
export interface WholeLog {
  readonly row: TaskRow;
  readonly entries: readonly EventRow[];
}

/** Reads a task and its log. */
export async function readLog(store: Store, taskId: string): Promise<WholeLog> {
  const row = await store.task(taskId);
  assert.ok(row !== undefined, `task ${taskId} is not there`);
  const entries: EventRow[] = [];
  for (let after = 0; ; after = entries.at(-1)?.seq ?? 0) {
    const page = await store.events(row.key, after, 1_048_576);
    if (page.length === 0) break;
    entries.push(...page);
  }
  return { row, entries };
}

/** The log has no gap, its time never goes back, and ends where its row says. */
export function assertWhole({ row, entries }: WholeLog): void {
  assert.deepEqual(
    entries.map(({ seq }) => seq),
    entries.map((_, index) => index + 1),
  );
  assert.equal(row.seq, entries.length);
  for (const [index, { time }] of entries.entries()) assert.ok(time >= (entries[index - 1]?.time ?? 0));
}

/** What the subscriber saw is what the log holds for subscribers behind the Task that it began with: all, once, in order. */
export function assertSawAll(seen: Seen, { entries }: WholeLog): void {
  const told = entries.filter(({ seq, kind }) => seq > seen.firstSeq && (kind === "status" || kind === "artifact"));
  assert.deepEqual(
    seen.events.map(({ seq }) => seq),
    told.map(({ seq }) => seq),
  );
  for (const [index, { payload }] of told.entries()) {
    assert.deepEqual(JSON.parse(seen.events[index]?.json ?? "{}"), JSON.parse(payload));
  }
}

/** The bytes of an artifact as somebody has it who takes every event at its word. */
export function bytesOf(events: readonly { readonly json: string }[], name: string): string {
  let text = "";
  for (const { json } of events) {
    const update = (JSON.parse(json) as StreamResponse).artifactUpdate;
    if (update?.artifact.name !== name) continue;
    const piece = update.artifact.parts.map((part) => part.text ?? "").join("");
    text = update.append === true ? text + piece : piece;
  }
  return text;
}

/** Runs of each step of a task: how many keys they carried, and how many runs there were. */
export type CountedEffects = Readonly<Record<string, { readonly keys: number; readonly runs: number }>>;

/** What the world outside counted for every task. */
export function allEffects(file: string): ReadonlyMap<string, CountedEffects> {
  const tasks = new Map<string, Map<string, { keys: Set<string>; runs: number }>>();
  for (const { key, task, name } of readEffects(file)) {
    const of = tasks.get(task) ?? new Map<string, { keys: Set<string>; runs: number }>();
    tasks.set(task, of);
    const step = of.get(name) ?? { keys: new Set(), runs: 0 };
    of.set(name, step);
    step.keys.add(key);
    step.runs += 1;
  }
  const counted = ([name, { keys, runs }]: [string, { keys: Set<string>; runs: number }]) =>
    [name, { keys: keys.size, runs }] as const;
  return new Map([...tasks].map(([task, of]) => [task, Object.fromEntries([...of].map(counted))]));
}

/** What it counted for one. */
export function effectsOf(file: string, taskId: string): CountedEffects {
  return allEffects(file).get(taskId) ?? {};
}
