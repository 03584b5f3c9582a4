/** The errors of the protocol on the bindings, written down from the specification so that no table of ours judges itself. */

/** One row of §5.4, or of the standard codes of §9.5 with the statuses of §3.3.2. */
export interface ErrorMapping {
  readonly jsonRpc: number;
  readonly http: number;
  /** `error.status` of a REST body, the gRPC name. */
  readonly status: string;
  /** True for the errors of §5.4, which carry an ErrorInfo. */
  readonly isA2A: boolean;
}

function a2a(jsonRpc: number, http: number, status: string): ErrorMapping {
  return { jsonRpc, http, status, isA2A: true };
}

function standard(jsonRpc: number, http: number, status: string): ErrorMapping {
  return { jsonRpc, http, status, isA2A: false };
}

/** The names of the errors that checks expect: the `reason` of each. */
export type ExpectedError =
  | "TASK_NOT_FOUND"
  | "TASK_NOT_CANCELABLE"
  | "PUSH_NOTIFICATION_NOT_SUPPORTED"
  | "UNSUPPORTED_OPERATION"
  | "CONTENT_TYPE_NOT_SUPPORTED"
  | "EXTENDED_AGENT_CARD_NOT_CONFIGURED"
  | "EXTENSION_SUPPORT_REQUIRED"
  | "VERSION_NOT_SUPPORTED"
  | "PARSE_ERROR"
  | "INVALID_REQUEST"
  | "METHOD_NOT_FOUND"
  | "INVALID_PARAMS";

/** What each error looks like. */
export const ERROR_MAPPINGS: Readonly<Record<ExpectedError, ErrorMapping>> = {
  TASK_NOT_FOUND: a2a(-32001, 404, "NOT_FOUND"),
  TASK_NOT_CANCELABLE: a2a(-32002, 400, "FAILED_PRECONDITION"),
  PUSH_NOTIFICATION_NOT_SUPPORTED: a2a(-32003, 400, "FAILED_PRECONDITION"),
  UNSUPPORTED_OPERATION: a2a(-32004, 400, "FAILED_PRECONDITION"),
  CONTENT_TYPE_NOT_SUPPORTED: a2a(-32005, 400, "INVALID_ARGUMENT"),
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: a2a(-32007, 400, "FAILED_PRECONDITION"),
  EXTENSION_SUPPORT_REQUIRED: a2a(-32008, 400, "FAILED_PRECONDITION"),
  VERSION_NOT_SUPPORTED: a2a(-32009, 400, "FAILED_PRECONDITION"),
  PARSE_ERROR: standard(-32700, 400, "INVALID_ARGUMENT"),
  INVALID_REQUEST: standard(-32600, 400, "INVALID_ARGUMENT"),
  METHOD_NOT_FOUND: standard(-32601, 404, "UNIMPLEMENTED"),
  INVALID_PARAMS: standard(-32602, 400, "INVALID_ARGUMENT"),
};
