/** A wall clock that jumps back an hour under a running process: no time in a log goes back, and tasks go on. */
import assert from "node:assert/strict";
import path from "node:path";
import { it } from "node:test";
import { type Clock, systemClock } from "../../src/engine/clock.ts";
import { Engine } from "../../src/engine/engine.ts";
import { createSqliteStore } from "../../src/stores/sqlite/store.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { SCOPE, say, textMessage } from "../engine/harness.ts";
import { assertWhole, readLog } from "./fault-checks.ts";

const HOUR_MS = 3_600_000;

it("clock-back: an hour back, and nothing acknowledged is lost, late or out of order [sqlite]", async (t) => {
  let offset = 0;
  const clock: Clock = { ...systemClock, now: () => Date.now() - offset };
  const store = createSqliteStore(path.join(temporaryFolder(t), "clock.db"));
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const engine = new Engine({
    store,
    clock,
    agents: [
      {
        name: SCOPE.agent,
        version: "1",
        run: async (turn) => {
          await turn.step("before", () => 1);
          await gates.get(turn.taskId)?.promise;
          await turn.working(say("after the jump"));
          await turn.step("after", () => 2);
          const answer = await turn.ask(say("go on?"));
          return turn.complete(say(`it is ${answer.seq}`));
        },
      },
    ],
    settings: { leaseMs: 1_000 },
  });
  await engine.start();
  const begin = async (taskId: string): Promise<void> => {
    gates.set(taskId, Promise.withResolvers());
    const incoming = { message: textMessage("begin"), meta: {} };
    const dedupe = { tenant: "", owner: "", messageId: incoming.message.messageId, hash: taskId };
    await engine.createTask({ scope: SCOPE, contextId: "c", taskId, incoming, dedupe });
    const again = await engine.createTask({ scope: SCOPE, contextId: "c", taskId: `${taskId}-2`, incoming, dedupe });
    assert.deepEqual([again.taskId, again.duplicate], [taskId, true]);
  };
  await begin("before");
  offset = HOUR_MS;
  await begin("behind");
  for (const id of ["before", "behind"]) gates.get(id)?.resolve();
  for (const id of ["before", "behind"]) {
    await engine.settled(SCOPE, id, 2);
    // Longer than a lease: it was renewed although the clock says that there was time.
    const { seq } = await engine.addMessage({
      scope: SCOPE,
      taskId: id,
      incoming: { message: textMessage("yes"), meta: {} },
      dedupe: undefined,
    });
    await engine.settled(SCOPE, id, seq);
    const log = await readLog(store, id);
    assert.equal(log.row.state, "TASK_STATE_COMPLETED");
    assertWhole(log);
  }
  const page = await engine.listTasks(SCOPE, { limit: 10 });
  assert.equal(page.total, 2);
  await engine.stop({ graceMs: 0 });
});
