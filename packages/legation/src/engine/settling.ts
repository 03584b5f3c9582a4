/** Waiting until a task has come to rest: it has ended, or wants something of its caller. */
import type { Task } from "../model/gen/types.ts";
import { isInterrupted, isTerminal } from "../model/task-state.ts";
import { type Payload, payloadOfJson } from "../operations/payload.ts";
import type { TaskShape } from "./projection.ts";
import { toldOf } from "./store-failure.ts";
import type { TaskLog } from "./task-log.ts";

/** Resolves when the task is terminal, or interrupted by something after `afterSeq` in its log. */
export function untilSettled(log: TaskLog, afterSeq: number, signal: AbortSignal | undefined): Promise<void> {
  return log.until(({ state, run }) => isTerminal(state) || (isInterrupted(state) && run.statusSeq > afterSeq), signal);
}

/** The Task as it is then; the log stays live until it is known. */
export async function settledTask(
  log: TaskLog,
  afterSeq: number,
  { shape, signal }: { readonly shape: TaskShape; readonly signal: AbortSignal | undefined },
): Promise<Payload<Task>> {
  log.pin();
  try {
    await untilSettled(log, afterSeq, signal);
    const preparing = log.content.prepare(shape);
    if (preparing !== undefined) await preparing;
    return log.isAtHand ? payloadOfJson(log.content.json(shape)) : await log.payload(shape);
  } catch (failed) {
    throw toldOf(failed);
  } finally {
    log.unpin();
  }
}
