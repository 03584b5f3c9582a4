/**
 * Errors on the JSON-RPC binding: the error object with an array of details; read leniently.
 *
 * @see specification §9.5, §5.4
 */
import { A2AError, ERROR_TABLE, type ErrorCode } from "../../operations/errors.ts";
import { decodeDetails, encodeDetails } from "../http/error-details.ts";

/** A whole error response. `id` is JSON text, `null` where the request's is not known. */
export function encodeErrorResponse(id: string, error: A2AError): string {
  const { jsonRpc } = ERROR_TABLE[error.code];
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${jsonRpc},"message":${JSON.stringify(error.message)},"data":${encodeDetails(error)}}}`;
}

const CODES = new Map<number, ErrorCode>(
  (Object.keys(ERROR_TABLE) as ErrorCode[]).map((code) => [ERROR_TABLE[code].jsonRpc, code]),
);

/**
 * Reads the error object of a peer. The reason of an ErrorInfo counts before the number; a number that nobody knows
 * becomes INTERNAL with the number in the metadata.
 *
 * @param error the `error` member of a response, anything
 * @param retryAfterSeconds from the Retry-After header
 */
export function decodeErrorObject(error: unknown, retryAfterSeconds?: number): A2AError {
  const {
    code: number,
    message,
    data,
  } = (typeof error === "object" && error !== null ? error : {}) as Record<string, unknown>;
  const details = decodeDetails(data);
  const known = details.code ?? (typeof number === "number" ? CODES.get(number) : undefined);
  return new A2AError(
    known ?? "INTERNAL",
    typeof message === "string" && message !== "" ? message : "the agent gave no reason",
    {
      metadata: known === undefined ? { ...details.metadata, jsonRpcCode: String(number) } : details.metadata,
      violations: details.violations,
      retryAfterSeconds,
    },
  );
}
