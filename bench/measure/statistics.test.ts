import assert from "node:assert/strict";
import { test } from "node:test";
import { median, summarise } from "./statistics.ts";

test("the median of an even number of values lies between the two in the middle, whatever their order", () => {
  assert.equal(median([9, 1, 3, 5]), 4);
  assert.equal(median([10, 9, 2]), 9);
  assert.throws(() => median([]), RangeError);
});

test("a summary holds the spread", () => {
  assert.deepEqual(summarise([3, 1, 2]), { median: 2, low: 1, high: 3, rounds: 3 });
});
