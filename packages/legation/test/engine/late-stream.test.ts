import assert from "node:assert/strict";
import { test } from "node:test";
import { Engine } from "../../src/engine/engine.ts";
import { createMemoryStore } from "../../src/stores/memory/store.ts";
import { SCOPE } from "./harness.ts";

test("the stream of a send tells all that follows from its message, however late it begins", async () => {
  const engine = new Engine({
    store: createMemoryStore(),
    agents: [
      {
        name: SCOPE.agent,
        version: "1",
        async run(turn) {
          await turn.artifact({ name: "a.txt", parts: [{ text: "one" }] });
          await turn.artifact({ name: "a.txt", parts: [{ text: "two" }], append: true });
          return undefined;
        },
      },
    ],
  });
  await engine.start();
  const message = { messageId: "m-1", role: "ROLE_USER" as const, parts: [{ text: "go" }] };
  const { taskId, seq } = await engine.createTask({
    scope: SCOPE,
    contextId: "c-1",
    incoming: { message, meta: {} },
    dedupe: undefined,
  });
  await engine.settled(SCOPE, taskId, seq);

  const seen: string[] = [];
  for await (const batch of await engine.subscribe(SCOPE, taskId, { until: "interrupted", afterSeq: seq })) {
    for (const { value } of batch) {
      seen.push(
        value.task?.status.state ??
          value.statusUpdate?.status.state ??
          value.artifactUpdate?.artifact.parts[0]?.text ??
          "",
      );
      if (value.task !== undefined) assert.equal(value.task.history?.length, 1);
    }
  }
  assert.deepEqual(seen, ["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "one", "two", "TASK_STATE_COMPLETED"]);
  await engine.stop();
});
