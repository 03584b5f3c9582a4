/**
 * The frames of the events of one stream, a batch in one piece.
 *
 * What a batch was encoded as is kept until another one is: the subscribers of a task are given a batch one right after
 * the other.
 */
import type { StreamEvent } from "../../operations/service.ts";
import { BinaryWriter } from "./binary-writer.ts";
import { ChunkFrames } from "./chunk-frames.ts";
import { writeStreamResponse } from "./gen/encode.ts";

// One writer for the process: nothing is awaited between its beginning and its end.
const writer = new BinaryWriter();

let lastBatch: readonly StreamEvent[] = [];
let lastFrames: Buffer = Buffer.alloc(0);

/** Encodes the events of one stream. */
export class EventFrames {
  /** For the artifact that grew last. */
  #chunks: ChunkFrames | undefined;
  readonly #write = (w: BinaryWriter, batch: readonly StreamEvent[]): void => {
    for (let index = 0; index < batch.length; ) {
      const event = batch[index] as StreamEvent;
      const { chunk } = event;
      if (chunk !== undefined && this.#chunks?.form !== chunk.form) this.#chunks = new ChunkFrames(chunk.form);
      if (this.#chunks?.takes(chunk) === true) index = this.#chunks.write(w, batch, index);
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
}

function isSame(batch: readonly StreamEvent[], other: readonly StreamEvent[]): boolean {
  if (batch.length !== other.length) return false;
  for (let index = 0; index < batch.length; index++) if (batch[index] !== other[index]) return false;
  return true;
}
