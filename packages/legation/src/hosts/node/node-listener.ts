/** Carries requests of node:http to a handler, and its responses back. */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { HttpHandler, HttpResponse } from "../../bindings/http/exchange.ts";
import { encodeErrorBody } from "../../bindings/rest/errors.ts";
import { RenewedMap } from "../../engine/renewed-map.ts";
import { A2AError, ERROR_TABLE } from "../../operations/errors.ts";
import { framedByNode, framedHere, type StreamBody } from "./chunked-body.ts";
import { NodeRequest, type NodeRequestOptions } from "./node-request.ts";
import { type OpenStream, writePlain, writeStream } from "./node-response.ts";

/** How long the rest of a body that nobody wants is read, so that its sender sees the answer before the connection ends. */
const DRAIN_MS = 5_000;

/** A listener for `http.createServer`, and what a host needs to stop it in good order. */
export interface NodeListener {
  readonly listener: RequestListener;
  /** Answers one request of a framework that keeps the rest of the application to itself. */
  carry(message: IncomingMessage, response: ServerResponse, options: NodeRequestOptions): void;
  /** Requests and streams that are being answered. */
  readonly active: () => number;
  /** From now on every answer closes its connection; open streams get their last words. */
  stop(): void;
  /** Resolves when nothing is being answered. */
  idle(): Promise<void>;
}

/** Settings of a listener. */
export interface NodeListenerOptions {
  /** Answers what the handler does not take; default a bare 404. */
  readonly otherwise?: ((request: NodeRequest) => HttpResponse) | undefined;
  /** Told of a handler that threw; the caller gets 500 with the correlation id of this error. */
  readonly onError?: ((error: A2AError) => void) | undefined;
}

const NOT_FOUND: HttpResponse = {
  status: 404,
  headers: { "content-type": "application/json" },
  body: '{"error":{"code":404,"status":"NOT_FOUND","message":"nothing is served at this path","details":[]}}',
};

/** Node refuses it too (RFC 9112 §3.2), but without a word. */
const WITHOUT_HOST: HttpResponse = {
  status: 400,
  headers: { "content-type": "application/json" },
  body: encodeErrorBody(new A2AError("INVALID_REQUEST", "a request of HTTP/1.1 needs a Host header; send one")),
};

/**
 * Makes a listener of node:http for a handler.
 *
 * @param handler answers or takes not; it never rejects
 * @param options what is said where it does not take
 */
export function createNodeListener(handler: HttpHandler, options: NodeListenerOptions = {}): NodeListener {
  const carrier = new Carrier(options.onError ?? ignore);
  const otherwise = options.otherwise ?? (() => NOT_FOUND);
  return {
    listener: (message, response) => {
      if (message.headers.host === undefined && message.httpVersion === "1.1") {
        writePlain(response, WITHOUT_HOST, true);
        return;
      }
      carrier.carry(handler, new NodeRequest(message, response), message, response, otherwise);
    },
    carry: (message, response, given) => {
      carrier.carry(handler, new NodeRequest(message, response, given), message, response, otherwise);
    },
    active: () => carrier.active,
    stop: () => carrier.stop(),
    idle: () => carrier.idle(),
  };
}

/**
 * Answers one request of a framework built on node:http.
 *
 * @returns false when the handler does not take the path; nothing is written then
 */
export async function carryOne(
  handler: HttpHandler,
  message: IncomingMessage,
  response: ServerResponse,
  options: NodeRequestOptions,
): Promise<boolean> {
  const request = new NodeRequest(message, response, options);
  response.on("close", () => request.left());
  const answer = await handler(request);
  if (answer === undefined) return false;
  write(message, response, answer, { closing: false, body: framedByNode });
  return true;
}

function ignore(): void {}

const NOT_TAKEN: Promise<undefined> = Promise.resolve(undefined);

/** Without an async function, which would cost every request a turn of the loop. */
function answerOf(handler: HttpHandler, request: NodeRequest): Promise<HttpResponse | undefined> {
  try {
    return handler(request) ?? NOT_TAKEN;
  } catch (thrown) {
    return Promise.reject(thrown);
  }
}

/** An answer outside of every binding, in the shape of HTTP+JSON. */
function broken(error: A2AError): HttpResponse {
  const status = ERROR_TABLE[error.code].http;
  return { status, headers: { "content-type": "application/json" }, body: encodeErrorBody(error, status) };
}

class Carrier {
  active = 0;
  #stopping = false;
  readonly #onError: (error: A2AError) => void;
  readonly #streams = new RenewedMap<OpenStream, OpenStream>();
  #waiting: (() => void)[] = [];

  constructor(onError: (error: A2AError) => void) {
    this.#onError = onError;
  }

  carry(
    handler: HttpHandler,
    request: NodeRequest,
    message: IncomingMessage,
    response: ServerResponse,
    otherwise: (request: NodeRequest) => HttpResponse,
  ): void {
    this.active++;
    // Also fires when the caller goes away: whatever happens, a request is counted once.
    response.on("close", () => {
      request.left();
      this.#left();
    });
    // A socket that breaks while it is written to is the caller's going away, told by `close`.
    response.on("error", ignore);
    answerOf(handler, request).then(
      (answer) => this.#write(message, response, answer ?? otherwise(request)),
      (thrown: unknown) => {
        // Ours do not throw; what somebody has put around them may, at once or later.
        const error = A2AError.from(thrown);
        this.#onError(error);
        this.#write(message, response, broken(error));
      },
    );
  }

  stop(): void {
    this.#stopping = true;
    for (const stream of [...this.#streams.values()]) stream.goodbye();
  }

  idle(): Promise<void> {
    if (this.active === 0) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #write(message: IncomingMessage, response: ServerResponse, answer: HttpResponse): void {
    const body = message.httpVersion === "1.1" ? framedHere : framedByNode;
    const stream = write(message, response, answer, { closing: this.#stopping, body });
    if (stream === undefined) return;
    this.#streams.set(stream, stream);
    stream.done.then(() => this.#streams.delete(stream));
    if (this.#stopping) stream.goodbye();
  }

  #left(): void {
    this.active--;
    if (this.active > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

function write(
  message: IncomingMessage,
  response: ServerResponse,
  answer: HttpResponse,
  { closing, body }: { readonly closing: boolean; readonly body: (response: ServerResponse) => StreamBody },
): OpenStream | undefined {
  if (response.destroyed || response.closed) {
    answer.stream?.[Symbol.asyncIterator]()
      .return?.()
      .catch(() => undefined);
    return undefined;
  }
  if (!message.complete) drainBriefly(message);
  const { stream } = answer;
  if (stream !== undefined && message.method !== "HEAD")
    return writeStream(response, { ...answer, stream }, body(response));
  stream?.[Symbol.asyncIterator]()
    .return?.()
    .catch(() => undefined);
  // Whoever still sends what is not read any more must not send the next request behind it.
  writePlain(response, answer, closing || !message.complete);
  return undefined;
}

// Closed at once, the connection would be reset under a caller that is still sending, and the answer lost with it.
function drainBriefly(message: IncomingMessage): void {
  const timer = setTimeout(() => message.socket.destroy(), DRAIN_MS);
  timer.unref();
  const done = (): void => clearTimeout(timer);
  message.once("end", done);
  message.once("close", done);
  message.resume();
}
