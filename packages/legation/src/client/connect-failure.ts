/**
 * Tells a failure before anything was sent from a failure after it: only the first lets another interface, or another
 * try, take the place of a request without the danger that it is carried out twice.
 */
import { connectionError } from "../bindings/http/outgoing.ts";
import { isLocalError, LocalError } from "../operations/errors.ts";

/**
 * True when the failure shows that no byte of the request can have reached the agent: refused, no such host, no route.
 *
 * A failure that says less (a browser tells nothing) is false, and so is a refused certificate: going on elsewhere
 * would let whoever is in between choose the interface.
 */
export function isNothingSent(error: unknown): boolean {
  if (!isLocalError(error, "UNREACHABLE")) return false;
  const { sent, cause = "" } = error.metadata;
  return sent === "no" && !/CERT|TLS|SSL|SELF_SIGNED|ALTNAME|UNABLE_TO/.test(cause);
}

/** True when the connection was lost, or never made, and whether the request arrived is not known. */
export function isConnectionLoss(error: unknown): boolean {
  return isLocalError(error) && (error.code === "UNREACHABLE" || error.code === "STREAM_TRUNCATED");
}

/**
 * The error for the address of an agent that cannot be reached: it says what to check, and shows no credentials.
 *
 * @param url what was asked for
 * @param cause what `fetch` threw
 */
export function unreachable(url: string, cause: unknown, signal: AbortSignal | undefined): LocalError {
  const error = connectionError(cause, url, signal);
  if (error.code !== "UNREACHABLE" || isNothingSent(error)) return error;
  return new LocalError("UNREACHABLE", `${error.message}; check the port, and whether it speaks http or https`, {
    metadata: error.metadata,
    cause,
  });
}
