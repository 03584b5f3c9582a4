/**
 * What a writer wants to append to a log. A writer gives a function that looks at the log and says what follows; when
 * somebody else wrote first, the function is asked again over what the log has become.
 */
import type { Message, Task, TaskArtifactUpdateEvent, TaskState, TaskStatus } from "../model/gen/types.ts";
import { isTerminal } from "../model/task-state.ts";
import { Chunk, type ChunkContent, type ChunkForm } from "./chunk.ts";
import type { Decision, MessageEntry, Opened, RunState, TurnStarted } from "./journal.ts";
import type { PendingEvent } from "./pending-event.ts";
import type { Change } from "./projection.ts";
import type { NewHook } from "./push-hook.ts";
import type { BlobWrite, DedupeKey, DedupeRow, EventKind, TaskIdentity } from "./store.ts";
import type { View } from "./view.ts";

/** Looks at the log and drafts what follows. Throws to refuse; must not have drafted anything then. */
export type Decide = (draft: Draft) => void;

/** What comes with an append beside its entries. */
export interface AppendOptions {
  /** Set by a run: the epoch under which it writes. When it moved, the append is refused with {@link LeaseLost}. */
  readonly epoch?: number | undefined;
  readonly dedupe?: { readonly key: DedupeKey; readonly taskId: string; readonly expires: number | null } | undefined;
  readonly blobs?: readonly BlobWrite[] | undefined;
  /** Registered with it: what follows is delivered, of a new task also what made it. */
  readonly hooks?: readonly NewHook[] | undefined;
}

/** Another process owns the run now. The engine drops the run; nobody outside sees this. */
export class LeaseLost extends Error {
  override readonly name = "LeaseLost";
}

/** A request turned out to have been accepted before. */
export class DuplicateRequest extends Error {
  override readonly name = "DuplicateRequest";
  readonly row: DedupeRow;

  constructor(row: DedupeRow) {
    super(`message ${row.messageId} was accepted before`);
    this.row = row;
  }
}

/** One writer's append: its entries, and who waits for them. */
export class Append {
  readonly decide: Decide;
  readonly options: AppendOptions;
  events: PendingEvent[] = [];
  /** What was decided before it is decided anew: a run of chunks is written again as it was. */
  before: readonly PendingEvent[] | undefined;
  /** True when a column other than the seq changes. */
  columns = false;
  /** The columns after it, when it changes any. */
  after: Readonly<View> | undefined;
  /** True once a commit has taken it: its entries stand. */
  isTaken = false;
  /** Seq of the last entry, once decided. */
  lastSeq = 0;
  resolve: ((lastSeq: number) => void) | undefined;
  reject: ((reason: unknown) => void) | undefined;

  constructor(decide: Decide, options: AppendOptions) {
    this.decide = decide;
    this.options = options;
  }

  /** Adds a chunk: what {@link Draft.chunk} does, without a pen for each of thousands. */
  extend(view: View, form: ChunkForm, content: ChunkContent, now: number): void {
    advance(view, now);
    this.events.push(new Chunk(form, content, view.seq, view.time));
    this.lastSeq = view.seq;
  }

  /** Forgets what was decided, before it is decided anew. */
  reset(): void {
    this.before = this.events;
    this.events = [];
    this.columns = false;
    this.after = undefined;
    this.isTaken = false;
  }
}

/** What the end of a task makes of its mailbox. */
const NOBODY: readonly number[] = [];

/** The pen of a {@link Decide}: everything it writes is in the view at once, and in the store with the next commit. */
export class Draft {
  readonly view: View;
  readonly identity: TaskIdentity;
  readonly #now: number;
  readonly #append: Append;

  constructor(identity: TaskIdentity, view: View, append: Append, now: number) {
    this.identity = identity;
    this.view = view;
    this.#append = append;
    this.#now = now;
  }

  /**
   * Wall time, by which what is to happen is due and leases end. Not {@link time}: where the clock was set back, that
   * stays ahead of it, and so would they.
   */
  get now(): number {
    return this.#now;
  }

