/**
 * Those who append to one log, in the order in which they came: pending until a commit takes them, in flight until it
 * comes back.
 */
import { type Append, type AppendOptions, DuplicateRequest, LeaseLost } from "./draft.ts";
import type { PendingEvent } from "./pending-event.ts";
import type { HookWrite } from "./push-hook.ts";
import type { BlobWrite, DedupeKey, DedupeRow } from "./store.ts";
import type { View } from "./view.ts";

export class Writers {
  #pending: Append[] = [];
  #pendingEvents = 0;
  #inflight: readonly Append[] | undefined;
  /** True when the answer to the commit under way was lost once: it may be in the store. */
  isDoubtful = false;

  get isBusy(): boolean {
    return this.#inflight !== undefined || this.#pending.length > 0;
  }

  get isInFlight(): boolean {
    return this.#inflight !== undefined;
  }

  get pending(): number {
    return this.#pending.length;
  }

  /** True when somebody waits for what no commit has taken yet. */
  get isAwaited(): boolean {
    return this.#pending.some((append) => append.resolve !== undefined);
  }

  /** Entries that no commit has taken yet. */
  get pendingEvents(): number {
    return this.#pendingEvents;
  }

  /** What the commit under way carries. */
  get inflight(): readonly Append[] {
    return this.#inflight ?? [];
  }

  /** True for the append that stands last among those that no commit has taken yet. */
  isLast(append: Append): boolean {
    return this.#pending.length > 0 && this.#pending[this.#pending.length - 1] === append;
  }

  /** An append has one entry more. */
  grew(): void {
    this.#pendingEvents += 1;
  }

  /** The entries of the commit under way. */
  get events(): readonly PendingEvent[] {
    const [first, ...others] = this.inflight.map(({ events }) => events);
    return others.length === 0 ? (first ?? []) : (first ?? []).concat(...others);
  }

  add(append: Append): void {
    this.#pending.push(append);
    this.#pendingEvents += append.events.length;
  }

  /** Puts in flight what one commit can carry: it remembers one request, what is behind the second comes later. */
  take(): readonly Append[] {
    let requests = 0;
    let end = 0;
    for (const append of this.#pending) {
      if (append.options.dedupe !== undefined) requests += 1;
      if (requests === 2) break;
      end += 1;
    }
    const taken = end === this.#pending.length ? this.#pending : this.#pending.slice(0, end);
    if (taken.length === 0) return taken;
    this.#pending = end === this.#pending.length ? [] : this.#pending.slice(end);
    for (const append of taken) {
      append.isTaken = true;
      this.#pendingEvents -= append.events.length;
    }
    this.#inflight = taken;
    this.isDoubtful = false;
    return taken;
  }

  /** The commit came back and was done. */
  land(): readonly Append[] {
    const landed = this.inflight;
    this.#inflight = undefined;
    this.isDoubtful = false;
    return landed;
  }

  /** Refuses every writer whose request was accepted before. */
  refuseDuplicates(row: DedupeRow): void {
    const all = [...this.inflight, ...this.#pending];
    this.#inflight = undefined;
    this.#pending = [];
    this.#pendingEvents = 0;
    for (const append of all) {
      if (isOf(append, row)) append.reject?.(new DuplicateRequest(row));
      else this.add(append);
    }
  }

  refuseAll(reason: unknown): void {
    const all = [...this.inflight, ...this.#pending];
    this.#inflight = undefined;
    this.#pending = [];
    this.#pendingEvents = 0;
    for (const append of all) append.reject?.(reason);
  }

  /** Asks everybody again whose entries are not in the log; those that refuse now are told. */
  askAgain(decide: (append: Append) => void): void {
    const all = [...this.inflight, ...this.#pending];
    this.#inflight = undefined;
    this.#pending = [];
    this.#pendingEvents = 0;
    for (const append of all) {
      append.reset();
      try {
        decide(append);
        this.add(append);
      } catch (refused) {
        append.reject?.(refused);
      }
    }
  }
}

function isOf(append: Append, row: DedupeKey): boolean {
  const key = append.options.dedupe?.key;
  return key !== undefined && key.messageId === row.messageId && key.hash === row.hash;
}

/** @throws LeaseLost when a run writes whose lease is somebody else's by now */
export function checkEpoch(append: Append, epoch: number): void {
  if (append.options.epoch !== undefined && append.options.epoch !== epoch) throw new LeaseLost();
}

/** The row after appends; undefined where none of them changes a column. */
export function viewAfter(appends: readonly Append[]): Readonly<View> | undefined {
  for (let at = appends.length - 1; at >= 0; at -= 1) {
    const after = appends[at]?.after;
    if (after !== undefined) return after;
  }
  return undefined;
}

/** The request that one of the appends answers: {@link Writers.take} gives at most one that does. */
export function dedupeOf(appends: readonly Append[]): AppendOptions["dedupe"] {
  for (const { options } of appends) if (options.dedupe !== undefined) return options.dedupe;
  return undefined;
}

/** The large parts that come with appends; undefined where there are none. */
export function blobsOf(appends: readonly Append[]): readonly BlobWrite[] | undefined {
  let blobs: readonly BlobWrite[] | undefined;
  for (const { options } of appends) {
    if (options.blobs !== undefined && options.blobs.length > 0) blobs = [...(blobs ?? []), ...options.blobs];
  }
  return blobs;
}

/** The webhooks that come with appends: one of a new task hears all of it, one of a message what follows the message. */
export function hooksOf(appends: readonly Append[], isStored: boolean): readonly HookWrite[] | undefined {
  if (!appends.some((append) => append.options.hooks !== undefined)) return undefined;
  return appends.flatMap(({ options, lastSeq }) =>
    (options.hooks ?? []).map((hook) => ({ ...hook, cursor: isStored ? lastSeq : 0 })),
  );
}
