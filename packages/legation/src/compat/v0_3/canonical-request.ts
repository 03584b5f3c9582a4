import { A2AError } from "../../operations/errors.ts";
import type { MethodName } from "../../operations/methods.ts";
import { type AnyRequest, parseRequest } from "../../operations/parse-request.ts";

/**
 * A request in the one form that is translated: what is written otherwise to the same end (the number of an enum, another
 * form of a time) is put right. What 1.0 refuses is refused here, for of an object that is wrong 0.3 would be sent a part.
 *
 * @param request not changed
 * @throws INVALID_PARAMS, as the agent would answer
 */
export function canonicalRequest(method: MethodName, request: object): AnyRequest {
  try {
    return parseRequest(method, structuredClone(request));
  } catch (thrown) {
    throw A2AError.from(thrown);
  }
}
