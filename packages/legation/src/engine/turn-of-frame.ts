/**
 * The {@link Turn} that a handler gets: decisions and emissions of one frame.
 */
import type { Artifact, Part, Task, TaskArtifactUpdateEvent } from "../model/gen/types.ts";
import type { JsonValue } from "../model/json.ts";
import { LocalError } from "../operations/errors.ts";
import type { Blobs } from "./blobs.ts";
import { ChunkForm, contentOf, Chunk as LoggedChunk } from "./chunk.ts";
import { Decisions, type Unit } from "./decisions.ts";
import { deferTurn } from "./defer-turn.ts";
import type { DeferOptions } from "./deferral.ts";
import type { Append } from "./draft.ts";
import type { ArtifactWrite } from "./emissions.ts";
import { type Frame, NEVER } from "./frame.ts";
import { headOf } from "./logged-artifact.ts";
import {
  type Acceptance,
  type ArtifactDraft,
  type Chunk,
  type Deferred,
  Ending,
  type Incoming,
  type StepContext,
  type Turn,
  type Utterance,
} from "./turn.ts";
import { Waits } from "./waits.ts";

type Accept<T extends JsonValue> = (incoming: Incoming) => Promise<Acceptance<T>> | Acceptance<T>;
type WriteOptions = Parameters<Turn["write"]>[2];

/** A handler that emits faster than commits go out waits when that many entries are pending: a burst starves nobody. */
const BACKLOG = 256;
/** What an emission gives when it need not wait: one for all. */
const DONE: Promise<void> = Promise.resolve();

/** The turn of a frame. */
export function turnOfFrame(frame: Frame, blobs: Blobs): Turn {
  return new FrameTurn(frame, blobs);
}

class FrameTurn implements Turn {
  readonly #frame: Frame;
  readonly #decisions: Decisions;
  #waiting: Waits | undefined;
  readonly #writer: Writer;

  constructor(frame: Frame, blobs: Blobs) {
    this.#frame = frame;
    this.#decisions = new Decisions(frame);
    this.#writer = new Writer(frame, this.#decisions, blobs);
  }

  get #waits(): Waits {
    this.#waiting ??= new Waits(this.#frame, this.#decisions);
    return this.#waiting;
  }

  get taskId(): string {
    return this.#frame.log.id;
  }

  get contextId(): string {
    return this.#frame.log.identity.contextId;
  }

  get tenant(): string {
    return this.#frame.log.identity.tenant;
  }

  get owner(): string {
    return this.#frame.log.identity.owner;
  }

  get number(): number {
    return this.#frame.number;
  }

  get signal(): AbortSignal {
    return this.#frame.signal;
  }

  async snapshot(): Promise<Task> {
    const { log } = this.#frame;
    // The status WORKING of the turn stands right after the entry that began it.
    const task = await log.taskAsOf(log.view.run.turnSeq + 1);
    return task ?? (JSON.parse((await log.payload()).json) as Task);
  }

  working(utterance: Utterance): Promise<void> {
    return this.#writer.working(utterance);
  }

  artifact(draft: ArtifactDraft): Promise<void> {
    return this.#writer.artifact(draft);
  }

  append(name: string, text: string): Promise<void> {
    return this.#writer.append(name, text);
  }

  write(name: string, source: Parameters<Turn["write"]>[1], options?: WriteOptions): Promise<void> {
    return this.#writer.write(name, source, options);
  }

  step<T extends JsonValue | undefined>(
    name: string,
    fn: (context: StepContext) => Promise<T> | T,
    options?: { readonly once?: boolean | undefined },
  ): Promise<T> {
    return this.#decisions.step(name, fn, options);
  }

  ask(question: Utterance): Promise<Incoming>;
  ask<T extends JsonValue>(question: Utterance, accept: Accept<T>): Promise<T>;
  ask<T extends JsonValue>(question: Utterance, accept?: Accept<T>): Promise<T | Incoming> {
    return this.#waits.ask(question, accept);
  }

  requestAuth(request: Utterance): Promise<{ readonly approved: true }> {
    return this.#waits.requestAuth(request);
  }

  sleep(ms: number): Promise<void> {
    return this.#waits.sleep(ms);
  }

  now(): Promise<number> {
    return this.#decisions.value("now", () => this.#frame.now());
  }

  random(): Promise<number> {
    return this.#decisions.value("random", () => Math.random());
  }

  receive(): Promise<Incoming> {
    return this.#waits.receive();
  }

  patched(id: string): Promise<boolean> {
    return this.#decisions.patched(id);
  }

  branch<T>(name: string, run: () => Promise<T> | T): Promise<T> {
    return this.#decisions.branch(name, run);
  }

  defer(options: DeferOptions): Promise<Deferred> {
    return deferTurn(this.#frame, this.#decisions, options);
  }

  complete(utterance?: Utterance): Ending {
    return new Ending("complete", utterance);
  }

  pause(question: Utterance): Ending {
    return new Ending("pause", question);
  }

  reject(reason: Utterance): Ending {
    return new Ending("reject", reason);
  }

  fail(reason: Utterance): Ending {
    return new Ending("fail", reason);
  }
}

