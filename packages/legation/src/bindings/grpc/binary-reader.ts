/**
 * Reads the protobuf wire format. Unknown fields are skipped; everything that is not well formed is refused, never
 * guessed at.
 */
import { isUtf8 } from "node:buffer";

/** How deep groups, which nobody writes any more, may be nested in what is skipped. Guards the stack. */
const MAX_GROUP_DEPTH = 32;

const WIRE_TYPES = ["a varint", "64 bits", "a length", "a group", "the end of a group", "32 bits"] as const;

/** Bytes that are no message. `kind` tells bytes that are broken from a field that has the wrong form. */
export class WireFault extends Error {
  override readonly name = "WireFault";
  readonly kind: "broken" | "wrong";

  constructor(kind: "broken" | "wrong", at: number, what: string) {
    super(`byte ${at}: ${what}`);
    this.kind = kind;
  }
}

/** A place in the bytes of one message. */
export class BinaryReader {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.at = 0;
  }

  /** How many bytes there are. */
  get length(): number {
    return this.#bytes.length;
  }

  /** The next tag: field number and wire type. */
  tag(end: number): number {
    const start = this.at;
    const tag = this.uint(end);
    if (tag < 8) throw new WireFault("broken", start, "a tag without a field number");
    return tag;
  }

  /** A varint of which the lower 32 bits count, unsigned. */
  uint(end: number): number {
    const bytes = this.#bytes;
    let byte = this.#byte(bytes, end);
    let value = byte & 127;
    for (let shift = 7; byte > 127; shift += 7) {
      if (shift > 63) throw new WireFault("broken", this.at, "a number of more than ten bytes");
      byte = this.#byte(bytes, end);
      if (shift < 32) value |= (byte & 127) << shift;
    }
    return value >>> 0;
  }

  /** A varint as a signed 32-bit number. */
  int(end: number): number {
    return this.uint(end) | 0;
  }

  /** A varint as a boolean: any of its bits counts. */
  bool(end: number): boolean {
    return this.long(end) !== 0n;
  }

  /** A varint as a signed 64-bit number. */
  long(end: number): bigint {
    const bytes = this.#bytes;
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#byte(bytes, end);
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asIntN(64, value);
    }
    throw new WireFault("broken", this.at, "a number of more than ten bytes");
  }

  /** A double. */
  double(end: number): number {
    const start = this.#take(8, end);
    return this.#bytes.readDoubleLE(start);
  }

  /** A text, its length in front. */
  text(end: number): string {
    return this.textTo(this.stop(end));
  }

  /** A text from here to `stop`. */
  textTo(stop: number): string {
    const start = this.at;
    this.at = stop;
    const text = this.#bytes.toString("utf8", start, stop);
    // U+FFFD is what a broken sequence is read as; it may also stand there itself.
    if (text.includes("\uFFFD") && !isUtf8(this.#bytes.subarray(start, stop))) {
      throw new WireFault("wrong", start, "a text that is not UTF-8");
    }
    return text;
  }

  /** Bytes, not copied. */
  bytes(end: number): Buffer {
    const stop = this.stop(end);
    const bytes = this.#bytes.subarray(this.at, stop);
    this.at = stop;
    return bytes;
  }

  /** The length in front of a nested message. @returns where it stops */
  stop(end: number): number {
    const start = this.at;
    const length = this.uint(end);
    const stop = this.at + length;
    if (stop > end) throw new WireFault("broken", start, `a length of ${length} where ${end - this.at} bytes are left`);
    return stop;
  }

  /**
   * Skips a field that is not known.
   *
   * @param known bit n is set where field n is one of the message, and its wire type must then be the wrong one
   * @throws WireFault for a known field and for a wire type that there is not
   */
  skip(tag: number, known: number, end: number): void {
    const field = tag >>> 3;
    if (field < 32 && (known & (1 << field)) !== 0) {
      const found = WIRE_TYPES[tag & 7] ?? `wire type ${tag & 7}`;
      throw new WireFault("wrong", this.at, `field ${field} holds ${found}, which is not its type`);
    }
    this.#skip(tag, end, 0);
  }

  #skip(tag: number, end: number, depth: number): void {
    switch (tag & 7) {
      case 0:
        this.uint(end);
        break;
      case 1:
        this.#take(8, end);
        break;
      case 2:
        this.at = this.stop(end);
        break;
      case 3:
        this.#skipGroup(tag, end, depth);
        break;
      case 5:
        this.#take(4, end);
        break;
      default:
        throw new WireFault("broken", this.at, `wire type ${tag & 7}, which there is not here`);
    }
  }

  #skipGroup(start: number, end: number, depth: number): void {
    if (depth > MAX_GROUP_DEPTH) throw new WireFault("broken", this.at, `groups deeper than ${MAX_GROUP_DEPTH}`);
    const last = start + 1;
    for (let tag = this.tag(end); tag !== last; tag = this.tag(end)) this.#skip(tag, end, depth + 1);
  }

  #byte(bytes: Buffer, end: number): number {
    const byte = this.at < end ? bytes[this.at] : undefined;
    if (byte === undefined) throw new WireFault("broken", this.at, "the message ends in the middle of a field");
    this.at++;
    return byte;
  }

  #take(count: number, end: number): number {
    const start = this.at;
    if (start + count > end) throw new WireFault("broken", start, "the message ends in the middle of a field");
    this.at = start + count;
    return start;
  }
}
