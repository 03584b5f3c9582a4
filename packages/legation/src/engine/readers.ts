/**
 * Subscriptions: a cursor over the log of one task. The first event is the Task as of some seq, then every event
 * after that seq, once and in order, from the tail while the reader keeps up and from the store while it does not.
 */
import type { Task, TaskState } from "../model/gen/types.ts";
import { isTerminal } from "../model/task-state.ts";
import { A2AError } from "../operations/errors.ts";
import type { EventStream, StreamEvent } from "../operations/service.ts";
import { streamEventOf } from "../operations/stream-event.ts";
import { isOfTask } from "./log-content.ts";
import { foldRows, shapeTask } from "./projection.ts";
import { RenewedMap } from "./renewed-map.ts";
import { toldOf } from "./store-failure.ts";
import { stateOf, TailEvent, type Told } from "./tail.ts";
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
const PAGE_BYTES = 65_536;

/** All readers of a process; they end together when it stops. */
export class Readers {
  readonly #readers = new RenewedMap<Seat, Seat>();
  /** A stream that nobody ever iterates is not told that it is over: its reader ends when the stream is collected. */
  readonly #dropped = new FinalizationRegistry<Seat>(({ reader }) => reader?.leave());
  #isStopped = false;

  /** Begins a subscription; the first event is there when this resolves. */
  subscribe(log: TaskLog, subscription: Subscription): EventStream | Promise<EventStream> {
    const { signal } = subscription;
    const seat: Seat = { reader: undefined };
    const reader = new Reader(log, subscription, () => {
      this.#readers.delete(seat);
      this.#dropped.unregister(seat);
      seat.reader = undefined;
      signal?.removeEventListener("abort", abort);
    });
    const abort = (): void => seat.reader?.leave();
    const begun = (): EventStream => this.#begun(seat, signal, abort);
    seat.reader = reader;
    const beginning = reader.begin();
    return beginning === undefined ? begun() : beginning.then(begun);
  }

  #begun(seat: Seat, signal: AbortSignal | undefined, abort: () => void): EventStream {
    const stream = streamOf(seat);
    if (signal?.aborted === true) {
      abort();
      return stream;
    }
    this.#readers.set(seat, seat);
    this.#dropped.register(stream, seat, seat);
    signal?.addEventListener("abort", abort, { once: true });
    if (this.#isStopped) seat.reader?.stop();
    return stream;
  }

  /** Every reader is told UNAVAILABLE. */
  stop(): void {
    this.#isStopped = true;
    for (const { reader } of this.#readers.values()) reader?.stop();
  }
}

/**
 * Where a reader stands for all who may hold it for longer than it reads: the registry, whose cells are old from their
 * first day, and streams of connections, which node keeps for a while when they are closed. It is empty when the reader
 * has left, or they would keep the whole log from the collector of young objects.
 */
interface Seat {
  reader: Reader | undefined;
}

type Batch = IteratorResult<readonly StreamEvent[], void>;

const DONE: Batch = { done: true, value: undefined };

/** In a function of its own: what the reader refers to must not refer to the stream, or it is never collected. */
function streamOf(seat: Seat): EventStream {
  const stream: EventStream = { [Symbol.asyncIterator]: () => iteratorOf(stream, seat) };
  return stream;
}

/** Who holds the iterator holds the stream, which is what the registry looks at. */
function iteratorOf(
  stream: EventStream,
  seat: Seat,
): AsyncIterator<readonly StreamEvent[], void, undefined> & { readonly stream: EventStream } {
  return {
    stream,
    next: () => seat.reader?.next() ?? Promise.resolve(DONE),
    return() {
      seat.reader?.leave();
      return Promise.resolve(DONE);
    },
  };
}

/**
 * One cursor. A batch that is at hand is given at once, and one that comes is given by the commit that brings it:
 * no promise stands in between, as there are as many of these as subscribers.
 */
class Reader {
  readonly #log: TaskLog;
  readonly #subscription: Subscription;
  readonly #onLeave: () => void;
  #first: StreamEvent | undefined;
  #cursor = 0;
  #isOver = false;
  #hasLeft = false;
  #isStopped = false;
  /** Resolves the batch that is waited for. */
  #waiting: { readonly resolve: (batch: Batch) => void; readonly reject: (reason: unknown) => void } | undefined;
  #isNewer = false;
  /** Tells that there may be something new. */
  readonly #wake = (): void => {
    this.#isNewer = true;
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    // Taken before anything is looked at: leaving wakes too, and must not answer in the place of the reason to leave.
    this.#waiting = undefined;
    const batch = this.#atHand();
    if (batch === undefined) this.#waiting = waiting;
    else if (batch instanceof Promise) batch.then(waiting.resolve, waiting.reject);
    else waiting.resolve(batch);
  };

  constructor(log: TaskLog, subscription: Subscription, onLeave: () => void) {
    this.#log = log;
    this.#subscription = subscription;
    this.#onLeave = onLeave;
  }

