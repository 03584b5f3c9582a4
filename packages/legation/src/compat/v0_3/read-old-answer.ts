/** Answers of an agent of 0.3 as those of 1.0: leniently, and what 1.0 asked for but 0.3 cannot be asked. */
import type { StreamResponse, Task } from "../../model/gen/types.ts";
import { isObject } from "../../model/notes.ts";
import { A2AError } from "../../operations/errors.ts";
import type { MethodName } from "../../operations/methods.ts";
import { type PeerWarning, parseAnswer, parseStreamAnswer } from "../../operations/parse-answer.ts";
import { get, noFault, readStreamResponse, readTask, readTaskPushConfig } from "./read-old.ts";

/**
 * Reads the answer of a unary method.
 *
 * @param method its name in 1.0
 * @param request that was answered, in 1.0's form
 * @param answer parsed JSON
 * @returns the canonical value of 1.0; of a card the document as it came, undefined of a deletion
 * @throws INVALID_AGENT_RESPONSE that names the expected shape
 */
export function readOldAnswer(
  method: MethodName,
  request: object,
  answer: unknown,
  onWarning: PeerWarning | undefined,
): unknown {
  switch (method) {
    case "SendMessage": {
      const read = parseAnswer(method, readStreamResponse(answer, noFault), onWarning);
      const { task } = read as { readonly task?: Task };
      const { configuration } = request as { readonly configuration?: object };
      if (task !== undefined) withoutUnwanted(task, configuration);
      return read;
    }
    case "GetTask": {
      const task = parseAnswer(method, readTask(answer, noFault), onWarning) as Task;
      return withoutUnwanted(task, request);
    }
    case "CancelTask":
      return parseAnswer(method, readTask(answer, noFault), onWarning);
    case "CreateTaskPushNotificationConfig":
    case "GetTaskPushNotificationConfig":
      return parseAnswer(method, readTaskPushConfig(answer, noFault), onWarning);
    case "ListTaskPushNotificationConfigs": {
      const list = isObject(answer) ? (answer["configs"] ?? []) : answer;
      const configs = Array.isArray(list) ? list.map((config) => readTaskPushConfig(config, noFault)) : list;
      const token = isObject(answer) ? get(answer, "nextPageToken") : undefined;
      return parseAnswer(method, { configs, nextPageToken: token }, onWarning);
    }
    default:
      return parseAnswer(method, answer, onWarning);
  }
}

/** Reads one event of a stream. @throws INVALID_AGENT_RESPONSE */
export function readOldEvent(event: unknown, onWarning: PeerWarning | undefined): StreamResponse {
  return parseStreamAnswer(readStreamResponse(event, noFault), onWarning);
}

/** In 0.3 a history of length 0 is the whole one: who wants none gets none here. */
function withoutUnwanted(task: Task, asked: object | undefined): Task {
  if ((asked as { readonly historyLength?: number } | undefined)?.historyLength === 0) delete task.history;
  return task;
}

/** The error for an operation that 0.3 does not have. */
export function notInOld(method: MethodName): A2AError {
  return new A2AError("UNSUPPORTED_OPERATION", `${method} does not exist in A2A 0.3, which this agent speaks`);
}
