/**
 * Follows a task to its end over connections that break.
 *
 * - reading: a stream is open. A terminal state, or INPUT_REQUIRED where the run stops there, ends it. An end of the
 *   stream anywhere else is never success.
 * - waiting: after a break, for the backoff time (exponential, jitter, Retry-After). Any progress since the last break
 *   begins the count anew; too many attempts without any → STREAM_TRUNCATED.
 * - subscribing: with the seq of the last event applied. The agent refuses because the task has ended, or does not
 *   subscribe at all → looking. It no longer knows the task → TASK_NOT_FOUND at once, the outcome is unknown.
 * - looking: the task is read, what was missed is given out. It has ended → done; otherwise → polling.
 * - polling: the task is read at intervals until it ends. Entered, too, where an agent closes streams while a task
 *   waits for somebody: that may take days.
 */
import type { Task, TaskStatus } from "../model/gen/types.ts";
import { A2AError, isLocalError, LocalError } from "../operations/errors.ts";
import type { EventStream, StreamEvent } from "../operations/service.ts";
import { type Backoff, backoffMs } from "./backoff.ts";
import { abortError, type ClientClock, raceAbort, sleep } from "./client-clock.ts";
import type { RunEvent } from "./run-event.ts";
import { isTerminalState } from "./task-state.ts";
import type { TaskView } from "./task-view.ts";

/** How a task is asked after where it is not streamed. */
export interface Polling {
  /** First interval in ms, default 1,000; also after each change. */
  readonly intervalMs: number;
  /** The interval grows by half while nothing changes, up to this, default 30,000. */
  readonly maxMs: number;
}

/** What following needs from outside. */
export interface FollowHost {
  /** False where the agent does not stream. */
  readonly canSubscribe: boolean;
  /** Where a first subscription goes on, for a caller that has followed the task before. */
  readonly lastEventId?: number | undefined;
  subscribe(taskId: string, lastEventId: number | undefined): Promise<EventStream>;
  getTask(taskId: string): Promise<Task>;
  /** Bounds of resuming; no attempts at all means that the first break is the end. */
  readonly backoff: Backoff;
  readonly polling: Polling;
  readonly clock: ClientClock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** Told when what follows is no longer the first, unbroken delivery. */
  resumed(): void;
}

/** Where following ends. */
export interface FollowPlan {
  /** The task to subscribe to, where there is no stream yet that names it. */
  readonly taskId?: string | undefined;
  /** In which of the interrupted states it ends, beside the terminal ones. */
  readonly stopsAtInput: boolean;
  readonly stopsAtAuth: boolean;
  /**
   * For an answer to a task: the status that was answered. A question that is still this one is not the next one.
   * `"first"`: the status of the first snapshot, where the caller did not say.
   */
  readonly answered?: TaskStatus | "first" | undefined;
}

type StreamEnd = { readonly isOver: true } | { readonly isOver: false; readonly cause: unknown };

/**
 * @param first the open stream of a send; absent: subscribe
 * @returns batches of events; it ends where the plan says
 * @throws LocalError STREAM_TRUNCATED, ABORTED, TIMEOUT; A2AError TASK_NOT_FOUND (outcome unknown) and what no retry heals
 */
export async function* followTask(
  host: FollowHost,
  view: TaskView,
  plan: FollowPlan,
  first?: EventStream,
): AsyncGenerator<readonly RunEvent[], void> {
  const stopping = createStopping(view, plan);
  let stream = first;
  // Counts over subscriptions that bring nothing: a peer that accepts each and closes it is not followed for ever.
  let attempt = 0;
  for (;;) {
    const before = view.progress;
    let cause: unknown;
    if (stream !== undefined) {
      const end: StreamEnd = yield* readStream(host, view, stopping, stream);
      if (end.isOver) return yield* closeGap(host, view);
      cause = end.cause;
      attempt = view.progress > before ? 1 : attempt + 1;
      if (isCleanEnd(cause)) {
        if (stopping.isOverAtEof()) return yield* closeGap(host, view);
        // An agent that keeps no stream open for a task that waits: asking now and then costs less than coming back.
        if (isWaiting(view)) {
          host.resumed();
          yield* pollTask(host, view, { ...stopping, isOver: () => stopping.isOver() || !isWaiting(view) });
          if (stopping.isOver()) return;
          cause = undefined;
          attempt = 0;
        }
      }
    }
    const taskId = view.taskId ?? plan.taskId;
    if (taskId === undefined) throw truncated(view, cause, 0);
    stream = await resume(host, view, { taskId, attempt, cause });
    if (stream === undefined) return yield* pollTask(host, view, stopping, { taskId, firstWaitMs: 0 });
  }
}

