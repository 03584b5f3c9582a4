import assert from "node:assert/strict";
import { test } from "node:test";
import { isJsonObject, whyNotJson } from "./json.ts";

test("what JSON carries passes", () => {
  for (const value of [null, "", 0, -1.5, true, [], {}, [{ a: [null] }], JSON.parse('{"__proto__":{"a":1}}')]) {
    assert.equal(whyNotJson(value), undefined);
  }
});

test("what JSON.stringify would change or drop is named, with its path", () => {
  assert.equal(whyNotJson(Number.NaN), "NaN is not JSON");
  assert.equal(whyNotJson({ a: [1, { b: undefined }] }), "a[1].b: undefined is not JSON");
  assert.equal(whyNotJson([1n]), "[0]: bigint is not JSON");
  assert.equal(whyNotJson({ at: new Date(0) }), "at: [object Date] is not JSON");
});

test("nesting and cycles end at the limit", () => {
  const cycle: Record<string, unknown> = {};
  cycle["self"] = cycle;
  assert.match(whyNotJson(cycle) ?? "", /nested too deep/);
  assert.equal(whyNotJson([[[]]], 3), undefined);
  assert.match(whyNotJson([[[]]], 2) ?? "", /nested too deep/);
});

test("only plain objects are JSON objects", () => {
  for (const value of [{}, Object.create(null), JSON.parse("{}")]) assert.ok(isJsonObject(value));
  for (const value of [null, [], "x", new Date(0), new Map()]) assert.ok(!isJsonObject(value));
});
