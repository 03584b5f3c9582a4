/**
 * Chunks: appends to an artifact that bring parts and nothing else, as a model does word by word. There are thousands
 * of them in a task, so what all chunks of an artifact have in common is made once, and one object is the entry on its
 * way into the log, the change of the Task and the event that every reader shares.
 */
import type { Part, StreamResponse, TaskArtifactUpdateEvent } from "../model/gen/types.ts";
import type { StreamEvent } from "../operations/service.ts";
import type { PendingEvent } from "./pending-event.ts";
import type { Change } from "./projection.ts";
import type { TaskIdentity } from "./store.ts";

const END = ']},"append":true}}';
const LAST_END = ']},"append":true,"lastChunk":true}}';

/** What the chunks of one artifact have in common. */
export class ChunkForm {
  readonly artifactId: string;
  readonly name: string;
  readonly #identity: TaskIdentity;
  readonly #start: string;

  constructor(identity: TaskIdentity, artifactId: string, name: string) {
    this.artifactId = artifactId;
    this.name = name;
    this.#identity = identity;
    const whole = JSON.stringify({ artifactUpdate: this.update([], false) });
    this.#start = whole.slice(0, -END.length);
  }

  /** @param parts JSON of the parts, without the brackets of their list */
  json(parts: string, isLast: boolean): string {
    return this.#start + parts + (isLast ? LAST_END : END);
  }

  update(parts: readonly Part[], isLast: boolean): TaskArtifactUpdateEvent {
    const { artifactId, name } = this;
    const artifact = { artifactId, name, parts: [...parts] };
    const update = { taskId: this.#identity.id, contextId: this.#identity.contextId, artifact, append: true };
    return isLast ? { ...update, lastChunk: true } : update;
  }
}

/** JSON of parts, without the brackets of their list. */
export function jsonOfParts(parts: readonly Part[]): string {
  const [part] = parts;
  if (parts.length === 1 && part !== undefined && isPlainText(part)) return `{"text":${JSON.stringify(part.text)}}`;
  return JSON.stringify(parts).slice(1, -1);
}

function isPlainText({ text, metadata, filename, mediaType }: Part): boolean {
  return text !== undefined && metadata === undefined && filename === undefined && mediaType === undefined;
}

/** What a chunk brings, and the JSON of it without the brackets of the list. */
export interface ChunkContent {
  readonly parts: readonly Part[];
  readonly json: string;
}

/** One chunk. */
export class Chunk implements PendingEvent, StreamEvent {
  readonly kind = "artifact";
  readonly seq: number;
  readonly time: number;
  readonly form: ChunkForm;
  readonly content: ChunkContent;
  payload: string;
  #isLast = false;
  declare memo?: string | undefined;

  /** @param place where it stands in the log */
  constructor(form: ChunkForm, content: ChunkContent, place: { readonly seq: number; readonly time: number }) {
    this.seq = place.seq;
    this.time = place.time;
    this.form = form;
    this.content = content;
    this.payload = form.json(content.json, false);
  }

  get json(): string {
    return this.payload;
  }

  get state(): undefined {
    return undefined;
  }

  get change(): Change {
    return { kind: "artifact", update: this.form.update(this.content.parts, this.#isLast) };
  }

  get value(): StreamResponse {
    return { artifactUpdate: this.form.update(this.content.parts, this.#isLast) };
  }

  /** Says that nothing follows; to be called before a commit takes it. */
  markLast(): void {
    this.#isLast = true;
    this.payload = this.form.json(this.content.json, true);
  }

  /** The same at another place, as somebody else wrote first. */
  movedTo(place: { readonly seq: number; readonly time: number }): Chunk {
    const moved = new Chunk(this.form, this.content, place);
    if (this.#isLast) moved.markLast();
    return moved;
  }
}
