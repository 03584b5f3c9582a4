/**
 * Writes the protobuf wire format into one growing buffer.
 *
 * A nested message is written behind one reserved byte of length; where it turns out longer than that byte can say, it
 * is moved. Nearly all are shorter, and no message is visited twice.
 */
import { ModelError } from "../../model/model-error.ts";

/** Room that is kept for the next number or tag, so that the checks of room are few. */
const SLACK = 20;

/** A buffer that grew beyond this is let go after use: one large artifact must not hold memory for good. */
const KEEP_BYTES = 1 << 20;

/** The longest text that is copied character by character; longer ones are faster in the runtime's own code. */
const SHORT_CHARS = 24;

/** Bytes in front of a message on the stream: a flag and the length. */
export const FRAME_HEAD = 5;

/** One writer, used again and again. */
export class BinaryWriter {
  #buffer: Buffer = Buffer.allocUnsafe(4_096);
  #at = 0;

  /**
   * Runs `write` and gives a copy of what it wrote. Not to be called from inside `write`.
   *
   * @param framed true: in front stand the five bytes of a gRPC frame, uncompressed
   */
  collect<T>(framed: boolean, write: (writer: BinaryWriter, value: T) => void, value: T): Buffer {
    const head = framed ? FRAME_HEAD : 0;
    this.#at = head;
    try {
      write(this, value);
      const result = Buffer.allocUnsafe(this.#at);
      this.#buffer.copy(result, head, head, this.#at);
      if (framed) {
        result[0] = 0;
        result.writeUInt32BE(this.#at - head, 1);
      }
      return result;
    } finally {
      if (this.#buffer.length > KEEP_BYTES) this.#buffer = Buffer.allocUnsafe(4_096);
    }
  }

  /** A tag, or any number below 2^32. */
  uint(value: number): void {
    if (this.#at + SLACK > this.#buffer.length) this.#grow(SLACK);
    let rest = value;
    while (rest > 127) {
      this.#buffer[this.#at++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.#buffer[this.#at++] = rest;
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
    const bytes = Buffer.byteLength(value);
    this.uint(bytes);
    if (this.#at + bytes + SLACK > this.#buffer.length) this.#grow(bytes + SLACK);
    this.#at += this.#buffer.write(value, this.#at, bytes, "utf8");
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
    return this.#at++;
  }

  /** Closes a nested message. */
  end(from: number): void {
    const length = this.#at - from - 1;
    if (length < 128) {
      this.#buffer[from] = length;
      return;
    }
    let extra = 1;
    for (let rest = length >>> 14; rest > 0; rest >>>= 7) extra++;
    if (this.#at + extra + SLACK > this.#buffer.length) this.#grow(extra + SLACK);
    this.#buffer.copyWithin(from + 1 + extra, from + 1, this.#at);
    const end = this.#at + extra;
    this.#at = from;
    this.uint(length);
    this.#at = end;
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

  #grow(bytes: number): void {
    const grown = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(grown, 0, 0, this.#at);
    this.#buffer = grown;
  }
}

/** The error for a value that is not canonical ProtoJSON of its type. */
export function notCanonical(wanted: string): ModelError {
  return new ModelError([{ field: "", description: `must be ${wanted}` }]);
}
