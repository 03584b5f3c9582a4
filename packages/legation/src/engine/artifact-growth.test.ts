// What is answered of a task that grows by chunks is what its log says, whoever looks into it in between.
import assert from "node:assert/strict";
import { it } from "node:test";
import fc from "fast-check";
import type { Part, Task } from "../model/gen/types.ts";
import { ArtifactGrowth } from "./artifact-growth.ts";
import { Chunk, ChunkForm, contentOf } from "./chunk.ts";
import { shapeTask } from "./projection.ts";

const identity = { id: "t", tenant: "", owner: "", agent: "a", contextId: "c", createdAt: 0 };

function newTask(parts: readonly Part[]): Task {
  const artifacts = [
    { artifactId: "before", name: "before", parts: [{ text: "b" }] },
    { artifactId: "x", name: "x", parts: [...parts], description: "grows" },
  ];
  return { id: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" }, artifacts, history: [] };
}

const part: fc.Arbitrary<Part> = fc.oneof(
  fc.string({ unit: "grapheme" }).map((text) => ({ text })),
  fc.string().map((text) => ({ text, mediaType: "text/x" })),
  fc.jsonValue().map((data) => ({ data: JSON.parse(JSON.stringify(data)) }) as Part),
);

it("a task that grows by chunks is answered as its log says, whoever looks into it in between", () => {
  const step = fc.record({ parts: fc.array(part, { minLength: 1, maxLength: 3 }), isLooked: fc.boolean() });
  fc.assert(
    fc.property(fc.array(part, { maxLength: 2 }), fc.array(step), (first, steps) => {
      const task = newTask(first);
      const expected = newTask(first);
      const growth = new ArtifactGrowth();
      const form = new ChunkForm(identity, "x", "x");
      for (const [at, { parts, isLooked }] of steps.entries()) {
        const chunk = new Chunk(form, contentOf(parts), at, 0);
        assert.ok(growth.take(chunk, task));
        assert.deepEqual(JSON.parse(chunk.json), JSON.parse(JSON.stringify(chunk.value)));
        expected.artifacts?.[1]?.parts.push(...parts);
        if (isLooked) growth.settle();
        const told = JSON.parse(growth.json(task, 100) ?? shapeTask(task, {}, 100)) as unknown;
        assert.deepEqual(told, JSON.parse(shapeTask(expected, {}, 100)));
      }
    }),
  );
});
