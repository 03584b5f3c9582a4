import assert from "node:assert/strict";
import { test } from "node:test";
import { median, quantile, summarise } from "./statistics.ts";

test("the median of an even number of values lies between the two in the middle, whatever their order", () => {
  assert.equal(median([9, 1, 3, 5]), 4);
  assert.equal(median([10, 9, 2]), 9);
  assert.throws(() => median([]), RangeError);
});

test("a summary holds the spread", () => {
  assert.deepEqual(summarise([3, 1, 2]), { median: 2, low: 1, high: 3, rounds: 3 });
});

test("a quantile is the value that so many do not exceed", () => {
  const values = Array.from({ length: 200 }, (_, index) => 200 - index);
  assert.equal(quantile(values, 0.99), 198);
  assert.equal(quantile([7], 0.99), 7);
  assert.throws(() => quantile([], 0.5), RangeError);
});
