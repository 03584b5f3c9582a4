/** What the client sides of both HTTP bindings share: their options, headers, and a Service made of two functions. */
import type { Call } from "../../operations/call.ts";
import { A2AError, type ErrorCode, isA2AError, LocalError } from "../../operations/errors.ts";
import { encodeExtensions, parseExtensions } from "../../operations/extensions.ts";
import { bareMediaType } from "../../operations/media-type.ts";
import { METHODS, type MethodName, type MethodRow } from "../../operations/methods.ts";
import type { PeerWarning } from "../../operations/parse-answer.ts";
import type { Payload } from "../../operations/payload.ts";
import type { EventStream, Service } from "../../operations/service.ts";
import { type Fetch, type FetchResponse, retryAfter, shown } from "./outgoing.ts";

/** Settings of a transport. */
export interface TransportOptions {
  /** The URL of the interface, from the agent card. */
  readonly url: string;
  /** The tenant of the interface; it goes with every request. */
  readonly tenant?: string | undefined;
  /** A `fetch`; default the global one. Its own timeouts bound blocking sends and quiet streams. */
  readonly fetch?: Fetch | undefined;
  /** Headers for each call, such as Authorization; asked for anew each time. */
  readonly headers?: (() => Promise<Readonly<Record<string, string>>>) | undefined;
  /** Longest unary answer in bytes, default 64 MiB. */
  readonly maxResponseBytes?: number | undefined;
  /** Longest event of a stream in characters, default 64 Mi. */
  readonly maxEventChars?: number | undefined;
  /** Told of what the agent gets wrong and we put right. */
  readonly onWarning?: PeerWarning | undefined;
}

/** The two kinds of call that a binding makes. */
export interface TransportCalls {
  unary(method: MethodName, request: object, call: Call): Promise<Payload<unknown> | undefined>;
  stream(method: MethodName, request: object, call: Call): Promise<EventStream>;
}

/** A Service whose operations are calls of a transport. */
export function serviceOf(calls: TransportCalls): Service {
  const service: Record<string, unknown> = {};
  for (const [method, row] of Object.entries(METHODS) as [MethodName, MethodRow][]) {
    const { kind } = row;
    service[row.operation] = (request: object, call: Call) => calls[kind](method, request, call);
  }
  return service as unknown as Service;
}

/** The global fetch, looked up when it is used so that a test may replace it. */
export const globalFetch: Fetch = (url, init) => globalThis.fetch(url, init);

/** The headers of a call. Those of the call count before those of the options. */
export async function callHeaders(
  options: TransportOptions,
  call: Call,
  more: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const headers: Record<string, string> = { "a2a-version": call.version, ...more };
  if (call.extensions.length > 0) headers["a2a-extensions"] = encodeExtensions(call.extensions);
  if (call.lastEventId !== undefined) headers["last-event-id"] = String(call.lastEventId);
  for (const source of [await options.headers?.(), call.headers]) {
    for (const [name, value] of Object.entries(source ?? {})) headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** The request with the tenant of the interface in it: what the card says counts (§4.4.6). */
export function withTenant(request: object, tenant: string | undefined): object {
  return tenant === undefined || tenant === "" ? request : { ...request, tenant };
}

/** Notes what the agent said about extensions. */
export function noteExtensions(response: FetchResponse, call: Call): void {
  const header = response.headers.get("a2a-extensions");
  if (header !== null) call.activeExtensions = parseExtensions(header);
}

/** True for a body of JSON in any of its names. */
export function isJson(response: FetchResponse): boolean {
  const type = bareMediaType(response.headers.get("content-type") ?? "");
  return type === "application/json" || type.endsWith("+json");
}

/** True for an event stream. */
export function isEventStream(response: FetchResponse): boolean {
  return bareMediaType(response.headers.get("content-type") ?? "") === "text/event-stream";
}

/** Statuses that infrastructure in front of an agent answers with, and that mean the same in the protocol. */
const INFRASTRUCTURE: Readonly<Record<number, ErrorCode>> = {
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  429: "RATE_LIMITED",
};

/**
 * The error for a response that is not of the protocol: a page of a proxy, another server. It names status and URL
 * and never the body.
 */
export function foreignResponse(response: FetchResponse, url: string): A2AError | LocalError {
  const { status } = response;
  const code = INFRASTRUCTURE[status];
  if (code !== undefined) {
    const error = new A2AError(code, `${shown(url)} answered HTTP ${status}`, {
      retryAfterSeconds: retryAfter(response),
    });
    return withChallenge(error, response);
  }
  const metadata = { url: shown(url), status: String(status), sent: "unknown" };
  if (status === 502 || status === 503 || status === 504) {
    return new LocalError("UNREACHABLE", `${shown(url)} answered HTTP ${status}: the agent behind it does not`, {
      metadata,
    });
  }
  const type = bareMediaType(response.headers.get("content-type") ?? "no content type").slice(0, 80);
  return new LocalError(
    "NOT_AN_AGENT",
    `${shown(url)} answered HTTP ${status} with ${type}, not as an A2A agent does; check the interface URL of the card`,
    { metadata },
  );
}

/** Adds the challenge of a 401, for whoever obtains credentials. */
export function withChallenge(error: A2AError, response: FetchResponse): A2AError {
  const challenge = response.headers.get("www-authenticate");
  if (challenge === null || !isA2AError(error, "UNAUTHENTICATED")) return error;
  const { code, message, metadata, violations, retryAfterSeconds } = error;
  return new A2AError(code, message, {
    metadata: { ...metadata, wwwAuthenticate: challenge.slice(0, 2_000) },
    violations,
    retryAfterSeconds,
  });
}

/** Parses JSON of a peer. @throws what `foreign` makes of a body that is none */
export function parseBody(text: string, foreign: () => Error): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw foreign();
  }
}
