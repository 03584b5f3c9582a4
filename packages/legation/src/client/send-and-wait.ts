/**
 * Sends, and gives the reply when the agent is done or needs something.
 *
 * - sent: the agent holds the request until then, as §3.2.2 wants it, and mostly that is all.
 * - lost: the connection did not live that long. Runtimes and proxies give up on a silent request after a minute or
 *   five, and the task goes on. It is asked for again: by the same message where it is known to be carried out once,
 *   otherwise by looking for the task that holds the message. Neither finds it → the loss is reported.
 * - following: the task is there and still works, because its operator bounds the wait or because of a loss. It is
 *   followed by stream, or by polling where the agent does not stream.
 */
import type { SendMessageRequest, SendMessageResponse, Task } from "../model/gen/types.ts";
import type { Call } from "../operations/call.ts";
import { isA2AError, LocalError } from "../operations/errors.ts";
import type { Service } from "../operations/service.ts";
import { isConnectionLoss, isNothingSent } from "./connect-failure.ts";
import type { Reply } from "./reply.ts";
import { isInterruptedState, isTerminalState, readTaskState } from "./task-state.ts";

/** What sending needs of its client. */
export interface SendHost {
  readonly service: Service;
  /** True where a message may be sent again that was lost on the way: under one id it is carried out once. */
  readonly mayRepeatSend: () => boolean;
  readonly wrap: (answer: SendMessageResponse) => Reply;
  /** Follows a task until it has ended or needs somebody. */
  readonly follow: (taskId: string) => Promise<Reply>;
  readonly warn: (sentence: string) => void;
}

/**
 * @param request as it goes out
 * @param call whose signal ends everything
 * @throws as the service and following do; a loss that nothing heals has `metadata.messageId`
 * @see specification §3.1.1, §3.2.2
 */
export async function sendAndWait(host: SendHost, request: SendMessageRequest, call: Call): Promise<Reply> {
  const answer = await deliver(host, request, call);
  const { task } = answer;
  if (task === undefined || request.configuration?.returnImmediately === true) return host.wrap(answer);
  const state = readTaskState(task.status.state).name;
  if (isTerminalState(state) || isInterruptedState(state)) return host.wrap(answer);
  try {
    return await host.follow(task.id);
  } catch (error) {
    // An agent that neither streams nor reads tasks has said all that it will ever say.
    if (!isA2AError(error, "UNSUPPORTED_OPERATION") && !isA2AError(error, "METHOD_NOT_FOUND")) throw error;
    host.warn(`task ${task.id} cannot be followed (${error.message}); it is given as it was`);
    return host.wrap(answer);
  }
}

async function deliver(host: SendHost, request: SendMessageRequest, call: Call): Promise<SendMessageResponse> {
  try {
    return (await host.service.sendMessage(request, call)).value;
  } catch (error) {
    if (!isConnectionLoss(error) || isNothingSent(error)) throw error;
    // Whatever goes wrong from here on, the loss is what the caller has to know.
    const found = await recover(host, request, call).catch(() => undefined);
    const { messageId } = request.message;
    if (found !== undefined) {
      host.warn(`the connection was lost while message ${messageId} was carried out (${error.message}); followed on`);
      return found;
    }
    throw new LocalError(error.code, `${error.message}; whether message ${messageId} arrived is not known`, {
      metadata: { ...error.metadata, messageId },
      cause: error,
    });
  }
}

/** How many of the newest tasks are looked at for a message. */
const NEWEST_TASKS = 20;

async function recover(
  { service, mayRepeatSend }: SendHost,
  request: SendMessageRequest,
  call: Call,
): Promise<SendMessageResponse | undefined> {
  if (mayRepeatSend()) {
    const configuration = { ...request.configuration, returnImmediately: true };
    return (await service.sendMessage({ ...request, configuration }, call)).value;
  }
  const { messageId, taskId, contextId } = request.message;
  let tasks: readonly Task[];
  if (taskId !== undefined) tasks = [(await service.getTask({ id: taskId }, call)).value];
  else {
    const filter = contextId === undefined ? {} : { contextId };
    tasks = (await service.listTasks({ ...filter, pageSize: NEWEST_TASKS }, call)).value.tasks;
  }
  const task = tasks.find(({ history }) => history?.some((message) => message.messageId === messageId));
  return task && { task };
}
