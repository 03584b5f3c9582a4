/**
 * Writes an event stream as Server-Sent Events: one piece per batch, a comment while nothing happens, an error frame
 * when it breaks.
 *
 * A piece is pulled by the host when the connection can take it, so a slow reader holds back its own stream and
 * nothing else. Timers: one interval per open stream, cleared when it ends or is returned.
 *
 * @see specification §9.4.2, §11.7
 */
import { A2AError } from "../../operations/errors.ts";
import type { EventStream, StreamEvent } from "../../operations/service.ts";

/** What differs between the bindings. */
export interface SseEncoding {
  /** One event as a frame, blank line included. */
  frame(event: StreamEvent): string;
  /** The last frame of a stream that broke. */
  errorFrame(error: A2AError): string;
}

/** Settings of one stream. */
export interface SseOptions {
  /** Milliseconds between comments. */
  readonly heartbeatMs: number;
  /** Frames of data alone, without the hint to reconnect, for readers who take every frame for an event. */
  readonly isBare?: boolean | undefined;
  /** Told what a stream broke of. */
  readonly onError?: ((error: A2AError) => void) | undefined;
}

/** How long a client that reconnects by itself is asked to wait. */
const RETRY_HINT = "retry: 1000\n\n";

const HEARTBEAT = ": \n\n";

const DONE: IteratorResult<string> = { done: true, value: undefined };

type Batches = AsyncIterator<readonly StreamEvent[]>;

/**
 * Starts an event stream: waits for its first batch, so that an early error is a plain error, then gives the body.
 *
 * @param events the stream; it is ended by `return` when the body is returned
 * @param encoding the binding's frames
 * @param options heartbeat and error log
 * @returns the pieces of the body, to be iterated once
 * @throws what the stream throws before its first event
 */
export async function openSse(
  events: EventStream,
  encoding: SseEncoding,
  options: SseOptions,
): Promise<AsyncIterable<string>> {
  const batches = events[Symbol.asyncIterator]();
  const first = await batches.next();
  if (first.done === true) throw new Error("a stream ended before its first event");
  const body = new SseBody(batches, first, encoding, options);
  return { [Symbol.asyncIterator]: () => body };
}

class SseBody implements AsyncIterator<string> {
  readonly #batches: Batches;
  readonly #encoding: SseEncoding;
  readonly #options: SseOptions;
  #first: IteratorResult<readonly StreamEvent[]> | undefined;
  /** True while a batch was asked for and has not come; a heartbeat in between asks for no second one. */
  #pulling = false;
  /** A piece that came while the host was busy writing a heartbeat. */
  #ready: IteratorResult<string> | undefined;
  /** Resolves the piece that the host waits for; undefined while the host does not wait. */
  #wake: ((piece: IteratorResult<string>) => void) | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #ended = false;

  constructor(
    batches: Batches,
    first: IteratorResult<readonly StreamEvent[]>,
    encoding: SseEncoding,
    options: SseOptions,
  ) {
    this.#batches = batches;
    this.#first = first;
    this.#encoding = encoding;
    this.#options = options;
  }

  next(): Promise<IteratorResult<string>> {
    const first = this.#first;
    if (first !== undefined) return Promise.resolve(this.#open(first));
    const ready = this.#ready;
    this.#ready = undefined;
    if (ready !== undefined) return Promise.resolve(ready);
    if (this.#ended) return Promise.resolve(DONE);
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (!this.#pulling) this.#pull();
    });
  }

  return(): Promise<IteratorResult<string>> {
    const open = !this.#ended;
    const end = this.#end();
    if (this.#wake !== undefined) this.#answer(end);
    // Not awaited: a source that is busy must not keep the host from closing the connection.
    if (open) this.#batches.return?.().catch(() => undefined);
    return Promise.resolve(DONE);
  }

  #open(first: IteratorResult<readonly StreamEvent[]>): IteratorResult<string> {
    this.#first = undefined;
    if (this.#ended || first.done === true) return this.#end();
    this.#timer = setInterval(() => this.#heartbeat(), this.#options.heartbeatMs);
    // The connection keeps a process alive; its heartbeat must not.
    (this.#timer as { unref?: () => void }).unref?.();
    const frames = this.#encode(first.value);
    return { done: false, value: this.#options.isBare === true ? frames : RETRY_HINT + frames };
  }

  #pull(): void {
    this.#pulling = true;
    this.#batches.next().then(
      (batch) => this.#arrived(batch),
      (thrown: unknown) => this.#broken(thrown),
    );
  }

  #arrived(batch: IteratorResult<readonly StreamEvent[]>): void {
    this.#pulling = false;
    if (this.#ended) return;
    if (batch.done === true) {
      this.#answer(this.#end());
      return;
    }
    let value: string;
    try {
      value = this.#encode(batch.value);
    } catch (thrown) {
      this.#broken(thrown);
      this.#batches.return?.().catch(() => undefined);
      return;
    }
    this.#answer({ done: false, value });
  }

  #broken(thrown: unknown): void {
    if (this.#ended) return;
    const error = A2AError.from(thrown);
    this.#options.onError?.(error);
    this.#end();
    this.#answer({ done: false, value: this.#encoding.errorFrame(error) });
  }

  #heartbeat(): void {
    // A host that does not wait is writing or held back: it needs no sign of life.
    if (this.#wake !== undefined) this.#answer({ done: false, value: HEARTBEAT });
  }

  #encode(batch: readonly StreamEvent[]): string {
    let text = "";
    for (const event of batch) text += this.#encoding.frame(event);
    return text;
  }

  #answer(piece: IteratorResult<string>): void {
    const wake = this.#wake;
    if (wake === undefined) {
      this.#ready = piece;
      return;
    }
    this.#wake = undefined;
    wake(piece);
  }

  #end(): IteratorResult<string> {
    this.#ended = true;
    clearInterval(this.#timer);
    return DONE;
  }
}

/** What the streams of a host are told when it shuts down. */
export function goodbyeError(): A2AError {
  return new A2AError("UNAVAILABLE", "the agent is shutting down; reconnect and resume", { retryAfterSeconds: 1 });
}
