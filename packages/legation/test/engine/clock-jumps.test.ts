/** A wall clock that is set, back or forward, under a running process: no wait grows by that, and none is lost. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { deferred, issued } from "./deferring.ts";
import { begin, type Handler, SCOPE, say, stateOf, tell, textOf, turns, World } from "./harness.ts";

const HOUR_MS = 3_600_000;

describe("deadlines", () => {
  it("fail a turn that does nothing for too long, and no other, whatever the wall clock says", async () => {
    for (const ms of [-HOUR_MS, HOUR_MS]) {
      const world = new World();
      const handler: Handler = async (turn) => {
        await turn.working(say("at it"));
        await new Promise(() => {});
      };
      const life = await world.start(handler, { settings: { inactivityMs: 10_000 } });
      const id = await begin(life);
      await world.clock.advance(6_000);
      world.clock.jump(ms);
      await world.clock.advance(3_000);
      assert.equal(await stateOf(life, id), "WORKING", `${ms}`);
      await world.clock.advance(2_000);
      assert.equal(await stateOf(life, id), "FAILED", `${ms}`);
    }
  });

  it("count what chunks show, also while entries are dated ahead of a clock that was set back", async () => {
    const world = new World();
    const handler: Handler = async (turn) => {
      for (let n = 0; n < 3; n++) {
        await world.tick(6_000);
        await turn.artifact({ name: "x", parts: [{ text: "x" }], append: n > 0 });
      }
      await new Promise(() => {});
    };
    const life = await world.start(handler, { settings: { inactivityMs: 10_000 } });
    const id = await begin(life);
    await turns();
    world.clock.jump(-HOUR_MS);
    await world.clock.advance(27_000);
    assert.equal(await stateOf(life, id), "WORKING");
    await world.clock.advance(2_000);
    assert.equal(await stateOf(life, id), "FAILED");
  });

  it("give a turn that goes on after a wait no more of its total time when the clock was set back", async () => {
    const world = new World();
    const handler: Handler = async (turn) => {
      await turn.ask(say("?"));
      await new Promise(() => {});
    };
    const life = await world.start(handler, { settings: { totalMs: 60_000 } });
    const id = await begin(life);
    await world.clock.advance(30_000);
    world.clock.jump(-HOUR_MS);
    await tell(life, id, "yes");
    await turns();
    await world.clock.advance(29_000);
    assert.equal(await stateOf(life, id), "WORKING");
    await world.clock.advance(2_000);
    assert.equal(await stateOf(life, id), "FAILED");
  });
});

describe("deferred tasks", () => {
  it("let a worker wait for a message for as long as it said, when the clock was set back and another took it", async () => {
    const { world, life, id, tokens } = await deferred();
    const texts: (string | undefined)[] = [];
    for (const name of ["a", "b"]) {
      const receive = { report: "receive", id: name, waitMs: 20_000 } as const;
      const taken = life.engine.deferrals.report(tokens[0] ?? "", receive);
      void taken.then(({ message }) => texts.push(message?.parts[0]?.text));
    }
    await turns(100);
    world.clock.jump(-HOUR_MS);
    await tell(life, id, "one");
    await turns(100);
    await world.clock.advance(20_001);
    await turns(100);
    assert.deepEqual(texts, ["one", undefined]);
  });

  it("replace a worker that falls silent after the clock was set back, as soon as any other", async () => {
    const { world, life, id, tokens, worker } = await deferred();
    world.clock.jump(-HOUR_MS);
    await worker.working("at it");
    await world.clock.advance(61_000);
    await issued(tokens, 2);
    assert.equal(await stateOf(life, id), "WORKING");
  });
});

describe("claims", () => {
  /** Occupies the one place of a process. */
  const busy: Handler = async (turn, incoming) => {
    if (textOf(incoming) === "busy") await turn.step("work", () => new Promise<number>(() => {}));
    else await turn.ask(say("?"));
  };

  it("take what found no room as soon as there is some, when entries are dated ahead of a clock that was set back", async () => {
    const world = new World();
    const life = await world.start(busy, { settings: { maxRuns: 1 } });
    const id = await begin(life, "asks");
    await turns();
    const other = await begin(life, "busy");
    await turns();
    world.clock.jump(-HOUR_MS);
    await tell(life, id, "yes");
    await life.engine.cancelTask(SCOPE, other);
    await world.clock.advance(2_000);
    assert.equal(await stateOf(life, id), "COMPLETED");
  });

  it("take over from a dead process when its lease is over, when entries are dated ahead of a clock that was set back", async () => {
    const world = new World();
    let dead = false;
    const handler: Handler = async (turn) => {
      await turn.ask(say("?"));
      if (!dead) await new Promise(() => {});
    };
    const first = await world.start(handler);
    const id = await begin(first);
    await turns();
    world.clock.jump(-HOUR_MS);
    await tell(first, id, "yes");
    await turns();
    assert.equal((await world.store.task(id))?.holder, "life-1");
    dead = true;
    first.crash();
    const second = await world.start(handler);
    await world.clock.advance(17_000);
    assert.equal(await stateOf(second, id), "COMPLETED");
  });

  it("leave the answer to a cancel to who works on the task, when entries are dated ahead of a clock that was set back", async () => {
    const world = new World();
    const handler: Handler = async (turn) => void (await turn.step("work", () => new Promise<number>(() => {})));
    const options = { onCancel: async () => "refuse" as const };
    const first = await world.start(handler, options);
    const id = await begin(first);
    await turns();
    world.clock.jump(-HOUR_MS);
    await world.clock.advance(6_000);
    const second = await world.start(handler, options);
    await assert.rejects(second.engine.cancelTask(SCOPE, id, undefined), { code: "TASK_NOT_CANCELABLE" });
    assert.equal((await world.store.task(id))?.holder, "life-1");
  });

  it("hear at once that something is due after the clock was set forward, and not when an old timer fires", async () => {
    const world = new World();
    await world.start(busy);
    await world.clock.advance(1_000);
    world.clock.jump(HOUR_MS);
    const full = await world.start(busy, { settings: { maxRuns: 1 } });
    await begin(full, "busy");
    const id = await begin(full, "busy");
    await world.clock.advance(1_000);
    assert.equal((await world.store.task(id))?.holder, "life-1");
  });

  it("tell whoever waits in time of a store that is away, when the clock was set back meanwhile", async () => {
    const world = new World();
    const life = await world.start(busy, { settings: { storeWaitMs: 10_000 } });
    const id = await begin(life, "busy");
    await turns();
    const refused: unknown[] = [];
    life.engine.settled(SCOPE, id, 2).catch((reason) => refused.push(reason));
    await turns();
    world.store.away = true;
    world.store.hint();
    await world.clock.advance(1_000);
    world.clock.jump(-HOUR_MS);
    await world.clock.advance(12_000);
    assert.equal(refused.length, 1);
  });
});
