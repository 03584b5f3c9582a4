/**
 * Subscriptions: a cursor over the log of one task. The first event is the Task as of some seq, then every event
 * after that seq, once and in order, from the tail while the reader keeps up and from the store while it does not.
 */
import type { StreamResponse, TaskState } from "../model/gen/types.ts";
import { isTerminal } from "../model/task-state.ts";
import { A2AError } from "../operations/errors.ts";
import { type Payload, payloadOfJson } from "../operations/payload.ts";
import type { EventStream, StreamEvent } from "../operations/service.ts";
import { foldRows } from "./projection.ts";
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
  readonly #stopping = new Set<() => void>();
  #stopped = false;

  /** Begins a subscription; the first event is there when this resolves. */
  async subscribe(log: TaskLog, subscription: Subscription): Promise<EventStream> {
    const reader = new Reader(log, subscription);
    const first = await reader.begin();
    return { [Symbol.asyncIterator]: () => endAtOnce(reader, this.#iterate(reader, first, subscription.signal)) };
  }

  /** Every reader is told UNAVAILABLE. */
  stop(): void {
    this.#stopped = true;
    for (const stop of this.#stopping) stop();
  }

  async *#iterate(
    reader: Reader,
    first: StreamEvent,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<readonly StreamEvent[], void, undefined> {
    const stop = (): void => reader.stop();
    this.#stopping.add(stop);
    signal?.addEventListener("abort", stop, { once: true });
    try {
      yield [first];
      while (!reader.isOver) {
        if (this.#stopped) throw new A2AError("UNAVAILABLE", "the agent is shutting down, subscribe again", { retryAfterSeconds: 1 });
        if (signal?.aborted === true) return;
        const batch = await reader.next();
        if (batch.length > 0) yield batch;
      }
    } finally {
      this.#stopping.delete(stop);
      signal?.removeEventListener("abort", stop);
      reader.leave();
    }
  }
}

/** A generator that waits cannot be returned, and one that never began runs no `finally`: both end the reader here. */
function endAtOnce(
  reader: Reader,
  batches: AsyncGenerator<readonly StreamEvent[], void, undefined>,
): AsyncIterator<readonly StreamEvent[], void, undefined> {
  return {
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
  #cursor = 0;
  #over = false;
  #woken: (() => void) | undefined;
  #newer = false;
  #stopped = false;
  readonly #wake = (): void => {
    this.#newer = true;
    this.#woken?.();
  };

  constructor(log: TaskLog, subscription: Subscription) {
    this.#log = log;
    this.#subscription = subscription;
  }

  get isOver(): boolean {
    return this.#over;
  }

  /** The Task that the stream begins with. From its seq on nothing is missed. */
  async begin(): Promise<StreamEvent> {
    const { lastEventId, historyLength } = this.#subscription;
    if (lastEventId !== undefined && lastEventId > 0 && lastEventId <= this.#log.seq) return this.#resume(lastEventId);
    const payload = await this.#log.payload({ historyLength });
    this.#join(this.#log.seq);
    // What is stored, as that is what the payload shows: a question that is about to be asked is still to come.
    this.#see(this.#log.stored.state, this.#log.stored.run.statusSeq);
    return taskEvent(this.#log.seq, payload);
  }

  /** The Task as of what the subscriber has, bare, so that no append is applied twice. */
  async #resume(seq: number): Promise<StreamEvent> {
    const rows = (await this.#log.read(0, Number.POSITIVE_INFINITY)).filter((row) => row.seq <= seq);
    const task = foldRows(undefined, rows)?.task;
    if (task === undefined) {
      const payload = await this.#log.payload();
      this.#join(this.#log.seq);
      return taskEvent(this.#log.seq, payload);
    }
    this.#join(seq);
    const lastStatus = rows.findLast((row) => row.kind === "status");
    this.#see(task.status.state, lastStatus?.seq ?? 0);
    const bare = { id: task.id, contextId: task.contextId, status: task.status, metadata: task.metadata };
    return taskEvent(seq, payloadOfJson(JSON.stringify(bare)));
  }

  /** What comes after the cursor; waits when nothing does. Empty when it was stopped. */
  async next(): Promise<readonly StreamEvent[]> {
    for (;;) {
      this.#newer = false;
      const events = this.#log.tail.after(this.#cursor) ?? (await this.#readLog());
      if (events.length > 0) return this.#take(events);
      if (!this.#newer) {
        if (this.#stopped) return [];
        await new Promise<void>((resolve) => {
          this.#woken = resolve;
        });
        this.#woken = undefined;
      }
    }
  }

  /** Ends a wait, now or to come; whoever iterates says why. */
  stop(): void {
    this.#stopped = true;
    this.#wake();
  }

  leave(): void {
    this.#over = true;
    this.#log.tail.leave(this.#wake);
    this.stop();
  }

  #join(seq: number): void {
    this.#cursor = seq;
    this.#log.tail.join(this.#wake, this.#log.seq);
  }

  async #readLog(): Promise<readonly TailEvent[]> {
    const rows = await this.#log.read(this.#cursor, PAGE_BYTES);
    const events: TailEvent[] = [];
    for (const row of rows) {
      if (row.payload !== "" && (row.kind === "status" || row.kind === "artifact")) {
        events.push(new TailEvent(row.seq, row.payload, stateOf(row)));
      }
    }
    const last = rows[rows.length - 1];
    if (events.length === 0 && last !== undefined) this.#cursor = last.seq;
    return events;
  }

  /** Moves the cursor, and cuts the batch where the stream ends. */
  #take(events: readonly TailEvent[]): readonly TailEvent[] {
    for (const [index, event] of events.entries()) {
      if (event.state === undefined) continue;
      this.#see(event.state, event.seq);
      if (this.#over) return events.slice(0, index + 1);
    }
    this.#cursor = (events[events.length - 1] as TailEvent).seq;
    return events;
  }

  #see(state: TaskState, seq: number): void {
    const { until, afterSeq } = this.#subscription;
    if (isTerminal(state)) this.#over = true;
    else if (until === "interrupted" && state === "TASK_STATE_INPUT_REQUIRED" && seq > (afterSeq ?? 0)) this.#over = true;
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
