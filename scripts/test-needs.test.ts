import assert from "node:assert/strict";
import { test } from "node:test";
import { needs, parseNeeds } from "./test-needs.ts";

test("a file without the comment needs nothing", () => {
  assert.deepEqual(parseNeeds('import "node:test";\n'), []);
});

test("the comment names one need or several", () => {
  assert.deepEqual(parseNeeds("// needs: chromium, linux\n"), ["chromium", "linux"]);
});

test("a misspelt need is an error, not a test that never runs", () => {
  assert.throws(() => parseNeeds("// needs: cromium\n"), /need cromium is not in scripts\/test-needs\.ts/);
});

test("every need says what to do", () => {
  for (const [name, need] of Object.entries(needs)) assert.ok(need.remedy.length > 0, name);
});