class Writer {
  readonly #frame: Frame;
  readonly #decisions: Decisions;
  readonly #blobs: Blobs;
  /** Of the artifact that was appended to last, good while `emissions.version` is this. */
  #form: ChunkForm | undefined;
  #version = 0;

  constructor(frame: Frame, decisions: Decisions, blobs: Blobs) {
    this.#frame = frame;
    this.#decisions = decisions;
    this.#blobs = blobs;
  }

  async working(utterance: Utterance): Promise<void> {
    this.#refuseWhileParked();
    const { unit } = this.#decisions;
    if (unit !== undefined) unit.emitted.statuses += 1;
    if (this.#frame.emissions.skipsStatus()) return;
    const append = this.#frame.emit((draft) => draft.status("TASK_STATE_WORKING", this.#frame.message(utterance)));
    await (append === undefined ? NEVER : this.#roomForMore());
  }

  artifact(draft: ArtifactDraft): Promise<void> {
    try {
      this.#refuseWhileParked();
      const { unit } = this.#decisions;
      if (unit !== undefined) count(unit, draft.name, draft.append !== true);
      const chunk = this.#chunk(draft);
      return this.#buffered(chunk === "more" ? this.#whole(draft) : (chunk ?? NEVER));
    } catch (refused) {
      return Promise.reject(refused);
    }
  }

  append(name: string, text: string): Promise<void> {
    const form = this.#blobs.isLargeText(text) ? undefined : this.#liveForm(name);
    if (form === undefined) return this.artifact({ name, parts: [{ text }], append: true });
    try {
      this.#refuseWhileParked();
      const { unit } = this.#decisions;
      if (unit !== undefined) count(unit, name, false);
      return this.#buffered(this.#frame.chunk(form, text) ?? NEVER);
    } catch (refused) {
      return Promise.reject(refused);
    }
  }

  /** Resolves when there is room for more. */
  #buffered(written: Promise<Append | undefined> | Append | undefined): Promise<void> {
    if (written instanceof Promise) return written.then(() => this.#roomForMore());
    return this.#roomForMore() ?? DONE;
  }

  async write(
    name: string,
    source: (signal: AbortSignal) => Chunk | Promise<Chunk> | AsyncIterable<Chunk> | Iterable<Chunk>,
    options: WriteOptions = {},
  ): Promise<void> {
    await this.#decisions.write(name, async (unit) => {
      this.#frame.emissions.fresh(name, options.artifactId);
      count(unit, name, true);
      let first = true;
      let last: Said | undefined;
      for await (const chunk of piecesOf(source(this.#frame.signal))) {
        if (this.#frame.isOver) return;
        const parts = partsOf(chunk, options.mediaType);
        if (parts.length === 0) continue;
        last = await this.#say(first ? { ...options, name, parts } : { name, parts, append: true });
        first = false;
      }
      if (last !== undefined) markLast(last);
      else await this.#say({ ...options, name, parts: partsOf([{ text: "" }], options.mediaType), lastChunk: true });
    });
  }

  /** Writes a draft; resolves when there is room for more. */
  async #say(draft: ArtifactDraft): Promise<Said | undefined> {
    const chunk = this.#chunk(draft);
    const append = chunk === "more" ? await this.#whole(draft) : (chunk ?? (await NEVER));
    if (append === undefined) return undefined;
    const at = append.events.length - 1;
    const room = this.#roomForMore();
    if (room !== undefined) await room;
    return { append, at };
  }

  /** Writes a draft that is a chunk of a live artifact. `more` when it is more than that, and nothing is written. */
  #chunk(draft: ArtifactDraft): Append | "more" | undefined {
    const { name, parts, artifactId } = draft;
    const form = isOnlyParts(draft) && !this.#blobs.isLarge(parts) ? this.#liveForm(name) : undefined;
    if (form === undefined || (artifactId ?? form.artifactId) !== form.artifactId) return "more";
    return this.#frame.chunk(form, contentOf(parts));
  }

  /** The form of what is appended to an artifact of that name; undefined where it has to be compared with the log. */
  #liveForm(name: string): ChunkForm | undefined {
    const { emissions, log } = this.#frame;
    if (this.#form?.name === name && this.#version === emissions.version) return this.#form;
    const id = emissions.liveId(name);
    if (id === undefined) return undefined;
    if (this.#form?.artifactId !== id || this.#form.name !== name) this.#form = new ChunkForm(log.identity, id, name);
    this.#version = emissions.version;
    return this.#form;
  }

  /** Writes what a draft comes to beside what the log has; undefined when that is nothing. */
  #whole(draft: ArtifactDraft): Promise<Append | undefined> | Append | undefined {
    const write = this.#frame.emissions.artifact(draft);
    if (write === undefined) return undefined;
    const { identity } = this.#frame.log;
    const artifact = artifactOf(draft, write);
    const update: TaskArtifactUpdateEvent = { taskId: identity.id, contextId: identity.contextId, artifact };
    if (write.append) update.append = true;
    if (draft.lastChunk === true) update.lastChunk = true;
    if (this.#blobs.isLarge(artifact.parts)) return this.#large(update);
    const json = JSON.stringify(artifact);
    return this.#frame.emit((pen) => pen.artifact(update, json)) ?? NEVER;
  }

  async #large(update: TaskArtifactUpdateEvent): Promise<Append | undefined> {
    const { log, replay } = this.#frame;
    const blobs = await replay.deliveries.during(this.#blobs.hold(log.identity, update.artifact.parts));
    const json = JSON.stringify({ artifactUpdate: update });
    const stored = this.#blobs.stringify({ artifactUpdate: update });
    return this.#frame.emit((pen) => pen.largeArtifact(update, json, stored), { blobs }) ?? NEVER;
  }

  /** Bounds what is in memory, and lets others have their turn of the loop. */
  #roomForMore(): Promise<void> | undefined {
    const { log, replay } = this.#frame;
    return log.backlog < BACKLOG ? undefined : replay.deliveries.during(log.flushed());
  }

  #refuseWhileParked(): void {
    this.#decisions.refuseWhenClosed("emission");
    if (this.#frame.isParked) {
      throw new LocalError("STEP_IN_FLIGHT", "the turn waits for somebody: nothing can be written until it goes on");
    }
  }
}

