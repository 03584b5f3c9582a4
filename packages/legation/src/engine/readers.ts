/**
 * Subscriptions: a cursor over the log of one task. The first event is the Task as of some seq, then every event
 * after that seq, once and in order, from the tail while the reader keeps up and from the store while it does not.
 */
import type { StreamResponse, TaskState } from "../model/gen/types.ts";
import { isTerminal } from "../model/task-state.ts";
import { A2AError } from "../operations/errors.ts";
import { type Payload, payloadOfJson } from "../operations/payload.ts";
import type { EventStream, StreamEvent } from "../operations/service.ts";
import { isOfTask } from "./log-content.ts";
import { foldRows } from "./projection.ts";
import { toldOf } from "./store-failure.ts";
import { stateOf, TailEvent } from "./tail.ts";
import type { TaskLog } from "./task-log.ts";

/** Where a subscription begins and ends. */
export interface Subscription {
  /** `interrupted` ends at INPUT_REQUIRED too, as the stream of a send does; AUTH_REQUIRED ends none (§7.6.1). */
  readonly until: "interrupted" | "terminal";
  /** States reached at or before this seq end nothing: they were there before the message that the stream follows. */
  readonly afterSeq?: number | undefined;
  /** The seq that the subscriber has already: it gets the Task as of then without artifacts and history, and goes on. */
  readonly lastEventId?: number | undefined;
  /** Newest messages in the Task that the stream begins with; as in {@link ./projection.ts TaskShape}. */
  readonly historyLength?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How much a reader that fell behind reads at once: what a stalled connection holds in memory. */
const PAGE_BYTES = 262_144;

/** All readers of a process; they end together when it stops. */
export class Readers {
  readonly #readers = new Set<Reader>();
  /** A stream that nobody ever iterates is not told that it is over: its reader ends when the stream is collected. */
  readonly #dropped = new FinalizationRegistry<Reader>((reader) => reader.leave());
  #isStopped = false;