/** A subscription that was never heard of is tried less often: whoever asks for it waits for the first word. */
const FIRST_ATTEMPTS = 2;

/**
 * Subscribes, by as many attempts as there may be.
 *
 * @param state `attempt` 0 for a first subscription, which is made at once
 * @returns undefined where the task has to be looked at instead
 */
async function resume(
  host: FollowHost,
  view: TaskView,
  state: { readonly taskId: string; readonly attempt: number; readonly cause: unknown },
): Promise<EventStream | undefined> {
  const { taskId } = state;
  let { attempt, cause } = state;
  const isFirst = view.progress === 0;
  const limit = isFirst ? Math.min(FIRST_ATTEMPTS, host.backoff.attempts) : host.backoff.attempts;
  for (; ; attempt++) {
    if (cause !== undefined && remedyFor(cause, taskId, isFirst) === "look") return undefined;
    if (attempt > limit) throw isFirst ? cause : truncated(view, cause, attempt - 1);
    if (!isFirst) host.resumed();
    if (!host.canSubscribe) return undefined;
    if (attempt > 0) await pause(host, backoffMs(host.backoff, attempt, host.random, retryAfterMs(cause)));
    try {
      return await raceAbort(
        host.subscribe(taskId, view.lastSeq ?? (isFirst ? host.lastEventId : undefined)),
        host.signal,
      );
    } catch (error) {
      refuseAborted(host);
      cause = error;
    }
  }
}

function isWaiting({ state }: TaskView): boolean {
  return state === "INPUT_REQUIRED" || state === "AUTH_REQUIRED";
}

/** True where the other side ended the stream in good order, as its transport tells it. */
function isCleanEnd(cause: unknown): boolean {
  return cause === undefined || (isLocalError(cause, "STREAM_TRUNCATED") && cause.cause === undefined);
}

async function* readStream(
  host: FollowHost,
  view: TaskView,
  stopping: Stopping,
  stream: EventStream,
): AsyncGenerator<readonly RunEvent[], StreamEnd> {
  view.connected();
  const iterator = stream[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      let step: IteratorResult<readonly StreamEvent[]>;
      try {
        step = await raceAbort(iterator.next(), host.signal);
      } catch (cause) {
        refuseAborted(host);
        isDone = true;
        return { isOver: false, cause };
      }
      if (step.done === true) {
        isDone = true;
        return { isOver: false, cause: undefined };
      }
      const events: RunEvent[] = [];
      let isOver = false;
      for (const event of step.value) {
        events.push(...view.absorb(event.value, event.seq));
        isOver = stopping.isOver();
        if (isOver) break;
      }
      if (events.length > 0) yield events;
      if (isOver) return { isOver };
    }
  } finally {
    // Not awaited: a transport that hangs must not hold up whoever has what it wants.
    if (!isDone) void iterator.return?.().catch(() => undefined);
  }
}

/**
 * Reads a task at intervals until the plan is fulfilled.
 *
 * @param start `firstWaitMs` before the first read, default the interval; `taskId` where the view has seen nothing yet
 * @throws as {@link followTask}
 */
export async function* pollTask(
  host: FollowHost,
  view: TaskView,
  stopping: Stopping,
  start: { readonly taskId?: string; readonly firstWaitMs?: number } = {},
): AsyncGenerator<readonly RunEvent[], void> {
  let waitMs = start.firstWaitMs ?? host.polling.intervalMs;
  let intervalMs = host.polling.intervalMs;
  let failures = 0;
  for (;;) {
    if (stopping.isOver()) return;
    await pause(host, waitMs);
    const taskId = view.taskId ?? start.taskId;
    if (taskId === undefined) return;
    let task: Task;
    try {
      task = await raceAbort(host.getTask(taskId), host.signal);
    } catch (error) {
      refuseAborted(host);
      if (remedyFor(error, taskId, view.progress === 0) === "look") throw error;
      failures++;
      if (failures > host.backoff.attempts) throw truncated(view, error, failures - 1);
      waitMs = backoffMs(host.backoff, failures, host.random, retryAfterMs(error));
      continue;
    }
    const events = view.reconcile(task);
    failures = 0;
    intervalMs = events.length > 0 ? host.polling.intervalMs : Math.min(host.polling.maxMs, intervalMs * 1.5);
    waitMs = intervalMs;
    if (events.length > 0) yield events;
    stopping.polled();
  }
}

