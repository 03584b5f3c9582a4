/**
 * Chunks: appends to an artifact that bring parts and nothing else, as a model does word by word. There are thousands
 * of them in a task, so what all chunks of an artifact have in common is made once, and one object is the entry on its
 * way into the log, the entry in memory and the event that every reader shares. Its JSON is made for who asks for it.
 */
import type { Part, StreamResponse, TaskArtifactUpdateEvent } from "../model/gen/types.ts";
import type { ArtifactForm, StreamEvent, TextChunk } from "../operations/service.ts";
import type { PendingEvent } from "./pending-event.ts";
import type { Change } from "./projection.ts";
import type { TaskIdentity } from "./store.ts";

const END = ']},"append":true}}';
const LAST_END = ']},"append":true,"lastChunk":true}}';

/** What the chunks of one artifact have in common. */
export class ChunkForm implements ArtifactForm {
  readonly taskId: string;
  readonly contextId: string;
  readonly artifactId: string;
  readonly name: string;
  readonly #start: string;
  /** Length of the JSON of a chunk without its text, where the text needs no escapes. */
  readonly length: number;

  constructor({ id, contextId }: Pick<TaskIdentity, "id" | "contextId">, artifactId: string, name: string) {
    this.taskId = id;
    this.contextId = contextId;
    this.artifactId = artifactId;
    this.name = name;
    const whole = JSON.stringify({ artifactUpdate: this.update([], false) });
    this.#start = whole.slice(0, -END.length);
    this.length = whole.length + '{"text":""}'.length;
  }

  json(parts: string, isLast: boolean): string {
    return this.#start + parts + (isLast ? LAST_END : END);
  }

  update(parts: readonly Part[], isLast: boolean): TaskArtifactUpdateEvent {
    const { taskId, contextId, artifactId, name } = this;
    const update = { taskId, contextId, artifact: { artifactId, name, parts: [...parts] }, append: true };
    return isLast ? { ...update, lastChunk: true } : update;
  }
}

/** What a chunk brings: a text, where it is that alone. */
export type ChunkContent = string | readonly Part[];

/** The content of parts, in its short form where it has one. */
export function contentOf(parts: readonly Part[]): ChunkContent {
  const [part] = parts;
  return parts.length === 1 && part !== undefined && isPlainText(part) ? part.text : parts;
}

function isPlainText(part: Part): part is Part & { readonly text: string } {
  const { text, metadata, filename, mediaType } = part;
  return typeof text === "string" && metadata === undefined && filename === undefined && mediaType === undefined;
}

/** The parts of a content. */
export function partsOf(content: ChunkContent): readonly Part[] {
  return typeof content === "string" ? [{ text: content }] : content;
}

/** JSON of the parts of a content, without the brackets of their list. */
export function jsonOfParts(content: ChunkContent): string {
  return typeof content === "string" ? `{"text":${JSON.stringify(content)}}` : JSON.stringify(content).slice(1, -1);
}

/** One chunk. */
export class Chunk implements PendingEvent, StreamEvent {
  readonly seq: number;
  readonly time: number;
  readonly form: ChunkForm;
  readonly content: ChunkContent;
  isLast = false;
  #json: string | undefined;
  declare memo?: string | undefined;

  /** @param seq with `time`: where it stands in the log */
  constructor(form: ChunkForm, content: ChunkContent, seq: number, time: number) {
    this.seq = seq;
    this.time = time;
    this.form = form;
    this.content = content;
  }

  get kind(): "artifact" {
    return "artifact";
  }

  get text(): string {
    return this.content as string;
  }

  get chunk(): TextChunk | undefined {
    return typeof this.content === "string" ? this : undefined;
  }

  get payload(): string {
    this.#json ??= this.form.json(jsonOfParts(this.content), this.isLast);
    return this.#json;
  }

  get json(): string {
    return this.payload;
  }

  /** Length of the JSON, about: it need not be made for this. */
  get length(): number {
    return typeof this.content === "string" ? this.form.length + this.content.length : this.payload.length;
  }

  get state(): undefined {
    return undefined;
  }

  get change(): Change {
    return { kind: "artifact", update: this.form.update(partsOf(this.content), this.isLast) };
  }

  get value(): StreamResponse {
    return { artifactUpdate: this.form.update(partsOf(this.content), this.isLast) };
  }

  /** Says that nothing follows; to be called before a commit takes it. */
  markLast(): void {
    this.isLast = true;
    this.#json = undefined;
  }

  /** The same at another place, as somebody else wrote first. */
  movedTo(seq: number, time: number): Chunk {
    const moved = new Chunk(this.form, this.content, seq, time);
    moved.isLast = this.isLast;
    return moved;
  }
}
