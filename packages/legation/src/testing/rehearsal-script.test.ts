import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { kitScript } from "./rehearsal-kit.ts";
import { chunkText, parseScript, STEP_EXAMPLES } from "./rehearsal-script.ts";

function why(...steps: readonly unknown[]): string {
  const parsed = parseScript({ rehearse: steps as never });
  assert.ok(parsed !== undefined && !parsed.ok, JSON.stringify(steps));
  return parsed.why;
}

describe("parseScript", () => {
  it("passes over data that is no script", () => {
    for (const data of [undefined, null, 1, "x", [], {}, { rehearsal: [] }])
      assert.equal(parseScript(data as never), undefined);
  });

  it("takes every example that it teaches", () => {
    for (const [verb, example] of Object.entries(STEP_EXAMPLES)) {
      const parsed = parseScript({ rehearse: [JSON.parse(example)] });
      assert.ok(parsed?.ok, `${verb}: ${parsed?.ok === false ? parsed.why : ""}`);
    }
  });

  it("takes states in both spellings", () => {
    for (const state of ["FAILED", "TASK_STATE_FAILED"]) {
      const parsed = parseScript({ rehearse: [{ end: state }] });
      assert.deepEqual(parsed, { ok: true, steps: [{ do: "end", state: "FAILED", text: undefined }] });
    }
    assert.deepEqual(parseScript({ rehearse: [{ state: "INPUT_REQUIRED", text: "?" }] }), {
      ok: true,
      steps: [{ do: "ask", text: "?" }],
    });
  });

  it("teaches: what is wrong, where, and what is right", () => {
    assert.match(why({ stat: "WORKING" }), /rehearse\[0\]: \{"stat":"WORKING"\} is no step; the steps are .*"state"/);
    assert.match(why({ wait: 1 }, { state: "working" }), /rehearse\[1\]: no state "working"; did you mean "WORKING"/);
    assert.match(why({ state: "RUNNING" }), /the states are SUBMITTED, WORKING/);
    assert.match(why({ end: "WORKING" }), /"end" takes COMPLETED/);
    assert.match(why({ artifact: { name: "a" } }), /exactly one of text, data, rawBase64 and url, this has none/);
    assert.match(why({ artifact: { name: "a", text: "x", data: 1 } }), /this has text, data/);
    assert.match(why({ stream: { name: "a", chunks: 0 } }), /stream\.chunks: must be a whole number from 1/);
    assert.match(why({ wait: "soon" }), /rehearse\[0\]\.wait: must be a whole number/);
    assert.match(why({ state: "WORKING" }, { reply: "x" }), /"reply" answers without a task/);
    assert.match(why({ ask: "a", wait: 1 }), /one step has one verb, this has ask, wait/);
    assert.match(why("hello"), /a step is an object/);
    const parsed = parseScript({ rehearse: "hello" });
    assert.ok(parsed !== undefined && !parsed.ok && /must be a list/.test(parsed.why));
  });
});

describe("chunkText", () => {
  it("has exactly that many bytes, and tells one chunk from the next", () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.integer({ min: 1, max: 64 }), (index, bytes) => {
        assert.equal(Buffer.byteLength(chunkText(index, bytes)), bytes);
        if (bytes >= 8) assert.notEqual(chunkText(index, bytes), chunkText(index + 1, bytes));
      }),
    );
  });
});

describe("kitScript", () => {
  it("takes the longest prefix that fits", () => {
    assert.deepEqual(kitScript("tck-artifact-file-url-7")?.length, 2);
    assert.notDeepEqual(kitScript("tck-artifact-file-url-7"), kitScript("tck-artifact-file-7"));
    assert.deepEqual(kitScript("tck-message-response-1"), [{ do: "reply", text: "Direct message response" }]);
    assert.equal(kitScript("message-1"), undefined);
  });
});
