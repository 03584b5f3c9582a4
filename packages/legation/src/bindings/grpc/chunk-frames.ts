/**
 * The frames of the chunks of one artifact: one more text each, thousands of times.
 *
 * Bytes are strings here, a character of that number for each: what is put together of hundreds of them is copied once,
 * when it is written, in one native call. What stands before a text depends on how many bytes that has and on nothing
 * else of it; of short ones it is kept for each length.
 */
import type { ArtifactForm, StreamEvent, TextChunk } from "../../operations/service.ts";
import type { BinaryWriter } from "./binary-writer.ts";

/** Field numbers and wire types of what a chunk is made of; `first` and `second` are its ids and names. */
const TAGS = { update: "\x22", artifact: "\x1a", part: "\x22", text: "\x0a", first: "\x0a", second: "\x12" } as const;

/** What stands behind the text of a chunk that is not the last: the field `append`, which is true. */
const APPEND = "\x20\x01";

/** Heads of texts from here on are made each time: guards against streams that keep one for every length. */
const LONG_BYTES = 256;

/** Writes chunks, in the same bytes as the generated code. */
export class ChunkFrames {
  readonly form: ArtifactForm;
  /** Fields 1 and 2 of the update: the ids of its task. */
  readonly #ids: string;
  /** Fields 1 and 2 of the artifact: its id and its name. */
  readonly #artifact: string;
  /** By how many bytes the text has. */
  readonly #heads: (string | undefined)[] = [];
  #isAscii = true;

  constructor(form: ArtifactForm) {
    this.form = form;
    this.#ids = firstFields(form.taskId, form.contextId);
    this.#artifact = firstFields(form.artifactId, form.name);
  }

  /** True for a chunk that is written here: of this artifact, and not the last. */
  takes(chunk: TextChunk | undefined): chunk is TextChunk {
    return chunk !== undefined && chunk.form === this.form && !chunk.isLast;
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
      const bytes = this.#isAscii ? chunk.text : bytesOf(chunk.text);
      frames += (this.#heads[bytes.length] ?? this.#headOf(bytes.length)) + bytes + APPEND;
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

  /** What stands before a text of so many bytes. */
  #headOf(bytes: number): string {
    const text = opened(TAGS.text, "", bytes);
    const part = opened(TAGS.part, text, bytes);
    const artifact = opened(TAGS.artifact, this.#artifact + part, bytes);
    const update = opened(TAGS.update, this.#ids + artifact, bytes + APPEND.length);
    const length = update.length + bytes + APPEND.length;
    const frame = `\0${String.fromCharCode(length >>> 24, (length >>> 16) & 255, (length >>> 8) & 255, length & 255)}`;
    const head = frame + update;
    // In one piece, as it is put in front of many texts.
    if (bytes < LONG_BYTES) this.#heads[bytes] = Buffer.from(head, "latin1").toString("latin1");
    return head;
  }
}

/** Two texts as the fields 1 and 2 of a message. */
function firstFields(first: string, second: string): string {
  return field(TAGS.first, first) + field(TAGS.second, second);
}

function field(tag: string, text: string): string {
  return text === "" ? "" : opened(tag, bytesOf(text), 0);
}

/** The beginning of a field: its tag, its length, and what is known of its content; `more` bytes follow. */
function opened(tag: string, content: string, more: number): string {
  let length = "";
  let rest = content.length + more;
  for (; rest > 127; rest >>>= 7) length += String.fromCharCode((rest & 127) | 128);
  return tag + length + String.fromCharCode(rest) + content;
}

/** A text in UTF-8. */
function bytesOf(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString("latin1");
}