  /** Reads the Task that the stream begins with; a promise where that is not at hand. From its seq on nothing is missed. */
  begin(): Promise<void> | undefined {
    const { lastEventId, afterSeq } = this.#subscription;
    const isNow = lastEventId === undefined && (afterSeq === undefined || afterSeq >= this.#log.seq);
    if (!isNow || !this.#log.isAtHand) return this.#read();
    this.#beginNow();
    return undefined;
  }

  async #read(): Promise<void> {
    const { lastEventId, afterSeq, historyLength } = this.#subscription;
    // The subscriber may know more than this process, which was paused or has a commit on its way: others wrote.
    if (lastEventId !== undefined && lastEventId > this.#log.seq) await this.#log.refresh();
    if (lastEventId !== undefined && lastEventId > 0 && lastEventId <= this.#log.seq) {
      // Bare, so that no append is applied twice.
      this.#first = await this.#asOf(lastEventId, ({ id, contextId, status, metadata }) =>
        JSON.stringify({ id, contextId, status, metadata }),
      );
    } else if (afterSeq !== undefined && afterSeq > 0 && afterSeq < this.#log.seq) {
      // The stream of a send tells all that follows from its message, however late it begins.
      const { historyCap } = this.#log.settings;
      this.#first = await this.#asOf(afterSeq, (task) => shapeTask(task, { historyLength }, historyCap));
    }
    if (this.#first !== undefined) return;
    while (!this.#log.isAtHand) await this.#log.atHand();
    this.#beginNow();
  }

  /** From what is stored, as that is what the Task shows: a question that is about to be asked is still to come. */
  #beginNow(): void {
    const { content, stored } = this.#log;
    const shape = { historyLength: this.#subscription.historyLength };
    this.#join(stored.seq);
    this.#see(stored.state, stored.run.statusSeq);
    this.#first = taskEvent(stored.seq, content.json(shape), content.value(shape));
  }

  /**
   * The Task as of some entry, from where the stream goes on. Undefined when a part of the log that follows was
   * erased: only the whole Task can tell it then.
   */
  async #asOf(seq: number, shape: (task: Task) => string): Promise<StreamEvent | undefined> {
    const entries = await this.#log.read(0, Number.POSITIVE_INFINITY);
    if (entries.some((entry) => entry.payload === "" && isOfTask(entry))) return undefined;
    const known = entries.filter((entry) => entry.seq <= seq);
    const task = foldRows(undefined, known)?.task;
    if (task === undefined) return undefined;
    this.#join(seq);
    const lastStatus = known.findLast((entry) => entry.kind === "status");
    this.#see(task.status.state, lastStatus?.seq ?? 0);
    return taskEvent(seq, shape(task));
  }

  /** The next batch. Done when the stream has ended or was left; rejects with UNAVAILABLE when everything stops. */
  next(): Promise<Batch> {
    const first = this.#first;
    if (first !== undefined) {
      this.#first = undefined;
      return Promise.resolve({ done: false, value: [first] });
    }
    const batch = this.#atHand();
    if (batch === undefined) return this.#nextWake();
    return batch instanceof Promise ? batch : Promise.resolve(batch);
  }

  /** What can be said without waiting for a commit: a promise where the log has to be read; undefined for nothing. */
  #atHand(): Batch | Promise<Batch> | undefined {
    if (this.#isOver) {
      this.leave();
      return DONE;
    }
    if (this.#isStopped) {
      this.leave();
      return Promise.reject(
        new A2AError("UNAVAILABLE", "the agent is shutting down, subscribe again", { retryAfterSeconds: 1 }),
      );
    }
    const events = this.#log.tail.after(this.#cursor);
    if (events === undefined) return this.#catchUp();
    return events.length === 0 ? undefined : { done: false, value: this.#take(events) };
  }

  /** Reads what the tail does not have any more. */
  async #catchUp(): Promise<Batch> {
    try {
      for (;;) {
        this.#isNewer = false;
        const cursor = this.#cursor;
        const events = await this.#readLog();
        if (this.#isOver || this.#isStopped) break;
        if (events.length > 0) return { done: false, value: this.#take(events) };
        // A page of the journal shows nothing to subscribers: what they wait for may be in the next.
        if (!this.#isNewer && this.#cursor === cursor) break;
        const newer = this.#log.tail.after(this.#cursor);
        if (newer !== undefined && newer.length > 0) return { done: false, value: this.#take(newer) };
      }
    } catch (failed) {
      this.leave();
      throw toldOf(failed);
    }
    return this.#isOver || this.#isStopped ? this.next() : this.#nextWake();
  }

  #nextWake(): Promise<Batch> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  /** Everything stops. */
  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  /** Ends it, now: nothing of it is kept and a wait comes back. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.#isOver = true;
    this.#first = undefined;
    this.#log.tail.leave(this.#wake);
    this.#wake();
    this.#onLeave();
    this.#log.unpin();
  }

  #join(seq: number): void {
    this.#cursor = seq;
    this.#log.pin();
    this.#log.tail.join(this.#wake, this.#log.seq);
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
  #take(events: readonly Told[]): readonly Told[] {
    for (let index = 0; index < events.length; index += 1) {
      const { state, seq } = events[index] as Told;
      if (state === undefined) continue;
      this.#see(state, seq);
      if (this.#isOver) return events.slice(0, index + 1);
    }
    this.#cursor = (events[events.length - 1] as Told).seq;
    return events;
  }

  #see(state: TaskState, seq: number): void {
    const { until, afterSeq } = this.#subscription;
    if (isTerminal(state)) this.#isOver = true;
    else if (until === "interrupted" && state === "TASK_STATE_INPUT_REQUIRED" && seq > (afterSeq ?? 0))
      this.#isOver = true;
  }
}

function taskEvent(seq: number, json: string, task?: Task): StreamEvent {
  return streamEventOf(`{"task":${json}}`, task && { task }, seq);
}
