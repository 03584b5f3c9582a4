/** Makes a run: of a send, or of a subscription. */
import type { SendMessageRequest, Task } from "../model/gen/types.ts";
import type { Call } from "../operations/call.ts";
import { isA2AError, type LocalError } from "../operations/errors.ts";
import type { Service } from "../operations/service.ts";
import type { Backoff } from "./backoff.ts";
import { type ClientClock, raceAbort, startDeadline } from "./client-clock.ts";
import { createStopping, type FollowHost, type FollowPlan, followTask, type Polling, pollTask } from "./follow-task.ts";
import type { PushFeed } from "./push-feed.ts";
import type { HandleActions, Reply } from "./reply.ts";
import { Run } from "./run.ts";
import type { RunEvent } from "./run-event.ts";
import type { CallOptions } from "./send-options.ts";
import { TaskView } from "./task-view.ts";

/** What runs need of their client. */
export interface RunContext {
  readonly service: Service;
  readonly canStream: boolean;
  readonly call: (options: CallOptions, signal: AbortSignal, lastEventId?: number) => Call;
  readonly actions: HandleActions;
  readonly warn: (sentence: string) => void;
  readonly backoff: Backoff;
  readonly polling: Polling;
  readonly clock: ClientClock;
  readonly random: () => number;
  /** Told of the reply when the run is over. */
  readonly onReply: (reply: Reply) => void;
}

type Source = (host: FollowHost, view: TaskView) => AsyncGenerator<readonly RunEvent[], void>;

/** Sends a message and follows what comes of it. */
export function openSend(
  context: RunContext,
  request: SendMessageRequest,
  plan: FollowPlan,
  options: CallOptions,
): Run {
  return openRun(context, options, `message ${request.message.messageId}`, undefined, async function* (host, view) {
    const stopping = createStopping(view, plan);
    const call = (): Call => context.call(options, host.signal);
    if (host.canSubscribe) {
      try {
        const first = await raceAbort(context.service.sendStreamingMessage(request, call()), host.signal);
        return yield* followTask(host, view, plan, first);
      } catch (error) {
        // Refused as a whole, so nothing was done: the card promised a stream that the agent does not have.
        if (view.progress > 0 || !isA2AError(error, "UNSUPPORTED_OPERATION") || request.message.taskId !== undefined)
          throw error;
        context.warn(`the card declares streaming, the agent refuses it (${error.message}); polling instead`);
      }
    }
    const polled = { ...request, configuration: { ...request.configuration, returnImmediately: true } };
    const { value } = await raceAbort(context.service.sendMessage(polled, call()), host.signal);
    yield view.absorb(value, undefined);
    return yield* pollTask(host, view, stopping);
  });
}

/** Follows a task that there is. */
export function openSubscription(
  context: RunContext,
  plan: FollowPlan & { readonly taskId: string },
  options: CallOptions & { readonly lastEventId?: number | undefined; readonly from?: PushFeed | undefined },
): Run {
  const { from, lastEventId } = options;
  return openRun(context, options, `task ${plan.taskId}`, lastEventId, (host, view) =>
    followTask(from === undefined ? host : fedHost(host, from), view, plan),
  );
}

/** What a stream of the agent would bring comes by push; the agent need not stream at all. */
function fedHost(host: FollowHost, from: PushFeed): FollowHost {
  const subscribe: FollowHost["subscribe"] = async (taskId) => from.stream(taskId, (id) => host.getTask(id));
  return { ...host, canSubscribe: true, subscribe };
}

function openRun(
  context: RunContext,
  options: CallOptions,
  what: string,
  lastEventId: number | undefined,
  source: Source,
): Run {
  const { service, clock } = context;
  const closing = new AbortController();
  const deadline = startDeadline(clock, options, what);
  const signal = deadline.signal === undefined ? closing.signal : AbortSignal.any([deadline.signal, closing.signal]);
  let isResumed = false;
  const host: FollowHost = {
    canSubscribe: context.canStream,
    lastEventId,
    subscribe: (id, after) => service.subscribeToTask({ id }, context.call(options, signal, after)),
    getTask: async (id): Promise<Task> => (await service.getTask({ id }, context.call(options, signal))).value,
    backoff: context.backoff,
    polling: context.polling,
    clock,
    random: context.random,
    signal,
    resumed: () => {
      isResumed = true;
    },
  };
  const view = new TaskView({ actions: context.actions, warn: context.warn });
  return new Run({
    source: source(host, view),
    view,
    isResumed: () => isResumed,
    abort: (reason: LocalError) => closing.abort(reason),
    onEnd: (reply) => {
      deadline.dispose();
      if (reply !== undefined) context.onReply(reply);
    },
  });
}
