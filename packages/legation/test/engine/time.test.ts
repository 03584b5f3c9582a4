/** Deadlines, and clocks that do not behave. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { begin, gate, type Handler, type Life, SCOPE, say, stateOf, taskOf, tell, turns, World } from "./harness.ts";

async function reason(life: Life, id: string): Promise<string | undefined> {
  const { status } = await taskOf(life, id);
  return `${status.state.replace("TASK_STATE_", "")}: ${status.message?.parts[0]?.text}`;
}

describe("deadlines", () => {
  it("fails a turn that does nothing for too long, and aborts it; not one that shows something", async () => {
    const world = new World();
    const reasons: unknown[] = [];
    const handler: Handler = async (turn) => {
      turn.signal.addEventListener("abort", () => reasons.push((turn.signal.reason as Error).message));
      for (let n = 0; n < 3; n++) {
        await world.tick(8_000);
        await turn.working(say(`${n}`));
      }
      await new Promise(() => {});
    };
    const life = await world.start(handler, { settings: { inactivityMs: 10_000 } });
    const id = await begin(life);
    await world.clock.advance(33_000);
    assert.equal(await stateOf(life, id), "WORKING");
    await world.clock.advance(2_000);
    assert.equal(await reason(life, id), "FAILED: the task did nothing for 10000 ms");
    assert.deepEqual(reasons, [`task ${id} did nothing for 10000 ms`]);
  });

  it("leaves a task alone that waits for somebody, however long", async () => {
    const world = new World();
    const handler: Handler = async (turn) => void (await turn.ask(say("?")));
    const life = await world.start(handler, { settings: { inactivityMs: 10_000 } });
    const id = await begin(life);
    await world.clock.advance(1_000_000);
    assert.equal(await stateOf(life, id), "INPUT_REQUIRED");
    await tell(life, id, "yes");
    await turns();
    assert.equal(await stateOf(life, id), "COMPLETED");
  });

  it("fails a task whose total time is over, at work, waiting, paused, and when nobody ran at that time", async () => {
    const handlers: Record<string, Handler> = {
      "at work": async () => new Promise(() => {}),
      asking: async (turn) => void (await turn.ask(say("?"))),
      sleeping: async (turn) => void (await turn.sleep(1_000_000)),
      paused: async (turn) => turn.pause(say("?")),
    };
    for (const [name, handler] of Object.entries(handlers)) {
      for (const restarts of [false, true]) {
        const world = new World();
        const settings = { totalMs: 60_000 };
        let life = await world.start(handler, { settings });
        const id = await begin(life);
        await world.clock.advance(50_000);
        assert.match(await stateOf(life, id), /WORKING|INPUT_REQUIRED/);
        if (restarts) {
          await world.crash(life);
          life = await world.start(handler, { settings });
        }
        const before = world.store.commits;
        await world.clock.advance(20_000);
        assert.equal(await reason(life, id), "FAILED: the task took longer than 60000 ms", name);
        assert.ok(world.store.commits - before < 10);
      }
    }
  });
});

describe("clocks", () => {
  it("never lets a status be older than the one before it, when the clock jumps back an hour", async () => {
    const world = new World();
    const step = gate();
    const handler: Handler = async (turn) => {
      await turn.working(say("before"));
      await turn.ask(say("first?"));
      await turn.working(say("after"));
      await turn.ask(say("second?"));
      step.open();
    };
    let life = await world.start(handler);
    const id = await begin(life);
    await turns();
    world.clock.jump(-3_600_000);
    await tell(life, id, "yes");
    await turns();
    await world.crash(life);
    world.clock.jump(-3_600_000);
    life = await world.start(handler);
    await tell(life, id, "yes");
    await turns();
    assert.equal(await stateOf(life, id), "COMPLETED");
    const entries = await world.entries(id);
    let last = "";
    for (const [index, entry] of entries.entries()) {
      if (index > 0) assert.ok(entry.time >= entries[index - 1]!.time);
      if (entry.kind !== "status") continue;
      const { timestamp } = JSON.parse(entry.payload).statusUpdate.status;
      assert.ok(timestamp >= last);
      last = timestamp;
    }
    const row = await world.store.task(id);
    assert.equal(row?.statusTime, entries.at(-1)?.time);
  });

  it("keeps the order also for a task that was loaded from its snapshot", async () => {
    const world = new World();
    const handler: Handler = async (turn) => {
      await turn.artifact({ name: "x", parts: [{ text: "x".repeat(200) }] });
      return turn.pause(say("?"));
    };
    const first = await world.start(handler, { settings: { snapshotBytes: 10 } });
    const id = await begin(first);
    await turns();
    const before = await world.store.task(id);
    assert.equal(before?.snapshotSeq, before?.seq);
    await world.crash(first);
    world.clock.jump(-3_600_000);
    const second = await world.start(handler);
    await second.engine.cancelTask(SCOPE, id);
    const after = await world.store.task(id);
    assert.ok((after?.statusTime ?? 0) >= (before?.statusTime ?? 0));
  });

  it("goes on when the clock jumps while turns run, forwards and back", async () => {
    for (const ms of [3_600_000, -3_600_000]) {
      const world = new World();
      let runs = 0;
      const open = gate();
      const handler: Handler = async (turn) => {
        runs += 1;
        await turn.step("work", () => open.promise.then(() => 1));
      };
      const life = await world.start(handler);
      const id = await begin(life);
      await world.clock.advance(1_000);
      world.clock.jump(ms);
      await world.clock.advance(60_000);
      open.open();
      await world.clock.advance(20_000);
      assert.equal(await stateOf(life, id), "COMPLETED");
      assert.ok(runs <= 2);
      assert.equal((await world.entries(id)).filter((entry) => entry.kind === "decision").length, 1);
    }
  });
});
