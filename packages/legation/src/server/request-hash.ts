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
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

/** 128 bits over the UTF-16 code units of a text, as 32 hexadecimal digits: MurmurHash3 x86_128 of their bytes. */
export function hash128(text: string): string {
  const { length } = text;
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  const whole = length - (length % 8);
  for (let at = 0; at < whole; at += 8) {
    a = Math.imul(rotate(a ^ mixA(pair(text, at)), 19) + b, 5) + 0x561ccd1b;
    b = Math.imul(rotate(b ^ mixB(pair(text, at + 2)), 17) + c, 5) + 0x0bcaa747;
    c = Math.imul(rotate(c ^ mixC(pair(text, at + 4)), 15) + d, 5) + 0x96cd1c35;
    d = Math.imul(rotate(d ^ mixD(pair(text, at + 6)), 13) + a, 5) + 0x32ac3b17;
  }
  // A missing code unit reads as NaN, and NaN | 0 is 0: the tail is padded with zeros, the length tells it apart.
  a ^= mixA(pair(text, whole));
  b ^= mixB(pair(text, whole + 2));
  c ^= mixC(pair(text, whole + 4));
  d ^= mixD(pair(text, whole + 6));
  return finish(a ^ (length * 2), b ^ (length * 2), c ^ (length * 2), d ^ (length * 2));
}

function finish(a: number, b: number, c: number, d: number): string {
  const first = a + b + c + d;
  const lanes = [first, b + first, c + first, d + first].map(avalanche);
  const sum = lanes.reduce((total, lane) => (total + lane) | 0, 0);
  const [, ...rest] = lanes;
  return [sum, ...rest.map((lane) => lane + sum)].map((lane) => (lane >>> 0).toString(16).padStart(8, "0")).join("");
}

function pair(text: string, at: number): number {
  return text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

const mixA = (value: number): number => Math.imul(rotate(Math.imul(value, 0x239b961b), 15), 0xab0e9789);
const mixB = (value: number): number => Math.imul(rotate(Math.imul(value, 0xab0e9789), 16), 0x38b34ae5);
const mixC = (value: number): number => Math.imul(rotate(Math.imul(value, 0x38b34ae5), 17), 0xa1e38b93);
const mixD = (value: number): number => Math.imul(rotate(Math.imul(value, 0xa1e38b93), 18), 0x239b961b);

function avalanche(lane: number): number {
  let value = lane ^ (lane >>> 16);
  value = Math.imul(value, 0x85ebca6b);
  value ^= value >>> 13;
  value = Math.imul(value, 0xc2b2ae35);
  return value ^ (value >>> 16);
}
