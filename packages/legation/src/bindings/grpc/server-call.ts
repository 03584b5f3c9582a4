/**
 * One call on the server's side of an HTTP/2 stream.
 *
 * States: open (nothing sent) → responding (initial metadata sent) → ended (trailers sent, or handed to the stream).
 * From any of them: gone, when the caller resets the stream or its connection breaks. Timers: the deadline that the
 * caller sent, which ends the call and never the task; and that of {@link IncomingRequests}, until the request is there.
 */
import { EventEmitter } from "node:events";
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { constants } from "node:http2";
import type { TLSSocket } from "node:tls";
import { A2AError } from "../../operations/errors.ts";
import { encodeExtensions } from "../../operations/extensions.ts";
import type { HttpRequest } from "../http/exchange.ts";
import type { RpcService } from "../http/rpc-service.ts";
import { encodeDetails, encodeMessage, STATUS, statusOf } from "./errors.ts";
import {
  ACCEPTED_ENCODINGS,
  type MessageReceiver,
  MessageTooLarge,
  readMessages,
  receiveMessage,
} from "./incoming-message.ts";
import type { IncomingCall, IncomingRequests } from "./incoming-requests.ts";

const CONTENT_TYPE = "application/grpc+proto";
const PLAIN_HEAD: OutgoingHttpHeaders = { ":status": 200, "content-type": CONTENT_TYPE };

/**
 * Initial metadata in the raw form, date included: node:http2 sends it as it is, where an object is copied, looked
 * through and given a date for each call. The same array serves all calls of a second.
 */
let rawHead: readonly string[] = [];
let rawHeadSecond = -1;

const WAIT: { readonly waitForTrailers: boolean } = { waitForTrailers: true };
const OK_TRAILERS: OutgoingHttpHeaders = { "grpc-status": "0" };

/** Largest number of milliseconds that a timer takes; a deadline beyond it is none. */
const MAX_TIMER_MS = 2_147_483_647;

const UNIT_MS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 0.001, n: 0.000_001 };

/** Milliseconds of a `grpc-timeout` such as `250m`; undefined for none and for one that is malformed. */
export function timeoutMs(header: string | undefined): number | undefined {
  const match = header === undefined ? null : /^(\d{1,8})([HMSmun])$/.exec(header);
  return match === null ? undefined : Number(match[1]) * (UNIT_MS[match[2] ?? ""] ?? 0);
}

/** A call, from its headers to its trailers. Nothing here throws when the caller is gone: then it does nothing. */
export class ServerCall implements IncomingCall {
  readonly path: string;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  #controller: AbortController | undefined;
  /** Why the call was given up. */
  #reason: DOMException | undefined;
  #trailers: OutgoingHttpHeaders = OK_TRAILERS;
  #state: "open" | "responding" | "ended" | "gone" = "open";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #onEnd: (() => void) | undefined;
  #onGone: ((reason: unknown) => void) | undefined;
  readonly #incoming: IncomingRequests | undefined;
  /** Called when the request is there, or nobody waits for it any longer. */
  #arrived: () => void = ignore;

