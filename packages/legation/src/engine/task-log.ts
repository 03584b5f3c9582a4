/**
 * One live task in this process: the log as it is committed, the Task that follows from it, and what is on its way.
 *
 * Every writer of this process, a run or a request, appends here; the pump takes what is pending, commits it and
 * settles it. Only what is committed is seen by readers.
 *
 * A log is `fresh`: what it holds is what the store had when it was last read or written, and writers are asked at
 * once. It becomes stale when the store says that somebody else wrote first, or when a commit failed: then the log is
 * read again, writers that come meanwhile wait, and all that are pending are asked again over what it has become.
 */
import type { Task } from "../model/gen/types.ts";
import { isTerminal } from "../model/task-state.ts";
import { A2AError, taskNotFound } from "../operations/errors.ts";
import { type Payload, payloadOfJson } from "../operations/payload.ts";
import { Arrived } from "./arrived.ts";
import type { ChunkContent, ChunkForm } from "./chunk.ts";
import { coalesced } from "./coalesced.ts";
import type { EngineSettings } from "./defaults.ts";
import { Append, type AppendOptions, type Decide, Draft } from "./draft.ts";
import { incomingOf } from "./incoming.ts";
import { areStored, expandEntries, LogContent, type LogSource, readEntries, taskAsOf } from "./log-content.ts";
import type { TaskShape } from "./projection.ts";
import type { EventRow, TaskCommit, TaskIdentity, TaskOutcome, TaskRow } from "./store.ts";
import { goesOnLater, isUnkeepable, toldOf } from "./store-failure.ts";
import { Tail } from "./tail.ts";
import type { Incoming } from "./turn.ts";
import { columnsOf, newView, type View, viewOfRow } from "./view.ts";
import { Waiters } from "./waiters.ts";
import { blobsOf, checkEpoch, dedupeOf, hooksOf, viewAfter, Writers } from "./writers.ts";

/** What a log needs of its engine. */
export interface LogHost extends LogSource {
  now(): number;
  /** Puts the log on the list of the next commit. @param isUrgent true when somebody waits for it */
  dirty(log: TaskLog, isUrgent: boolean): void;
  /** Told after every commit and after a re-read. */
  changed(log: TaskLog): void;
  /** Told when what was drafted is gone: whoever built on it must not go on. */
  lost(log: TaskLog, reason: unknown): void;
  /** Told when nobody has it pinned any more. */
  idle(log: TaskLog): void;
}

const NOT_STORED: Readonly<View> = newView();

export class TaskLog {
  readonly identity: TaskIdentity;
  readonly tail: Tail;
  readonly arrived: Arrived = new Arrived();
  /** The row as it will be; writers look at it through their {@link Draft}. */
  readonly view: View = newView();
  /** The row as it is committed: what everybody may know. */
  stored: Readonly<View> = NOT_STORED;
  readonly #host: LogHost;
  readonly #waiters = new Waiters<Readonly<View>>();
  /** What the Task has, as far as it is written; only the log itself sets it. */
  content: LogContent;
  #pins = 0;
  #key = 0;
  #created = false;
  readonly #writers = new Writers();
  #flushed: (() => void)[] = [];
  /** True while what is at hand may not be what the store has; only the log itself sets it. */
  isStale = false;
  #rereading: Promise<void> | undefined;
  #refreshing: (() => Promise<void>) | undefined;
  /** Raised whenever what is committed is known anew: what was read before that is old. */
  #version = 0;

  constructor(host: LogHost, identity: TaskIdentity) {
    this.#host = host;
    this.identity = identity;
    this.tail = new Tail(host.settings.tailBytes);
    this.content = new LogContent(host);
  }

  /** A log that is in the store already. */
  static async load(host: LogHost, row: TaskRow): Promise<TaskLog> {
    const log = new TaskLog(host, row);
    const { content, entries } = await LogContent.load(host, row);
    log.#adopt(row, content, entries);
    return log;
  }

