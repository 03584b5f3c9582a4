import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { canonicalJson, hash128 } from "./request-hash.ts";

test("canonicalJson orders keys at every level and drops undefined", () => {
  assert.equal(canonicalJson({ b: [{ d: 1, c: null }], a: undefined, e: "é" }), '{"b":[{"c":null,"d":1}],"e":"é"}');
});

test("canonicalJson reads back as the value that it was made of", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as never);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("hash128 gives 32 digits, the same for the same text", () => {
  assert.match(hash128(""), /^[0-9a-f]{32}$/);
  assert.equal(hash128("a".repeat(1_000)), hash128("a".repeat(1_000)));
});

test("hash128 tells texts apart that differ in one unit, in length or in order", () => {
  const texts = new Set<string>();
  for (let length = 0; length < 40; length++) {
    texts.add("\0".repeat(length));
    for (let at = 0; at < length; at++) texts.add(`${"x".repeat(at)}y${"x".repeat(length - at - 1)}`);
  }
  assert.equal(new Set([...texts].map(hash128)).size, texts.size);
});

test("hash128 spreads over all of its bits", () => {
  const counts = new Array<number>(128).fill(0);
  for (let index = 0; index < 1_000; index++) {
    const hash = BigInt(`0x${hash128(`message ${index}`)}`);
    for (let bit = 0; bit < 128; bit++) counts[bit] = (counts[bit] ?? 0) + Number((hash >> BigInt(bit)) & 1n);
  }
  for (const count of counts) assert.ok(count > 400 && count < 600, `a bit is set in ${count} of 1000`);
});