  /** @param incoming bounds how long the request may take; absent: nothing does */
  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, incoming?: IncomingRequests) {
    this.#incoming = incoming;
    this.path = headers[":path"] ?? "";
    this.#stream = stream;
    this.#headers = headers;
    stream.on("error", ignore);
    stream.on("close", () => this.#closed());
    const ms = timeoutMs(this.header("grpc-timeout"));
    if (ms !== undefined && ms < MAX_TIMER_MS)
      this.#timer = setTimeout(() => this.#endLate("deadline exceeded"), Math.ceil(ms));
  }

  /** Aborts when the caller went away or its deadline passed. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** True while something can still be sent. */
  get isOpen(): boolean {
    // A stream that was reset is closed some time before it says so.
    return (this.#state === "open" || this.#state === "responding") && !this.#stream.closed && !this.#stream.destroyed;
  }

  /** One header by its lower-case name. */
  header(name: string): string | undefined {
    const value = this.#headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  /** Reads the one message of the request, once. */
  receive(maxBytes: number, receiver: MessageReceiver): void {
    if (this.#incoming !== undefined) this.#arrived = this.#incoming.add(this);
    receiveMessage(this.#stream, { maxBytes, encoding: this.header("grpc-encoding"), onEnd: this.#arrived }, receiver);
  }

  /**
   * The one message of the request.
   *
   * @throws what {@link MessageReceiver.onFailure} is told; AbortError where the caller goes away first
   */
  read(maxBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.#onGone = reject;
      this.receive(maxBytes, { onMessage: resolve, onFailure: reject });
    });
  }

  /** All messages of the request. */
  readAll(maxBytes: number): AsyncGenerator<Buffer> {
    return readMessages(this.#stream, maxBytes);
  }

  /**
   * Called once: when the stream is closed, as everything is on its way or the caller is gone, or the deadline has
   * passed; at once where that has happened already.
   */
  onEnd(listener: () => void): void {
    if (this.isOpen) this.#onEnd = listener;
    else listener();
  }

  /** The request as verifiers of credentials know it from HTTP. */
  asHttpRequest(): HttpRequest {
    const socket = this.#stream.session?.socket as Partial<TLSSocket> | undefined;
    return {
      method: "POST",
      origin: `${this.#headers[":scheme"] ?? "http"}://${this.#headers[":authority"] ?? this.header("host") ?? "localhost"}`,
      path: this.path,
      query: "",
      header: (name) => this.header(name),
      text: () => Promise.reject(new TypeError("the body of a gRPC call is no text")),
      signal: this.signal,
      peer: { certificate: socket?.getPeerCertificate?.(), address: socket?.remoteAddress },
    };
  }

  /** Sends the initial metadata, with the extensions that are active, under a second name too where one is given. */
  respond(active: readonly string[] | undefined, secondName?: string): void {
    if (this.#state !== "open" || !this.isOpen) return;
    this.#state = "responding";
    this.#stream.respond(active === undefined || active.length === 0 ? plainHead() : headOf(active, secondName), WAIT);
    this.#stream.on("wantTrailers", () => this.#stream.sendTrailers(this.#trailers));
  }

  /** Sends frames. @returns a promise where the caller reads slower than we write */
  write(frames: Buffer): Promise<void> | undefined {
    if (this.#state !== "responding") return undefined;
    return this.#stream.write(frames) ? undefined : this.#drained();
  }

  /** Ends the call well, with a last frame where there is one. */
  finish(frame?: Buffer): void {
    if (this.#state !== "responding") return;
    this.#state = "ended";
    if (frame === undefined) this.#stream.end();
    else this.#stream.end(frame);
    if (this.#timer !== undefined) clearTimeout(this.#timer);
  }

  /** Ends the call with an error. */
  fail(error: A2AError, status: number = statusOf(error.code), challenge?: string): void {
    this.#end({
      "grpc-status": String(status),
      "grpc-message": encodeMessage(error.message),
      "grpc-status-details-bin": encodeDetails(error, status).toString("base64"),
      ...(challenge === undefined ? {} : { "www-authenticate": challenge }),
    });
  }

  /** Refuses a call that is not gRPC at all, with a status of HTTP. */
  refuse(httpStatus: number, headers: OutgoingHttpHeaders = {}): void {
    if (this.#state !== "open" || !this.isOpen) return;
    this.#state = "ended";
    this.#stream.respond({ ":status": httpStatus, ...headers }, { endStream: true });
    this.#dismiss();
  }

  #end(trailers: OutgoingHttpHeaders): void {
    if (!this.isOpen) return;
    if (this.#state === "open") {
      this.#state = "ended";
      // Trailers alone: what cannot be compressed says what could be.
      const head = { ...PLAIN_HEAD, "grpc-accept-encoding": ACCEPTED_ENCODINGS, ...trailers };
      this.#stream.respond(head, { endStream: true });
      this.#dismiss();
      return;
    }
    this.#state = "ended";
    this.#trailers = trailers;
    this.#stream.end();
    this.#dismiss();
  }

  // What the caller still sends is of no use: it is told to stop, without an error.
  #dismiss(): void {
    clearTimeout(this.#timer);
    if (this.#stream.readableEnded) return;
    this.#stream.resume();
    this.#stream.close(constants.NGHTTP2_NO_ERROR);
  }

  #endLate(message: string): void {
    if (!this.isOpen) return;
    this.#end({ "grpc-status": String(STATUS.DEADLINE_EXCEEDED), "grpc-message": message });
    this.#giveUp(new DOMException(message, "TimeoutError"));
  }

  /** Ends a call of which the request is still not whole. Over HTTP the same is told as 408. */
  giveUpRequest(limitMs: number): void {
    this.#arrived();
    this.#endLate(`the request did not come within ${limitMs / 1_000} s; send it whole`);
  }

  #closed(): void {
    this.#arrived();
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    if (this.#state === "open" || this.#state === "responding") {
      this.#state = "gone";
      this.#giveUp(new DOMException("the caller went away", "AbortError"));
    }
    this.#tellEnd();
    dropListeners(this.#stream);
  }

  #giveUp(reason: DOMException): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
    this.#onGone?.(reason);
    this.#tellEnd();
  }

  #tellEnd(): void {
    const listener = this.#onEnd;
    this.#onEnd = undefined;
    listener?.();
  }

  #drained(): Promise<void> {
    const stream = this.#stream;
    return new Promise((resolve) => {
      const settle = (): void => {
        stream.off("drain", settle);
        stream.off("close", settle);
        resolve();
      };
      stream.on("drain", settle);
      stream.on("close", settle);
    });
  }
}

/** That of a Readable also looks, in a turn of its own, whether anybody still waits for data. */
const { removeAllListeners } = EventEmitter.prototype;

/**
 * A closed stream with listeners outlives two rounds of the collector, and all that they know with it. Who listens to
 * their removal goes first, or would be told of each.
 */
function dropListeners(stream: ServerHttp2Stream): void {
  removeAllListeners.call(stream, "removeListener");
  removeAllListeners.call(stream);
  stream.on("error", ignore);
}

function plainHead(): readonly string[] {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== rawHeadSecond) {
    rawHeadSecond = second;
    rawHead = [":status", "200", "content-type", CONTENT_TYPE, "date", new Date(second * 1_000).toUTCString()];
  }
  return rawHead;
}

function headOf(active: readonly string[], secondName: string | undefined): readonly string[] {
  const list = encodeExtensions(active);
  const more = secondName === undefined ? [] : [secondName, list];
  return [...plainHead(), "a2a-extensions", list, ...more];
}

/** The error and the status for whatever was thrown, by the rules of the service that was called. */
export function failureOf(
  thrown: unknown,
  service?: Pick<RpcService, "statusOf">,
): { readonly error: A2AError; readonly status: number } {
  if (thrown instanceof MessageTooLarge) {
    return { error: new A2AError("INVALID_REQUEST", thrown.message), status: STATUS.RESOURCE_EXHAUSTED };
  }
  const error = A2AError.from(thrown);
  const own = service?.statusOf(error.code);
  return { error, status: own === undefined ? statusOf(error.code) : STATUS[own] };
}

function ignore(): void {}
