/**
 * The client side of a server stream: messages of the library as an {@link EventStream}, everything that is there as one
 * batch.
 *
 * The end of the stream is an end only after a Message, a terminal state or INPUT_REQUIRED; before that it is
 * STREAM_TRUNCATED, never success.
 */
import type { ClientReadableStream, ServiceError } from "@grpc/grpc-js";
import type { StreamResponse } from "../../model/gen/types.ts";
import { LocalError } from "../../operations/errors.ts";
import type { EventStream, StreamEvent } from "../../operations/service.ts";
import { streamEventOfValue } from "../../operations/stream-event.ts";
import { mayEndWith } from "../http/incoming-stream.ts";
import { shown } from "../http/outgoing.ts";
import { callFailure } from "./call-failure.ts";
import type { StatusReader } from "./errors.ts";

/** How a stream is read. */
export interface IncomingEventsOptions {
  readonly url: string;
  readonly signal: AbortSignal | undefined;
  /** Reads one event. @throws INVALID_AGENT_RESPONSE */
  readonly readEvent: (bytes: Buffer) => StreamResponse;
  /** See {@link callFailure}. */
  readonly readStatus?: StatusReader | undefined;
}

type Result = IteratorResult<readonly StreamEvent[]>;

const DONE: Result = { done: true, value: undefined };

/**
 * Reads a stream up to its first event, so that an early error is a plain error.
 *
 * @returns the stream, to be iterated once; returning its iterator cancels the call
 * @throws what the agent answers in place of events; LocalError STREAM_TRUNCATED, UNREACHABLE, ABORTED, TIMEOUT
 */
export async function openIncomingEvents(
  call: ClientReadableStream<Buffer>,
  options: IncomingEventsOptions,
): Promise<EventStream> {
  const events = new IncomingEvents(call, options);
  await events.prime();
  return { [Symbol.asyncIterator]: () => events };
}

class IncomingEvents implements AsyncIterator<readonly StreamEvent[]> {
  readonly #call: ClientReadableStream<Buffer>;
  readonly #options: IncomingEventsOptions;
  #first: Result | undefined;
  #failure: Error | undefined;
  #hasEnded = false;
  #isClosed = false;
  #hasEvents = false;
  /** An event could not be read: those behind it are not looked at. */
  #isBroken = false;
  #mayEnd = false;
  #wake: (() => void) | undefined;

  constructor(call: ClientReadableStream<Buffer>, options: IncomingEventsOptions) {
    this.#call = call;
    this.#options = options;
    const { signal } = options;
    const cancel = (): void => call.cancel();
    const wake = (): void => this.#wake?.();
    call.on("readable", wake);
    call.on("end", () => {
      signal?.removeEventListener("abort", cancel);
      this.#hasEnded = true;
      wake();
    });
    call.on("error", (error: ServiceError) => {
      signal?.removeEventListener("abort", cancel);
      this.#failure ??= this.#failureOf(error);
      wake();
    });
    if (signal?.aborted === true) cancel();
    else signal?.addEventListener("abort", cancel, { once: true });
  }

  async prime(): Promise<void> {
    this.#first = await this.next();
    if (this.#first.done === true) throw this.#truncated();
  }

  async next(): Promise<Result> {
    const first = this.#first;
    if (first !== undefined) {
      this.#first = undefined;
      return first;
    }
    while (!this.#isClosed) {
      const batch = this.#take();
      if (batch.length > 0) return { done: false, value: batch };
      if (this.#failure !== undefined) throw this.#takeFailure();
      if (this.#hasEnded) return this.#atEnd();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return DONE;
  }

  return(): Promise<Result> {
    this.#close();
    this.#wake?.();
    return Promise.resolve(DONE);
  }

  // What came before an error, or before a bad event, is delivered first; the error follows.
  #take(): StreamEvent[] {
    const batch: StreamEvent[] = [];
    if (this.#isBroken) return batch;
    for (let bytes = this.#read(); bytes !== null; bytes = this.#read()) {
      try {
        const event = this.#options.readEvent(bytes);
        this.#mayEnd = mayEndWith(event, this.#mayEnd);
        this.#hasEvents = true;
        batch.push(streamEventOfValue(event));
      } catch (thrown) {
        this.#isBroken = true;
        this.#failure = thrown instanceof Error ? thrown : new Error("unknown failure");
        this.#call.cancel();
        break;
      }
    }
    return batch;
  }

  #read(): Buffer | null {
    return this.#call.read() as Buffer | null;
  }

  // The library reports the status after the end; a good one comes without an error.
  async #atEnd(): Promise<Result> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#failure !== undefined) throw this.#takeFailure();
    this.#isClosed = true;
    if (this.#mayEnd) return DONE;
    throw this.#truncated();
  }

  #failureOf(error: ServiceError): Error {
    const { url, signal, readStatus } = this.#options;
    const failure = callFailure(error, { url, signal, read: readStatus });
    const isLost = failure instanceof LocalError && failure.code === "UNREACHABLE";
    return isLost && this.#hasEvents ? this.#truncated(failure) : failure;
  }

  #takeFailure(): Error {
    const failure = this.#failure ?? new Error("unknown failure");
    this.#failure = undefined;
    this.#close();
    return failure;
  }

  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#call.cancel();
  }

  #truncated(cause?: unknown): LocalError {
    const url = shown(this.#options.url);
    return new LocalError(
      "STREAM_TRUNCATED",
      `the stream from ${url} ended before its task did; resume by subscribing`,
      { metadata: { url }, cause },
    );
  }
}
