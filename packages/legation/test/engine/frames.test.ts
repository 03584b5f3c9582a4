/** A turn in memory is a convenience: without it the journal says the same. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  begin,
  gate,
  type Handler,
  type Life,
  SCOPE,
  say,
  stateOf,
  taskOf,
  tell,
  textOf,
  turns,
  World,
} from "./harness.ts";

describe("frames", () => {
  it("lets neither a parked turn's frame nor its timers outlive their time, and replays it then", async () => {
    const world = new World();
    let runs = 0;
    const handler: Handler = async (turn) => {
      runs += 1;
      await turn.ask(say("?"));
    };
    const life = await world.start(handler, { settings: { maxFrames: 10, frameMs: 60_000 } });
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(await begin(life));
    await turns();
    assert.equal(runs, 20);
    await tell(life, ids[0]!, "yes");
    await turns();
    assert.equal(runs, 21, "the oldest frames were dropped: it ran again");
    await tell(life, ids[19]!, "yes");
    await turns();
    assert.equal(runs, 21, "the newest frame was kept");
    await world.clock.advance(61_000);
    await tell(life, ids[18]!, "yes");
    await turns();
    assert.equal(runs, 22, "a frame is dropped after its time although nobody else parks");
    for (const id of [ids[0]!, ids[19]!, ids[18]!]) assert.equal(await stateOf(life, id), "COMPLETED");
  });

  it("does not go on with a parked frame when another replica ran the turn meanwhile", async () => {
    const world = new World();
    const answers: Record<string, string[]> = { left: [], right: [] };
    const handler =
      (name: string): Handler =>
      async (turn) => {
        const first = textOf(await turn.ask(say("first?")));
        answers[name]?.push(first);
        const second = textOf(await turn.ask(say("second?")));
        answers[name]?.push(second);
        return turn.complete(say(`${first} ${second}`));
      };
    const left = await world.start(handler("left"));
    const right = await world.start(handler("right"));
    world.store.tells = false;
    const id = await begin(left);
    await turns();
    await tell(right, id, "one");
    await turns();
    await tell(left, id, "two");
    await turns();
    assert.equal((await taskOf(left, id)).status.message?.parts[0]?.text, "one two");
    assert.deepEqual(answers, { left: ["one", "two"], right: ["one"] });
  });

  it("recovers by failing or by starting over when the agent says so, but never a turn that waits", async () => {
    for (const recovery of ["fail", "restart"] as const) {
      const world = new World();
      const runs: string[] = [];
      let stuck = true;
      const handler: Handler = async (turn, incoming) => {
        runs.push(textOf(incoming));
        if (textOf(incoming) === "next") return undefined;
        await turn.step("a", () => void runs.push("a"));
        await turn.ask(say("?"));
        if (stuck) await new Promise(() => {});
        return undefined;
      };
      const first = await world.start(handler, { recovery });
      const id = await begin(first);
      await turns();
      await world.crash(first);
      const second = await world.start(handler, { recovery });
      assert.equal(await stateOf(second, id), "INPUT_REQUIRED");
      await tell(second, id, "yes");
      await turns();
      assert.deepEqual(runs, ["begin", "a", "begin"], "a turn that waits is replayed");
      stuck = false;
      await world.crash(second);
      const third = await world.start(handler, { recovery });
      await turns();
      if (recovery === "fail") {
        assert.equal(await stateOf(third, id), "FAILED");
        continue;
      }
      assert.deepEqual(runs, ["begin", "a", "begin", "begin", "a"], "a turn that was cut off begins afresh");
      await world.crash(third);
      const fourth = await world.start(handler, { recovery });
      await tell(fourth, id, "again");
      await tell(fourth, id, "next");
      await turns();
      assert.equal(await stateOf(fourth, id), "COMPLETED");
      assert.deepEqual(runs.slice(5), ["begin", "next"]);
    }
  });

  it("does not take the second turn of a task for one that was cut off", async () => {
    const world = new World();
    const heard: string[] = [];
    const handler: Handler = async (turn, incoming) => {
      heard.push(textOf(incoming));
      await turn.step("wait", () => turns(10).then(() => 1));
    };
    const life = await world.start(handler, { recovery: "fail" });
    const id = await begin(life, "one");
    await tell(life, id, "two");
    await tell(life, id, "three");
    await turns(80);
    assert.equal(await stateOf(life, id), "COMPLETED");
    assert.deepEqual(heard, ["one", "two", "three"]);
  });

  it("begins the next turn at once with a message that came before the turn paused", async () => {
    const world = new World({ exclusive: true });
    const open = gate();
    const life = await world.start(async (turn, incoming) => {
      if (textOf(incoming) === "begin") {
        await open.promise;
        return turn.pause(say("more?"));
      }
      return turn.complete(say(textOf(incoming)));
    });
    const id = await begin(life);
    await turns();
    await tell(life, id, "there already");
    await world.clock.advance(1_000);
    open.open();
    await world.clock.advance(0);
    assert.equal((await taskOf(life, id)).status.message?.parts[0]?.text, "there already");
  });

  it("parks a thousand tasks and answers every one after a restart that reads none of them", async () => {
    const world = new World();
    const handler: Handler = async (turn) => turn.complete(say(textOf(await turn.ask(say("?")))));
    const first = await world.start(handler);
    const ids = await Promise.all(Array.from({ length: 1_000 }, () => begin(first)));
    await turns();
    await world.crash(first);
    let reads = 0;
    world.store.beforeRead = () => {
      reads += 1;
    };
    const second: Life = await world.start(handler);
    await turns();
    assert.equal(reads, 0);
    world.store.beforeRead = () => {};
    await Promise.all(ids.map((id, n) => tell(second, id, `${n}`)));
    await turns(60);
    for (const [n, id] of ids.entries()) {
      assert.equal((await taskOf(second, id)).status.message?.parts[0]?.text, `${n}`);
    }
    assert.equal((await second.engine.listTasks(SCOPE, { limit: 1, state: "TASK_STATE_COMPLETED" })).total, 1_000);
  });
});
