/** One POST whose answer is its head: what a webhook says beyond that, nobody reads. */
import type { Dispatcher } from "undici";
import type { PushAnswer, PushRequest } from "../engine/push-options.ts";

/** What is read of a body, so that its connection can be used again; a longer one costs the connection. */
const IGNORED_BODY_BYTES = 16_384;
const USER_AGENT = "legation";

/** Where a URL leads. */
export interface Destination {
  readonly origin: string;
  readonly path: string;
}

/**
 * Posts, by the lowest call that undici has: no stream is made for a body that is let go of, and one timer is the limit
 * of everything from the look-up of the name to the end of the body.
 *
 * A body that has no end, or that drips, is no failure: the status was the answer.
 */
export function post(dispatcher: Dispatcher, to: Destination, request: PushRequest): Promise<PushAnswer> {
  const { body, timeoutMs, signal } = request;
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined;
    let answer: PushAnswer | undefined;
    let bytes = 0;
    let isOver = false;
    const end = (failed?: Error): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener("abort", cut);
      if (answer !== undefined) resolve(answer);
      else reject(failed ?? new Error("the connection ended without an answer"));
    };
    const stop = (why: Error): void => {
      controller?.abort(why);
      end(why);
    };
    const cut = (): void => stop(new Error("the delivery was given up"));
    const timer = setTimeout(() => stop(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    signal.addEventListener("abort", cut);
    if (signal.aborted) {
      cut();
      return;
    }
    const headers = { ...request.headers, "user-agent": USER_AGENT };
    // The limit here is the only one.
    const options = { ...to, method: "POST", headers, body, headersTimeout: 0, bodyTimeout: 0 } as const;
    dispatcher.dispatch(options, {
      onRequestStart(given) {
        controller = given;
        // It waited for a connection longer than anybody waited for it.
        if (isOver) given.abort(new Error("too late"));
      },
      onResponseStart(_given, status, { "retry-after": retryAfter }) {
        // An interim answer says nothing yet.
        if (status < 200) return;
        answer = { status, retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter };
      },
      onResponseData(given, chunk) {
        bytes += chunk.byteLength;
        if (bytes <= IGNORED_BODY_BYTES) return;
        end();
        given.abort(new Error("the answer is long enough"));
      },
      onResponseEnd: () => end(),
      onResponseError: (_given, failed) => end(failed),
    });
  });
}
