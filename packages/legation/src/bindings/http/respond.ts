/** Puts responses together for both HTTP bindings. */
import { A2AError, ERROR_TABLE, type ErrorRow } from "../../operations/errors.ts";
import { encodeExtensions } from "../../operations/extensions.ts";
import type { BindingLogEvent, HttpBindingOptions } from "./binding-options.ts";
import type { HttpHandler, HttpRequest, HttpResponse } from "./exchange.ts";
import { bodyRefusal, HttpRefusal } from "./refusal.ts";

type Headers = Readonly<Record<string, string>>;

/** Seconds of Retry-After where the error names none: callers must wait, but not for long. */
const DEFAULT_RETRY_SECONDS = 1;

const PLAIN_HEADERS = new Map<string, Headers>();

/** The headers of an answer: its media type, and the extensions that are active for the call. */
export function answerHeaders(contentType: string, active: readonly string[] | undefined): Headers {
  if (active !== undefined && active.length > 0) {
    return { "content-type": contentType, "a2a-extensions": encodeExtensions(active) };
  }
  let headers = PLAIN_HEADERS.get(contentType);
  if (headers === undefined) {
    headers = Object.freeze({ "content-type": contentType });
    PLAIN_HEADERS.set(contentType, headers);
  }
  return headers;
}

/** The headers of an event stream; the last one tells nginx not to hold it back. */
export function streamHeaders(active: readonly string[] | undefined): Headers {
  return {
    ...answerHeaders("text/event-stream", active),
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
  };
}

/** A thrown value on its way out: the error for the body, the status, and the headers that go with it. */
export interface Failure {
  readonly error: A2AError;
  readonly status: number;
  readonly headers: Headers;
}

/**
 * Decides status and headers for whatever was thrown: Allow, WWW-Authenticate on 401, Retry-After on 429 and 503.
 *
 * @param caught an HttpRefusal, an A2AError, what `text` of a request rejects with, or anything, which becomes INTERNAL
 * @param statusOf the column of the error table that the binding uses
 */
export function failureOf(
  caught: unknown,
  request: HttpRequest,
  options: HttpBindingOptions,
  statusOf: (row: ErrorRow) => number,
): Failure {
  const thrown = bodyRefusal(caught);
  if (thrown instanceof HttpRefusal) return thrown;
  const error = A2AError.from(thrown);
  const status = statusOf(ERROR_TABLE[error.code]);
  const headers: Record<string, string> = {};
  if (status === 401) headers["www-authenticate"] = options.challenge?.(error, request) ?? "Bearer";
  if (status === 429 || status === 503) {
    headers["retry-after"] = String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? DEFAULT_RETRY_SECONDS)));
  }
  return { error, status, headers };
}

/**
 * Tells the operator's log of an error whose cause the caller does not see. A log that throws is ignored.
 *
 * @param request where it is known: a caller that goes away is no failure, whatever it breaks off
 */
export function report(
  options: HttpBindingOptions,
  event: Omit<BindingLogEvent, "level">,
  request?: Pick<HttpRequest, "signal">,
): void {
  if (options.log === undefined || event.error.code !== "INTERNAL" || request?.signal.aborted === true) return;
  try {
    options.log({ level: "error", ...event });
  } catch {
    // An answer must not depend on the log.
  }
}

/** Asks handlers in turn; the last one answers what no other takes, so that there is always an answer. */
export function firstOf(
  handlers: readonly HttpHandler[],
  otherwise: (request: HttpRequest) => HttpResponse,
): (request: HttpRequest) => Promise<HttpResponse> {
  return async (request) => {
    for (const handler of handlers) {
      const response = await handler(request);
      if (response !== undefined) return response;
    }
    return otherwise(request);
  };
}
