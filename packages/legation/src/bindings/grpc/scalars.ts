/** What the generated codec calls for fields that are more than one value of the wire. */
import { encodeBase64 } from "../../model/bytes.ts";
import type { EnumNames } from "../../model/enum-names.ts";
import type { Loose } from "../../model/notes.ts";
import type { BinaryReader } from "./binary-reader.ts";
import { type BinaryWriter, notCanonical } from "./binary-writer.ts";

/** Writes an enum by the number of its name. */
export function writeEnum(w: BinaryWriter, tag: number, value: unknown, { names, word }: EnumNames): void {
  const number = names.indexOf(value as string);
  if (number < 1) throw notCanonical(`a ${word}: ${names.slice(1).join(", ")}`);
  w.uint(tag);
  w.uint(number);
}

/** Reads an enum as its name: 0 is unset, a number that is not known stays a number, which the validator judges. */
export function readEnum(r: BinaryReader, end: number, { names }: EnumNames): string | number | undefined {
  const number = r.int(end);
  return number === 0 ? undefined : (names[number] ?? number);
}

/** Writes bytes that JSON has as base64, padded or not, in either alphabet. */
export function writeBase64(w: BinaryWriter, tag: number, value: unknown): void {
  if (typeof value !== "string") throw notCanonical("base64 text");
  const bytes = Buffer.from(value, "base64");
  const padding = value.endsWith("==") ? 2 : value.endsWith("=") ? 1 : 0;
  // The runtime skips what is not base64, and then there are fewer bytes than the text is long.
  if (bytes.length !== Math.floor(((value.length - padding) * 3) / 4)) throw notCanonical("base64 text");
  w.bytes(tag, bytes);
}

/** Reads bytes as base64. */
export function readBase64(r: BinaryReader, end: number): string {
  return encodeBase64(r.bytes(end));
}

/** Refuses an object in which more than one member of a oneof is set. */
export function requireOneArm(a: boolean, b: boolean, c = false, d = false, e = false): void {
  if (Number(a) + Number(b) + Number(c) + Number(d) + Number(e) > 1) throw notCanonical("exactly one of its kinds");
}

/** Takes away what was read for other members of a oneof: the last one on the wire counts. */
export function dropArms(object: Loose, arms: readonly string[], kept: string): void {
  for (const arm of arms) if (arm !== kept && object[arm] !== undefined) delete object[arm];
}

/** The object that was already read for a field: protobuf brings together what comes in pieces. */
export function objectOf(value: unknown): Loose {
  return value === undefined ? {} : (value as Loose);
}

/** The list that was already read for a field, with one element more. */
export function listOf(list: unknown, element: unknown): unknown[] {
  if (list === undefined) return [element];
  (list as unknown[]).push(element);
  return list as unknown[];
}
