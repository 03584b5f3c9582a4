/**
 * Errors of agents of 0.3 that carry no details: by the name of a class, which some SDKs write, and by the status of
 * gRPC, which 0.3 does not assign. The SDKs agree on what is here.
 */
import { decodeErrorObject } from "../../bindings/jsonrpc/errors.ts";
import type { ErrorCode, GrpcStatusName } from "../../operations/errors.ts";
import type { MethodName } from "../../operations/methods.ts";

/** Names of error classes that agents made with the Python SDK send. */
const CLASSES: Readonly<Record<string, number>> = {
  TaskNotFoundError: -32001,
  TaskNotCancelableError: -32002,
  PushNotificationNotSupportedError: -32003,
  UnsupportedOperationError: -32004,
  ContentTypeNotSupportedError: -32005,
  InvalidAgentResponseError: -32006,
  AuthenticatedExtendedCardNotConfiguredError: -32007,
  JSONParseError: -32700,
  InvalidParamsError: -32602,
  InvalidRequestError: -32600,
  MethodNotFoundError: -32601,
  InternalError: -32603,
};

/** The error that a class stands for; undefined for a name that is none. */
export function codeOfClass(name: unknown): ErrorCode | undefined {
  if (typeof name !== "string" || !Object.hasOwn(CLASSES, name)) return undefined;
  return decodeErrorObject({ code: CLASSES[name], message: "" }).code;
}

/**
 * The error of a status without details.
 *
 * @param method its name in 1.0
 * @param message `TaskNotCancelableError: …` from agents made with the Python SDK
 * @returns undefined where the rules of 1.0 say it as well
 */
export function codeOfOldStatus(
  method: MethodName,
  status: GrpcStatusName | undefined,
  message: string,
): ErrorCode | undefined {
  const named = codeOfClass(/^(\w+): /.exec(message)?.[1]);
  if (named !== undefined) return named;
  if (status === "FAILED_PRECONDITION" && method === "CancelTask") return "TASK_NOT_CANCELABLE";
  if ((status === "FAILED_PRECONDITION" || status === "NOT_FOUND") && method === "GetExtendedAgentCard")
    return "EXTENDED_AGENT_CARD_NOT_CONFIGURED";
  if (status === "UNIMPLEMENTED" && method.includes("PushNotification")) return "PUSH_NOTIFICATION_NOT_SUPPORTED";
  return undefined;
}

/** The status that 0.3 sends an error with where it is another one than in 1.0. */
export function oldStatusOf(code: ErrorCode): GrpcStatusName | undefined {
  return code === "UNSUPPORTED_OPERATION" || code === "PUSH_NOTIFICATION_NOT_SUPPORTED" ? "UNIMPLEMENTED" : undefined;
}
