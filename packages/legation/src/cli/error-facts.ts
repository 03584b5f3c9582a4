/** What an error of the protocol means, from whatever binding it was pasted. */
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { ERROR_TABLE, type ErrorCode } from "../operations/errors.ts";

/** An error, understood. */
export interface ErrorFacts {
  /** The reason; undefined for a code that is none of the protocol's. */
  readonly code: ErrorCode | undefined;
  readonly message: string;
  readonly jsonRpc: number | undefined;
  readonly http: number | undefined;
  readonly grpc: string | undefined;
  /** What to do about it. */
  readonly advice: string;
  /** The fields that are wrong. */
  readonly violations: readonly { readonly field: string; readonly description: string }[];
  readonly metadata: JsonObject;
}

const ADVICE: Readonly<Record<ErrorCode, string>> = {
  TASK_NOT_FOUND: "the id is wrong, the task is somebody else's, or it was removed; list your tasks",
  TASK_NOT_CANCELABLE: "the task has ended, or the agent refuses; read it with GetTask",
  PUSH_NOTIFICATION_NOT_SUPPORTED: "the card declares no pushNotifications; stream or poll instead",
  UNSUPPORTED_OPERATION: "the card does not declare it, or the task has ended; look at capabilities and at the state",
  CONTENT_TYPE_NOT_SUPPORTED: "send a media type of the card's input modes, and the media type of the binding",
  INVALID_AGENT_RESPONSE: "the agent said what the protocol does not allow; tell its developer",
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: "there is no fuller card for this caller; use the public one",
  EXTENSION_SUPPORT_REQUIRED: "send the URIs that the card marks as required in A2A-Extensions",
  VERSION_NOT_SUPPORTED: "send A2A-Version: 1.0; a request without it is taken for 0.3",
  PARSE_ERROR: "the body is no JSON",
  INVALID_REQUEST: "the envelope is wrong; JSON-RPC wants jsonrpc, id, method and params",
  INVALID_PARAMS: "the request is wrong in the fields that are named",
  METHOD_NOT_FOUND: "the method is none of the protocol's, or one of 0.3",
  INTERNAL: "the agent failed; its operator finds the cause by the correlation id",
  UNAUTHENTICATED: "send credentials by one of the card's securitySchemes",
  PERMISSION_DENIED: "the credentials are good and not enough for this",
  RATE_LIMITED: "wait as long as Retry-After says",
  UNAVAILABLE: "try again after Retry-After",
};

/** Reads the error object of JSON-RPC, of HTTP+JSON, or a google.rpc.Status. */
export function errorFacts(error: JsonObject): ErrorFacts {
  const details = [error["data"], error["details"]]
    .flatMap((list) => (Array.isArray(list) ? list : [list]))
    .filter(isJsonObject);
  const info = details.find(({ reason }) => typeof reason === "string");
  const bad = details.find(({ fieldViolations }) => Array.isArray(fieldViolations))?.["fieldViolations"];
  const code = codeOf(info?.["reason"], error["code"], error["status"]);
  const row = code === undefined ? undefined : ERROR_TABLE[code];
  const violations = Array.isArray(bad) ? bad.filter(isJsonObject) : [];
  return {
    code,
    message: typeof error["message"] === "string" ? error["message"] : "",
    jsonRpc: row?.jsonRpc,
    http: row?.http,
    grpc: row?.grpc,
    advice: code === undefined ? "the code is none of the protocol's: ask the agent's developer" : ADVICE[code],
    violations: violations.map(({ field, description }) => ({
      field: String(field ?? ""),
      description: String(description ?? ""),
    })),
    metadata: isJsonObject(info?.["metadata"]) ? info["metadata"] : {},
  };
}

/** The reason decides; a JSON-RPC code says as much. A status alone is shared by several errors and tells nothing. */
function codeOf(reason: unknown, code: unknown, status: unknown): ErrorCode | undefined {
  if (typeof reason === "string" && Object.hasOwn(ERROR_TABLE, reason)) return reason as ErrorCode;
  const rows = Object.entries(ERROR_TABLE) as [ErrorCode, (typeof ERROR_TABLE)[ErrorCode]][];
  const byCode = rows.find(([, row]) => row.jsonRpc === code);
  if (byCode !== undefined) return byCode[0];
  const byStatus = rows.filter(([, row]) => row.grpc === status);
  return byStatus.length === 1 ? byStatus[0]?.[0] : undefined;
}
