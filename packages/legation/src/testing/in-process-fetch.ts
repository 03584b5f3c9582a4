/** A `fetch` that reaches a handler of this process without a socket, and breaks the way a connection breaks. */

import type { FetchHandler } from "../bindings/http/fetch.ts";

/**
 * Makes a `fetch` over a handler.
 *
 * @param current gives the handler that lives now, and the signal that aborts when it dies
 */
export function createInProcessFetch(
  current: () => { readonly handle: FetchHandler; readonly signal: AbortSignal },
): typeof globalThis.fetch {
  return async (input, init) => {
    const { handle, signal } = current();
    const request = new Request(input, init);
    const response = (await beforeCut(handle(request), signal)) ?? new Response(null, { status: 404 });
    if (response.body === null) return withUrl(response, request.url);
    return withUrl(new Response(breakable(response.body, signal), response), request.url);
  };
}

/** What fetch throws when the other side is gone (undici's words and codes). */
function connectionLost(): TypeError {
  return new TypeError("fetch failed", {
    cause: Object.assign(new Error("other side closed"), { code: "UND_ERR_SOCKET" }),
  });
}

function beforeCut<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(connectionLost());
  return new Promise<T>((resolve, reject) => {
    const onCut = (): void => reject(connectionLost());
    signal.addEventListener("abort", onCut, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onCut));
  });
}

function breakable(body: ReadableStream<Uint8Array>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await beforeCut(reader.read(), signal);
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (thrown) {
        controller.error(thrown);
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** A Response that was not fetched has no URL; a client that follows redirects asks for it. */
function withUrl(response: Response, url: string): Response {
  Object.defineProperty(response, "url", { value: url });
  return response;
}