function count(unit: Unit, name: string, isVersion: boolean): void {
  unit.emitted.artifacts[name] = (unit.emitted.artifacts[name] ?? 0) + (isVersion ? 1 : 0);
}

function artifactOf(draft: ArtifactDraft, write: ArtifactWrite): Artifact {
  const artifact: Artifact = { artifactId: write.artifactId, name: draft.name, parts: [...write.parts] };
  return Object.assign(artifact, write.head, headOf(draft));
}

/** An entry that a draft has become. */
interface Said {
  readonly append: Append;
  /** Its place among the events of the append. */
  readonly at: number;
}

/** True when a draft brings parts to an artifact and says nothing else of it. */
function isOnlyParts({ append, parts, lastChunk, description, metadata, extensions }: ArtifactDraft): boolean {
  if (append !== true || lastChunk === true || parts.length === 0) return false;
  return description === undefined && metadata === undefined && extensions === undefined;
}

/** Says that nothing follows, as long as the entry has not gone out. */
function markLast({ append, at }: Said): void {
  const event = append.events[at];
  if (append.isTaken) return;
  if (event instanceof LoggedChunk) event.markLast();
  if (event instanceof LoggedChunk || event?.change?.kind !== "artifact" || event.json !== event.payload) return;
  event.change.update.lastChunk = true;
  const json = JSON.stringify({ artifactUpdate: event.change.update });
  append.events[at] = { ...event, json, payload: json };
}

async function* piecesOf(
  source: Chunk | Promise<Chunk> | AsyncIterable<Chunk> | Iterable<Chunk>,
): AsyncGenerator<Chunk, void, undefined> {
  const pieces = await source;
  if (typeof pieces === "string") yield pieces;
  else if (Symbol.asyncIterator in pieces) yield* pieces;
  else if (Symbol.iterator in pieces) yield* pieces as Iterable<Chunk>;
  else yield pieces as Part;
}

function partsOf(chunk: Chunk, mediaType: string | undefined): readonly Part[] {
  if (typeof chunk === "string") {
    if (chunk === "") return [];
    return [mediaType === undefined ? { text: chunk } : { text: chunk, mediaType }];
  }
  const parts = Array.isArray(chunk) ? (chunk as readonly Part[]) : [chunk as Part];
  if (mediaType === undefined) return parts;
  return parts.map((part) => (part.mediaType === undefined ? { ...part, mediaType } : part));
}
