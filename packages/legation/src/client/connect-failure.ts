/**
 * Tells a failure before anything was sent from a failure after it: only the first lets another interface, or another
 * try, take the place of a request without the danger that it is carried out twice.
 */
import { isLocalError, type LocalError } from "../operations/errors.ts";

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
export function isConnectionLoss(error: unknown): error is LocalError {
  return isLocalError(error) && (error.code === "UNREACHABLE" || error.code === "STREAM_TRUNCATED");
}
