/**
 * What can go wrong, as the a2a-cli specification names it: an error of the protocol by its own name, a condition of
 * this side as `A2ACLI_ERR_…` from the closed list of its Appendix D, and what is ours alone as `LEGATION_ERR_…`.
 */
import type { ErrorCode, LocalErrorCode } from "../operations/errors.ts";

/** The conditions that Appendix D of the a2a-cli specification names, and the exit status of each. */
export const CLI_EXIT_CODES = {
  A2ACLI_ERR_USAGE: 2,
  A2ACLI_ERR_CARD_NOT_FOUND: 3,
  A2ACLI_ERR_CARD_INVALID: 1,
  A2ACLI_ERR_UNREACHABLE: 3,
  A2ACLI_ERR_CREDENTIALS_MISSING: 4,
  A2ACLI_ERR_AUTH_FAILED: 4,
  A2ACLI_ERR_TIMEOUT: 5,
  A2ACLI_ERR_INTERNAL: 1,
} as const;

/** Symbol of a condition of this side. */
export type CliErrorCode = keyof typeof CLI_EXIT_CODES;

/** The names of the protocol's errors (§3.3.2, §9.5) by our codes. Those without a name there are not in the table. */
export const PROTOCOL_NAMES: Readonly<Partial<Record<ErrorCode, string>>> = {
  TASK_NOT_FOUND: "TaskNotFoundError",
  TASK_NOT_CANCELABLE: "TaskNotCancelableError",
  PUSH_NOTIFICATION_NOT_SUPPORTED: "PushNotificationNotSupportedError",
  UNSUPPORTED_OPERATION: "UnsupportedOperationError",
  CONTENT_TYPE_NOT_SUPPORTED: "ContentTypeNotSupportedError",
  INVALID_AGENT_RESPONSE: "InvalidAgentResponseError",
  EXTENDED_AGENT_CARD_NOT_CONFIGURED: "ExtendedAgentCardNotConfiguredError",
  EXTENSION_SUPPORT_REQUIRED: "ExtensionSupportRequiredError",
  VERSION_NOT_SUPPORTED: "VersionNotSupportedError",
  PARSE_ERROR: "JSONParseError",
  INVALID_REQUEST: "InvalidRequestError",
  METHOD_NOT_FOUND: "MethodNotFoundError",
  INVALID_PARAMS: "InvalidParamsError",
  INTERNAL: "InternalError",
};

/** What a local error of the library is called here; those not listed are `LEGATION_ERR_<code>`. */
export const LOCAL_NAMES: Readonly<Partial<Record<LocalErrorCode, CliErrorCode>>> = {
  UNREACHABLE: "A2ACLI_ERR_UNREACHABLE",
  TIMEOUT: "A2ACLI_ERR_TIMEOUT",
  CARD_INVALID: "A2ACLI_ERR_CARD_INVALID",
  NOT_AN_AGENT: "A2ACLI_ERR_CARD_NOT_FOUND",
};

/** Details of a {@link CliError}. */
export interface CliErrorOptions {
  /** What to do next; ideally a command to paste. */
  readonly hint?: string | undefined;
  /** The code of the protocol, the same on every binding. */
  readonly a2aCode?: number | undefined;
  readonly cause?: unknown;
}

/** A failure in the form in which the program reports it. */
export class CliError extends Error {
  override readonly name = "CliError";
  /** A name of the protocol, `A2ACLI_ERR_…` or `LEGATION_ERR_…`. */
  readonly code: string;
  readonly hint: string | undefined;
  readonly a2aCode: number | undefined;

  constructor(code: string, message: string, options: CliErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.a2aCode = options.a2aCode;
  }

  /** The exit status that belongs to the code. */
  get exitCode(): number {
    return CLI_EXIT_CODES[this.code as CliErrorCode] ?? 1;
  }

  /** The error envelope of Appendix B. */
  get envelope(): {
    readonly error: Readonly<Record<"code" | "message" | "hint" | "a2aCode", string | number | null>>;
  } {
    return {
      error: { code: this.code, message: this.message, hint: this.hint ?? null, a2aCode: this.a2aCode ?? null },
    };
  }
}

/** The error for arguments that make no sense. */
export function usageError(message: string, hint?: string): CliError {
  return new CliError("A2ACLI_ERR_USAGE", message, { hint });
}
