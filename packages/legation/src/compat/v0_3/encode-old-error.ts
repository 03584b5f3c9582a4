import { type A2AError, ERROR_DOMAIN, ERROR_TABLE } from "../../operations/errors.ts";

/**
 * An error as the JSON-RPC of 0.3 has it, and by itself what its SDKs read over HTTP+JSON. The details of 1.0 are one object
 * in it: 0.3 leaves open what `data` is, and clients made with the Go SDK read no other form.
 */
export function encodeOldError({ code, message, metadata, violations }: A2AError): string {
  const fields = violations.length === 0 ? {} : { fieldViolations: violations };
  const data = { reason: code, domain: ERROR_DOMAIN, metadata, ...fields };
  return JSON.stringify({ code: ERROR_TABLE[code].jsonRpc, message, data });
}
