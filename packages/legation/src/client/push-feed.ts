/**
 * What has come in by push, for runs: a run that is fed from here reads like one over a stream. Bounded: what nobody
 * asks for is let go of, and a run that comes too late for some of it reads the Task instead.
 */
import type { StreamResponse, Task } from "../model/gen/types.ts";
import { type Payload, payloadOfValue } from "../operations/payload.ts";
import type { EventStream, StreamEvent } from "../operations/service.ts";

/** Where a run gets its events from in place of a stream of the agent. */
export interface PushFeed {
  /**
   * The events of a task, those kept since it was first heard of among them.
   *
   * @param getTask reads the task; called where the events alone do not tell everything
   */
  stream(taskId: string, getTask: (taskId: string) => Promise<Task>): EventStream;
}

/** A notification on its way to runs. */
export interface FedEvent {
  readonly value: StreamResponse;
  readonly seq: number | undefined;
}

interface Queue {
  events: FedEvent[];
  /** True once something was let go of. */
  isCut: boolean;
  readonly wakers: Set<() => void>;
}

/** The Task that a new webhook gets first is on its way at that time: it is worth more than a reading of the Task. */
const FIRST_EVENT_MS = 250;
const MAX_TASKS = 1_000;
const MAX_EVENTS = 1_000;

export class PushQueues implements PushFeed {
  /** The least recently heard of first. */
  readonly #queues = new Map<string, Queue>();

  add(taskId: string, event: FedEvent): void {
    const queue = this.#queue(taskId);
    queue.events.push(event);
    if (queue.events.length > MAX_EVENTS) {
      queue.events = queue.events.slice(MAX_EVENTS / 2);
      queue.isCut = true;
    }
    for (const wake of queue.wakers) wake();
  }

  async *stream(taskId: string, getTask: (taskId: string) => Promise<Task>): EventStream {
    const queue = this.#queue(taskId);
    let wake: (() => void) | undefined;
    const waker = (): void => wake?.();
    queue.wakers.add(waker);
    try {
      const pause = (ms?: number): Promise<void> =>
        new Promise((resolve) => {
          wake = resolve;
          if (ms !== undefined) setTimeout(resolve, ms);
        });
      if (queue.events.length === 0) await pause(FIRST_EVENT_MS);
      // Only a feed that began with the Task and numbers what follows tells all of it; else the Task is read each time.
      const [first] = queue.events;
      const isWhole = first?.seq !== undefined && first.value.task !== undefined && !queue.isCut;
      if (!isWhole) yield [taskEvent(await getTask(taskId))];
      let last: FedEvent | undefined;
      for (;;) {
        const from = last === undefined ? 0 : queue.events.lastIndexOf(last) + 1;
        const fresh = queue.events.slice(from);
        last = fresh.at(-1) ?? last;
        const isTold = isWhole && !(queue.isCut && from === 0 && last !== undefined);
        if (fresh.length > 0) yield isTold ? fresh.map(fedEvent) : [taskEvent(await getTask(taskId))];
        else await pause();
      }
    } finally {
      queue.wakers.delete(waker);
    }
  }

  #queue(taskId: string): Queue {
    const queue = this.#queues.get(taskId) ?? { events: [], isCut: false, wakers: new Set<() => void>() };
    this.#queues.delete(taskId);
    this.#queues.set(taskId, queue);
    for (const [oldest, { wakers }] of this.#queues) {
      if (this.#queues.size <= MAX_TASKS) break;
      if (wakers.size === 0) this.#queues.delete(oldest);
    }
    return queue;
  }
}

function taskEvent(task: Task): StreamEvent {
  return eventOf(payloadOfValue<StreamResponse>({ task }), undefined);
}

function fedEvent({ value, seq }: FedEvent): StreamEvent {
  return eventOf(payloadOfValue(value), seq);
}

function eventOf(payload: Payload<StreamResponse>, seq: number | undefined): StreamEvent {
  return {
    seq,
    get json() {
      return payload.json;
    },
    get value() {
      return payload.value;
    },
  };
}
