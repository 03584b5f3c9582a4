/**
 * Writes the protobuf wire format.
 *
 * What it writes lies in slabs that several messages share, so that no message is copied. Lengths come before their
 * contents and are known after them: room for a length is kept by what the last message at that depth needed, and the
 * contents are moved where the guess was wrong. Nothing is visited twice.
 */
import { ModelError } from "../../model/model-error.ts";

/** Bytes in front of a message on the stream: a flag and the length. */
export const FRAME_HEAD = 5;

/** Room that is kept for the next number or tag, so that the checks of room are few. */
const SLACK = 20;

/** Messages share slabs of this size; one that is longer than what is left begins a new one. */
const SLAB_BYTES = 16_384;

/** Texts up to here are copied character by character while they are ASCII; longer ones are faster in one native call. */
const SHORT_CHARS = 48;

/** Texts from here on are measured before room is made for them; for shorter ones room for the worst case is made. */
const LONG_CHARS = 1_024;

/** How deep guesses of lengths are kept; deeper messages (of Struct) always begin with one byte. */
const GUESSED_DEPTH = 8;

/** One writer, used again and again. */
export class BinaryWriter {
  #slab: Buffer = Buffer.allocUnsafeSlow(SLAB_BYTES);
  /** How much of the slab is taken. */
  #taken = 0;
  /** The slab, or a buffer of its own for a message that is too long for one. */
  #buffer: Buffer = this.#slab;
  /** Where the message of now begins. */
  #start = 0;
  #at = 0;
  #depth = 0;
  readonly #guesses: Uint8Array = new Uint8Array(GUESSED_DEPTH).fill(1);

  /**
   * Runs `write` and gives what it wrote. Not to be called from inside `write`.
   *
   * @param framed true: in front stand the five bytes of a gRPC frame, uncompressed
   */
  collect<T>(framed: boolean, write: (writer: BinaryWriter, value: T) => void, value: T): Buffer {
    this.#start = this.#at;
    try {
      if (framed) this.frame(write, value);
      else {
        this.#depth = 0;
        write(this, value);
      }
    } catch (thrown) {
      this.#rest();
      throw thrown;
    }
    return this.#take();
  }

  /** One of several messages of a piece, in its frame. */
  frame<T>(write: (writer: BinaryWriter, value: T) => void, value: T): void {
    this.#depth = 0;
    if (this.#at + FRAME_HEAD + SLACK > this.#buffer.length) this.#grow(FRAME_HEAD + SLACK);
    const from = this.#at - this.#start;
    this.#at += FRAME_HEAD;
    write(this, value);
    const head = this.#start + from;
    this.#buffer[head] = 0;
    this.#buffer.writeUInt32BE(this.#at - head - FRAME_HEAD, head + 1);
  }

  #take(): Buffer {
    const result = this.#buffer.subarray(this.#start, this.#at);
    if (this.#buffer === this.#slab) this.#taken = this.#at;
    else this.#rest();
    return result;
  }

  /** Goes back to the slab, behind what is taken of it. */
  #rest(): void {
    this.#buffer = this.#slab;
    this.#at = this.#taken;
  }

