/** Serves the public keys by which receivers of webhooks know that they come from here. */
import type { HttpHandler } from "../bindings/http/exchange.ts";
import { wrongMethod } from "../bindings/http/refusal.ts";
import { encodeErrorBody } from "../bindings/rest/errors.ts";

/** Where the key set of a host is found, at the root of its base path. */
export const KEY_SET_PATH = "/.well-known/jwks.json";

/** A key that was taken out of the set counts for that long where it is cached; one that was put in is fetched. */
const MAX_AGE_SECONDS = 300;

/** @param keySet gives the JSON Web Key Set as it is now (RFC 7517), public keys alone */
export function createKeySetHandler(keySet: () => Promise<object>): HttpHandler {
  return async (request) => {
    if (request.path !== KEY_SET_PATH) return undefined;
    if (request.method !== "GET" && request.method !== "HEAD") {
      const { error, status, headers } = wrongMethod(request.method, request.path, "GET, HEAD");
      const json = { ...headers, "content-type": "application/json" };
      return { status, headers: json, body: encodeErrorBody(error, status) };
    }
    const headers = {
      "content-type": "application/jwk-set+json",
      "cache-control": `public, max-age=${MAX_AGE_SECONDS}`,
    };
    return request.method === "HEAD"
      ? { status: 200, headers }
      : { status: 200, headers, body: JSON.stringify(await keySet()) };
  };
}
