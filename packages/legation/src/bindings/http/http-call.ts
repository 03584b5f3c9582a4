/** Reads the service parameters of an HTTP request (§3.2.6, §9.2, §11.2). */
import type { Call, Principal } from "../../operations/call.ts";
import { parseExtensions } from "../../operations/extensions.ts";
import { type RequestedVersion, requestedVersion } from "../../operations/version.ts";
import type { HttpRequest } from "./exchange.ts";
import { queryValue } from "./query.ts";

/** Headers that go on to interceptors: the context of a trace, and who the caller's program is. */
const PASSED_HEADERS = ["traceparent", "tracestate", "baggage", "user-agent"] as const;

/** The version that a request asks for: the header before the query parameter. */
export function versionOf(request: HttpRequest): RequestedVersion {
  const header = request.header("a2a-version");
  if (header !== undefined && header !== "") return requestedVersion(header);
  return requestedVersion(undefined, request.query === "" ? undefined : queryValue(request.query, "a2a-version"));
}

/**
 * The call that a request makes.
 *
 * @param version the version to serve it in, from `decideVersion`
 * @param principal who calls
 */
export function httpCall(request: HttpRequest, version: string, principal: Principal): Call {
  return {
    version,
    extensions: parseExtensions(request.header("a2a-extensions"), request.header("x-a2a-extensions")),
    principal,
    signal: request.signal,
    lastEventId: parseEventId(request.header("last-event-id")),
    headers: passedHeaders(request),
    activeExtensions: undefined,
  };
}

/** The seq that an SSE id names; undefined for an id that is not one of ours. */
export function parseEventId(text: string | undefined): number | undefined {
  if (text === undefined || text.length > 15 || !/^[1-9]\d*$/.test(text)) return undefined;
  return Number(text);
}

/** The headers of a request that go on to interceptors. */
export function passedHeaders(request: Pick<HttpRequest, "header">): Readonly<Record<string, string>> | undefined {
  let passed: Record<string, string> | undefined;
  for (const name of PASSED_HEADERS) {
    const value = request.header(name);
    if (value === undefined) continue;
    passed ??= {};
    passed[name] = value;
  }
  return passed;
}