  /** Fields or frames that are written already, each byte as the character of that number. */
  latin1(bytes: string): void {
    const { length } = bytes;
    if (this.#at + length + SLACK > this.#buffer.length) this.#grow(length + SLACK);
    this.#at += this.#buffer.write(bytes, this.#at, length, "latin1");
  }

  /** A tag, or any number below 2^32. */
  uint(value: number): void {
    if (this.#at + SLACK > this.#buffer.length) this.#grow(SLACK);
    this.#at = putUint(this.#buffer, this.#at, value);
  }

  /** A signed 32-bit number: negative ones take ten bytes, as protobuf has it. */
  int(tag: number, value: unknown): void {
    if (typeof value !== "number" || (value | 0) !== value) throw notCanonical("a 32-bit integer");
    this.uint(tag);
    if (value >= 0) this.uint(value);
    else this.long(BigInt(value));
  }

  /** A signed 64-bit number. */
  long(value: bigint): void {
    if (this.#at + SLACK > this.#buffer.length) this.#grow(SLACK);
    let rest = BigInt.asUintN(64, value);
    while (rest > 127n) {
      this.#buffer[this.#at++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.#buffer[this.#at++] = Number(rest);
  }

  /** A boolean. */
  bool(tag: number, value: unknown): void {
    if (typeof value !== "boolean") throw notCanonical("true or false");
    this.uint(tag);
    this.#buffer[this.#at++] = value ? 1 : 0;
  }

  /** A double. */
  double(tag: number, value: number): void {
    if (!Number.isFinite(value)) throw notCanonical(`JSON: ${value} cannot be sent`);
    this.uint(tag);
    this.#at = this.#buffer.writeDoubleLE(value, this.#at);
  }

  /** A text. A lone surrogate, which UTF-8 cannot carry, becomes U+FFFD. */
  text(tag: number, value: unknown): void {
    if (typeof value !== "string") throw notCanonical("a string");
    this.uint(tag);
    const { length } = value;
    if (length <= SHORT_CHARS && this.#shortAscii(value, length)) return;
    const most = length > LONG_CHARS ? Buffer.byteLength(value) : length * 3;
    if (this.#at + most + SLACK > this.#buffer.length) this.#grow(most + SLACK);
    // The length is guessed as if the text were ASCII, which most are.
    const guess = sizeOf(length);
    const bytes = this.#buffer.write(value, this.#at + guess, most, "utf8");
    this.#close(this.#at, guess, bytes);
  }

  /** Bytes. */
  bytes(tag: number, value: Uint8Array): void {
    this.uint(tag);
    this.uint(value.length);
    if (this.#at + value.length + SLACK > this.#buffer.length) this.#grow(value.length + SLACK);
    this.#buffer.set(value, this.#at);
    this.#at += value.length;
  }

  /** Opens a nested message. @returns what {@link end} is given */
  begin(tag: number): number {
    this.uint(tag);
    const from = this.#at - this.#start;
    this.#at += this.#guesses[this.#depth] ?? 1;
    this.#depth++;
    return from;
  }

  /** Closes a nested message. */
  end(from: number): void {
    this.#depth--;
    const start = this.#start + from;
    const guess = this.#guesses[this.#depth] ?? 1;
    const size = this.#close(start, guess, this.#at - start - guess);
    if (this.#depth < GUESSED_DEPTH) this.#guesses[this.#depth] = size;
  }

  /**
   * Writes a length where `guess` bytes are kept for it, and goes on behind the content.
   *
   * @returns how many bytes the length takes
   */
  #close(from: number, guess: number, bytes: number): number {
    const size = sizeOf(bytes);
    const place = size === guess ? from : this.#move(from, guess, size, bytes);
    this.#at = place + size + bytes;
    putUint(this.#buffer, place, bytes);
    return size;
  }

  #move(from: number, guess: number, size: number, bytes: number): number {
    const offset = from - this.#start;
    this.#at = from + guess + bytes;
    if (this.#at + SLACK > this.#buffer.length) this.#grow(SLACK);
    const place = this.#start + offset;
    this.#buffer.copyWithin(place + size, place + guess, place + guess + bytes);
    return place;
  }

  #shortAscii(value: string, length: number): boolean {
    if (this.#at + SHORT_CHARS + SLACK > this.#buffer.length) this.#grow(SHORT_CHARS + SLACK);
    const buffer = this.#buffer;
    const start = this.#at + 1;
    for (let index = 0; index < length; index++) {
      const code = value.charCodeAt(index);
      if (code > 127) return false;
      buffer[start + index] = code;
    }
    buffer[this.#at] = length;
    this.#at = start + length;
    return true;
  }

  // The message of now goes on in a new slab, or, where it is long, in a buffer that is no other's.
  #grow(bytes: number): void {
    const written = this.#at - this.#start;
    const needed = written + bytes;
    const isLong = needed >= SLAB_BYTES / 2;
    const grown = Buffer.allocUnsafeSlow(isLong ? needed + (needed >> 1) : SLAB_BYTES);
    this.#buffer.copy(grown, 0, this.#start, this.#at);
    if (!isLong) {
      this.#slab = grown;
      this.#taken = 0;
    }
    this.#buffer = grown;
    this.#start = 0;
    this.#at = written;
  }
}

/** Writes a number below 2^32 into bytes. @returns the place behind it */
function putUint(bytes: Uint8Array, place: number, value: number): number {
  let at = place;
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128;
  bytes[at++] = rest;
  return at;
}

/** How many bytes a length takes. */
function sizeOf(length: number): number {
  if (length < 0x80) return 1;
  if (length < 0x4000) return 2;
  if (length < 0x20_0000) return 3;
  return length < 0x1000_0000 ? 4 : 5;
}

/** The error for a value that is not canonical ProtoJSON of its type. */
export function notCanonical(wanted: string): ModelError {
  return new ModelError([{ field: "", description: `must be ${wanted}` }]);
}
