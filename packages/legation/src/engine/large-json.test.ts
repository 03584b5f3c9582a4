import assert from "node:assert/strict";
import { test } from "node:test";
import { stringifyInPieces } from "./large-json.ts";

test("JSON that is made in pieces is the JSON that is made in one go", async () => {
  // Characters of two halves, one of which stands at the end of every piece.
  const pairs = `x${"😀".repeat(700_000)}`;
  const escaped = '"\\\n\u0001'.repeat(300_000);
  for (const value of [
    { a: "small" },
    { a: pairs, b: [{ text: escaped }, 1, null], [`${"k".repeat(10)}`]: "z" },
    { lone: `${"a".repeat(524_287)}\ud83d`, before: "a".repeat(524_288), after: "a".repeat(524_289) },
  ]) {
    assert.equal(await stringifyInPieces(value), JSON.stringify(value));
  }
});

test("other callers come in between the pieces", async () => {
  let turns = 0;
  const turn = (): void => {
    turns += 1;
    timer = setImmediate(turn);
  };
  let timer = setImmediate(turn);
  await stringifyInPieces({ text: "a".repeat(5_000_000) });
  clearImmediate(timer);
  assert.ok(turns >= 9, `${turns} turns`);
});
