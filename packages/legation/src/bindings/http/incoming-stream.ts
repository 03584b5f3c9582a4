/**
 * The client side of an event stream: a response body of Server-Sent Events as an {@link EventStream}, one batch for
 * each chunk of the network.
 *
 * The end of the body is the end of the stream only after a Message, a terminal state or INPUT_REQUIRED; before that
 * it is STREAM_TRUNCATED, never success.
 */
import type { StreamResponse, TaskState } from "../../model/gen/types.ts";
import { LocalError } from "../../operations/errors.ts";
import type { EventStream, StreamEvent } from "../../operations/service.ts";
import { streamEventOfValue } from "../../operations/stream-event.ts";
import { parseEventId } from "./http-call.ts";
import { connectionError, type FetchResponse, shown } from "./outgoing.ts";
import { createSseReader, type SseMessage } from "./sse-reader.ts";

/** How a stream is read. */
export interface IncomingOptions {
  readonly url: string;
  readonly signal: AbortSignal | undefined;
  /** Longest event in characters. */
  readonly maxEventChars: number | undefined;
  /** Takes the value out of an event's data. Throws the error that a frame carries, and INVALID_AGENT_RESPONSE. */
  readonly read: (message: SseMessage) => StreamResponse;
}

const ENDS: readonly TaskState[] = [
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
  "TASK_STATE_INPUT_REQUIRED",
];

/** True after an event that a stream may end with. */
export function mayEndWith(event: StreamResponse, before: boolean): boolean {
  if (event.message !== undefined) return true;
  const status = event.statusUpdate?.status ?? event.task?.status;
  return status === undefined ? before : ENDS.includes(status.state);
}

/**
 * Reads a stream up to its first event, so that an early error is a plain error.
 *
 * @param response with a body of text/event-stream
 * @param options how the binding reads an event
 * @returns the stream, to be iterated once; returning its iterator closes the connection
 * @throws what the first frame carries; LocalError STREAM_TRUNCATED, ABORTED, TIMEOUT
 */
export async function openIncoming(response: FetchResponse, options: IncomingOptions): Promise<EventStream> {
  const stream = new IncomingStream(response, options);
  await stream.prime();
  return { [Symbol.asyncIterator]: () => stream };
}

/** A stream of one event: some agents answer a streaming method with plain JSON. */
export function singleEvent(event: StreamResponse): EventStream {
  return {
    async *[Symbol.asyncIterator]() {
      yield [streamEventOfValue(event)];
    },
  };
}

type Result = IteratorResult<readonly StreamEvent[]>;

const DONE: Result = { done: true, value: undefined };

class IncomingStream implements AsyncIterator<readonly StreamEvent[]> {
  readonly #options: IncomingOptions;
  readonly #reader: ReturnType<NonNullable<FetchResponse["body"]>["getReader"]> | undefined;
  readonly #parse: (chunk: Uint8Array) => readonly SseMessage[];
  #first: Result | undefined;
  #failure: unknown;
  #mayEnd = false;
  #closed = false;

  constructor(response: FetchResponse, options: IncomingOptions) {
    this.#options = options;
    this.#reader = response.body?.getReader();
    this.#parse = createSseReader(options.maxEventChars);
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
    if (this.#failure !== undefined) throw this.#takeFailure();
    while (!this.#closed) {
      const messages = await this.#read();
      if (messages === undefined) {
        this.#closed = true;
        if (this.#mayEnd) return DONE;
        throw this.#truncated();
      }
      const batch = this.#convert(messages);
      if (batch.length > 0) return { done: false, value: batch };
      if (this.#failure !== undefined) throw this.#takeFailure();
    }
    return DONE;
  }

  return(): Promise<Result> {
    this.#close();
    return Promise.resolve(DONE);
  }

  async #read(): Promise<readonly SseMessage[] | undefined> {
    let chunk: { readonly done: boolean; readonly value?: Uint8Array | undefined } | undefined;
    try {
      chunk = await this.#reader?.read();
    } catch (thrown) {
      this.#closed = true;
      const { signal, url } = this.#options;
      if (signal?.aborted === true) throw connectionError(thrown, url, signal);
      if (this.#mayEnd) return undefined;
      throw this.#truncated(thrown);
    }
    if (chunk === undefined || chunk.done || this.#closed) return undefined;
    try {
      return this.#parse(chunk.value ?? new Uint8Array());
    } catch (thrown) {
      this.#close();
      throw thrown;
    }
  }

  // What came before a bad event in the same chunk is delivered first; the error follows.
  #convert(messages: readonly SseMessage[]): StreamEvent[] {
    const batch: StreamEvent[] = [];
    for (const message of messages) {
      if (message.data === "") continue;
      try {
        const event = this.#options.read(message);
        this.#mayEnd = mayEndWith(event, this.#mayEnd);
        batch.push(streamEventOfValue(event, parseEventId(message.id)));
      } catch (thrown) {
        this.#failure = thrown ?? new Error("unknown failure");
        break;
      }
    }
    return batch;
  }

  #takeFailure(): unknown {
    const failure = this.#failure;
    this.#failure = undefined;
    this.#close();
    return failure;
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#reader?.cancel().catch(() => undefined);
  }

  #truncated(cause?: unknown): LocalError {
    const url = shown(this.#options.url);
    return new LocalError(
      "STREAM_TRUNCATED",
      `the stream from ${url} ended before its task did; resume by subscribing`,
      {
        metadata: { url },
        cause,
      },
    );
  }
}