  get settings(): EngineSettings {
    return this.#host.settings;
  }

  get id(): string {
    return this.identity.id;
  }

  get key(): number {
    return this.#key;
  }

  /** True once it is in the store. */
  get isStored(): boolean {
    return this.#created;
  }

  /** Seq of the last committed entry. */
  get seq(): number {
    return this.stored.seq;
  }

  /** True while something is pending or in flight. */
  get isBusy(): boolean {
    return this.#writers.isBusy;
  }

  /** Entries that no commit has taken yet: what a writer that produces much waits for to go down. */
  get backlog(): number {
    return this.#writers.pendingEvents;
  }

  /** Keeps this very object live. */
  pin(): void {
    this.#pins += 1;
  }

  unpin(): void {
    this.#pins -= 1;
    if (this.#pins === 0) this.#host.idle(this);
  }

  /** True while nobody needs this object: it can be forgotten and loaded again. */
  get isIdle(): boolean {
    return this.#pins === 0 && !this.isBusy && this.#waiters.size === 0 && this.tail.readers === 0;
  }

  /** Appends, and resolves with the seq of the last entry when it is committed. */
  append(decide: Decide, options: AppendOptions = {}): Promise<number> {
    return new Promise((resolve, reject) => {
      const append = new Append(decide, options);
      append.resolve = resolve;
      append.reject = reject;
      this.#add(append);
    });
  }

  /** Appends without waiting; throws when the writer refuses now. What is refused later is dropped. */
  emit(decide: Decide, options: AppendOptions = {}): Append {
    const append = new Append(decide, options);
    this.#add(append);
    return append;
  }

  /** Adds a chunk to an append that no commit has taken and nobody has appended behind; false when that is not so. */
  extend(append: Append, form: ChunkForm, content: ChunkContent): boolean {
    if (this.isStale || !this.#writers.isLast(append)) return false;
    append.extend(this.view, form, content, this.#host.now());
    this.#writers.grew();
    return true;
  }

  #add(append: Append): void {
    if (!this.isStale) this.#decide(append);
    this.#writers.add(append);
    if (this.isStale) this.#reread().catch(() => {});
    else if (!this.#writers.isInFlight && (this.#writers.pending === 1 || append.resolve !== undefined)) {
      this.#host.dirty(this, append.resolve !== undefined);
    }
  }

  /** Resolves when what is pending now was taken by a commit and that commit came back. */
  flushed(): Promise<void> {
    if (!this.isBusy) return Promise.resolve();
    if (!this.#writers.isInFlight) this.#host.dirty(this, true);
    return new Promise((resolve) => this.#flushed.push(resolve));
  }

  /** Reads what others wrote. What is pending finds out by itself, what is under way may stand before it in the log. */
  refresh(): Promise<void> {
    this.#refreshing ??= coalesced(() => this.#refresh());
    return this.#refreshing();
  }

  /** Resolves when the log is fresh. @throws A2AError UNAVAILABLE when it cannot be read */
  async fresh(): Promise<void> {
    while (this.isStale) await this.#reread();
  }

  /** Resolves when what is committed satisfies a condition; rejects with the reason of the signal. */
  until(condition: (stored: Readonly<View>) => boolean, signal?: AbortSignal): Promise<void> {
    return condition(this.stored) ? Promise.resolve() : this.#waiters.until(condition, signal);
  }

  /** Those who wait for something are told that it will not come. */
  end(reason: unknown): void {
    this.#waiters.end(reason);
  }

  /** What the next commit writes for this task; undefined when nothing can be written now. */
  take(): TaskCommit | undefined {
    if (this.isStale || this.#writers.isInFlight) return undefined;
    const appends = this.#writers.take();
    if (appends.length === 0) return undefined;
    const { events } = this.#writers;
    const after = viewAfter(appends);
    const blobs = blobsOf(appends);
    if (blobs !== undefined) this.content.enlarge();
    this.content.fold(events);
    return {
      create: this.#created ? undefined : this.identity,
      key: this.#key,
      seq: this.stored.seq,
      epoch: this.stored.epoch,
      events,
      columns: after === undefined ? undefined : columnsOf(after),
      snapshot: this.content.snapshotIfDue(after !== undefined && isTerminal(after.state)),
      dedupe: dedupeOf(appends),
      blobs,
      hooks: hooksOf(appends, this.#created),
    };
  }

  /** What the commit said of what {@link take} gave. A promise only where the log has to be read again. */
  settle(outcome: TaskOutcome): Promise<void> | undefined {
    if (outcome.ok) {
      this.#committed(outcome.key);
      return undefined;
    }
    const isOurs = outcome.why === "duplicate" && this.#writers.isDoubtful && outcome.row.taskId === this.id;
    if (outcome.why === "duplicate" && !isOurs) {
      this.#writers.refuseDuplicates(outcome.row);
      if (!this.#created && !this.isBusy) return undefined;
    }
    this.isStale = true;
    return this.#reread();
  }

  /** The answer to the COMMIT under way was lost; it will be sent again. */
  doubt(): void {
    this.#writers.isDoubtful = true;
  }

  /** The commit failed as a whole: everything pending is refused, and the log is read again. */
  async abandon(reason: unknown): Promise<void> {
    // What the store can never keep is the fault of the run only where nobody else wrote into the commit.
    const isOfRun = this.#writers.inflight.every(({ options }) => options.epoch !== undefined);
    this.isStale = true;
    this.#refuseAll(reason);
    if (!isUnkeepable(reason)) this.end(goesOnLater(this.id, reason));
    this.#host.lost(this, isOfRun ? reason : undefined);
    if (this.#created) await this.#reread();
  }

  /** Lets go of what an ended log adds up to, which is in the store: only readers that lag behind still hold the log. */
  lighten(): void {
    if (!this.isBusy && !this.isStale) [this.content, this.isStale] = [new LogContent(this.#host), true];
  }

  /** Committed entries after `afterSeq`, with their blobs in place. */
  async read(afterSeq: number, maxBytes: number): Promise<readonly EventRow[]> {
    const entries = await readEntries(this.#host, this.#key, { afterSeq, maxBytes });
    return expandEntries(this.#host, this.identity, entries);
  }

  /** True while the Task as committed can be told without waiting. */
  get isAtHand(): boolean {
    return !this.isStale && !this.#writers.isInFlight;
  }

  /** The Task as committed, in a shape. Waits for a commit under way, whose entries it would show too early. */
  async payload(shape: TaskShape = {}): Promise<Payload<Task>> {
    while (!this.isAtHand) await this.atHand();
    return payloadOfJson(this.content.json(shape));
  }

  /** Resolves when {@link isAtHand}. */
  async atHand(): Promise<void> {
    while (!this.isAtHand) await (this.isStale ? this.fresh() : this.flushed());
  }

  /** The Task as it was at a seq; undefined when that cannot be told any more. */
  taskAsOf(seq: number): Promise<Task | undefined> {
    return taskAsOf(this.#host, this.identity, this.#key, seq);
  }

  /** The message of an entry. What arrived in this process is still at hand. */
  async message(seq: number): Promise<Incoming> {
    const known = this.arrived.take(seq);
    if (known !== undefined) return known;
    return incomingOf((await this.read(seq - 1, 1))[0], seq);
  }

  #decide(append: Append): void {
    checkEpoch(append, this.view.epoch);
    append.decide(new Draft(this.identity, this.view, append, this.#host.now()));
    if (append.columns) append.after = { ...this.view };
  }

  #committed(key: number): void {
    const appends = this.#writers.land();
    this.#key = key;
    this.#created = true;
    let after = this.stored;
    let { seq, time } = after;
    for (const append of appends) {
      after = append.after ?? after;
      this.tail.tell(seq, append.events);
      seq += append.events.length;
      time = append.events.at(-1)?.time ?? time;
    }
    this.stored = { ...after, seq, time };
    this.#version += 1;
    this.tail.wake();
    for (const append of appends) append.resolve?.(append.lastSeq);
    this.#after();
  }

  /** Everybody learns what the log is now. */
  #after(): void {
    if (this.#flushed.length > 0) for (const resolve of this.#flushed.splice(0)) resolve();
    if (this.#writers.pending > 0 && !this.#writers.isInFlight) this.#host.dirty(this, this.#writers.isAwaited);
    this.#waiters.tell(this.stored);
    this.#host.changed(this);
  }

  #refuseAll(reason: unknown): void {
    this.#writers.refuseAll(reason);
    for (const resolve of this.#flushed.splice(0)) resolve();
  }

  #reread(): Promise<void> {
    this.#rereading ??= this.#readAgain()
      .catch((failed) => {
        const told = toldOf(failed);
        this.#refuseAll(told);
        this.#host.lost(this, told);
        throw told;
      })
      .finally(() => {
        this.#rereading = undefined;
      });
    return this.#rereading;
  }

  /** Reads the log as it has become, and asks every writer again. */
  async #readAgain(): Promise<void> {
    const { seq: before } = this.stored;
    const row = await this.#host.store.task(this.id);
    if (row?.owner !== this.identity.owner) throw taskNotFound(this.id);
    const { isDoubtful, events } = this.#writers;
    const hasArrived = isDoubtful && (await areStored(this.#host, row.key, { afterSeq: before, events }));
    if (!this.#created && !hasArrived) {
      throw new A2AError("INTERNAL", `there is a task ${this.id} already`, { metadata: { taskId: this.id } });
    }
    const { content, entries } = await LogContent.load(this.#host, row);
    this.#adopt(row, content, entries);
    this.isStale = false;
    if (hasArrived) for (const append of this.#writers.land()) append.resolve?.(append.lastSeq);
    this.#writers.askAgain((append) => this.#decide(append));
    this.#after();
  }

  async #refresh(): Promise<void> {
    if (this.isStale) return this.#reread();
    if (this.isBusy || !this.#created) {
      const isUnderWay = this.#writers.isInFlight;
      await this.flushed();
      return isUnderWay && !this.isBusy ? this.#refresh() : undefined;
    }
    const version = this.#version;
    const row = await this.#host.store.task(this.id, { snapshot: false });
    if (row?.owner !== this.identity.owner) throw taskNotFound(this.id);
    const entries = await readEntries(this.#host, this.#key, { afterSeq: this.stored.seq, untilSeq: row.seq });
    const changes = await this.content.changesOf(this.identity, entries);
    const shown = await expandEntries(this.#host, this.identity, entries);
    if (this.isBusy || this.isStale || version !== this.#version) return this.#refresh();
    this.content.foldChanges(changes, entries, row.seq);
    this.#take(viewOfRow(row, this.#timeOf(row, entries)));
    this.tail.show(shown);
    this.#after();
  }

  /** Takes over what was read. What was drafted and not committed is gone from the view. */
  #adopt(row: TaskRow, content: LogContent, entries: readonly EventRow[]): void {
    this.#key = row.key;
    this.#created = true;
    this.content = content;
    this.#take(viewOfRow(row, this.#timeOf(row, entries)));
    this.tail.gap(row.seq);
  }

  /** Time of the last entry, as far as it is known: what follows is never before it. */
  #timeOf(row: TaskRow, entries: readonly EventRow[]): number {
    return Math.max(this.stored.time, row.statusTime, entries[entries.length - 1]?.time ?? 0);
  }

  #take(view: View): void {
    this.stored = view;
    Object.assign(this.view, view);
    this.#version += 1;
  }
}
