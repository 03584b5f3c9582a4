/** Reads what a peer answered: leniently, and with the expected shape named where nothing can be made of it. */

import type { StreamResponse } from "../model/gen/types.ts";
import { isJsonObject } from "../model/json.ts";
import { ModelError } from "../model/model-error.ts";
import { parseLeniently, type ShapeName } from "../model/parse-leniently.ts";
import { A2AError, type FieldViolation } from "./errors.ts";
import type { MethodName } from "./methods.ts";

/** Told of what a peer got wrong and we could put right. */
export type PeerWarning = (warning: FieldViolation) => void;

/** The message that a unary method answers with. */
const ANSWERS: Readonly<Partial<Record<MethodName, ShapeName>>> = {
  SendMessage: "SendMessageResponse",
  GetTask: "Task",
  ListTasks: "ListTasksResponse",
  CancelTask: "Task",
  CreateTaskPushNotificationConfig: "TaskPushNotificationConfig",
  GetTaskPushNotificationConfig: "TaskPushNotificationConfig",
  ListTaskPushNotificationConfigs: "ListTaskPushNotificationConfigsResponse",
  GetExtendedAgentCard: "AgentCard",
};

/** How an error calls a shape, where its name says nothing or takes another article. */
const FORMS: Readonly<Partial<Record<ShapeName, string>>> = {
  SendMessageResponse: "{task} or {message}",
  StreamResponse: "{task}, {message}, {statusUpdate} or {artifactUpdate}",
  AgentCard: "an AgentCard",
};

/**
 * Validates the result of a unary method.
 *
 * @param method which was called
 * @param value parsed JSON, not changed
 * @returns the canonical value, of a card the value as it came; undefined for DeleteTaskPushNotificationConfig
 * @throws INVALID_AGENT_RESPONSE that names the expected shape and what is wrong
 */
export function parseAnswer(method: MethodName, value: unknown, onWarning: PeerWarning | undefined): unknown {
  const shape = ANSWERS[method];
  if (shape === undefined) return undefined;
  // Cards come from many places, in many generations: the client reads them all, this one too, with the same reader.
  if (shape === "AgentCard" && isJsonObject(value)) return value;
  return read(shape, value, onWarning);
}

/**
 * Validates one event of a stream.
 *
 * @param value parsed JSON, not changed
 * @throws INVALID_AGENT_RESPONSE that names the expected shape and what is wrong
 */
export function parseStreamAnswer(value: unknown, onWarning: PeerWarning | undefined): StreamResponse {
  return read("StreamResponse", value, onWarning) as StreamResponse;
}

function read(shape: ShapeName, value: unknown, onWarning: PeerWarning | undefined): unknown {
  try {
    return parseLeniently(shape, value, { onWarning });
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    const form = FORMS[shape] ?? `a ${shape}`;
    throw new A2AError("INVALID_AGENT_RESPONSE", `the agent did not answer with ${form}: ${thrown.message}`, {
      violations: thrown.violations,
      cause: thrown,
    });
  }
}