  /** Begins a subscription; the first event is there when this resolves. */
  async subscribe(log: TaskLog, subscription: Subscription): Promise<EventStream> {
    const { signal } = subscription;
    const reader = new Reader(log, subscription, () => {
      this.#readers.delete(reader);
      signal?.removeEventListener("abort", abort);
    });
    const abort = (): void => reader.leave();
    const first = await reader.begin();
    if (signal?.aborted === true) reader.leave();
    else {
      this.#readers.add(reader);
      signal?.addEventListener("abort", abort, { once: true });
    }
    const stream: EventStream = {
      [Symbol.asyncIterator]: () => endAtOnce(stream, reader, this.#iterate(reader, first)),
    };
    this.#dropped.register(stream, reader);
    return stream;
  }

  /** Every reader is told UNAVAILABLE. */
  stop(): void {
    this.#isStopped = true;
    for (const reader of this.#readers) reader.wake();
  }

  async *#iterate(reader: Reader, first: StreamEvent): AsyncGenerator<readonly StreamEvent[], void, undefined> {
    try {
      yield [first];
      while (!reader.isOver) {
        if (this.#isStopped) {
          throw new A2AError("UNAVAILABLE", "the agent is shutting down, subscribe again", { retryAfterSeconds: 1 });
        }
        const batch = await reader.next(() => this.#isStopped);
        if (batch.length > 0) yield batch;
      }
    } catch (failed) {
      throw toldOf(failed);
    } finally {
      reader.leave();
    }
  }
}

/** A generator that waits cannot be returned, and one that never began runs no `finally`: both end the reader here. */
function endAtOnce(
  stream: EventStream,
  reader: Reader,
  batches: AsyncGenerator<readonly StreamEvent[], void, undefined>,
): AsyncIterator<readonly StreamEvent[], void, undefined> & { readonly stream: EventStream } {
  return {
    // Who holds the iterator holds the stream, which is what the registry looks at.
    stream,
    next: () => batches.next(),
    return: () => {
      reader.leave();
      return batches.return();
    },
  };
}

class Reader {
  readonly #log: TaskLog;
  readonly #subscription: Subscription;
  readonly #onLeave: () => void;
  #cursor = 0;
  #isOver = false;
  #hasLeft = false;
  #woken: (() => void) | undefined;
  #isNewer = false;
  /** Tells that there may be something new. */
  readonly wake = (): void => {
    this.#isNewer = true;
    this.#woken?.();
  };

  constructor(log: TaskLog, subscription: Subscription, onLeave: () => void) {
    this.#log = log;
    this.#subscription = subscription;
    this.#onLeave = onLeave;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The Task that the stream begins with. From its seq on nothing is missed. */
  async begin(): Promise<StreamEvent> {
    const { lastEventId, historyLength } = this.#subscription;
    if (lastEventId !== undefined && lastEventId > 0 && lastEventId <= this.#log.seq) {
      const resumed = await this.#resume(lastEventId);
      if (resumed !== undefined) return resumed;
    }
    // What is stored, as that is what the payload shows: a question that is about to be asked is still to come.
    const { payload, stored } = await this.#log.snapshot({ historyLength });
    this.#join(stored.seq);
    this.#see(stored.state, stored.run.statusSeq);
    return taskEvent(stored.seq, payload);
  }

  /**
   * The Task as of what the subscriber has, bare, so that no append is applied twice. Undefined when a part of the
   * log that the subscriber lacks was erased: only the whole Task can tell it then.
   */
  async #resume(seq: number): Promise<StreamEvent | undefined> {
    const entries = await this.#log.read(0, Number.POSITIVE_INFINITY);
    if (entries.some((entry) => entry.payload === "" && isOfTask(entry))) return undefined;
    const known = entries.filter((entry) => entry.seq <= seq);
    const task = foldRows(undefined, known)?.task;
    if (task === undefined) return undefined;
    this.#join(seq);
    const lastStatus = known.findLast((entry) => entry.kind === "status");
    this.#see(task.status.state, lastStatus?.seq ?? 0);
    const bare = { id: task.id, contextId: task.contextId, status: task.status, metadata: task.metadata };
    return taskEvent(seq, payloadOfJson(JSON.stringify(bare)));
  }

  /** What comes after the cursor; waits when nothing does. Empty when it was left or everything stops. */
  async next(isStopped: () => boolean): Promise<readonly StreamEvent[]> {
    while (!this.#hasLeft && !isStopped()) {
      this.#isNewer = false;
      const cursor = this.#cursor;
      const events = this.#log.tail.after(cursor) ?? (await this.#readLog());
      if (events.length > 0) return this.#take(events);
      // A page of the journal shows nothing to subscribers: what they wait for may be in the next.
      if (this.#isNewer || this.#cursor > cursor || this.#hasLeft || isStopped()) continue;
      await new Promise<void>((resolve) => {
        this.#woken = resolve;
      });
      this.#woken = undefined;
    }
    return [];
  }

  /** Ends it, now: nothing of it is kept and a wait comes back. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#isOver = true;
    this.#log.tail.leave(this.wake);
    this.wake();
    this.#onLeave();
    this.#log.unpin();
  }

  #join(seq: number): void {
    this.#cursor = seq;
    this.#log.pin();
    this.#log.tail.join(this.wake, this.#log.seq);
  }

  async #readLog(): Promise<readonly TailEvent[]> {
    const entries = await this.#log.read(this.#cursor, PAGE_BYTES);
    const events: TailEvent[] = [];
    for (const entry of entries) {
      if (entry.payload !== "" && (entry.kind === "status" || entry.kind === "artifact")) {
        events.push(new TailEvent(entry.seq, entry.payload, stateOf(entry)));
      }
    }
    const last = entries[entries.length - 1];
    if (events.length === 0 && last !== undefined) this.#cursor = last.seq;
    return events;
  }

  /** Moves the cursor, and cuts the batch where the stream ends. */
  #take(events: readonly TailEvent[]): readonly TailEvent[] {
    for (const [index, event] of events.entries()) {
      if (event.state === undefined) continue;
      this.#see(event.state, event.seq);
      if (this.#isOver) return events.slice(0, index + 1);
    }
    this.#cursor = (events[events.length - 1] as TailEvent).seq;
    return events;
  }

  #see(state: TaskState, seq: number): void {
    const { until, afterSeq } = this.#subscription;
    if (isTerminal(state)) this.#isOver = true;
    else if (until === "interrupted" && state === "TASK_STATE_INPUT_REQUIRED" && seq > (afterSeq ?? 0))
      this.#isOver = true;
  }
}

function taskEvent(seq: number, task: Payload<unknown>): StreamEvent {
  const payload = payloadOfJson<StreamResponse>(`{"task":${task.json}}`);
  return {
    seq,
    json: payload.json,
    get value() {
      return payload.value;
    },
  };
}
