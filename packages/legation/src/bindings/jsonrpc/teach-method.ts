/** What is answered to a method name that is not one of 1.0, or to a 1.0 name without the version. */
import { A2AError } from "../../operations/errors.ts";
import { type RequestedVersion, versionNotSupported } from "../../operations/version.ts";
import { isMethodName, nameSince10, similarName } from "./names.ts";

/**
 * The error for a call whose version is not served here: it also says what the method is called in 1.0.
 *
 * @param method as it was sent
 */
export function teachVersion(
  requested: RequestedVersion,
  supported: readonly string[] | undefined,
  method: string,
): A2AError {
  const current = nameSince10(method);
  if (current !== undefined) return versionNotSupported(requested, supported, `${method} is called ${current} in 1.0`);
  return versionNotSupported(requested, supported, isMethodName(method) ? `${method} is a method of 1.0` : undefined);
}

/** The error for a method that does not exist in 1.0. */
export function teachMethod(method: string): A2AError {
  const shown = JSON.stringify(method.length > 80 ? `${method.slice(0, 80)}…` : method);
  const current = nameSince10(method);
  if (current !== undefined) {
    return new A2AError("METHOD_NOT_FOUND", `${shown} is the name before 1.0; in 1.0 call ${current}`, {
      metadata: { method: current },
    });
  }
  const similar = similarName(method);
  return new A2AError(
    "METHOD_NOT_FOUND",
    similar === undefined ? `method ${shown} not found` : `method ${shown} not found, did you mean ${similar}`,
  );
}
