/** `legation replay --check` looks at tasks that outside workers have, too, and hands nothing over. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { checkReplays, type ReplayCheck } from "../../src/cli/check-replay.ts";
import { createAgent } from "../../src/server/agent.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";
import { createMemoryStore } from "../../src/stores/memory/store.ts";
import { pair } from "../../src/testing/pair.ts";

it("says whether other code fits the journal of a deferred task", async () => {
  const handed: string[] = [];
  const agent = (step: string, version: string) => {
    const onTask: AgentOptions["onTask"] = async (task) => {
      await task.step(step, () => 1);
      const deferred = await task.defer({ heartbeatMs: 60_000 });
      handed.push(deferred.token);
      return deferred;
    };
    return createAgent({ name: "deferring", description: "For a test.", version, onTask });
  };
  const store = createMemoryStore();
  await using site = await pair(agent("prepare", "1"), { store });
  const trip = await site.client.send("go", { returnImmediately: true });
  assert.ok(trip.kind === "task");
  while (handed.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await site.clock.advance(0);
  for (const [step, fits] of [
    ["prepare", true],
    ["arrange", false],
  ] as const) {
    const checks: ReplayCheck[] = [];
    for await (const check of checkReplays(store, [agent(step, "2")])) checks.push(check);
    assert.deepEqual(
      checks.map((check) => [check.taskId, check.fits]),
      [[trip.id, fits]],
    );
    if (!fits) assert.match(checks[0]?.reason ?? "", /the journal has step "prepare"/);
  }
  assert.equal(handed.length, 1, "nothing was handed over by looking");
});
