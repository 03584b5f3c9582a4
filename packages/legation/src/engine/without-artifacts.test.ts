import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { withoutArtifacts } from "./without-artifacts.ts";

test("a task as text loses its artifacts and nothing else, whatever its strings hold", () => {
  const value = fc.jsonValue({ maxDepth: 4, stringUnit: "binary" });
  const tricky = fc.constantFrom('"artifacts":', '\\"', "\\", '{"artifacts":[1]}', "}],", "");
  fc.assert(
    fc.property(fc.oneof(tricky, fc.string()), value, fc.array(value), fc.boolean(), (id, status, artifacts, has) => {
      const rest = {
        id,
        status: { artifacts: status, text: id },
        history: [status, { artifacts }],
        metadata: { [id]: id },
      };
      const { id: first, ...others } = rest;
      const task = has
        ? { id: first, status: others.status, artifacts, history: others.history, metadata: others.metadata }
        : rest;
      assert.equal(withoutArtifacts(JSON.stringify(task)), JSON.stringify(rest));
    }),
  );
});

test("artifacts at the end of a task go with the comma before them", () => {
  assert.equal(withoutArtifacts('{"id":"t","artifacts":[{"parts":[{"text":"]}"}]}]}'), '{"id":"t"}');
  assert.equal(withoutArtifacts('{"id":"artifacts"}'), '{"id":"artifacts"}');
});
