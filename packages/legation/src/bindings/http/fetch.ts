/**
 * The web's `fetch` on both sides of a handler: a server function for runtimes that speak Request and Response, and a
 * client `fetch` that reaches a handler without a socket.
 */
import type { Principal } from "../../operations/call.ts";
import { BodyNotText, BodyTooLarge, type HttpHandler, type HttpRequest, type HttpResponse } from "./exchange.ts";
import type { Fetch, FetchInit, FetchResponse } from "./outgoing.ts";

/** What a web runtime may add to a request. */
export interface FetchContext {
  /** Path in front of the agent's own, without a trailing slash; default none. */
  readonly basePath?: string | undefined;
  /** Set where a framework has authenticated the caller. */
  readonly principal?: Principal | undefined;
}

/** Answers a Request; `undefined` when the handler takes no such path. */
export type FetchHandler = (request: Request, context?: FetchContext) => Promise<Response | undefined>;

/**
 * Serves a handler from `fetch`-shaped runtimes: Hono, Next, Workers, Bun, Deno.
 *
 * A streamed body is pulled: the next piece is made when the runtime asks for it, and cancelling ends the stream.
 */
export function createFetchHandler(handler: HttpHandler): FetchHandler {
  return async (request, context = {}) => {
    const incoming = new WebRequest(request, context);
    const response = await handler(incoming);
    return response === undefined ? undefined : toWebResponse(response, request);
  };
}

/**
 * A `fetch` for transports that calls a handler in the same process. Bodies, headers, streams and aborts go the same
 * way as over a socket.
 */
export function fetchOf(handler: HttpHandler): Fetch {
  const serve = createFetchHandler(handler);
  return async (url: string, init: FetchInit): Promise<FetchResponse> => {
    init.signal?.throwIfAborted();
    const response = await serve(new Request(url, init));
    return response ?? new Response(null, { status: 404 });
  };
}

class WebRequest implements HttpRequest {
  readonly #request: Request;
  readonly method: string;
  readonly origin: string;
  readonly path: string;
  readonly query: string;
  readonly principal: Principal | undefined;

  constructor(request: Request, { basePath = "", principal }: FetchContext) {
    const { origin, pathname, search } = new URL(request.url);
    this.#request = request;
    this.method = request.method;
    this.origin = origin;
    this.path = basePath !== "" && pathname.startsWith(basePath) ? pathname.slice(basePath.length) || "/" : pathname;
    this.query = search.slice(1);
    this.principal = principal;
  }

  get signal(): AbortSignal {
    return this.#request.signal;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  async text(maxBytes: number): Promise<string> {
    const length = this.header("content-length");
    if (length !== undefined && Number(length) > maxBytes) throw new BodyTooLarge(maxBytes);
    const { body } = this.#request;
    if (body === null) return "";
    const decoder = new TextDecoder("utf-8", { fatal: true });
    const reader = body.getReader();
    let text = "";
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text + decode(decoder);
      bytes += value.byteLength;
      if (bytes > maxBytes) {
        reader.cancel().catch(() => undefined);
        throw new BodyTooLarge(maxBytes);
      }
      text += decode(decoder, value);
    }
  }
}

function decode(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: chunk !== undefined });
  } catch {
    throw new BodyNotText();
  }
}

function toWebResponse(response: HttpResponse, { method, signal }: Request): Response {
  const { status, headers, body, stream } = response;
  if (stream === undefined || method === "HEAD") {
    return new Response(method === "HEAD" ? null : (body ?? null), { status, headers: { ...headers } });
  }
  const pieces = stream[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  const end = (): void => {
    pieces.return?.().catch(() => undefined);
  };
  const readable = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Not every runtime cancels the body of a caller that went away.
        signal.addEventListener("abort", () => {
          end();
          controller.error(signal.reason);
        });
      },
      async pull(controller) {
        const piece = await pieces.next();
        if (signal.aborted) return;
        if (piece.done === true) controller.close();
        else controller.enqueue(encoder.encode(piece.value));
      },
      cancel: end,
    },
    // Nothing is made in advance of the reader.
    { highWaterMark: 0 },
  );
  return new Response(readable, { status, headers: { ...headers } });
}
