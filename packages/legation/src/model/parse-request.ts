import type {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SendMessageRequest,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
} from "./gen/types.ts";
import {
  checkCancelTaskRequest,
  checkDeleteTaskPushNotificationConfigRequest,
  checkGetExtendedAgentCardRequest,
  checkGetTaskPushNotificationConfigRequest,
  checkGetTaskRequest,
  checkListTaskPushNotificationConfigsRequest,
  checkListTasksRequest,
  checkSendMessageRequest,
  checkSubscribeToTaskRequest,
  checkTaskPushNotificationConfig,
} from "./gen/validate-request.ts";
import { type Check, type Loose, under, violate } from "./notes.ts";
import { type ParseOptions, parseWith } from "./parse.ts";

/**
 * Reads what SendMessage and SendStreamingMessage take; a message of ROLE_AGENT and a negative historyLength are refused.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §3.2.1
 */
export function parseSendMessageRequest(value: unknown, options?: ParseOptions): SendMessageRequest {
  return parseWith(value, options, checkSendMessageRequest, sendRules) as unknown as SendMessageRequest;
}

/**
 * Reads what GetTask takes; a negative historyLength is refused.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §3.1.3
 */
export function parseGetTaskRequest(value: unknown, options?: ParseOptions): GetTaskRequest {
  return parseWith(value, options, checkGetTaskRequest, historyRule) as unknown as GetTaskRequest;
}

/**
 * Reads what ListTasks takes; a pageSize outside 1 to 100 and a negative historyLength are refused.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §3.1.4
 */
export function parseListTasksRequest(value: unknown, options?: ParseOptions): ListTasksRequest {
  return parseWith(value, options, checkListTasksRequest, listRules) as unknown as ListTasksRequest;
}

/**
 * Reads what CancelTask takes.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §3.1.5
 */
export function parseCancelTaskRequest(value: unknown, options?: ParseOptions): CancelTaskRequest {
  return parseWith(value, options, checkCancelTaskRequest) as unknown as CancelTaskRequest;
}

/**
 * Reads what SubscribeToTask takes.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §3.1.6
 */
export function parseSubscribeToTaskRequest(value: unknown, options?: ParseOptions): SubscribeToTaskRequest {
  return parseWith(value, options, checkSubscribeToTaskRequest) as unknown as SubscribeToTaskRequest;
}

/**
 * Reads what CreateTaskPushNotificationConfig takes, and a stored webhook.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §4.3.1
 */
export function parseTaskPushNotificationConfig(value: unknown, options?: ParseOptions): TaskPushNotificationConfig {
  return parseWith(value, options, checkTaskPushNotificationConfig) as unknown as TaskPushNotificationConfig;
}

/**
 * Reads what GetTaskPushNotificationConfig takes.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §3.1.8
 */
export function parseGetTaskPushNotificationConfigRequest(
  value: unknown,
  options?: ParseOptions,
): GetTaskPushNotificationConfigRequest {
  return parseWith(
    value,
    options,
    checkGetTaskPushNotificationConfigRequest,
  ) as unknown as GetTaskPushNotificationConfigRequest;
}

/**
 * Reads what ListTaskPushNotificationConfigs takes; a negative pageSize is refused.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §3.1.9
 */
export function parseListTaskPushNotificationConfigsRequest(
  value: unknown,
  options?: ParseOptions,
): ListTaskPushNotificationConfigsRequest {
  return parseWith(
    value,
    options,
    checkListTaskPushNotificationConfigsRequest,
    pageRule,
  ) as unknown as ListTaskPushNotificationConfigsRequest;
}

/**
 * Reads what DeleteTaskPushNotificationConfig takes.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §3.1.10
 */
export function parseDeleteTaskPushNotificationConfigRequest(
  value: unknown,
  options?: ParseOptions,
): DeleteTaskPushNotificationConfigRequest {
  return parseWith(
    value,
    options,
    checkDeleteTaskPushNotificationConfigRequest,
  ) as unknown as DeleteTaskPushNotificationConfigRequest;
}

/**
 * Reads what GetExtendedAgentCard takes.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §3.1.11
 */
export function parseGetExtendedAgentCardRequest(value: unknown, options?: ParseOptions): GetExtendedAgentCardRequest {
  return parseWith(value, options, checkGetExtendedAgentCardRequest) as unknown as GetExtendedAgentCardRequest;
}

/** What the proto cannot say about a request, and the specification does. Peers' objects are not judged by it. */
function sendRules(object: Loose, check: Check): void {
  const { message, configuration } = object as unknown as SendMessageRequest;
  if (message.role === "ROLE_AGENT") {
    violate(check, "message.role", "a client sends ROLE_USER; ROLE_AGENT is the agent's own role");
  }
  if (configuration === undefined) return;
  const notes = check.count;
  historyRule(configuration as unknown as Loose, check);
  under(check, notes, "configuration");
}

function historyRule(object: Loose, check: Check): void {
  const length = object["historyLength"];
  if (typeof length === "number" && length < 0) {
    violate(check, "historyLength", `must be 0 or more, got ${length}`);
  }
}

function listRules(object: Loose, check: Check): void {
  historyRule(object, check);
  const size = object["pageSize"];
  if (typeof size === "number" && (size < 1 || size > 100)) {
    violate(check, "pageSize", `must be 1 to 100, got ${size}`);
  }
}

function pageRule(object: Loose, check: Check): void {
  const size = object["pageSize"];
  if (typeof size === "number" && size < 0) {
    violate(check, "pageSize", `must be 0 or more, got ${size}`);
  }
}
