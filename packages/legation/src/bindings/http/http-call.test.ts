import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEventId } from "./http-call.ts";

test("an event id is a seq, counted from 1; what else a caller sends there is ignored", () => {
  assert.equal(parseEventId("1"), 1);
  assert.equal(parseEventId("999999999999999"), 999_999_999_999_999);
  for (const text of [undefined, "", "0", "-1", "1.5", "1e3", "0x1", "abc", "9007199254740993"]) {
    assert.equal(parseEventId(text), undefined, text);
  }
});
