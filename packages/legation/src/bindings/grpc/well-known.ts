/** The well-known types that have a JSON form of their own: Struct, Value, Timestamp. */
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { MAX_JSON_DEPTH } from "../../model/json.ts";
import { canonicalTimestamp, isCanonicalTimestamp } from "../../model/timestamp.ts";
import { type BinaryReader, WireFault } from "./binary-reader.ts";
import { type BinaryWriter, notCanonical } from "./binary-writer.ts";

/** One level more than the validator allows, so that it is the validator who says where it is too deep. */
const MAX_DEPTH = MAX_JSON_DEPTH + 8;

const FIELD_1_LENGTH = 10;
const FIELD_2_LENGTH = 18;
const NULL_VALUE = 8;
const NUMBER_VALUE = 17;
const STRING_VALUE = 26;
const BOOL_VALUE = 32;
const STRUCT_VALUE = 42;
const LIST_VALUE = 50;
const VALUE_FIELDS = 0b111_1110;

/** Writes the fields of a Struct. Members that are undefined are left out, as JSON.stringify leaves them out. */
export function writeStruct(w: BinaryWriter, value: unknown, depth = 0): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw notCanonical("an object");
  if (depth > MAX_DEPTH) throw notCanonical(`nested at most ${MAX_JSON_DEPTH} levels deep`);
  const object = value as Record<string, unknown>;
  for (const key in object) {
    const member = object[key];
    if (member === undefined) continue;
    const entry = w.begin(FIELD_1_LENGTH);
    w.text(FIELD_1_LENGTH, key);
    const at = w.begin(FIELD_2_LENGTH);
    writeValue(w, member, depth + 1);
    w.end(at);
    w.end(entry);
  }
}

/** Writes the fields of a Value. */
export function writeValue(w: BinaryWriter, value: unknown, depth = 0): void {
  if (value === null) {
    w.int(NULL_VALUE, 0);
    return;
  }
  switch (typeof value) {
    case "string":
      w.text(STRING_VALUE, value);
      break;
    case "number":
      w.double(NUMBER_VALUE, value);
      break;
    case "boolean":
      w.bool(BOOL_VALUE, value);
      break;
    case "object": {
      const at = w.begin(Array.isArray(value) ? LIST_VALUE : STRUCT_VALUE);
      if (Array.isArray(value)) writeList(w, value, depth);
      else writeStruct(w, value, depth);
      w.end(at);
      break;
    }
    default:
      throw notCanonical(`JSON, ${typeof value} is none`);
  }
}

function writeList(w: BinaryWriter, list: readonly unknown[], depth: number): void {
  if (depth > MAX_DEPTH) throw notCanonical(`nested at most ${MAX_JSON_DEPTH} levels deep`);
  for (const element of list) {
    const at = w.begin(FIELD_1_LENGTH);
    writeValue(w, element, depth + 1);
    w.end(at);
  }
}

/** Reads a Struct into `into`: given twice, its members come together. */
export function readStruct(r: BinaryReader, end: number, into: unknown = {}, depth = 0): JsonObject {
  guardDepth(r, depth);
  const object = into as JsonObject;
  while (r.at < end) {
    const tag = r.tag(end);
    if (tag === FIELD_1_LENGTH) readMember(r, r.stop(end), object, depth);
    else r.skip(tag, 0b10, end);
  }
  return object;
}

function readMember(r: BinaryReader, end: number, object: JsonObject, depth: number): void {
  let key = "";
  let value: JsonValue = null;
  while (r.at < end) {
    const tag = r.tag(end);
    if (tag === FIELD_1_LENGTH) key = r.text(end);
    else if (tag === FIELD_2_LENGTH) value = readValue(r, r.stop(end), depth + 1);
    else r.skip(tag, 0b110, end);
  }
  setMember(object, key, value);
}

/** Sets a member, `__proto__` too, as an ordinary one. */
export function setMember(object: object, key: string, value: unknown): void {
  if (key !== "__proto__") (object as Record<string, unknown>)[key] = value;
  else Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

/** Reads a Value; one in which nothing is set is null. */
export function readValue(r: BinaryReader, end: number, depth = 0): JsonValue {
  let value: JsonValue = null;
  while (r.at < end) {
    const tag = r.tag(end);
    switch (tag) {
      case NULL_VALUE:
        r.uint(end);
        value = null;
        break;
      case NUMBER_VALUE:
        value = r.double(end);
        break;
      case STRING_VALUE:
        value = r.text(end);
        break;
      case BOOL_VALUE:
        value = r.bool(end);
        break;
      case STRUCT_VALUE:
        value = readStruct(r, r.stop(end), isObject(value) ? value : {}, depth);
        break;
      case LIST_VALUE:
        value = readList(r, r.stop(end), Array.isArray(value) ? value : [], depth);
        break;
      default:
        r.skip(tag, VALUE_FIELDS, end);
    }
  }
  return value;
}

function readList(r: BinaryReader, end: number, list: JsonValue[], depth: number): JsonValue[] {
  guardDepth(r, depth);
  while (r.at < end) {
    const tag = r.tag(end);
    if (tag === FIELD_1_LENGTH) list.push(readValue(r, r.stop(end), depth + 1));
    else r.skip(tag, 0b10, end);
  }
  return list;
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function guardDepth(r: BinaryReader, depth: number): void {
  if (depth > MAX_DEPTH) throw new WireFault("wrong", r.at, `JSON nested deeper than ${MAX_JSON_DEPTH} levels`);
}

// The status of a task and the next one are often of one millisecond, and so are those of many tasks.
let lastTime = "";
let lastMs = Number.NaN;

/** Writes the fields of a Timestamp. */
export function writeTimestamp(w: BinaryWriter, value: unknown): void {
  if (value !== lastTime) {
    const canonical = typeof value !== "string" || isCanonicalTimestamp(value) ? value : canonicalTimestamp(value);
    if (typeof canonical !== "string") throw notCanonical("an RFC 3339 time such as 2026-08-01T12:00:00.000Z");
    lastMs = Date.parse(canonical);
    lastTime = value as string;
  }
  const ms = lastMs;
  const seconds = Math.floor(ms / 1000);
  const nanos = (ms - seconds * 1000) * 1_000_000;
  if (seconds !== 0) {
    w.uint(8);
    if (seconds > 0 && seconds < 0x1_0000_0000) w.uint(seconds);
    else w.long(BigInt(seconds));
  }
  if (nanos !== 0) w.int(16, nanos);
}

/** The years 1 to 9999, in seconds since 1970: all that RFC 3339 can write. */
const MIN_SECONDS = -62_135_596_800n;
const MAX_SECONDS = 253_402_300_799n;

/** Reads a Timestamp as a canonical time; one that is out of range becomes a text that the validator refuses. */
export function readTimestamp(r: BinaryReader, end: number): string {
  let seconds = 0n;
  let nanos = 0;
  while (r.at < end) {
    const tag = r.tag(end);
    if (tag === 8) seconds = r.long(end);
    else if (tag === 16) nanos = r.int(end);
    else r.skip(tag, 0b110, end);
  }
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS || nanos < 0 || nanos > 999_999_999) {
    return `${seconds} s and ${nanos} ns since 1970`;
  }
  return new Date(Number(seconds) * 1000 + Math.floor(nanos / 1_000_000)).toISOString();
}
