/**
 * The frames of the events of one stream, a batch in one piece.
 *
 * Most events are chunks: one more text of an artifact that the stream has seen before. What is the same in all of them
 * (the ids of the task, id and name of the artifact) is encoded once and copied from then on. And what a batch was
 * encoded as is kept until another one is: the subscribers of a task are given a batch one right after the other.
 */
import type { Part, StreamResponse, TaskArtifactUpdateEvent } from "../../model/gen/types.ts";
import type { StreamEvent } from "../../operations/service.ts";
import { BinaryWriter, sizeOf } from "./binary-writer.ts";
import { writeStreamResponse } from "./gen/encode.ts";

// One writer for the process: nothing is awaited between its beginning and its end.
const writer = new BinaryWriter();
const headWriter = new BinaryWriter();

let lastBatch: readonly StreamEvent[] = [];
let lastFrames: Buffer = Buffer.alloc(0);

/** Encodes the events of one stream. */
export class EventFrames {
  /** Fields 1 and 2 of the update: the ids of its task. */
  #ids: Head = NO_HEAD;
  /** Fields 1 and 2 of the artifact: its id and its name. */
  #artifact: Head = NO_HEAD;
  #isAscii = true;
  readonly #write = (w: BinaryWriter, { value }: StreamEvent): void => {
    const text = textOfChunk(value);
    if (text === undefined) writeStreamResponse(w, value);
    else this.#writeChunk(w, value.artifactUpdate as TaskArtifactUpdateEvent, text);
  };

  /** The events of a batch, each in its frame. @throws ModelError for a value that protobuf cannot carry */
  encode(batch: readonly StreamEvent[]): Buffer {
    if (!isSame(batch, lastBatch)) {
      lastFrames = writer.collectFrames(this.#write, batch);
      lastBatch = batch;
    }
    return lastFrames;
  }

  /** The same bytes as the generated code writes, with all lengths known from that of the text. */
  #writeChunk(w: BinaryWriter, update: TaskArtifactUpdateEvent, text: string): void {
    const { artifact } = update;
    this.#ids = headOf(this.#ids, update.taskId, update.contextId);
    this.#artifact = headOf(this.#artifact, artifact.artifactId, artifact.name ?? "");
    const ids = this.#ids.bytes;
    const head = this.#artifact.bytes;
    const flags = (update.append === true ? 2 : 0) + (update.lastChunk === true ? 2 : 0);
    const bytes = this.#isAscii ? text.length : Buffer.byteLength(text);
    const part = fieldSize(bytes);
    const inner = head.length + fieldSize(part);
    const { place } = w;
    w.uint(TAGS.artifactUpdate);
    w.uint(ids.length + fieldSize(inner) + flags);
    w.copy(ids);
    w.uint(TAGS.artifact);
    w.uint(inner);
    w.copy(head);
    w.uint(TAGS.parts);
    w.uint(part);
    const { place: before } = w;
    w.text(TAGS.text, text);
    if (w.place - before !== part) {
      // Characters of more than one byte: they are counted from now on.
      this.#isAscii = false;
      w.rewind(place);
      this.#writeChunk(w, update, text);
      return;
    }
    if (update.append === true) w.bool(TAGS.append, true);
    if (update.lastChunk === true) w.bool(TAGS.lastChunk, true);
  }
}

/** Field numbers and wire types of what a chunk is made of. */
const TAGS = { artifactUpdate: 34, artifact: 26, parts: 34, text: 10, append: 32, lastChunk: 40 } as const;

/** Two texts, and how they are written as the fields 1 and 2 of a message. */
interface Head {
  readonly first: string;
  readonly second: string;
  readonly bytes: Uint8Array;
}

const NO_HEAD: Head = { first: "", second: "", bytes: new Uint8Array(0) };

function headOf(known: Head, first: string, second: string): Head {
  if (known.first === first && known.second === second) return known;
  return { first, second, bytes: headWriter.collect(false, writeHead, [first, second]) };
}

function writeHead(w: BinaryWriter, [first, second]: readonly [string, string]): void {
  if (first !== "") w.text(10, first);
  if (second !== "") w.text(18, second);
}

/** The text of an update that is nothing but one more text; undefined for every other event. */
function textOfChunk({ artifactUpdate: update, task, message, statusUpdate }: StreamResponse): string | undefined {
  if (update === undefined || task !== undefined || message !== undefined || statusUpdate !== undefined)
    return undefined;
  const { description, metadata, extensions, parts } = update.artifact;
  if (description !== undefined || metadata !== undefined || extensions !== undefined || update.metadata !== undefined)
    return undefined;
  const [part] = parts;
  if (part === undefined || parts.length > 1 || !isText(part)) return undefined;
  return part.text;
}

function isText(part: Part): part is Part & { readonly text: string } {
  const { text, raw, url, data, metadata, filename, mediaType } = part;
  if (typeof text !== "string" || raw !== undefined || url !== undefined || data !== undefined) return false;
  return metadata === undefined && filename === undefined && mediaType === undefined;
}

/** How much room a field of that many bytes takes, its tag and length included. */
function fieldSize(bytes: number): number {
  return 1 + sizeOf(bytes) + bytes;
}

function isSame(batch: readonly StreamEvent[], other: readonly StreamEvent[]): boolean {
  if (batch.length !== other.length) return false;
  for (let index = 0; index < batch.length; index++) if (batch[index] !== other[index]) return false;
  return true;
}
