import type { AgentCard } from "../model/gen/types.ts";
import { type A2AError, ERROR_TABLE, isA2AError, isLocalError, type LocalError } from "../operations/errors.ts";
import { CliError, LOCAL_NAMES, PROTOCOL_NAMES } from "./cli-error.ts";
import { credentialHint } from "./credentials.ts";
import type { Messages } from "./messages/en.ts";

/** What is known of the invocation that failed. */
export interface FailureContext {
  readonly card?: AgentCard | undefined;
  readonly hasCredential?: boolean | undefined;
  /** Better advice than the general one, by code of the protocol. */
  readonly hints?: Readonly<Record<string, string>> | undefined;
}

/**
 * Gives any thrown value the form in which it is reported. The same error of the protocol gives the same result
 * whatever binding carried it.
 */
export function explainFailure(thrown: unknown, messages: Messages, context: FailureContext = {}): CliError {
  if (thrown instanceof CliError) return thrown;
  if (isA2AError(thrown)) return explainProtocolError(thrown, messages, context);
  if (isLocalError(thrown)) return explainLocalError(thrown, messages);
  const store = explainStoreFailure(thrown, messages);
  if (store !== undefined) return store;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new CliError("A2ACLI_ERR_INTERNAL", message, { hint: messages.useDebug, cause: thrown });
}

/** Told by name: the room of the engine is not loaded for a command that only talks to agents. */
function explainStoreFailure(thrown: unknown, messages: Messages): CliError | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const { name, message } = thrown;
  const code = STORE_FAILURES.get(name);
  return code === undefined
    ? undefined
    : new CliError(code, message, { hint: messages.checkStore(messages.program), cause: thrown });
}

const STORE_FAILURES: ReadonlyMap<string, string> = new Map([
  ["StoreUnavailable", "LEGATION_ERR_STORE_UNAVAILABLE"],
  ["StoreCorrupt", "LEGATION_ERR_STORE_CORRUPT"],
]);

function explainProtocolError(error: A2AError, messages: Messages, context: FailureContext): CliError {
  const a2aCode = ERROR_TABLE[error.code].jsonRpc;
  const options = { a2aCode, cause: error };
  if (error.code === "UNAUTHENTICATED" || error.code === "PERMISSION_DENIED") {
    const isRejected = context.hasCredential === true;
    const hint = context.card === undefined ? messages.anyCredential : credentialHint(context.card, messages);
    const code = isRejected ? "A2ACLI_ERR_AUTH_FAILED" : "A2ACLI_ERR_CREDENTIALS_MISSING";
    return new CliError(code, error.message, { ...options, hint });
  }
  const name = PROTOCOL_NAMES[error.code] ?? `LEGATION_ERR_${error.code}`;
  return new CliError(name, error.message, {
    ...options,
    hint: context.hints?.[error.code] ?? generalHint(error, messages),
  });
}

function generalHint(error: A2AError, messages: Messages): string {
  if (error.retryAfterSeconds !== undefined) return messages.retryAfter(error.retryAfterSeconds);
  return messages.useDebug;
}

function explainLocalError(error: LocalError, messages: Messages): CliError {
  const code = LOCAL_NAMES[error.code];
  switch (error.code) {
    case "UNREACHABLE":
      return new CliError("A2ACLI_ERR_UNREACHABLE", error.message, { hint: messages.checkAddress, cause: error });
    case "NOT_AN_AGENT":
      return new CliError("A2ACLI_ERR_CARD_NOT_FOUND", error.message, { hint: messages.checkCard, cause: error });
    case "NO_COMMON_INTERFACE":
      if (isOnlyOld(error) || isOldAsked(error)) {
        return new CliError("VersionNotSupportedError", error.message, {
          hint: isOldAsked(error) ? messages.noOldVersion : messages.allowOldVersion,
          a2aCode: ERROR_TABLE.VERSION_NOT_SUPPORTED.jsonRpc,
          cause: error,
        });
      }
      return new CliError("LEGATION_ERR_NO_COMMON_INTERFACE", error.message, {
        hint: messages.checkCard,
        cause: error,
      });
    case "CONFIGURATION":
      return new CliError("A2ACLI_ERR_USAGE", error.message, { cause: error });
    default:
      return new CliError(code ?? `LEGATION_ERR_${error.code}`, error.message, {
        hint: messages.useDebug,
        cause: error,
      });
  }
}

/** True when every interface of the card is of a version before 1.0: that is a condition which the protocol names. */
function isOnlyOld({ metadata }: LocalError): boolean {
  const offered = (metadata["offered"] ?? "").split(", ").filter(Boolean);
  return offered.length > 0 && offered.every((entry) => / 0\.\d/.test(entry));
}

/** True when only versions before 1.0 may be spoken, and the card has none of them. */
function isOldAsked({ metadata }: LocalError): boolean {
  return / of version 0\.\d$/.test(metadata["supported"] ?? "");
}
