/**
 * What 0.3 does otherwise than 1.0, done with the operations of 1.0:
 *
 * - a blocking send goes on through AUTH_REQUIRED, which does not interrupt in 0.3;
 * - resubscribing to a task that has ended gives the task, where 1.0 refuses;
 * - every stream ends with the event that is `final`: a terminal state, or INPUT_REQUIRED;
 * - a webhook without an id is the one webhook of its task: set replaces it, get finds it.
 *
 * The wait through AUTH_REQUIRED has no bound but the caller's patience, and the operator's bound on blocking sends.
 */
import type {
  GetTaskPushNotificationConfigRequest,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
} from "../../model/gen/types.ts";
import { isTerminal } from "../../model/task-state.ts";
import type { Call } from "../../operations/call.ts";
import { isA2AError, taskNotFound } from "../../operations/errors.ts";
import { METHODS, type MethodName } from "../../operations/methods.ts";
import type { AnyRequest } from "../../operations/parse-request.ts";
import { type Payload, payloadOfValue } from "../../operations/payload.ts";
import type { EventStream, Service, StreamEvent } from "../../operations/service.ts";
import { streamEventOfValue } from "../../operations/stream-event.ts";
import { isFinalState } from "./write-old.ts";

/**
 * Carries out a method with the semantics of 0.3.
 *
 * @param method its name in 1.0
 * @param request valid, from `readOldRequest`
 * @returns the value of a unary method, undefined of a deletion, or a stream
 */
export async function carryOutOld(
  service: Service,
  method: MethodName,
  request: AnyRequest,
  call: Call,
): Promise<unknown> {
  switch (method) {
    case "SendMessage":
      return (await send(service, request as SendMessageRequest, call)).value;
    case "SendStreamingMessage":
      return endAtFinal(await service.sendStreamingMessage(request as SendMessageRequest, call));
    case "SubscribeToTask":
      return endAtFinal(await resubscribe(service, request as SubscribeToTaskRequest, call));
    case "CreateTaskPushNotificationConfig": {
      const config = request as TaskPushNotificationConfig;
      const id = config.id ?? config.taskId;
      const named = id === undefined ? config : { ...config, id };
      return (await service.createTaskPushNotificationConfig(named, call)).value;
    }
    case "GetTaskPushNotificationConfig":
      return findConfig(service, request as GetTaskPushNotificationConfigRequest, call);
    default: {
      const operation = service[METHODS[method].operation] as (request: unknown, call: Call) => Promise<unknown>;
      const payload = (await operation.call(service, request, call)) as Payload<unknown> | undefined;
      return payload?.value;
    }
  }
}

async function send(service: Service, request: SendMessageRequest, call: Call): Promise<Payload<SendMessageResponse>> {
  const payload = await service.sendMessage(request, call);
  const { returnImmediately, historyLength } = request.configuration ?? {};
  const { task } = payload.value;
  if (returnImmediately === true || task?.status.state !== "TASK_STATE_AUTH_REQUIRED") return payload;
  const tenant = request.tenant === undefined ? {} : { tenant: request.tenant };
  await passAuth(service, { id: task.id, ...tenant }, call);
  const length = historyLength === undefined ? {} : { historyLength };
  const { value } = await service.getTask({ id: task.id, ...tenant, ...length }, call);
  return payloadOfValue({ task: value });
}

/** Waits for what comes after AUTH_REQUIRED; returns at once where the agent does not stream. */
async function passAuth(service: Service, request: SubscribeToTaskRequest, call: Call): Promise<void> {
  let events: EventStream;
  try {
    events = await service.subscribeToTask(request, call);
  } catch (thrown) {
    if (isA2AError(thrown, "UNSUPPORTED_OPERATION")) return;
    throw thrown;
  }
  const batches = endAtFinal(events)[Symbol.asyncIterator]();
  const { waitsUntil, signal } = call;
  const bound =
    waitsUntil === undefined ? undefined : AbortSignal.timeout(Math.max(0, Math.ceil(waitsUntil - performance.now())));
  const end = (): void => void batches.return?.();
  for (const limit of [signal, bound]) limit?.addEventListener("abort", end, { once: true });
  try {
    while ((await batches.next()).done !== true);
  } finally {
    for (const limit of [signal, bound]) limit?.removeEventListener("abort", end);
  }
}

async function resubscribe(service: Service, request: SubscribeToTaskRequest, call: Call): Promise<EventStream> {
  try {
    return await service.subscribeToTask(request, call);
  } catch (thrown) {
    if (!isA2AError(thrown, "UNSUPPORTED_OPERATION")) throw thrown;
    const { value: task } = await service.getTask(request, call);
    if (!isTerminal(task.status.state)) throw thrown;
    return {
      async *[Symbol.asyncIterator]() {
        yield [streamEventOfValue({ task })];
      },
    };
  }
}

async function findConfig(
  service: Service,
  request: GetTaskPushNotificationConfigRequest,
  call: Call,
): Promise<TaskPushNotificationConfig> {
  if (request.id !== "") return (await service.getTaskPushNotificationConfig(request, call)).value;
  const { id: _, ...ofTask } = request;
  const { configs = [] } = (await service.listTaskPushNotificationConfigs(ofTask, call)).value;
  const config = configs.find(({ id }) => id === request.taskId) ?? configs[0];
  if (config === undefined) throw taskNotFound(`${request.taskId} with a webhook`);
  return config;
}

/** True for the last event of a stream of 0.3. */
function isFinal({ task, statusUpdate }: StreamResponse): boolean {
  if (statusUpdate !== undefined) return isFinalState(statusUpdate.status.state);
  return task !== undefined && isTerminal(task.status.state);
}

/** The stream up to its final event. Returning it ends the one below at once, also while that waits. */
export function endAtFinal(events: EventStream): EventStream {
  return {
    [Symbol.asyncIterator]() {
      const batches = events[Symbol.asyncIterator]();
      let isOver = false;
      const end = (): Promise<IteratorResult<readonly StreamEvent[]>> => {
        isOver = true;
        // Not awaited: a source that waits for the next event must not hold up whoever has gone.
        batches.return?.().catch(() => undefined);
        return Promise.resolve({ done: true, value: undefined });
      };
      return {
        async next() {
          if (isOver) return { done: true, value: undefined };
          const step = await batches.next();
          if (step.done === true) return step;
          const at = step.value.findIndex(({ value }) => isFinal(value));
          if (at === -1) return step;
          await end();
          return { done: false, value: step.value.slice(0, at + 1) };
        },
        return: end,
      };
    },
  };
}
