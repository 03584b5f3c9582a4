/**
 * The neutral HTTP request and response: what a host gives to the HTTP bindings and takes from them. A host for a
 * new runtime carries these two and knows nothing of the protocol.
 */
import type { Principal } from "../../operations/call.ts";

/** One request, as any runtime can give it. */
export interface HttpRequest {
  /** Upper-case method. */
  readonly method: string;
  /** Scheme and authority as the caller used them, `https://agent.example.com`; where the public URL is not set. */
  readonly origin: string;
  /** Undecoded path below the base path of the agent, with a leading slash. */
  readonly path: string;
  /** Query without the question mark, `""` where there is none. */
  readonly query: string;
  /** One header by its lower-case name; several lines of one name are joined by a comma. */
  header(name: string): string | undefined;
  /**
   * The whole body as text. Rejects with a {@link BodyTooLarge} as soon as more than `maxBytes` have come, with a
   * {@link BodyNotText} when the bytes are not UTF-8, and with the reason of the abort when the caller went away
   * before its end.
   */
  text(maxBytes: number): Promise<string>;
  /** Aborts when the caller went away. */
  readonly signal: AbortSignal;
  /** Set where the host has already authenticated the caller (a framework's middleware). */
  readonly principal?: Principal | undefined;
  /** The TLS client certificate and other things of a runtime that verifiers ask for. */
  readonly peer?: { readonly certificate?: unknown; readonly address?: string | undefined } | undefined;
}

/** One response. Exactly one of `body` and `stream` where there is a body at all. */
export interface HttpResponse {
  readonly status: number;
  /** Lower-case names. Content-Length is added by the host. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /**
   * Pieces of a streamed body, each written at once and with back-pressure: the next piece is asked for only when
   * the runtime can take it. The host calls `return` when the caller goes away.
   */
  readonly stream?: AsyncIterable<string> | undefined;
  /**
   * The last piece of a stream that the host itself ends because it shuts down: it says so in the binding's shape.
   * The host writes it and ends the body.
   */
  readonly goodbye?: (() => string) | undefined;
}

/** A body that is longer than the limit; answered with 413 in the shape of the binding. */
export class BodyTooLarge extends Error {
  override readonly name = "BodyTooLarge";
  readonly maxBytes: number;

  constructor(maxBytes: number) {
    super(`body is larger than ${maxBytes} bytes`);
    this.maxBytes = maxBytes;
  }
}

/** A body that is not UTF-8; answered as bad JSON. */
export class BodyNotText extends Error {
  override readonly name = "BodyNotText";

  constructor() {
    super("body is not UTF-8");
  }
}

/** Answers one request, or gives `undefined`, at once or later, when it is not for it. Never rejects. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse | undefined> | undefined;

/** Answers one request of a binding, or gives `undefined`, at once, when the path is not one of its own. Never rejects. */
export type BindingHandler = (request: HttpRequest) => Promise<HttpResponse> | undefined;
