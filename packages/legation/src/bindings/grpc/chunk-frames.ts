/**
 * The frames of the chunks of one artifact: one more text each, thousands of times.
 *
 * What stands before a text depends on how many bytes that has and on nothing else of it, so it is kept for each length.
 * Bytes are strings here, a character of that number for each: what is put together of hundreds of them is copied once,
 * when it is written, in one native call.
 */
import type { ArtifactForm, StreamEvent, TextChunk } from "../../operations/service.ts";
import { BinaryWriter } from "./binary-writer.ts";
import { writeStreamResponse } from "./gen/encode.ts";

/** What stands behind the text of a chunk that is not the last: the field `append`, which is true. */
const APPEND = "\x20\x01";

/** Texts from here on are encoded as any event is: guards against streams that keep a head for every length. */
const LONG_CHARS = 128;

const writer = new BinaryWriter();

/** Writes chunks, in the same bytes as the generated code. */
export class ChunkFrames {
  readonly form: ArtifactForm;
  /** By how many bytes the text has. */
  readonly #heads: (string | undefined)[] = [];
  #isAscii = true;

  constructor(form: ArtifactForm) {
    this.form = form;
  }

  /** True for a chunk that is written here: of this artifact, short, and not the last. */
  takes(chunk: TextChunk | undefined): boolean {
    return chunk !== undefined && chunk.form === this.form && !chunk.isLast && chunk.text.length < LONG_CHARS;
  }

  /**
   * Writes the chunks that stand together in a batch, each in its frame.
   *
   * @param from the first of them
   * @returns the index behind the last one
   */
  write(w: BinaryWriter, batch: readonly StreamEvent[], from: number): number {
    let frames = "";
    let texts = "";
    let index = from;
    for (; index < batch.length; index++) {
      const chunk = batch[index]?.chunk;
      if (!this.takes(chunk)) break;
      const { text } = chunk as TextChunk;
      const bytes = this.#isAscii ? text : Buffer.from(text).toString("latin1");
      frames += this.#headOf(bytes.length) + bytes + APPEND;
      texts += bytes;
    }
    if (this.#isAscii && Buffer.byteLength(texts) > texts.length) {
      // Characters of more than one byte: each text is looked at from now on.
      this.#isAscii = false;
      return this.write(w, batch, from);
    }
    w.latin1(frames);
    return index;
  }

  #headOf(bytes: number): string {
    let head = this.#heads[bytes];
    if (head === undefined) {
      const { taskId, contextId, artifactId, name } = this.form;
      const artifact = { artifactId, name, parts: [{ text: " ".repeat(bytes) }] };
      const value = { artifactUpdate: { taskId, contextId, artifact, append: true } };
      const frame = writer.collect(true, writeStreamResponse, value);
      head = frame.toString("latin1", 0, frame.length - bytes - APPEND.length);
      this.#heads[bytes] = head;
    }
    return head;
  }
}
