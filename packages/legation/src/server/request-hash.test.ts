import assert from "node:assert/strict";
import test from "node:test";
import fc from "fast-check";
import { canonicalJson, hash128, hashJson } from "./request-hash.ts";

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

test("hash128 gives 22 digits, the same for the same text", () => {
  assert.match(hash128(""), /^[\w-]{22}$/);
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
    const hash = BigInt(`0x${Buffer.from(hash128(`message ${index}`), "base64url").toString("hex")}`);
    for (let bit = 0; bit < 128; bit++) counts[bit] = (counts[bit] ?? 0) + Number((hash >> BigInt(bit)) & 1n);
  }
  for (const count of counts) assert.ok(count > 400 && count < 600, `a bit is set in ${count} of 1000`);
});

test("hashJson is the same for two values exactly when their canonical JSON is", () => {
  const nested = fc.jsonValue({ maxDepth: 3 });
  fc.assert(
    fc.property(nested, nested, (one, other) => {
      const isSame = canonicalJson(one as never) === canonicalJson(other as never);
      assert.equal(hashJson(one as never) === hashJson(other as never), isSame);
    }),
  );
});

test("hashJson does not see the order of members, nor members that are undefined", () => {
  const wide = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, index]));
  const turned = Object.fromEntries(Object.entries(wide).reverse());
  assert.equal(hashJson(wide), hashJson(turned));
  assert.equal(hashJson({ a: [1, { c: "x", d: null }], b: undefined }), hashJson({ a: [1, { d: null, c: "x" }] }));
});

test("hashJson tells structures apart that hold the same strings", () => {
  const values = [
    [["a"], "b"],
    ["a", "b"],
    ["ab"],
    [["a", "b"]],
    { a: "b" },
    ["a", ["b"]],
    [{ a: "b" }],
    [{ a: ["b"] }],
    [],
  ];
  const more = [[0], ["0"], [false], ["false"], [null], ["null"], [true], [""], [[]], [{}]];
  assert.equal(new Set([...values, ...more].map((value) => hashJson(value))).size, values.length + more.length);
});
