/**
 * One live task in this process: the log as it is committed, the Task that follows from it, and what is on its way.
 *
 * Every writer of this process, a run or a request, appends here; the pump takes what is pending, commits it and
 * settles it. Only what is committed is seen by readers. When the store says that somebody else wrote first, the log
 * is read again and every pending writer is asked again.
 */
import { taskNotFound } from "../operations/errors.ts";
import { payloadOfJson, type Payload } from "../operations/payload.ts";
import type { Task, TaskState } from "../model/gen/types.ts";
import { isTerminal } from "../model/task-state.ts";
import type { Blobs } from "./blobs.ts";
import type { EngineSettings } from "./defaults.ts";
import { Append, type AppendOptions, type Decide, Draft, LeaseLost, type PendingEvent } from "./draft.ts";
import { columnsOf, newView, type View } from "./view.ts";
import type { MessageEntry, RunState } from "./journal.ts";
import { applyChange, foldRows, type Projection, shapeTask, type TaskShape } from "./projection.ts";
import {
  type DedupeRow,
  type EventRow,
  type Store,
  StoreCorrupt,
  type TaskCommit,
  type TaskIdentity,
  type TaskOutcome,
  type TaskRow,
} from "./store.ts";
import { RunHeld } from "./replay.ts";
import { stateOf, Tail } from "./tail.ts";
import type { Incoming } from "./turn.ts";

/** What a log needs of its engine. */
export interface LogHost {
  readonly store: Store;
  readonly settings: EngineSettings;
  readonly blobs: Blobs;
  now(): number;
  /** Puts the log on the list of the next commit. */
  dirty(log: TaskLog): void;
  /** Told after every commit and after a re-read. */
  changed(log: TaskLog): void;
}

/** A first send turned out to have been accepted before. */
export class DuplicateRequest extends Error {
  override readonly name = "DuplicateRequest";
  readonly row: DedupeRow;

  constructor(row: DedupeRow) {
    super(`message ${row.messageId} was accepted before`);
    this.row = row;
  }
}

interface Waiter {
  readonly condition: (stored: TaskLog["stored"]) => boolean;
  readonly resolve: () => void;
}

/** How many bytes of log are read at once. */
const PAGE_BYTES = 1_048_576;

export class TaskLog {
  readonly identity: TaskIdentity;
  readonly tail: Tail;
  /** The row as it will be; writers look at it through their {@link Draft}. */
  readonly view: View;
  /** What is committed of it: what everybody may know. */
  stored: { readonly state: TaskState; readonly run: RunState };
  /** Users that must find this very object again; it stays live while there are any. */
  pins = 0;
  readonly #host: LogHost;
  readonly #messages = new Map<number, Incoming>();
  #waiters: Waiter[] = [];
  #key = 0;
  /** Seq and epoch as committed. */
  #seq = 0;
  #epoch = 0;
  #created = false;
  /** Reflects every entry given to a commit; ahead of what is committed while one is in flight. */
  #projection: Projection | undefined;
  #pending: Append[] = [];
  #inflight: Append[] | undefined;
  #pendingEvents = 0;
  #bytesSinceSnapshot = 0;
  #snapshotSize = 0;
  #json: { readonly seq: number; readonly text: string } | undefined;
  #flushed: (() => void)[] = [];
  /** The stored state once the commit under way has come back. */
  #inflightStored: TaskLog["stored"] | undefined;
  /** True after a COMMIT whose answer was lost, until the log was read. */
  #doubtful = false;
  /** True once a part of it went into a blob. */
  #large = false;
  /** The epoch that the commit under way writes. */
  #inflightEpoch = 0;

  constructor(host: LogHost, identity: TaskIdentity) {
    this.#host = host;
    this.identity = identity;
    this.tail = new Tail(host.settings.tailBytes);
    this.view = newView();
    this.stored = { state: this.view.state, run: this.view.run };
  }

  /** A log that is in the store already. */
  static async load(host: LogHost, row: TaskRow): Promise<TaskLog> {
    const log = new TaskLog(host, row);
    await log.#reload(row);
    return log;
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
    return this.#seq;
  }

  /** True while something is pending or in flight. */
  get isBusy(): boolean {
    return this.#inflight !== undefined || this.#pending.length > 0;
  }

  /** Entries that no commit has taken yet: what a writer that produces much waits for to go down. */
  get backlog(): number {
    return this.#pendingEvents;
  }