  /** Time of the entries: never before that of the one before. */
  get time(): number {
    return Math.max(this.#now, this.view.time);
  }

  get isTerminal(): boolean {
    return isTerminal(this.view.state);
  }

  /** The view, whose columns are about to be changed; not its seq and time. */
  change(): View {
    this.#append.columns = true;
    return this.view;
  }

  /** Changes columns. */
  set(columns: Partial<Omit<View, "seq" | "time">>): void {
    Object.assign(this.change(), columns);
  }

  /** Changes the run state. */
  run(changes: Partial<RunState>): void {
    const view = this.change();
    view.run = { ...view.run, ...changes };
  }

  created(task: Task): void {
    const json = statusJson(task.status, undefined);
    const { id, contextId, metadata } = task;
    const more = metadata === undefined ? "" : `,"metadata":${JSON.stringify(metadata)}`;
    const payload = `{"id":${JSON.stringify(id)},"contextId":${JSON.stringify(contextId)},"status":${json}${more}}`;
    this.#push("created", payload, { kind: "created", task, json }, undefined, undefined);
    const view = this.change();
    view.state = task.status.state;
    view.statusTime = this.time;
  }

  /** @param stored how it is stored, where it has parts that are not */
  message({ message, meta }: MessageEntry, stored?: string): void {
    const json = stored === undefined ? JSON.stringify(message) : undefined;
    const payload = stored ?? `{"message":${json},"meta":${JSON.stringify(meta)}}`;
    this.#push("message", payload, { kind: "message", message, json }, undefined, undefined);
    const view = this.change();
    const { run } = view;
    view.run = { ...run, mailbox: [...run.mailbox, view.seq], since: run.since + 1 };
  }

  /** Writes a status. A terminal one ends the run and tells of the messages that nobody took. */
  status(state: TaskState, message: Message | undefined): void {
    if (isTerminal(state)) {
      for (const seq of this.view.run.mailbox) this.journal("message.unprocessed", { seq });
    }
    const time = this.time;
    const status =
      message === undefined ? { state, timestamp: isoTime(time) } : { state, message, timestamp: isoTime(time) };
    const said = message === undefined ? undefined : JSON.stringify(message);
    const text = statusJson(status, said);
    const json = `{"statusUpdate":{${idsJson(this.identity)},"status":${text}}}`;
    this.#push("status", json, { kind: "status", status, json: text, said, of: this.identity }, json, state);
    const view = this.change();
    const run = { ...view.run, statusSeq: view.seq, since: 0 };
    view.state = state;
    view.statusTime = time;
    view.run = run;
    if (!isTerminal(state)) return;
    view.run = { ...run, mailbox: NOBODY, open: false, wait: null, cancel: 0 };
    view.holder = null;
    view.leaseUntil = 0;
    view.due = null;
    view.held = null;
  }

  /** Writes an artifact event whose JSON is made already, and is stored with references in the place of its parts. */
  largeArtifact(update: TaskArtifactUpdateEvent, json: string, stored: string): void {
    this.#push("artifact", stored, { kind: "artifact", update }, json, undefined);
  }

  /** @param json that of the artifact */
  artifact(update: TaskArtifactUpdateEvent, json: string): void {
    const { append, lastChunk } = update;
    const flags = `${append === true ? ',"append":true' : ""}${lastChunk === true ? ',"lastChunk":true' : ""}`;
    const event = `{"artifactUpdate":{${idsJson(this.identity)},"artifact":${json}${flags}}}`;
    this.#push("artifact", event, { kind: "artifact", update, json }, event, undefined);
  }

  /** Writes a chunk; asked again, the chunks that followed it in the same append too. */
  chunk(form: ChunkForm, content: ChunkContent): void {
    const before = this.#append.before?.filter((event) => event instanceof Chunk) ?? [];
    this.#append.before = undefined;
    if (before.length === 0) this.#append.extend(this.view, form, content, this.#now);
    for (const chunk of before) {
      advance(this.view, this.#now);
      this.#take(chunk.movedTo(this.view.seq, this.view.time));
    }
  }

  journal(
    kind: "turn" | "decision" | "opened" | "cancel.requested" | "authorized" | "message.unprocessed" | "held",
    payload: TurnStarted | Decision | Opened | object,
  ): void {
    this.entry(kind, JSON.stringify(payload));
  }

  /** Writes an entry of the journal whose JSON is made already. */
  entry(kind: EventKind, payload: string): void {
    this.#push(kind, payload, undefined, undefined, undefined);
  }

  #push(
    kind: EventKind,
    payload: string,
    change: Change | undefined,
    json: string | undefined,
    state: TaskState | undefined,
  ): void {
    advance(this.view, this.#now);
    this.#take({ kind, time: this.view.time, payload, change, json, state });
  }

  #take(event: PendingEvent): void {
    this.#append.events.push(event);
    this.#append.lastSeq = this.view.seq;
  }
}

/** Moves a view to the place of the next entry. */
function advance(view: View, now: number): void {
  view.seq += 1;
  if (now > view.time) view.time = now;
}

/** The JSON of a status: its fields in their order, none of which but the message needs escapes. */
function statusJson({ state, timestamp }: TaskStatus, said: string | undefined): string {
  return said === undefined
    ? `{"state":"${state}","timestamp":"${timestamp}"}`
    : `{"state":"${state}","message":${said},"timestamp":"${timestamp}"}`;
}

let lastIdentity: TaskIdentity | undefined;
let lastIds = "";

/** The ids that every event of a task begins with. Mostly several are drafted one after the other. */
function idsJson(identity: TaskIdentity): string {
  if (identity !== lastIdentity) {
    lastIdentity = identity;
    lastIds = `"taskId":${JSON.stringify(identity.id)},"contextId":${JSON.stringify(identity.contextId)}`;
  }
  return lastIds;
}

let lastMs = Number.NaN;
let lastText = "";

/** The JSON form of a time (§5.6.1). Many entries are of one millisecond: its text is made once. */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastMs = ms;
    lastText = new Date(ms).toISOString();
  }
  return lastText;
}
