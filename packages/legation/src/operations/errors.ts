/**
 * The errors of the protocol: one table, one row per error, read by every binding in both directions.
 *
 * @see specification §3.3.2 (categories), §5.4 (mappings), §9.5, §10.6, §11.6 (encodings)
 */
import { ModelError } from "../model/model-error.ts";

/** How one error code appears on each binding. */
export interface ErrorRow {
  /** JSON-RPC `error.code`. */
  readonly jsonRpc: number;
  /** HTTP status of the REST binding. */
  readonly http: number;
  /** gRPC status name; also `error.status` of a REST body. */
  readonly grpc: GrpcStatusName;
  /** HTTP status of the JSON-RPC binding: 200, but for the four errors that infrastructure acts upon. */
  readonly jsonRpcHttp: number;
}

/** The gRPC status names that the protocol uses. */
export type GrpcStatusName =
  | "INVALID_ARGUMENT"
  | "NOT_FOUND"
  | "FAILED_PRECONDITION"
  | "UNIMPLEMENTED"
  | "INTERNAL"
  | "UNAUTHENTICATED"
  | "PERMISSION_DENIED"
  | "RESOURCE_EXHAUSTED"
  | "UNAVAILABLE";

function row(jsonRpc: number, http: number, grpc: GrpcStatusName, jsonRpcHttp = 200): ErrorRow {
  return { jsonRpc, http, grpc, jsonRpcHttp };
}

/** The closed set of codes that can cross the wire; each is an ErrorInfo `reason`. */
export type ErrorCode =
  | "TASK_NOT_FOUND"
  | "TASK_NOT_CANCELABLE"
  | "PUSH_NOTIFICATION_NOT_SUPPORTED"
  | "UNSUPPORTED_OPERATION"
  | "CONTENT_TYPE_NOT_SUPPORTED"
  | "INVALID_AGENT_RESPONSE"
  | "EXTENDED_AGENT_CARD_NOT_CONFIGURED"
  | "EXTENSION_SUPPORT_REQUIRED"
  | "VERSION_NOT_SUPPORTED"
  | "PARSE_ERROR"
  | "INVALID_REQUEST"
  | "INVALID_PARAMS"
  | "METHOD_NOT_FOUND"
  | "INTERNAL"
  | "UNAUTHENTICATED"
  | "PERMISSION_DENIED"
  | "RATE_LIMITED"
  | "UNAVAILABLE";

/** Every code that can cross the wire. The key is the `reason` of the ErrorInfo detail. */
export const ERROR_TABLE: Readonly<Record<ErrorCode, ErrorRow>> = {
  TASK_NOT_FOUND: row(-32001, 404, "NOT_FOUND"),
  TASK_NOT_CANCELABLE: row(-32002, 400, "FAILED_PRECONDITION"),
  PUSH_NOTIFICATION_NOT_SUPPORTED: row(-32003, 400, "FAILED_PRECONDITION"),
  UNSUPPORTED_OPERATION: row(-32004, 400, "FAILED_PRECONDITION"),
  CONTENT_TYPE_NOT_SUPPORTED: row(-32005, 400, "INVALID_ARGUMENT"),
  INVALID_AGENT_RESPONSE: row(-32006, 500, "INTERNAL"),
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: row(-32007, 400, "FAILED_PRECONDITION"),
  EXTENSION_SUPPORT_REQUIRED: row(-32008, 400, "FAILED_PRECONDITION"),
  VERSION_NOT_SUPPORTED: row(-32009, 400, "FAILED_PRECONDITION"),
  PARSE_ERROR: row(-32700, 400, "INVALID_ARGUMENT"),
  INVALID_REQUEST: row(-32600, 400, "INVALID_ARGUMENT"),
  INVALID_PARAMS: row(-32602, 400, "INVALID_ARGUMENT"),
  METHOD_NOT_FOUND: row(-32601, 404, "UNIMPLEMENTED"),
  INTERNAL: row(-32603, 500, "INTERNAL"),
  UNAUTHENTICATED: row(-32010, 401, "UNAUTHENTICATED", 401),
  PERMISSION_DENIED: row(-32011, 403, "PERMISSION_DENIED", 403),
  RATE_LIMITED: row(-32012, 429, "RESOURCE_EXHAUSTED", 429),
  UNAVAILABLE: row(-32013, 503, "UNAVAILABLE", 503),
};

