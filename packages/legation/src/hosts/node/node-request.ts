/** A request of node:http as the neutral request of the bindings. */
import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TLSSocket } from "node:tls";
import { BodyNotText, BodyTooLarge, type HttpRequest } from "../../bindings/http/exchange.ts";
import type { Principal } from "../../operations/call.ts";

/** What the host knows beside the message itself. */
export interface NodeRequestOptions {
  /** Path below the agent's base path, and the query, in place of what `url` says. */
  readonly url?: string | undefined;
  /** The body, where something in front has already read it. */
  readonly text?: (() => string) | undefined;
  readonly principal?: Principal | undefined;
}

/**
 * The neutral form of a request. Nothing is read or made before it is asked for: a request without a body costs no
 * listener, one that is answered at once no AbortController.
 */
export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly principal: Principal | undefined;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #given: (() => string) | undefined;
  #abort: AbortController | undefined;

  constructor(message: IncomingMessage, response: ServerResponse, options: NodeRequestOptions = NO_OPTIONS) {
    const url = originForm(options.url ?? message.url ?? "/");
    const cut = url.indexOf("?");
    this.method = message.method ?? "GET";
    this.path = cut === -1 ? url : url.slice(0, cut);
    this.query = cut === -1 ? "" : url.slice(cut + 1);
    this.principal = options.principal;
    this.#message = message;
    this.#response = response;
    this.#given = options.text;
  }

  get origin(): string {
    const encrypted = (this.#message.socket as Partial<TLSSocket>).encrypted === true;
    return `${encrypted ? "https" : "http"}://${this.#message.headers.host ?? "localhost"}`;
  }

  get peer(): { readonly certificate?: unknown; readonly address?: string | undefined } {
    const socket = this.#message.socket as Partial<TLSSocket>;
    return { certificate: socket.getPeerCertificate?.(), address: socket.remoteAddress };
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      if (this.#response.closed || this.#response.destroyed) this.left();
    }
    return this.#abort.signal;
  }

  /** To be called when the response is closed: aborts the signal where the caller went away before its end. */
  left(): void {
    if (this.#abort !== undefined && !this.#response.writableFinished) this.#abort.abort(goneError());
  }

  header(name: string): string | undefined {
    // Who has read the body has unpacked it.
    if (name === "content-encoding" && this.#given !== undefined) return undefined;
    const value = this.#message.headers[name];
    return typeof value === "object" ? value.join(", ") : value;
  }

  text(maxBytes: number): Promise<string> {
    const given = this.#given;
    if (given !== undefined) return Promise.resolve(bounded(given(), maxBytes));
    return readBody(this.#message, maxBytes);
  }
}

const NO_OPTIONS: NodeRequestOptions = {};

// Proxies are asked with a whole URL; whatever stands in front of the path is not ours to judge.
function originForm(url: string): string {
  if (url.startsWith("/")) return url;
  const absolute = /^https?:\/\/[^/?#]*(.*)$/i.exec(url)?.[1];
  return absolute === undefined || !absolute.startsWith("/") ? `/${absolute ?? ""}` : absolute;
}

function goneError(): Error {
  return new DOMException("the caller went away", "AbortError");
}

function bounded(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) > maxBytes) throw new BodyTooLarge(maxBytes);
  return text;
}

/** From this size on a body is put together, read and parsed in turns of the loop of their own: others come in between. */
const LARGE_BYTES = 1_048_576;

function readBody(message: IncomingMessage, maxBytes: number): Promise<string> {
  const declared = message.headers["content-length"];
  if (declared !== undefined && Number(declared) > maxBytes) return Promise.reject(new BodyTooLarge(maxBytes));
  if (message.complete && message.readableEnded) return Promise.resolve("");
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let more: Buffer[] | undefined;
    let bytes = 0;
    message.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        message.removeAllListeners("data");
        reject(new BodyTooLarge(maxBytes));
        return;
      }
      if (first === undefined) first = chunk;
      else if (more === undefined) more = [first, chunk];
      else more.push(chunk);
    });
    const take = (body: Buffer): void => {
      if (!isUtf8(body)) reject(new BodyNotText());
      else if (body.length < LARGE_BYTES) resolve(body.toString("utf8"));
      else {
        const text = body.toString("utf8");
        setImmediate(() => resolve(text));
      }
    };
    message.on("end", () => {
      const body = more === undefined ? first : Buffer.concat(more);
      if (body === undefined) resolve("");
      else if (body.length < LARGE_BYTES) take(body);
      else setImmediate(() => take(body));
    });
    // `close` without `end` is a caller that went away; an error of the socket comes before it.
    message.on("error", reject);
    message.on("close", () => {
      if (!message.readableEnded) reject(goneError());
    });
  });
}
