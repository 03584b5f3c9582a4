/**
 * Requests of 1.0 as requests of 0.3, with their defaults said: 1.0 waits unless told otherwise, 0.3 does not.
 *
 * @see specification of 0.3, §7
 */
import type { SendMessageRequest, TaskPushNotificationConfig } from "../../model/gen/types.ts";
import type { JsonObject } from "../../model/json.ts";
import type { MethodName } from "../../operations/methods.ts";
import type { OldForm } from "./old-words.ts";
import { fill, writeMessage, writePushConfig, writeTaskPushConfig } from "./write-old.ts";

/** The params of a method on the JSON-RPC of 0.3. */
export function writeOldParams(method: MethodName, request: object): JsonObject | undefined {
  const { id, taskId, historyLength, metadata } = request as {
    readonly id?: string;
    readonly taskId?: string;
    readonly historyLength?: number;
    readonly metadata?: JsonObject;
  };
  switch (method) {
    case "SendMessage":
    case "SendStreamingMessage":
      return writeOldSend(request as SendMessageRequest, "kind");
    case "GetTask":
      return fill({ id, historyLength: lengthFor(historyLength) });
    case "CancelTask":
      return fill({ id, metadata });
    case "SubscribeToTask":
      return fill({ id });
    case "CreateTaskPushNotificationConfig":
      return writeTaskPushConfig(request as TaskPushNotificationConfig, "kind");
    case "ListTaskPushNotificationConfigs":
      return fill({ id: taskId });
    case "GetTaskPushNotificationConfig":
    case "DeleteTaskPushNotificationConfig":
      return fill({ id: taskId, pushNotificationConfigId: id });
    default:
      return undefined;
  }
}

/** The body of a send, in either spelling. */
export function writeOldSend({ message, configuration, metadata }: SendMessageRequest, form: OldForm): JsonObject {
  const { acceptedOutputModes, historyLength, returnImmediately, taskPushNotificationConfig } = configuration ?? {};
  const hook = taskPushNotificationConfig === undefined ? undefined : writePushConfig(taskPushNotificationConfig);
  const written = fill({
    acceptedOutputModes,
    historyLength: unlessZero(historyLength),
    blocking: returnImmediately !== true,
    [form === "kind" ? "pushNotificationConfig" : "pushNotification"]: hook,
  });
  return fill({ message: writeMessage(message, form), configuration: written, metadata });
}

/** The body of a webhook's registration over HTTP+JSON: the request of `a2a.v1`. */
export function writeOldRegistration(config: TaskPushNotificationConfig): JsonObject {
  const { taskId = "", id = taskId } = config;
  return { parent: `tasks/${taskId}`, configId: id, config: writeTaskPushConfig({ ...config, id }, "proto") };
}

/** The longest history that can be asked for: what the proto's int32 holds. */
const ALL_OF_IT = 2_147_483_647;

/**
 * The length to ask a GetTask for. 1.0 means all of the history where it names none; of agents of 0.3 some then leave it
 * all out, and some take 0, which is all of it in the proto of 0.3, for none: a great number means the same to everybody.
 * Where none is wanted one message is asked for, and left out of the answer.
 */
export function lengthFor(length: number | undefined): number {
  return length === undefined ? ALL_OF_IT : length === 0 ? 1 : length;
}

/** None of the history cannot be asked for in 0.3, where 0 is all of it: the client leaves it out of the answer. */
function unlessZero(length: number | undefined): number | undefined {
  return length === 0 ? undefined : length;
}
