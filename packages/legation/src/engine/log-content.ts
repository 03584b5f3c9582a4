/**
 * What the log of one task adds up to: the Task, and what is needed to answer with it and to store it as a snapshot.
 */
import type { Task } from "../model/gen/types.ts";
import { ArtifactGrowth } from "./artifact-growth.ts";
import type { Blobs } from "./blobs.ts";
import { Chunk } from "./chunk.ts";
import type { EngineSettings } from "./defaults.ts";
import { KnownJson } from "./known-json.ts";
import { stringifyInPieces } from "./large-json.ts";
import type { PendingEvent } from "./pending-event.ts";
import {
  applyChange,
  type Change,
  changeOf,
  foldRows,
  type Projection,
  shapedTask,
  shapeTask,
  type TaskShape,
} from "./projection.ts";
import { type EventRow, type Store, StoreCorrupt, type TaskIdentity, type TaskRow } from "./store.ts";

/** Where a log is read from. */
export interface LogSource {
  readonly store: Store;
  readonly settings: EngineSettings;
  readonly blobs: Blobs;
}

/** How many bytes of log are read at once. */
const PAGE_BYTES = 1_048_576;

/** Entries after `afterSeq` as they are stored, until there are `maxBytes` of them or `untilSeq` is reached. */
export async function readEntries(
  source: LogSource,
  key: number,
  range: { readonly afterSeq: number; readonly untilSeq?: number; readonly maxBytes?: number },
): Promise<EventRow[]> {
  const { afterSeq, untilSeq = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = range;
  const entries: EventRow[] = [];
  let bytes = 0;
  let seq = afterSeq;
  while (bytes < maxBytes && seq < untilSeq) {
    const page = await source.store.events(key, seq, Math.min(PAGE_BYTES, maxBytes));
    const last = page[page.length - 1];
    if (last === undefined) break;
    for (const entry of page) {
      // A row may have grown since it was read: what is beyond it comes with the next reading.
      if (entry.seq > untilSeq) return entries;
      entries.push(entry);
      bytes += entry.payload.length;
    }
    seq = last.seq;
  }
  return entries;
}

/** After a COMMIT whose answer was lost: whether the log holds what was given to it, behind `afterSeq`. */
export async function areStored(
  source: LogSource,
  key: number,
  { afterSeq, events }: { readonly afterSeq: number; readonly events: readonly PendingEvent[] },
): Promise<boolean> {
  const rows = await readEntries(source, key, { afterSeq, untilSeq: afterSeq + events.length });
  return events.length > 0 && events.every((event, index) => rows[index]?.payload === event.payload);
}

/** Puts the content of blobs in place; entries without any are given as they are. */
export async function expandEntries(
  source: LogSource,
  identity: TaskIdentity,
  entries: readonly EventRow[],
): Promise<readonly EventRow[]> {
  if (!entries.some((entry) => source.blobs.hasReferences(entry.payload))) return entries;
  const expanded: EventRow[] = [];
  for (const entry of entries) {
    const isLarge = source.blobs.hasReferences(entry.payload);
    expanded.push(isLarge ? await source.blobs.expandRow(identity, entry) : entry);
  }
  return expanded;
}

/** The Task as it was at some seq of its log; undefined when a part of the log that says so was erased. */
export async function taskAsOf(
  source: LogSource,
  identity: TaskIdentity,
  key: number,
  seq: number,
): Promise<Task | undefined> {
  const entries = await readEntries(source, key, { afterSeq: 0, untilSeq: seq });
  if (entries.some((entry) => entry.payload === "" && isOfTask(entry))) return undefined;
  const task = foldRows(undefined, entries)?.task;
  return task === undefined ? undefined : source.blobs.expand(identity, task);
}

/** True for an entry without which the Task cannot be told. */
export function isOfTask(entry: EventRow): boolean {
  return entry.kind === "created" || entry.kind === "status" || entry.kind === "artifact";
}

export class LogContent {
  /** Seq of the last entry that is in it. */
  seq = 0;
  readonly #source: LogSource;
  #projection: Projection | undefined;
  /** True once a part of it went into a blob. */
  #isLarge = false;
  #bytesSinceSnapshot = 0;
  #snapshotSize = 0;
  /** Of the large parts: what stands in the log of them are references. */
  #blobBytes = 0;
  #json: { readonly seq: number; readonly text: string } | undefined;
  readonly #growth: ArtifactGrowth = new ArtifactGrowth();
  readonly #known: KnownJson = new KnownJson();

  constructor(source: LogSource) {
    this.#source = source;
  }

  /** Reads what a row stands for; `entries` are those that are not in its snapshot. */
  static async load(source: LogSource, row: TaskRow): Promise<{ content: LogContent; entries: readonly EventRow[] }> {
    const content = new LogContent(source);
    const { blobs } = source;
    const entries = await readEntries(source, row.key, {
      afterSeq: row.snapshot === null ? 0 : row.snapshotSeq,
      untilSeq: row.seq,
    });
    const snapshot = row.snapshot === null ? undefined : { task: JSON.parse(row.snapshot) as Task, since: 0 };
    content.#projection = foldRows(snapshot, entries);
    content.#isLarge =
      blobs.hasReferences(row.snapshot ?? "") || entries.some((entry) => blobs.hasReferences(entry.payload));
    if (content.#isLarge && content.#projection !== undefined) await blobs.expand(row, content.#projection.task);
    content.#bytesSinceSnapshot = entries.reduce((sum, entry) => sum + entry.payload.length, 0);
    content.#snapshotSize = row.snapshot?.length ?? 0;
    for (const text of [row.snapshot ?? "", ...entries.map(({ payload }) => payload)]) {
      content.#blobBytes += blobs.bytesIn(text);
    }
    content.seq = row.seq;
    return { content, entries };
  }

  /** What the task holds, about. */
  get bytes(): number {
    return this.#snapshotSize + this.#bytesSinceSnapshot + this.#blobBytes;
  }

  /** Notes that a part of what comes is kept as a blob. */
  enlarge(): void {
    this.#isLarge = true;
  }

  /** Takes in what a commit is about to write. */
  fold(events: readonly PendingEvent[]): void {
    for (const event of events) {
      this.seq += 1;
      if (event instanceof Chunk) {
        this.#bytesSinceSnapshot += event.length;
        this.#known.end();
        if (this.#growth.take(event, this.#projection?.task)) continue;
      } else {
        this.#bytesSinceSnapshot += event.payload.length;
        if (this.#isLarge) this.#blobBytes += this.#source.blobs.bytesIn(event.payload);
      }
      const { change } = event;
      if (change?.kind === "artifact") this.#growth.settle();
      if (change === undefined) continue;
      const own = ownOf(change);
      if (own.kind === "created") this.#projection ??= { task: own.task, since: 0 };
      else if (this.#projection !== undefined) applyChange(this.#projection, own);
      this.#known.note(own);
    }
  }

  /** The changes that entries of others mean, with their blobs in place. */
  async changesOf(identity: TaskIdentity, entries: readonly EventRow[]): Promise<readonly Change[]> {
    const changes: Change[] = [];
    for (const entry of entries) {
      const change = changeOf(entry.kind, entry.payload);
      if (change === undefined) continue;
      if (this.#source.blobs.hasReferences(entry.payload)) {
        this.#isLarge = true;
        await this.#source.blobs.expand(identity, change);
      }
      changes.push(change);
    }
    return changes;
  }

  /** Takes in what others wrote, up to `seq`. */
  foldChanges(changes: readonly Change[], entries: readonly EventRow[], seq: number): void {
    this.#bytesSinceSnapshot += entries.reduce((sum, entry) => sum + entry.payload.length, 0);
    this.#growth.settle();
    this.#known.end();
    for (const change of changes) if (this.#projection !== undefined) applyChange(this.#projection, change);
    this.seq = seq;
  }

  /** Makes the JSON of a whole Task with large parts, a piece at a time; undefined where {@link json} need not wait. */
  prepare({ historyLength, artifacts }: TaskShape): Promise<void> | undefined {
    const isWhole = historyLength === undefined && artifacts !== false;
    return this.#isLarge && isWhole && this.#json?.seq !== this.seq ? this.#prepare() : undefined;
  }

  async #prepare(): Promise<void> {
    const { seq } = this;
    const text = await stringifyInPieces(shapedTask(this.#task(), {}, this.#source.settings.historyCap));
    if (seq === this.seq) this.#json = { seq, text };
  }

  /** The Task in a shape. The whole one is serialised once for all who ask. */
  json(shape: TaskShape): string {
    const { historyCap } = this.#source.settings;
    if (shape.historyLength !== undefined || shape.artifacts === false) {
      return shapeTask(this.#task(), shape, historyCap);
    }
    if (this.#json?.seq !== this.seq) this.#json = { seq: this.seq, text: this.#wholeJson() };
    return this.#json.text;
  }

  /**
   * The Task in a shape as a value that stays as it is, for who would have to parse the JSON; undefined where it would
   * have to be copied deep.
   */
  value({ historyLength }: TaskShape): Task | undefined {
    const task = this.#projection?.task;
    if (task === undefined || this.#isLarge || (task.artifacts?.length ?? 0) > 0) return undefined;
    const { id, contextId, status, metadata } = task;
    const { history } = shapedTask(task, { historyLength }, this.#source.settings.historyCap);
    const copy: Task = contextId === undefined ? { id, status } : { id, contextId, status };
    if (history !== undefined) copy.history = history;
    if (metadata !== undefined) copy.metadata = metadata;
    return copy;
  }

  /**
   * At the end of a task always: it is answered from then on. Before, when the log has outgrown the one before, and
   * no message waits behind the last status, whose place in the history a snapshot cannot tell.
   */
  snapshotIfDue(isTerminal: boolean): string | undefined {
    const isDue = this.#bytesSinceSnapshot > Math.max(this.#source.settings.snapshotBytes, this.#snapshotSize);
    if (!isTerminal && (!isDue || this.#projection?.since !== 0)) return undefined;
    const text = this.#isLarge ? this.#source.blobs.stringify(this.#task()) : this.json({});
    this.#bytesSinceSnapshot = 0;
    this.#snapshotSize = text.length;
    return text;
  }

  /** The id of the newest artifact of that name. */
  artifactId(name: string): string | undefined {
    return this.#projection?.task.artifacts?.findLast((artifact) => artifact.name === name)?.artifactId;
  }

  hasArtifact(artifactId: string): boolean {
    return this.#projection?.task.artifacts?.some((artifact) => artifact.artifactId === artifactId) ?? false;
  }

  #wholeJson(): string {
    const { historyCap } = this.#source.settings;
    const task = this.#projection?.task;
    const known = task && (this.#growth.json(task, historyCap) ?? this.#known.json(task, historyCap));
    return known ?? shapeTask(this.#task(), {}, historyCap);
  }

  #task(): Task {
    this.#growth.settle();
    if (this.#projection === undefined) throw new StoreCorrupt("the log has no entry that creates its task");
    return this.#projection.task;
  }
}

/**
 * The projection takes an artifact over and lets it grow. The event keeps its own, as it may have to be written again
 * when somebody else wrote first.
 */
function ownOf(change: Change): Change {
  if (change.kind !== "artifact" || change.update.append === true) return change;
  const { artifact } = change.update;
  const own = { ...change.update, artifact: { ...artifact, parts: [...artifact.parts] } };
  return { kind: "artifact", update: own, json: change.json };
}
