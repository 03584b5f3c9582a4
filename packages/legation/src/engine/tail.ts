/**
 * The newest committed events of one live task, shared by all its readers. A reader is a cursor: it takes what comes
 * after it, and when it has fallen behind what is kept here, it reads the log instead. So a slow reader costs nothing.
 */
import type { StreamResponse, TaskState } from "../model/gen/types.ts";
import type { StreamEvent } from "../operations/service.ts";
import { Chunk } from "./chunk.ts";
import type { PendingEvent } from "./pending-event.ts";
import type { Change } from "./projection.ts";
import type { EventRow } from "./store.ts";

/** An event as every subscriber of every binding shares it. */
export class TailEvent implements StreamEvent {
  readonly seq: number;
  readonly json: string;
  /** Set on a status. */
  readonly state: TaskState | undefined;
  readonly #change: Change | undefined;
  #value: StreamResponse | undefined;

  /** @param change what the event was made of, where that is at hand: a binding that is not JSON need not parse then */
  constructor(seq: number, json: string, state: TaskState | undefined, change?: Change) {
    this.seq = seq;
    this.json = json;
    this.state = state;
    this.#change = change;
  }

  get length(): number {
    return this.json.length;
  }

  get value(): StreamResponse {
    this.#value ??= madeOf(this.#change) ?? (JSON.parse(this.json) as StreamResponse);
    return this.#value;
  }
}

/** The event that a change is; undefined where an extension may hold, and have changed since, a part of it. */
function madeOf(change: Change | undefined): StreamResponse | undefined {
  if (change?.kind === "artifact") {
    const { artifact } = change.update;
    return isPlain(artifact) && artifact.parts.every(isPlain) ? { artifactUpdate: change.update } : undefined;
  }
  if (change?.kind !== "status" || change.of === undefined) return undefined;
  const { of: task, status } = change;
  const { message } = status;
  if (message !== undefined && !(isPlain(message) && message.parts.every(isPlain))) return undefined;
  // A copy, as the status itself is that of the task.
  return { statusUpdate: { taskId: task.id, contextId: task.contextId, status: { ...status } } };
}

/** True for what has no JSON in it of which somebody else may have the object too. */
function isPlain({ data, metadata }: { readonly data?: unknown; readonly metadata?: unknown }): boolean {
  return data === undefined && metadata === undefined;
}

/** What readers share: an event by itself, or a chunk, which is one already. */
export type Told = TailEvent | Chunk;

/** The state that a status entry brings; undefined for other entries. */
export function stateOf(row: EventRow): TaskState | undefined {
  if (row.kind !== "status" || row.payload === "") return undefined;
  return (JSON.parse(row.payload) as StreamResponse).statusUpdate?.status.state;
}

/** How much a reader is given at once. */
const SLICE_BYTES = 65_536;

export class Tail {
  #events: Told[] = [];
  #bytes = 0;
  readonly #maxBytes: number;
  /** Entries up to this seq are not here. */
  #startSeq = 0;
  readonly #wakers = new Set<() => void>();
  /** The slice handed out last: readers at the same place share one array, and with it what is cached for it. */
  #slice: { readonly after: number; readonly length: number; readonly events: readonly Told[] } | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get readers(): number {
    return this.#wakers.size;
  }

  /** From now on events are kept: those after `seq`, until `leave` is called with the same function. */
  join(wake: () => void, seq: number): void {
    if (this.#wakers.size === 0) {
      this.#events = [];
      this.#bytes = 0;
      this.#startSeq = seq;
      this.#slice = undefined;
    }
    this.#wakers.add(wake);
  }

  leave(wake: () => void): void {
    this.#wakers.delete(wake);
    if (this.#wakers.size === 0) {
      this.#events = [];
      this.#bytes = 0;
      this.#slice = undefined;
    }
  }

  /** Takes in of entries that were committed after `seq` those that readers are told of. */
  tell(seq: number, entries: readonly PendingEvent[]): void {
    if (this.#wakers.size === 0) return;
    for (let index = 0; index < entries.length; index += 1) {
      const entry = entries[index] as PendingEvent;
      if (entry instanceof Chunk) this.add(entry);
      else if (entry.json !== undefined) {
        this.add(new TailEvent(seq + index + 1, entry.json, entry.state, entry.change));
      }
    }
  }

  add(event: Told): void {
    if (this.#wakers.size === 0) return;
    this.#events.push(event);
    this.#bytes += event.length;
    if (this.#bytes > 2 * this.#maxBytes) this.#trim();
  }

  /** Lets go of the older half at once, so that a push costs the same on average however much is kept. */
  #trim(): void {
    let drop = 0;
    while (this.#bytes > this.#maxBytes && drop < this.#events.length - 1) {
      const event = this.#events[drop] as TailEvent;
      this.#bytes -= event.length;
      this.#startSeq = event.seq;
      drop += 1;
    }
    this.#events.splice(0, drop);
    this.#slice = undefined;
  }

  /** Takes in what others wrote, and tells every reader. */
  show(entries: readonly EventRow[]): void {
    for (const entry of entries) {
      if (entry.payload !== "" && (entry.kind === "status" || entry.kind === "artifact")) {
        this.add(new TailEvent(entry.seq, entry.payload, stateOf(entry)));
      }
    }
    this.wake();
  }

  /** What came up to `seq` is not here: who has not seen it reads the log. */
  gap(seq: number): void {
    this.#events = [];
    this.#bytes = 0;
    this.#startSeq = seq;
    this.#slice = undefined;
    this.wake();
  }

  /** Tells every reader that there is something new. */
  wake(): void {
    for (const wake of this.#wakers) wake();
  }

  /** What comes after `seq`; undefined when that is no longer here and the log must be read. */
  after(seq: number): readonly Told[] | undefined {
    if (seq < this.#startSeq) return undefined;
    const events = this.#events;
    if (events.length === 0 || (events[events.length - 1] as Told).seq <= seq) return [];
    if (this.#slice?.after === seq && this.#slice.length === events.length) return this.#slice.events;
    let from = events.length - 1;
    while (from > 0 && (events[from - 1] as Told).seq > seq) from -= 1;
    // What is handed out is on its way to a connection that may never take it: it must not be all that is kept here.
    let to = from;
    for (let bytes = 0; to < events.length && bytes < SLICE_BYTES; to += 1) bytes += (events[to] as Told).length;
    const slice = events.slice(from, to);
    this.#slice = { after: seq, length: events.length, events: slice };
    return slice;
  }
}
