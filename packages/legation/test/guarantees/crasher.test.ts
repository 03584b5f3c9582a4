/** A handler that kills its process every time: its task is FAILED after so many tries, and its neighbours are done. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { it } from "node:test";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { effectsOf } from "./fault-checks.ts";
import { type ReplicaSettings, startReplica } from "./replica.ts";
import { follow } from "./sse-reader.ts";

const MAX_ATTEMPTS = 3;

it("crasher: a task that kills its process ends FAILED and visible, its neighbours complete [sqlite]", async (t) => {
  const folder = temporaryFolder(t);
  const settings: ReplicaSettings = {
    agent: "crasher",
    store: `sqlite:${path.join(folder, "crasher.db")}`,
    effects: path.join(folder, "effects.jsonl"),
    engine: { leaseMs: 1_000, maxAttempts: MAX_ATTEMPTS },
  };
  let replica = await startReplica(t, settings);
  const { port, url } = replica;
  let starts = 1;
  let isOver = false;
  const keeper = (async (): Promise<void> => {
    while (!isOver) {
      await replica.gone;
      if (isOver) return;
      starts += 1;
      replica = await startReplica(t, { ...settings, port });
    }
  })();
  const crash = follow({ url: () => url, text: "crash", messageId: randomUUID() });
  const quick = Array.from({ length: 5 }, () => follow({ url: () => url, text: "quick", messageId: randomUUID() }));
  const failed = await crash;
  const done = await Promise.all(quick);
  isOver = true;
  await replica.kill();
  await keeper;
  assert.equal(failed.state, "TASK_STATE_FAILED");
  assert.match(failed.events.at(-1)?.json ?? "", /was stopped 3 times/);
  for (const seen of done) {
    assert.equal(seen.state, "TASK_STATE_COMPLETED");
    assert.equal(effectsOf(settings.effects, seen.taskId ?? "")["quick"]?.keys, 1);
  }
  assert.equal(starts, MAX_ATTEMPTS + 1);
});
