/** Asks for a task at intervals until it ends or needs the caller (a2a-cli specification §9.3). */
import { setTimeout as sleep } from "node:timers/promises";
import type { Task } from "../model/gen/types.ts";
import { isA2AError, isLocalError } from "../operations/errors.ts";
import type { Payload } from "../operations/payload.ts";
import type { OpenAgent } from "./open-agent.ts";
import { factsOf } from "./render-task.ts";
import { isSettled } from "./task-states.ts";

/** How often, and for how long an agent that cannot be reached is believed to come back. */
export interface PollOptions {
  readonly intervalMs: number;
  /** True keeps the interval as it is; else it grows slowly to five times as much, for a task that takes long. */
  readonly isFixed: boolean;
  readonly historyLength: number | undefined;
}

/** Failures in a row before the wait is given up, and the longest pause between them in ms. */
const MAX_FAILURES = 8;
const MAX_PAUSE_MS = 30_000;

/**
 * @returns The task in the first state that is terminal or interrupted. Every other state is waited through.
 * @throws What the agent answers; that it cannot be reached, at once when it never was, else after
 * {@link MAX_FAILURES} in a row.
 */
export async function pollTask(agent: OpenAgent, taskId: string, options: PollOptions): Promise<Payload<Task>> {
  const { historyLength } = options;
  const request = { id: taskId, ...(historyLength === undefined ? {} : { historyLength }) };
  let intervalMs = options.intervalMs;
  let failures = 0;
  let isKnown = false;
  for (;;) {
    try {
      const payload = await agent.service.getTask(request, agent.call());
      failures = 0;
      isKnown = true;
      agent.saw(factsOf(payload.value));
      if (isSettled(payload.value.status.state)) return payload;
    } catch (thrown) {
      failures += 1;
      if (!isKnown || !isPassing(thrown) || failures > MAX_FAILURES) throw thrown;
    }
    // At least some time passes, whatever interval was asked for: a loop without a pause would be an attack.
    const pauseMs = Math.max(20, Math.min(intervalMs * 2 ** failures, Math.max(MAX_PAUSE_MS, intervalMs)));
    await sleep(pauseMs, undefined, { signal: agent.signal });
    if (!options.isFixed) intervalMs = Math.min(intervalMs * 1.25, options.intervalMs * 5);
  }
}

function isPassing(thrown: unknown): boolean {
  return isA2AError(thrown, "UNAVAILABLE") || isA2AError(thrown, "RATE_LIMITED") || isLocalError(thrown, "UNREACHABLE");
}
