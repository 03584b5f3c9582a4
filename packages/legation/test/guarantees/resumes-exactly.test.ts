/** A subscriber that goes on at a replica which knows less than it does waits until that replica has caught up. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { begin, drain, gate, SCOPE, say, tell, turns, World } from "../engine/harness.ts";

it("resumes-exactly: behind the last event, also where a replica has a commit of its own on its way", async () => {
  const world = new World();
  const go = gate();
  const owner = await world.start(async (turn) => {
    await turn.artifact({ name: "a", parts: [{ text: "1" }] });
    await go.promise;
    for (const text of ["2", "3", "4"]) await turn.artifact({ name: "a", parts: [{ text }], append: true });
    return turn.complete(say("done"));
  });
  const id = await begin(owner);
  await turns();
  const other = await world.start(async () => undefined);
  // The other replica follows the task, hears of nothing more, and has a message on its way.
  const following = drain(await other.engine.subscribe(SCOPE, id, { until: "terminal" }));
  world.store.tells = false;
  const held = gate();
  world.store.fate = async (batch): Promise<"ok"> => {
    if (batch.tasks.some(({ events }) => events.some(({ kind }) => kind === "message"))) await held.promise;
    return "ok";
  };
  const told = tell(other, id, "more").catch(() => 0);
  await turns();
  go.open();
  const seen = await drain(await owner.engine.subscribe(SCOPE, id, { until: "terminal", lastEventId: 5 }));
  const last = seen.at(-2)?.seq ?? 0;
  assert.ok(last > 5);
  const resuming = other.engine.subscribe(SCOPE, id, { until: "terminal", lastEventId: last });
  await turns();
  held.open();
  const resumed = await drain(await resuming);
  assert.deepEqual(
    resumed.map(({ seq }) => seq),
    [last, seen.at(-1)?.seq],
  );
  world.store.tells = true;
  await told;
  await following;
});
