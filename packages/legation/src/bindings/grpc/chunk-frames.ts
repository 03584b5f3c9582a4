/**
 * The frames of the chunks of one artifact: one more text each, thousands of times. What stands before the text depends
 * on how many bytes that has and on nothing else of it: it is kept from the first text of each length.
 */
import type { ArtifactForm, StreamEvent } from "../../operations/service.ts";
import type { BinaryWriter } from "./binary-writer.ts";
import { writeStreamResponse } from "./gen/encode.ts";

/** What stands behind the text of a chunk that is not the last: the field `append`, which is true. */
const APPEND = "\x20\x01";

/** From so many bytes on a text is encoded as any event is: guards against streams that keep a head for every length. */
const LONG_BYTES = 128;

/** Writes chunks in the same bytes as the generated code. */
export class ChunkFrames {
  readonly form: ArtifactForm;
  /** By how many bytes the text has; a string holds bytes in the least memory. */
  readonly #heads: (string | undefined)[] = [];
  #isAscii = true;

  constructor(form: ArtifactForm) {
    this.form = form;
  }

  /** Writes a chunk of this artifact that is not the last, in its frame. */
  write(w: BinaryWriter, event: StreamEvent, text: string): void {
    const bytes = this.#isAscii ? text.length : Buffer.byteLength(text);
    const head = this.#heads[bytes];
    if (head === undefined) {
      this.#writeWhole(w, event, text);
      return;
    }
    const { place } = w;
    w.copy(head);
    if (w.utf8(text) === bytes) w.copy(APPEND);
    else {
      // Characters of more than one byte: they are counted from now on.
      this.#isAscii = false;
      w.rewind(place);
      this.write(w, event, text);
    }
  }

  #writeWhole(w: BinaryWriter, event: StreamEvent, text: string): void {
    const { place } = w;
    w.frame(writeStreamResponse, event.value);
    const bytes = Buffer.byteLength(text);
    if (bytes < LONG_BYTES) this.#heads[bytes] = w.written(place, w.place - APPEND.length - bytes);
  }
}
