/**
 * Errors on the HTTP+JSON binding: the google.rpc.Status form of §11.6, read leniently.
 *
 * @see specification §11.6, §5.4
 */
import { A2AError, ERROR_TABLE, type ErrorCode, type GrpcStatusName } from "../../operations/errors.ts";
import { codeOfReason, decodeDetails, encodeDetails } from "../http/error-details.ts";

/**
 * A whole error body.
 *
 * @param status the HTTP status that it is sent with; by default the one of the table
 */
export function encodeErrorBody(error: A2AError, status: number = ERROR_TABLE[error.code].http): string {
  const { grpc } = ERROR_TABLE[error.code];
  return `{"error":{"code":${status},"status":"${grpc}","message":${JSON.stringify(error.message)},"details":${encodeDetails(error)}}}`;
}

/** Which error a status name means where no reason says more. */
const BY_STATUS: Readonly<Record<GrpcStatusName, ErrorCode>> = {
  INVALID_ARGUMENT: "INVALID_PARAMS",
  NOT_FOUND: "TASK_NOT_FOUND",
  FAILED_PRECONDITION: "UNSUPPORTED_OPERATION",
  UNIMPLEMENTED: "UNSUPPORTED_OPERATION",
  INTERNAL: "INTERNAL",
  UNAUTHENTICATED: "UNAUTHENTICATED",
  PERMISSION_DENIED: "PERMISSION_DENIED",
  RESOURCE_EXHAUSTED: "RATE_LIMITED",
  UNAVAILABLE: "UNAVAILABLE",
};

/** Which error an HTTP status means where the body says nothing else; 409, 415 and 501 are of older peers. */
const BY_HTTP: Readonly<Record<number, ErrorCode>> = {
  400: "INVALID_PARAMS",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "TASK_NOT_FOUND",
  405: "METHOD_NOT_FOUND",
  409: "TASK_NOT_CANCELABLE",
  413: "INVALID_REQUEST",
  415: "CONTENT_TYPE_NOT_SUPPORTED",
  422: "INVALID_PARAMS",
  429: "RATE_LIMITED",
  501: "UNSUPPORTED_OPERATION",
  503: "UNAVAILABLE",
};

/**
 * Reads the error body of a peer: by the reason of an ErrorInfo, then the status name, then the HTTP status; the
 * problem details that §6.4 prints are understood too.
 *
 * @param body parsed JSON
 * @param httpStatus of the response, 200 for an error inside a stream
 * @returns undefined when the body is no error at all
 */
export function decodeErrorBody(body: unknown, httpStatus: number, retryAfterSeconds?: number): A2AError | undefined {
  if (!isObject(body)) return undefined;
  const status = body["error"];
  if (isObject(status)) return decodeStatus(status, httpStatus, retryAfterSeconds);
  if (typeof body["type"] === "string" || typeof body["title"] === "string") return decodeProblem(body, httpStatus);
  return undefined;
}

function decodeStatus(status: Record<string, unknown>, httpStatus: number, retryAfterSeconds?: number): A2AError {
  const details = decodeDetails(status["details"]);
  const name = status["status"];
  const number = typeof status["code"] === "number" ? status["code"] : httpStatus;
  const code =
    details.code ??
    (typeof name === "string" && Object.hasOwn(BY_STATUS, name) ? BY_STATUS[name as GrpcStatusName] : undefined) ??
    BY_HTTP[number] ??
    BY_HTTP[httpStatus] ??
    "INTERNAL";
  return new A2AError(code, text(status["message"]), { ...details, retryAfterSeconds });
}

function decodeProblem(problem: Record<string, unknown>, httpStatus: number): A2AError {
  const type = typeof problem["type"] === "string" ? problem["type"] : "";
  const reason = type
    .slice(type.lastIndexOf("/") + 1)
    .replaceAll("-", "_")
    .toUpperCase();
  const code = codeOfReason(reason) ?? BY_HTTP[httpStatus] ?? "INTERNAL";
  return new A2AError(code, text(problem["detail"] ?? problem["title"]));
}

function text(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : "the agent gave no reason";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