// A peer went on after a break without saying what there is: only the task itself tells what was missed.
async function* closeGap(host: FollowHost, view: TaskView): AsyncGenerator<readonly RunEvent[], void> {
  const { taskId } = view;
  if (!view.hasGap || taskId === undefined) return;
  const events = view.reconcile(await raceAbort(host.getTask(taskId), host.signal));
  if (events.length > 0) yield events;
}

/** Decides whether a run is over. */
export interface Stopping {
  isOver(): boolean;
  /** The same where the agent has closed the stream: whatever question there is, is the last word. */
  isOverAtEof(): boolean;
  /** Counts a poll that may have found the old question again. */
  polled(): void;
}

/** How often a poll may find the answered question unchanged before it is believed to be the next one. */
const UNCHANGED_POLLS = 3;

/** @param view whose state decides */
export function createStopping(view: TaskView, plan: FollowPlan): Stopping {
  const { answered: said } = plan;
  let answered = said === "first" ? undefined : said;
  let polls = 0;
  const isAnswered = (): boolean => {
    const { status } = view;
    if (said === "first") answered ??= status;
    if (answered === undefined || status === undefined) return false;
    return (
      polls < UNCHANGED_POLLS &&
      answered.state === status.state &&
      answered.timestamp === status.timestamp &&
      answered.message?.messageId === status.message?.messageId
    );
  };
  const stopsHere = (): boolean => {
    const { state } = view;
    if (view.isMessage) return true;
    if (state === undefined) return false;
    if (isTerminalState(state)) return true;
    return (state === "INPUT_REQUIRED" && plan.stopsAtInput) || (state === "AUTH_REQUIRED" && plan.stopsAtAuth);
  };
  return {
    isOver: () => {
      const isStale = isAnswered();
      return stopsHere() && !isStale;
    },
    isOverAtEof: stopsHere,
    polled: () => {
      if (isAnswered()) polls++;
    },
  };
}

type Remedy = "resume" | "look";

const HEALED_BY_TIME = new Set(["UNAVAILABLE", "RATE_LIMITED", "INTERNAL"]);
const HEALED_BY_NOTHING = new Set([
  "UNAUTHENTICATED",
  "PERMISSION_DENIED",
  "INVALID_AGENT_RESPONSE",
  "VERSION_NOT_SUPPORTED",
  "EXTENSION_SUPPORT_REQUIRED",
]);
const LOSSES = new Set(["UNREACHABLE", "STREAM_TRUNCATED", "TIMEOUT"]);

/** What to do about an error of a stream, a subscription or a read; throws what nothing helps against. */
function remedyFor(error: unknown, taskId: string, isFirst: boolean): Remedy {
  if (error instanceof A2AError) {
    if (error.code === "TASK_NOT_FOUND") throw isFirst ? error : unknownOutcome(taskId, error);
    if (HEALED_BY_NOTHING.has(error.code)) throw error;
    return HEALED_BY_TIME.has(error.code) ? "resume" : "look";
  }
  if (isLocalError(error) && !LOSSES.has(error.code)) throw error;
  return "resume";
}

function unknownOutcome(taskId: string, cause: A2AError): A2AError {
  return new A2AError(
    "TASK_NOT_FOUND",
    `task ${taskId} not found any more while it was followed; its outcome is unknown`,
    {
      metadata: { ...cause.metadata, taskId, outcome: "unknown" },
      cause,
    },
  );
}

function truncated(view: TaskView, cause: unknown, attempts: number): LocalError {
  const { taskId, state } = view;
  const message =
    taskId === undefined
      ? "stream ended before its first event; whether the message arrived is not known"
      : `stream of task ${taskId} broke off in ${state} and was not resumed by ${attempts} attempts; the task may go on, read it again later`;
  return new LocalError("STREAM_TRUNCATED", message, { metadata: taskId === undefined ? {} : { taskId }, cause });
}

function retryAfterMs(error: unknown): number {
  return error instanceof A2AError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
}

async function pause(host: FollowHost, ms: number): Promise<void> {
  await sleep(host.clock, ms, host.signal);
  refuseAborted(host);
}

function refuseAborted(host: FollowHost): void {
  if (host.signal.aborted) throw abortError(host.signal);
}
