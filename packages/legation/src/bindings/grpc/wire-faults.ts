/** What bytes that are no message mean in the protocol. */
import { A2AError } from "../../operations/errors.ts";
import { WireFault } from "./binary-reader.ts";

/**
 * Reads a request by what knows its bytes.
 *
 * @param method its name, for the message
 * @throws PARSE_ERROR for bytes that are no message, INVALID_PARAMS for a field of the wrong form
 */
export function readRequest<T>(method: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof WireFault)) throw thrown;
    const code = thrown.kind === "broken" ? "PARSE_ERROR" : "INVALID_PARAMS";
    throw new A2AError(code, `the request is no message of ${method}: ${thrown.message}`, {
      cause: thrown,
      ...(code === "INVALID_PARAMS" ? { violations: [{ field: "", description: thrown.message }] } : {}),
    });
  }
}

/**
 * Reads an answer, or one event of a stream, by what knows its bytes.
 *
 * @param method its name, for the message
 * @throws INVALID_AGENT_RESPONSE for bytes that are no such message
 */
export function readAnswer<T>(method: string, read: () => T): T {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof WireFault)) throw thrown;
    throw new A2AError("INVALID_AGENT_RESPONSE", `the agent answered ${method} with no message: ${thrown.message}`, {
      cause: thrown,
    });
  }
}
