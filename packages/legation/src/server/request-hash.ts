/**
 * The hash by which a repeated request is told from another one under the same message id.
 *
 * It is fast and deterministic on every runtime, and not cryptographic: a caller that makes two of its own requests
 * collide gets the answer to its own earlier one.
 */
import type { JsonValue } from "../model/json.ts";

/**
 * JSON text with the keys of every object in order, so that equal values have equal text.
 *
 * @param value anything that JSON can carry; a member that is undefined counts as absent
 */
export function canonicalJson(value: JsonValue | object): string {
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item as JsonValue)).join(",")}]`;
  let text = "";
  const members = value as { readonly [key: string]: JsonValue | undefined };
  for (const key of sortedKeys(members)) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/**
 * 128 bits over a value, the same for the same value in whatever order its members stand. They are made of its strings
 * and of marks of its structure, with the steps of MurmurHash3; no text is made on the way.
 *
 * @param value anything that JSON can carry; a member that is undefined counts as absent
 * @returns 22 digits of base64url
 */
export function hashJson(value: JsonValue | object): string {
  a = b = c = d = 0;
  absorb(value);
  return finish();
}

/** 128 bits over the UTF-16 code units of a text, as 22 digits of base64url. */
export function hash128(text: string): string {
  a = b = c = d = 0;
  absorbText(text);
  return finish();
}

// The four lanes of the hash under way: nothing here waits, so there is only ever one.
let a = 0;
let b = 0;
let c = 0;
let d = 0;

/** What stands before each kind of value, so that no two structures read alike. */
const MARK = { object: 1, array: 2, end: 3, number: 4, true: 5, false: 6, null: 7 } as const;

function absorb(value: unknown): void {
  switch (typeof value) {
    case "string":
      absorbText(value);
      return;
    case "number":
      absorbWord(MARK.number);
      // As JSON writes it: -0 is 0.
      absorbText(String(value));
      return;
    case "boolean":
      absorbWord(value ? MARK.true : MARK.false);
      return;
    default:
      if (value === null) absorbWord(MARK.null);
      else if (Array.isArray(value)) absorbItems(value);
      else absorbMembers(value as Readonly<Record<string, unknown>>);
  }
}

function absorbItems(items: readonly unknown[]): void {
  absorbWord(MARK.array);
  for (const item of items) absorb(item);
  absorbWord(MARK.end);
}

function absorbMembers(members: Readonly<Record<string, unknown>>): void {
  absorbWord(MARK.object);
  for (const key of sortedKeys(members)) {
    const member = members[key];
    if (member === undefined) continue;
    absorbText(key);
    absorb(member);
  }
  absorbWord(MARK.end);
}

/** Up to so many keys are put in order here: the sort of the runtime costs more than a message has keys. */
const FEW_KEYS = 16;

function sortedKeys(members: object): string[] {
  const keys = Object.keys(members);
  if (keys.length > FEW_KEYS) return keys.sort();
  for (let at = 1; at < keys.length; at++) {
    const key = keys[at] as string;
    let to = at;
    for (; to > 0 && (keys[to - 1] as string) > key; to--) keys[to] = keys[to - 1] as string;
    keys[to] = key;
  }
  return keys;
}

/** One word: it is mixed into the oldest lane, which becomes the newest. */
function absorbWord(word: number): void {
  const mixed = mix(a, b, word);
  a = b;
  b = c;
  c = d;
  d = mixed;
}

function absorbText(text: string): void {
  const { length } = text;
  // No mark of structure is that large, so a text is told from one.
  absorbWord(length + 0x1000);
  // The lanes as locals: a variable of the module is written to memory at every step.
  let [p, q, r, s] = [a, b, c, d];
  let at = 1;
  for (; at < length; at += 2) {
    const mixed = mix(p, q, text.charCodeAt(at - 1) | (text.charCodeAt(at) << 16));
    p = q;
    q = r;
    r = s;
    s = mixed;
  }
  [a, b, c, d] = [p, q, r, s];
  if (at === length) absorbWord(text.charCodeAt(at - 1));
}

function finish(): string {
  const first = a + b + c + d;
  const [p, q, r, s] = [avalanche(first), avalanche(b + first), avalanche(c + first), avalanche(d + first)];
  const sum = (p + q + r + s) | 0;
  return digits(sum, (q + sum) | 0, (r + sum) | 0, (s + sum) | 0);
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const digit = (bits: number): number => ALPHABET.charCodeAt(bits & 63);

/** Base64url of four words, most significant byte first; in one go, so that the string is flat. */
function digits(p: number, q: number, r: number, s: number): string {
  return String.fromCharCode(
    digit(p >>> 26),
    digit(p >>> 20),
    digit(p >>> 14),
    digit(p >>> 8),
    digit(p >>> 2),
    digit((p << 4) | (q >>> 28)),
    digit(q >>> 22),
    digit(q >>> 16),
    digit(q >>> 10),
    digit(q >>> 4),
    digit((q << 2) | (r >>> 30)),
    digit(r >>> 24),
    digit(r >>> 18),
    digit(r >>> 12),
    digit(r >>> 6),
    digit(r),
    digit(s >>> 26),
    digit(s >>> 20),
    digit(s >>> 14),
    digit(s >>> 8),
    digit(s >>> 2),
    digit(s << 4),
  );
}

function mix(lane: number, next: number, word: number): number {
  const scattered = Math.imul(rotate(Math.imul(word, 0x239b961b), 15), 0xab0e9789);
  return (Math.imul(rotate(lane ^ scattered, 19) + next, 5) + 0x561ccd1b) | 0;
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

function avalanche(lane: number): number {
  let value = lane ^ (lane >>> 16);
  value = Math.imul(value, 0x85ebca6b);
  value ^= value >>> 13;
  value = Math.imul(value, 0xc2b2ae35);
  return value ^ (value >>> 16);
}
