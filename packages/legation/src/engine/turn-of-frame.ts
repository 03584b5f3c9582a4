/**
 * The {@link Turn} that a handler gets: decisions and emissions of one frame.
 */
import type { Artifact, Part, Task, TaskArtifactUpdateEvent } from "../model/gen/types.ts";
import type { JsonValue } from "../model/json.ts";
import { LocalError } from "../operations/errors.ts";
import type { Blobs } from "./blobs.ts";
import { Decisions, type Unit } from "./decisions.ts";
import type { Append } from "./draft.ts";
import type { ArtifactWrite } from "./emissions.ts";
import { type Frame, NEVER } from "./frame.ts";
import { headOf } from "./logged-artifact.ts";
import {
  type Acceptance,
  type ArtifactDraft,
  type Chunk,
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

/** The turn of a frame. */
export function turnOfFrame(frame: Frame, blobs: Blobs): Turn {
  return new FrameTurn(frame, blobs);
}

class FrameTurn implements Turn {
  readonly #frame: Frame;
  readonly #decisions: Decisions;
  readonly #waits: Waits;
  readonly #writer: Writer;

  constructor(frame: Frame, blobs: Blobs) {
    this.#frame = frame;
    this.#decisions = new Decisions(frame);
    this.#waits = new Waits(frame, this.#decisions);
    this.#writer = new Writer(frame, this.#decisions, blobs);
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

  async artifact(draft: ArtifactDraft): Promise<void> {
    this.#refuseWhileParked();
    const { unit } = this.#decisions;
    if (unit !== undefined) count(unit, draft.name, draft.append !== true);
    const write = this.#frame.emissions.artifact(draft);
    if (write !== undefined) await this.#emit(draft, write, draft.lastChunk === true);
  }

  async write(
    name: string,
    source: (signal: AbortSignal) => Chunk | Promise<Chunk> | AsyncIterable<Chunk> | Iterable<Chunk>,
    options: WriteOptions = {},
  ): Promise<void> {
    await this.#decisions.write(name, async (unit) => {
      this.#frame.emissions.fresh(name, options.artifactId);
      count(unit, name, true);
      let last: Append | undefined;
      let first = true;
      for await (const chunk of piecesOf(source(this.#frame.signal))) {
        if (this.#frame.isOver) return;
        const parts = partsOf(chunk, options.mediaType);
        if (parts.length === 0) continue;
        const draft: ArtifactDraft = first ? { ...options, name, parts } : { name, parts, append: true };
        const write = this.#frame.emissions.artifact(draft);
        first = false;
        if (write !== undefined) last = await this.#emit(draft, write, false);
      }
      if (first) {
        const draft = { ...options, name, parts: partsOf([{ text: "" }], options.mediaType) };
        await this.#emit(draft, this.#frame.emissions.artifact(draft) as ArtifactWrite, true);
      } else if (last !== undefined) markLast(last);
    });
  }

  async #emit(draft: ArtifactDraft, write: ArtifactWrite, lastChunk: boolean): Promise<Append | undefined> {
    const { identity } = this.#frame.log;
    const artifact = artifactOf(draft, write);
    const update: TaskArtifactUpdateEvent = { taskId: identity.id, contextId: identity.contextId, artifact };
    if (write.append) update.append = true;
    if (lastChunk) update.lastChunk = true;
    const large = this.#blobs.isLarge(artifact.parts);
    const { deliveries } = this.#frame.replay;
    const blobs = large ? await deliveries.during(this.#blobs.hold(identity, artifact.parts)) : undefined;
    const json = JSON.stringify({ artifactUpdate: update });
    const stored = large ? this.#blobs.stringify({ artifactUpdate: update }) : json;
    const append = this.#frame.emit((pen) => pen.artifact(update, json, stored), { blobs });
    const room = append === undefined ? NEVER : this.#roomForMore();
    if (room !== undefined) await room;
    return append;
  }

  /** Bounds what is in memory, and lets others have their turn of the loop. */
  #roomForMore(): Promise<void> | undefined {
    const { log, replay } = this.#frame;
    return log.backlog < BACKLOG ? undefined : replay.deliveries.during(log.flushed());
  }

  #refuseWhileParked(): void {
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

/** Says that nothing follows, as long as the entry has not gone out. */
function markLast(append: Append): void {
  const event = append.events[append.events.length - 1];
  if (event?.change?.kind !== "artifact" || append.isTaken || event.json !== event.payload) return;
  event.change.update.lastChunk = true;
  const json = JSON.stringify({ artifactUpdate: event.change.update });
  append.events[append.events.length - 1] = { ...event, json, payload: json };
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