/** The `domain` of every ErrorInfo detail (§11.6). */
export const ERROR_DOMAIN = "a2a-protocol.org";

/** One field of a request that was refused, and why. */
export interface FieldViolation {
  /** Path in the request, `message.parts[0].text`. */
  readonly field: string;
  /** One sentence: what was found and what is right. */
  readonly description: string;
}

/** What an {@link A2AError} may carry beside its code and message. */
export interface A2AErrorOptions {
  /** Strings that help the receiver (`taskId`, `supportedVersions`); they cross the wire. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** The refused fields of an INVALID_PARAMS; they cross the wire as google.rpc.BadRequest. */
  readonly violations?: readonly FieldViolation[] | undefined;
  /** Seconds after which a retry makes sense; sent as Retry-After with RATE_LIMITED and UNAVAILABLE. */
  readonly retryAfterSeconds?: number | undefined;
  /** The reason behind it; never serialised. */
  readonly cause?: unknown;
}

/**
 * An error that may cross the wire, on either side of it.
 *
 * The message is written for the other side: it names the value and what to do, and never holds a secret, a stack or
 * the text of an unexpected failure.
 *
 * @see specification §3.3.2
 */
export class A2AError extends Error {
  override readonly name = "A2AError";
  readonly code: ErrorCode;
  readonly metadata: Readonly<Record<string, string>>;
  readonly violations: readonly FieldViolation[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: A2AErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.metadata = options.metadata ?? {};
    this.violations = options.violations ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /**
   * Gives any thrown value the form that may cross the wire: an A2AError as it is, a refused model value as
   * INVALID_PARAMS, everything else as INTERNAL with a correlation id and a text that reveals nothing.
   *
   * @param thrown what was caught; kept as `cause`, for the log
   */
  static from(thrown: unknown): A2AError {
    if (thrown instanceof A2AError) return thrown;
    if (thrown instanceof ModelError) {
      return new A2AError("INVALID_PARAMS", thrown.message, { violations: thrown.violations, cause: thrown });
    }
    const correlationId = globalThis.crypto.randomUUID();
    return new A2AError("INTERNAL", `internal error, correlation id ${correlationId}`, {
      metadata: { correlationId },
      cause: thrown,
    });
  }
}

/**
 * True when a thrown value is an {@link A2AError}, of one code when that is given.
 *
 * @param thrown anything
 * @param code narrows to this one code
 */
export function isA2AError<C extends ErrorCode>(thrown: unknown, code?: C): thrown is A2AError & { readonly code: C } {
  return thrown instanceof A2AError && (code === undefined || thrown.code === code);
}

/** The error for one wrong field. */
export function invalidField(field: string, description: string): A2AError {
  return new A2AError("INVALID_PARAMS", `${field}: ${description}`, { violations: [{ field, description }] });
}

/** The error for a task that does not exist for this caller; it never tells "not yours" from "not there" (§3.3.2). */
export function taskNotFound(taskId: string): A2AError {
  return new A2AError("TASK_NOT_FOUND", `task ${taskId} not found`, { metadata: { taskId } });
}

/** The codes of errors that never cross the wire: what happened on this side of it. */
export type LocalErrorCode =
  | "UNREACHABLE"
  | "TIMEOUT"
  | "NO_COMMON_INTERFACE"
  | "STREAM_TRUNCATED"
  | "CARD_INVALID"
  | "NOT_AN_AGENT"
  | "ABORTED"
  | "CONFIGURATION"
  | "STORE_UNAVAILABLE"
  | "STEP_IN_FLIGHT"
  | "STEP_IN_DOUBT"
  | "PORT_IN_USE";

/** An error of this side that never crosses the wire; its codes are disjoint from {@link ErrorCode}. */
export class LocalError extends Error {
  override readonly name = "LocalError";
  readonly code: LocalErrorCode;
  /** Strings that help a program: `url`, `supported`, `taskId`. */
  readonly metadata: Readonly<Record<string, string>>;

  constructor(
    code: LocalErrorCode,
    message: string,
    options: { readonly metadata?: Readonly<Record<string, string>>; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.metadata = options.metadata ?? {};
  }
}

/** True when a thrown value is a {@link LocalError}, of one code when that is given. */
export function isLocalError<C extends LocalErrorCode>(
  thrown: unknown,
  code?: C,
): thrown is LocalError & { readonly code: C } {
  return thrown instanceof LocalError && (code === undefined || thrown.code === code);
}
