/**
 * Requests of 0.3 as requests of 1.0, with the defaults of 0.3: a send that does not say `blocking: true` returns at
 * once, and a history of length 0 is the whole one.
 *
 * @see specification of 0.3, §7
 */

import { MAX_VIOLATIONS } from "../../model/model-error.ts";
import { isObject, type Loose } from "../../model/notes.ts";
import { A2AError, type FieldViolation } from "../../operations/errors.ts";
import type { MethodName } from "../../operations/methods.ts";
import { type AnyRequest, parseRequest } from "../../operations/parse-request.ts";
import { get, type OldFault, pick, readMessage, readPushConfig, readTaskPushConfig } from "./read-old.ts";

/**
 * Reads the params of a method, in either spelling of 0.3.
 *
 * @param method its name in 1.0
 * @param params as they came
 * @returns a valid request of 1.0; the id of GetTaskPushNotificationConfig is `""` where it was missing
 * @throws INVALID_PARAMS in the words of 0.3, ModelError of the validator of 1.0
 */
export function readOldRequest(method: MethodName, params: object): AnyRequest {
  const violations: FieldViolation[] = [];
  const fault: OldFault = (field, description) => {
    if (violations.length < MAX_VIOLATIONS) violations.push({ field, description });
  };
  const request = translate(method, params as Loose, fault);
  const [first] = violations;
  if (first !== undefined) {
    throw new A2AError("INVALID_PARAMS", `${first.field}: ${first.description}`, { violations });
  }
  if (method !== "GetTaskPushNotificationConfig" || request["id"] !== undefined) return parseRequest(method, request);
  // In 0.3 the id may be missing: then the one webhook of the task is meant, which "" stands for.
  const { taskId } = parseRequest("ListTaskPushNotificationConfigs", request) as { readonly taskId: string };
  return { taskId, id: "" };
}

function translate(method: MethodName, params: Loose, fault: OldFault): Loose {
  const { id, metadata } = params;
  switch (method) {
    case "SendMessage":
    case "SendStreamingMessage":
      return readSend(params, method === "SendMessage", fault);
    case "GetTask":
      return pick({ id, historyLength: unlessZero(get(params, "historyLength")) });
    case "CancelTask":
      return pick({ id, metadata });
    case "SubscribeToTask":
      return pick({ id });
    case "CreateTaskPushNotificationConfig":
      return readTaskPushConfig(params, fault) as Loose;
    case "ListTaskPushNotificationConfigs":
      return pick({ taskId: id });
    case "GetTaskPushNotificationConfig":
    case "DeleteTaskPushNotificationConfig":
      return pick({ taskId: id, id: get(params, "pushNotificationConfigId") });
    default:
      return {};
  }
}

function readSend(params: Loose, isUnary: boolean, fault: OldFault): Loose {
  const message = readMessage(params["message"] ?? params["request"], (field, description) =>
    fault(`message.${field}`, description),
  );
  const given = params["configuration"];
  const configuration = isObject(given) ? readConfiguration(given, isUnary, fault) : given;
  return pick({
    message,
    configuration: configuration ?? (isUnary ? { returnImmediately: true } : undefined),
    metadata: params["metadata"],
  });
}

function readConfiguration(given: Loose, isUnary: boolean, fault: OldFault): Loose {
  const { blocking } = given;
  if (blocking !== undefined && blocking !== null && typeof blocking !== "boolean")
    fault("configuration.blocking", "is no boolean; use true or false");
  const hook = get(given, "pushNotificationConfig") ?? get(given, "pushNotification");
  return pick({
    acceptedOutputModes: get(given, "acceptedOutputModes"),
    historyLength: unlessZero(get(given, "historyLength")),
    returnImmediately: isUnary ? blocking !== true : undefined,
    taskPushNotificationConfig: readPushConfig(hook, (field, description) =>
      fault(`configuration.pushNotificationConfig.${field}`, description),
    ),
  });
}

function unlessZero(length: unknown): unknown {
  return length === 0 || length === "0" ? undefined : length;
}
