/** Deferred tasks for tests, and the workers that have them. */
import assert from "node:assert/strict";
import { createDeferredTask, type DeferredTask } from "../../src/operations/deferred-task.ts";
import { begin, type Handler, type Life, say, World } from "./harness.ts";

/** How often a worker has to be heard of here. */
export const MINUTE = 60_000;

/** The worker that has a token, reporting through a life. */
export function workerOf(life: Life, token: string): DeferredTask {
  return createDeferredTask((report, signal) => life.engine.deferrals.report(token, report, signal));
}

/** A handler that defers and notes its tokens. */
export function deferring(tokens: string[], options: { readonly attempts?: number } = {}): Handler {
  return async (turn) => {
    await turn.working(say("preparing"));
    await turn.step("prepare", () => 1);
    const deferred = await turn.defer({ heartbeatMs: MINUTE, ...options });
    tokens.push(deferred.token);
    return deferred;
  };
}

/** Time of the machine, as hashes are made on other threads. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1));
}

/** Resolves when so many tokens were issued. */
export async function issued(tokens: readonly string[], count: number): Promise<void> {
  for (let round = 0; tokens.length < count && round < 5_000; round++) await pause();
  assert.equal(tokens.length, count);
}

/** A task that a worker has. */
export interface DeferredSite {
  readonly world: World;
  readonly life: Life;
  readonly id: string;
  /** As they are issued, the newest last. */
  readonly tokens: string[];
  readonly worker: DeferredTask;
}

/** Resolves when the turn of a task is out of the hands of its handler. */
export async function handed(world: World, id: string): Promise<void> {
  for (let round = 0; round < 5_000; round++) {
    if ((await world.store.task(id))?.run.includes('"handed":true') === true) return;
    await pause();
  }
  assert.fail("nothing was handed over");
}

/** Begins a task that its handler defers. */
export async function deferred(options: { readonly attempts?: number } = {}): Promise<DeferredSite> {
  const world = new World();
  const tokens: string[] = [];
  const life = await world.start(deferring(tokens, options));
  const id = await begin(life);
  await issued(tokens, 1);
  await handed(world, id);
  return { world, life, id, tokens, worker: workerOf(life, tokens[0] ?? "") };
}
