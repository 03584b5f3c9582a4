/** Reads what a peer answered: leniently, and with the expected shape named where nothing can be made of it. */

import type { StreamResponse } from "../model/gen/types.ts";
import { isJsonObject } from "../model/json.ts";
import { ModelError } from "../model/model-error.ts";
import type { ParseOptions } from "../model/parse.ts";
import {
  parseListTaskPushNotificationConfigsResponse,
  parseTaskPushNotificationConfig,
} from "../model/parse-request.ts";
import {
  parseListTasksResponse,
  parseSendMessageResponse,
  parseStreamResponse,
  parseTask,
} from "../model/parse-task.ts";
import { A2AError, type FieldViolation } from "./errors.ts";
import type { MethodName } from "./methods.ts";

/** Told of what a peer got wrong and we could put right. */
export type PeerWarning = (warning: FieldViolation) => void;

/** The object that a unary method answers with. */
const SHAPES: Readonly<
  Partial<Record<MethodName, readonly [name: string, parse: (value: unknown, options: ParseOptions) => unknown]>>
> = {
  SendMessage: ["{task} or {message}", parseSendMessageResponse],
  GetTask: ["a Task", parseTask],
  ListTasks: ["a ListTasksResponse", parseListTasksResponse],
  CancelTask: ["a Task", parseTask],
  CreateTaskPushNotificationConfig: ["a TaskPushNotificationConfig", parseTaskPushNotificationConfig],
  GetTaskPushNotificationConfig: ["a TaskPushNotificationConfig", parseTaskPushNotificationConfig],
  ListTaskPushNotificationConfigs: [
    "a ListTaskPushNotificationConfigsResponse",
    parseListTaskPushNotificationConfigsResponse,
  ],
  GetExtendedAgentCard: ["an AgentCard", anyObject],
};

// Cards come from many places, in many generations: the client reads them all, this one too, with the same reader.
function anyObject(value: unknown): unknown {
  if (isJsonObject(value)) return value;
  throw new ModelError([{ field: "", description: "must be a JSON object" }]);
}

/**
 * Validates the result of a unary method.
 *
 * @param method which was called
 * @param value parsed JSON, normalised in place
 * @returns the canonical value; undefined for DeleteTaskPushNotificationConfig
 * @throws INVALID_AGENT_RESPONSE that names the expected shape and what is wrong
 */
export function parseAnswer(method: MethodName, value: unknown, onWarning: PeerWarning | undefined): unknown {
  const shape = SHAPES[method];
  if (shape === undefined) return undefined;
  return read(shape[0], shape[1], value, onWarning);
}

/**
 * Validates one event of a stream.
 *
 * @param value parsed JSON, normalised in place
 * @throws INVALID_AGENT_RESPONSE that names the expected shape and what is wrong
 */
export function parseStreamAnswer(value: unknown, onWarning: PeerWarning | undefined): StreamResponse {
  return read(EVENT_SHAPE, parseStreamResponse, value, onWarning);
}

const EVENT_SHAPE = "{task}, {message}, {statusUpdate} or {artifactUpdate}";

function read<T>(
  shape: string,
  parse: (value: unknown, options: ParseOptions) => T,
  value: unknown,
  onWarning: PeerWarning | undefined,
): T {
  try {
    return parse(value, onWarning === undefined ? LENIENT : { lenient: true, onWarning });
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    throw new A2AError("INVALID_AGENT_RESPONSE", `the agent did not answer with ${shape}: ${thrown.message}`, {
      violations: thrown.violations,
      cause: thrown,
    });
  }
}

const LENIENT: ParseOptions = { lenient: true };
