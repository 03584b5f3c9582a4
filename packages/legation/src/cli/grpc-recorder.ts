/** Writes down what comes over gRPC and what is answered, around a handler; the messages as JSON. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { FRAME_HEAD } from "../bindings/grpc/binary-writer.ts";
import { decodeAnswer, decodeRequest } from "../bindings/grpc/codec.ts";
import { detailObjects } from "../bindings/grpc/detail-objects.ts";
import type { GrpcHandler } from "../bindings/grpc/handler.ts";
import { methodOfPath } from "../bindings/grpc/names.ts";
import type { ClientExchange } from "../conformance/client-traffic.ts";
import { METHODS } from "../operations/methods.ts";
import { wholeFrames } from "../testing/grpc-frames.ts";
import { MAX_ANSWER_CHARS, RECORDED_HEADERS } from "./client-recorder.ts";

/** Longest request that is kept: beyond it the agent reads no more either. */
const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

/** Services beside A2A, which every tool of gRPC may ask: they say nothing of a client of agents. */
const OTHER_SERVICES = /^\/grpc\.(health|reflection)\./;

/** Wraps a handler; every exchange is pushed to `into` as soon as its answer begins. */
export function recordGrpcExchanges(handler: GrpcHandler, into: ClientExchange[]): GrpcHandler {
  return {
    stop: () => handler.stop(),
    handle(stream, headers) {
      if (!OTHER_SERVICES.test(headers[":path"] ?? "")) new Recording(stream, headers, into).begin();
      handler.handle(stream, headers);
    },
  };
}

class Recording {
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #into: ClientExchange[];
  readonly #path: string;
  readonly #at = Date.now();
  readonly #body: Buffer[] = [];
  #bytes = 0;
  #exchange: ClientExchange | undefined;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, into: ClientExchange[]) {
    this.#stream = stream;
    this.#headers = headers;
    this.#into = into;
    this.#path = headers[":path"] ?? "";
  }

  begin(): void {
    const stream = this.#stream;
    const { respond, write, end, sendTrailers } = stream;
    stream.on("data", (chunk: Buffer) => {
      this.#bytes += chunk.length;
      if (this.#bytes <= MAX_REQUEST_BYTES) this.#body.push(chunk);
    });
    stream.respond = (head, options) => {
      this.#answered(options?.endStream === true);
      if (options?.endStream === true) this.#ended(head as OutgoingHttpHeaders);
      respond.call(stream, head, options);
    };
    stream.write = ((...args: Parameters<typeof write>) => {
      this.#said(args[0]);
      return write.apply(stream, args);
    }) as typeof write;
    stream.end = ((...args: Parameters<typeof end>) => {
      this.#said(args[0]);
      return end.apply(stream, args);
    }) as typeof end;
    stream.sendTrailers = (trailers) => {
      this.#ended(trailers);
      sendTrailers.call(stream, trailers);
    };
  }

  #answered(isAlone: boolean): void {
    const method = methodOfPath(this.#path);
    this.#exchange = {
      method: this.#headers[":method"] ?? "POST",
      path: this.#path,
      query: "",
      headers: Object.fromEntries(RECORDED_HEADERS.map((name) => [name, this.#headers[name]?.toString()])),
      body: this.#request(),
      status: 200,
      answer: "",
      isStream: !isAlone && method !== undefined && METHODS[method].kind === "stream",
      at: this.#at,
    };
    this.#into.push(this.#exchange);
  }

  /** The request as JSON; `""` for one that is no message of its method. */
  #request(): string {
    const method = methodOfPath(this.#path);
    const [frame] = wholeFrames(Buffer.concat(this.#body));
    if (method === undefined || frame === undefined || frame[0] !== 0) return "";
    try {
      return JSON.stringify(decodeRequest(method, frame.subarray(FRAME_HEAD)));
    } catch {
      return "";
    }
  }

  #said(piece: unknown): void {
    const method = methodOfPath(this.#path);
    if (method === undefined || !Buffer.isBuffer(piece)) return;
    for (const frame of wholeFrames(piece)) {
      this.#note(`${JSON.stringify(decodeAnswer(method, frame.subarray(FRAME_HEAD)))}\n`);
    }
  }

  #ended(trailers: OutgoingHttpHeaders): void {
    const { "grpc-status": code, "grpc-message": message, "grpc-status-details-bin": bytes } = trailers;
    if (code === undefined || Number(code) === 0) return;
    const details = typeof bytes === "string" ? detailObjects(Buffer.from(bytes, "base64")) : [];
    this.#note(JSON.stringify({ error: { code: Number(code), message, details } }));
  }

  #note(text: string): void {
    const exchange = this.#exchange;
    if (exchange !== undefined && exchange.answer.length < MAX_ANSWER_CHARS) exchange.answer += text;
  }
}