  /** Appends, and resolves with the seq of the last entry when it is committed. */
  append(decide: Decide, options: AppendOptions = {}): Promise<number> {
    return new Promise((resolve, reject) => {
      let append: Append;
      try {
        append = this.emit(decide, options);
      } catch (refused) {
        reject(refused);
        return;
      }
      append.resolve = resolve;
      append.reject = reject;
    });
  }

  /** Appends without waiting; throws when the writer refuses now. What a conflict refuses later is dropped. */
  emit(decide: Decide, options: AppendOptions = {}): Append {
    if (options.epoch !== undefined && options.epoch !== this.view.epoch) throw new LeaseLost();
    const append = new Append(decide, options);
    decide(new Draft(this.identity, this.view, append, this.#host.now()));
    this.#pending.push(append);
    this.#pendingEvents += append.events.length;
    if (options.blobs !== undefined && options.blobs.length > 0) this.#large = true;
    if (this.#inflight === undefined && this.#pending.length === 1) this.#host.dirty(this);
    return append;
  }

  /** Resolves when what is pending now was taken by a commit and that commit came back. */
  flushed(): Promise<void> {
    if (!this.isBusy) return Promise.resolve();
    return new Promise((resolve) => this.#flushed.push(resolve));
  }

  /** True while nobody needs this object: it can be forgotten and loaded again. */
  get isIdle(): boolean {
    return this.pins === 0 && !this.isBusy && this.#waiters.length === 0 && this.tail.readers === 0;
  }

  /** Resolves when what is committed satisfies a condition; rejects with the reason of the signal. */
  until(condition: (stored: TaskLog["stored"]) => boolean, signal?: AbortSignal): Promise<void> {
    if (condition(this.stored)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
        reject(signal?.reason);
      };
      const waiter: Waiter = {
        condition,
        resolve: () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        },
      };
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  /** Lets those go on whose condition has come true. */
  tell(): void {
    if (this.#waiters.length === 0) return;
    const waiters = this.#waiters;
    this.#waiters = waiters.filter((waiter) => !waiter.condition(this.stored));
    for (const waiter of waiters) if (!this.#waiters.includes(waiter)) waiter.resolve();
  }

  /** What the next commit writes for this task; undefined when nothing is pending. */
  take(): TaskCommit | undefined {
    const appends = this.#pending;
    if (appends.length === 0) return undefined;
    this.#pending = [];
    this.#pendingEvents = 0;
    this.#inflight = appends;
    for (const append of appends) append.isTaken = true;
    const events: PendingEvent[] = appends.length === 1 ? (appends[0] as Append).events : appends.flatMap((a) => a.events);
    const columns = appends.some((append) => append.columns) ? columnsOf(this.view) : undefined;
    this.#inflightEpoch = columns?.epoch ?? this.#epoch;
    this.#inflightStored = { state: this.view.state, run: this.view.run };
    this.#fold(events);
    const dedupe = appends.find((append) => append.options.dedupe !== undefined)?.options.dedupe;
    const blobs = appends.flatMap((append) => append.options.blobs ?? []);
    return {
      create: this.#created ? undefined : this.identity,
      key: this.#key,
      seq: this.#seq,
      epoch: this.#epoch,
      events,
      columns,
      snapshot: this.#snapshotIfDue(columns !== undefined && isTerminal(columns.state)),
      dedupe,
      blobs: blobs.length === 0 ? undefined : blobs,
    };
  }

  /** What the commit said of what {@link take} gave. A promise only where the log has to be read again. */
  settle(outcome: TaskOutcome): Promise<void> | undefined {
    if (!outcome.ok) return this.#refused(outcome);
    this.#committed(this.#inflight ?? [], outcome.key);
    this.#after();
    return undefined;
  }

  async #refused(outcome: Exclude<TaskOutcome, { ok: true }>): Promise<void> {
    const appends = this.#inflight ?? [];
    if (outcome.why === "duplicate" && outcome.row.taskId !== this.id) {
      this.#inflight = undefined;
      this.#rejectAll(appends, new DuplicateRequest(outcome.row));
    } else {
      await this.#conflict(appends);
    }
    this.#after();
  }

  #after(): void {
    if (this.#flushed.length > 0) for (const resolve of this.#flushed.splice(0)) resolve();
    if (this.#pending.length > 0 && this.#inflight === undefined) this.#host.dirty(this);
    this.tell();
    this.#host.changed(this);
  }

  /** The answer to the COMMIT under way was lost; it will be sent again. */
  doubt(): void {
    this.#doubtful = true;
  }

  /** The commit failed as a whole: everything pending is refused, and the log is as the store has it. */
  async abandon(reason: unknown): Promise<void> {
    const appends = [...(this.#inflight ?? []), ...this.#pending];
    this.#inflight = undefined;
    this.#pending = [];
    this.#pendingEvents = 0;
    this.#rejectAll(appends, reason);
    for (const resolve of this.#flushed.splice(0)) resolve();
    const row = await this.#host.store.task(this.id);
    if (row !== undefined) await this.#reload(row);
  }

  /** Reads what others wrote. Nothing to do while a commit is under way: it will find out. */
  async refresh(): Promise<void> {
    if (this.isBusy || !this.#created) return;
    const row = await this.#host.store.task(this.id);
    if (row === undefined || this.isBusy) return;
    if (row.seq === this.#seq) {
      this.#adopt(row);
      return;
    }
    const rows = await this.read(this.#seq, Number.POSITIVE_INFINITY);
    if (this.isBusy || rows.length === 0) return;
    this.#projection = foldRows(this.#projection, rows);
    this.#toTail(rows);
    this.#adopt(row);
    this.tell();
    this.#host.changed(this);
  }

  /** Committed entries after `afterSeq`, with their blobs in place. */
  async read(afterSeq: number, maxBytes: number): Promise<readonly EventRow[]> {
    const rows: EventRow[] = [];
    let bytes = 0;
    let seq = afterSeq;
    while (bytes < maxBytes) {
      const page = await this.#host.store.events(this.#key, seq, Math.min(PAGE_BYTES, maxBytes));
      const last = page[page.length - 1];
      if (last === undefined) break;
      for (const row of page) {
        const large = this.#host.blobs.hasReferences(row.payload);
        if (large) this.#large = true;
        rows.push(large ? await this.#host.blobs.expandRow(this.identity, row) : row);
        bytes += row.payload.length;
      }
      seq = last.seq;
    }
    return rows;
  }

  /** The Task as committed, in a shape. Waits for a commit under way, whose entries it would show too early. */
  async payload(shape: TaskShape = {}): Promise<Payload<Task>> {
    while (this.#inflight !== undefined) await this.flushed();
    return payloadOfJson(this.json(shape));
  }

  /** Like {@link payload}, for a caller that knows that no commit is under way. */
  json(shape: TaskShape = {}): string {
    const task = this.#projected();
    if (shape.historyLength !== undefined || shape.artifacts === false) {
      return shapeTask(task, shape, this.#host.settings.historyCap);
    }
    const seq = this.#seq + (this.#inflight?.reduce((sum, append) => sum + append.events.length, 0) ?? 0);
    if (this.#json?.seq !== seq) this.#json = { seq, text: shapeTask(task, {}, this.#host.settings.historyCap) };
    return this.#json.text;
  }

  /** The message of an entry. What arrived in this process is still at hand. */
  async message(seq: number): Promise<Incoming> {
    const known = this.#messages.get(seq);
    if (known !== undefined) {
      this.#messages.delete(seq);
      return known;
    }
    const [row] = await this.read(seq - 1, 1);
    if (row?.seq !== seq || row.payload === "") throw new RunHeld(`message ${seq} of this task was erased`);
    return { ...(JSON.parse(row.payload) as MessageEntry), seq };
  }

  /** Keeps a message that was just appended for {@link message}. */
  remember(incoming: Incoming): void {
    this.#messages.set(incoming.seq, incoming);
  }

  /** The id of the artifact of that name, as far as it is written. */
  artifactId(name: string): string | undefined {
    return this.#projection?.task.artifacts?.findLast((artifact) => artifact.name === name)?.artifactId;
  }

  /** A deep copy of the Task as it is now, for a handler to look at. */
  async copy(): Promise<Task> {
    return JSON.parse((await this.payload()).json) as Task;
  }

  #projected(): Task {
    if (this.#projection === undefined) throw new StoreCorrupt(`task ${this.id} has no entry that creates it`);
    return this.#projection.task;
  }

  #fold(events: readonly PendingEvent[]): void {
    for (const event of events) {
      this.#bytesSinceSnapshot += event.payload.length;
      const { change } = event;
      if (change?.kind === "created") this.#projection ??= { task: change.task, since: 0 };
      else if (change !== undefined && this.#projection !== undefined) applyChange(this.#projection, change);
    }
  }

  /**
   * At the end of a task always: it is answered from then on. Before, when the log has outgrown the one before, and
   * no message waits behind the last status, whose place in the history a snapshot cannot tell.
   */
  #snapshotIfDue(terminal: boolean): string | undefined {
    const due = this.#bytesSinceSnapshot > Math.max(this.#host.settings.snapshotBytes, this.#snapshotSize);
    if (!terminal && (!due || this.#projection?.since !== 0)) return undefined;
    const text = this.#large ? this.#host.blobs.stringify(this.#projected()) : this.json();
    this.#bytesSinceSnapshot = 0;
    this.#snapshotSize = text.length;
    return text;
  }

  #committed(appends: readonly Append[], key: number): void {
    this.#key = key;
    this.#created = true;
    this.#inflight = undefined;
    this.#epoch = this.#inflightEpoch;
    this.stored = this.#inflightStored ?? this.stored;
    let seq = this.#seq;
    for (const append of appends) {
      for (const event of append.events) {
        seq += 1;
        if (event.json !== undefined) this.tail.push(seq, event.json, event.state);
      }
    }
    this.#seq = seq;
    this.tail.wake();
    for (const append of appends) append.resolve?.(append.lastSeq);
  }

  /** Somebody else wrote first: the log is read again, and every writer is asked again over what it has become. */
  async #conflict(appends: readonly Append[]): Promise<void> {
    const before = this.#seq;
    const row = await this.#host.store.task(this.id);
    if (row !== undefined) await this.#reload(row);
    const arrived = row !== undefined && this.#doubtful && (await this.#hasArrived(appends, before));
    this.#doubtful = false;
    for (const append of arrived ? appends : []) append.resolve?.(append.lastSeq);
    const writers = arrived ? this.#pending : [...appends, ...this.#pending];
    this.#inflight = undefined;
    this.#pending = [];
    this.#pendingEvents = 0;
    if (row === undefined) {
      this.#rejectAll(writers, taskNotFound(this.id));
      return;
    }
    for (const writer of writers) this.#decideAgain(writer);
  }

  /** After a COMMIT whose answer was lost: whether the log holds what we gave to it. */
  async #hasArrived(appends: readonly Append[], after: number): Promise<boolean> {
    const events = appends.flatMap((append) => append.events);
    const rows = await this.#host.store.events(this.#key, after, Number.POSITIVE_INFINITY);
    return events.length > 0 && events.every((event, index) => rows[index]?.payload === event.payload);
  }

  #decideAgain(append: Append): void {
    append.events = [];
    append.columns = false;
    try {
      if (append.options.epoch !== undefined && append.options.epoch !== this.view.epoch) throw new LeaseLost();
      append.decide(new Draft(this.identity, this.view, append, this.#host.now()));
      this.#pending.push(append);
      this.#pendingEvents += append.events.length;
    } catch (refused) {
      append.reject?.(refused);
    }
  }

  async #reload(row: TaskRow): Promise<void> {
    const before = this.#seq;
    this.#key = row.key;
    this.#created = true;
    const snapshot = row.snapshot === null ? undefined : { task: await this.#readSnapshot(row.snapshot), since: 0 };
    const rows = await this.read(snapshot === undefined ? 0 : row.snapshotSeq, Number.POSITIVE_INFINITY);
    this.#projection = foldRows(snapshot, rows);
    this.#bytesSinceSnapshot = rows.reduce((sum, entry) => sum + entry.payload.length, 0);
    this.#snapshotSize = row.snapshot?.length ?? 0;
    this.#json = undefined;
    this.#toTail(rows.filter((entry) => entry.seq > before));
    this.#adopt(row);
  }

  async #readSnapshot(json: string): Promise<Task> {
    const task = JSON.parse(json) as Task;
    if (!this.#host.blobs.hasReferences(json)) return task;
    this.#large = true;
    return this.#host.blobs.expand(this.identity, task);
  }

  /** Takes over a row as the store has it. What was drafted and not committed is gone from the view. */
  #adopt(row: TaskRow): void {
    this.#seq = row.seq;
    this.#epoch = row.epoch;
    Object.assign(this.view, {
      seq: row.seq,
      state: row.state,
      statusTime: row.statusTime,
      epoch: row.epoch,
      holder: row.holder,
      leaseUntil: row.leaseUntil,
      attempts: row.attempts,
      due: row.due,
      held: row.held,
      agentVersion: row.agentVersion,
      run: JSON.parse(row.run) as RunState,
    } satisfies Partial<View>);
    this.stored = { state: this.view.state, run: this.view.run };
  }

  #toTail(rows: readonly EventRow[]): void {
    for (const row of rows) {
      this.view.time = Math.max(this.view.time, row.time);
      if (row.payload !== "" && (row.kind === "status" || row.kind === "artifact")) {
        this.tail.push(row.seq, row.payload, stateOf(row));
      }
    }
    this.tail.wake();
  }

  #rejectAll(appends: readonly Append[], reason: unknown): void {
    for (const append of appends) append.reject?.(reason);
  }
}
