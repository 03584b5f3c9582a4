/**
 * The frames of the events of one stream, a batch in one piece.
 *
 * What a batch was encoded as is kept until another one is: the subscribers of a task are given a batch one right after
 * the other.
 */
import type { ArtifactForm, StreamEvent } from "../../operations/service.ts";
import { BinaryWriter } from "./binary-writer.ts";
import { ChunkFrames } from "./chunk-frames.ts";
import { writeStreamResponse } from "./gen/encode.ts";

// One writer for the process: nothing is awaited between its beginning and its end.
const writer = new BinaryWriter();

let lastBatch: readonly StreamEvent[] = [];
let lastFrames: Buffer = Buffer.alloc(0);

/** How many artifacts of a stream may grow side by side before what is kept for one of them is made anew. */
const SIDE_BY_SIDE = 4;

/** Encodes the events of one stream. */
export class EventFrames {
  /** For the artifacts that grew last. */
  readonly #chunks: ChunkFrames[] = [];
  readonly #write = (w: BinaryWriter, batch: readonly StreamEvent[]): void => {
    for (let index = 0; index < batch.length; ) {
      const event = batch[index] as StreamEvent;
      const { chunk } = event;
      const chunks = chunk === undefined ? undefined : this.#chunksOf(chunk.form);
      if (chunks?.takes(chunk) === true) index = chunks.write(w, batch, index);
      else {
        w.frame(writeStreamResponse, event.value);
        index++;
      }
    }
  };

  /** The events of a batch, each in its frame. @throws ModelError for a value that protobuf cannot carry */
  encode(batch: readonly StreamEvent[]): Buffer {
    if (!isSame(batch, lastBatch)) {
      lastFrames = writer.collect(false, this.#write, batch);
      lastBatch = batch;
    }
    return lastFrames;
  }

  #chunksOf(form: ArtifactForm): ChunkFrames {
    let chunks = this.#chunks.find((known) => known.form === form);
    if (chunks === undefined) {
      chunks = new ChunkFrames(form);
      if (this.#chunks.unshift(chunks) > SIDE_BY_SIDE) this.#chunks.pop();
    }
    return chunks;
  }
}

function isSame(batch: readonly StreamEvent[], other: readonly StreamEvent[]): boolean {
  if (batch.length !== other.length) return false;
  for (let index = 0; index < batch.length; index++) if (batch[index] !== other[index]) return false;
  return true;
}
