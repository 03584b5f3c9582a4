/** New code that does not fit a journal is held, visibly, and never guesses. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { begin, gate, type Handler, SCOPE, say, stateOf, taskOf, tell, textOf, turns, World } from "./harness.ts";

const step = (turn: Parameters<Handler>[0], name: string): Promise<string> => turn.step(name, () => name);

/** The handler that wrote the journal: two steps, a question, one step. */
const original: Handler = async (turn) => {
  await step(turn, "a");
  await step(turn, "b");
  const answer = textOf(await turn.ask(say("go on?")));
  await step(turn, "c");
  return turn.complete(say(answer));
};

const changed: Record<string, Handler> = {
  renamed: async (turn) => {
    await step(turn, "a");
    await step(turn, "beta");
    await turn.ask(say("go on?"));
  },
  inserted: async (turn) => {
    await step(turn, "a");
    await step(turn, "new");
    await step(turn, "b");
    await turn.ask(say("go on?"));
  },
  "inserted before the question": async (turn) => {
    await step(turn, "a");
    await step(turn, "b");
    await step(turn, "new");
    await turn.ask(say("go on?"));
  },
  removed: async (turn) => {
    await step(turn, "a");
    await turn.ask(say("go on?"));
  },
  reordered: async (turn) => {
    await step(turn, "b");
    await step(turn, "a");
    await turn.ask(say("go on?"));
  },
  "another kind": async (turn) => {
    await step(turn, "a");
    await step(turn, "b");
    await turn.requestAuth(say("go on?"));
  },
  "ending early": async (turn) => {
    await step(turn, "a");
  },
  "ending before the question": async (turn) => {
    await step(turn, "a");
    await step(turn, "b");
  },
  "failing early": async (turn) => {
    await step(turn, "a");
    throw new Error("new code with a mistake");
  },
  "catching everything": async (turn) => {
    for (const name of ["x", "y", "z"]) await step(turn, name).catch(() => "");
    return turn.complete();
  },
};

async function parkedBy(handler: Handler): Promise<{ world: World; id: string }> {
  const world = new World();
  const life = await world.start(handler);
  const id = await begin(life);
  await turns();
  assert.equal(await stateOf(life, id), "INPUT_REQUIRED");
  await world.crash(life);
  return { world, id };
}

describe("held", () => {
  for (const [name, handler] of Object.entries(changed)) {
    it(`holds a run whose code is ${name}, with its state unchanged, until a version fits`, async () => {
      const { world, id } = await parkedBy(original);
      const before = (await world.store.task(id))?.seq ?? 0;
      const newer = await world.start(handler, { version: "2" });
      await tell(newer, id, "yes");
      await world.clock.advance(100_000);
      const row = await world.store.task(id);
      assert.ok(row?.held, "it is not held");
      assert.equal(row.state, "TASK_STATE_INPUT_REQUIRED");
      assert.equal(row.holder, null);
      const kinds = (await world.entries(id)).slice(before).map((entry) => entry.kind);
      assert.deepEqual(kinds, ["message", "held"]);
      // A message to it waits.
      await tell(newer, id, "later");
      await world.clock.advance(20_000);
      assert.ok((await world.store.task(id))?.held);
      await world.crash(newer);
      const fitting = await world.start(original, { version: "1.1" });
      await world.clock.advance(1_000);
      const task = await taskOf(fitting, id);
      assert.ok(task.history?.some((message) => message.parts[0]?.text === "yes"));
      assert.equal((await world.store.task(id))?.held, null);
    });
  }

  it("runs a held turn afresh when a person says so, and takes the message again", async () => {
    const { world, id } = await parkedBy(original);
    const heard: string[] = [];
    const newer = await world.start(
      async (turn, incoming) => {
        heard.push(textOf(incoming));
        if (textOf(incoming) === "begin") await step(turn, "new");
      },
      { version: "2" },
    );
    await tell(newer, id, "yes");
    await turns();
    assert.ok((await world.store.task(id))?.held);
    await assert.rejects(newer.engine.retry("none"), { code: "TASK_NOT_FOUND" });
    await newer.engine.restartTurn(id);
    await world.clock.advance(100);
    assert.equal(await stateOf(newer, id), "COMPLETED");
    assert.deepEqual(heard, ["begin", "begin", "yes"]);
    await assert.rejects(newer.engine.retry(id), { code: "UNSUPPORTED_OPERATION" });
  });

  it("keeps the keys of the steps of a turn that begins afresh, and gives its messages again", async () => {
    const world = new World();
    const seen: string[] = [];
    const pay = (turn: Parameters<Handler>[0]): Promise<string> =>
      turn.step("pay", ({ key }) => {
        seen.push(key);
        return key;
      });
    const life = await world.start(async (turn) => {
      seen.push(textOf(await turn.receive()));
      await pay(turn);
      await turn.ask(say("go on?"));
    });
    const id = await begin(life);
    await turns();
    await tell(life, id, "first");
    await turns();
    await world.crash(life);
    const newer = await world.start(
      async (turn) => {
        await turn.now();
        seen.push(textOf(await turn.receive()));
        await pay(turn);
        return turn.complete();
      },
      { version: "2", recovery: "fail" },
    );
    await tell(newer, id, "yes");
    await turns();
    assert.match((await world.store.task(id))?.held ?? "", /receive/);
    await newer.engine.restartTurn(id);
    await world.clock.advance(100);
    assert.equal(await stateOf(newer, id), "COMPLETED");
    const [, key] = seen;
    assert.deepEqual(seen, ["first", key, "first", key]);
    const turnsBegun = (await world.entries(id)).filter(({ kind }) => kind === "turn");
    assert.deepEqual(
      turnsBegun.map(({ payload }) => (JSON.parse(payload) as { turn: number }).turn),
      [1, 1],
    );
  });

  it("ends a held task as FAILED with the reason that a person gives", async () => {
    const { world, id } = await parkedBy(original);
    const newer = await world.start(changed["renamed"]!, { version: "2" });
    await tell(newer, id, "yes");
    await turns();
    await newer.engine.fail(id, "the order was withdrawn");
    const task = await taskOf(newer, id);
    assert.equal(task.status.state, "TASK_STATE_FAILED");
    assert.equal(task.status.message?.parts[0]?.text, "the order was withdrawn");
    const row = await world.store.task(id);
    assert.deepEqual([row?.held, row?.holder, row?.due], [null, null, null]);
    await assert.rejects(newer.engine.fail(id, "again"), { code: "UNSUPPORTED_OPERATION" });
  });

  it("cancels a held task at once", async () => {
    const { world, id } = await parkedBy(original);
    const newer = await world.start(changed["renamed"]!, { onCancel: () => "refuse" });
    await tell(newer, id, "yes");
    await turns();
    await newer.engine.cancelTask(SCOPE, id);
    assert.equal(await stateOf(newer, id), "CANCELED");
  });

  it("goes on with a journal of before a patch, and takes the patch where the journal ends", async () => {
    const ran: string[] = [];
    const patched: Handler = async (turn) => {
      await step(turn, "a");
      if (await turn.patched("check")) {
        ran.push("check");
        await step(turn, "check");
      }
      await step(turn, "b");
      const answer = textOf(await turn.ask(say("go on?")));
      await step(turn, "c");
      if (await turn.patched("goodbye")) ran.push("goodbye");
      return turn.complete(say(answer));
    };
    const { world, id } = await parkedBy(original);
    const newer = await world.start(patched, { version: "2" });
    await tell(newer, id, "yes");
    await turns();
    assert.equal(await stateOf(newer, id), "COMPLETED");
    assert.deepEqual(ran, ["goodbye"]);
    const fresh = await begin(newer);
    await turns();
    await world.crash(newer);
    const again = await world.start(patched, { version: "2" });
    await tell(again, fresh, "yes");
    await turns();
    assert.equal(await stateOf(again, fresh), "COMPLETED");
    assert.deepEqual(ran, ["goodbye", "check", "check", "goodbye"]);
  });

  it("holds a step that may have happened, and never runs it again by itself", async () => {
    const world = new World();
    let runs = 0;
    const handler: Handler = async (turn) => {
      let seen: unknown = "nothing";
      try {
        seen = await turn.step(
          "pay",
          async (): Promise<undefined> => {
            runs += 1;
            await new Promise(() => {});
          },
          { once: true },
        );
      } finally {
        if (seen !== "nothing") await turn.artifact({ name: "after", parts: [{ text: "went on" }] });
      }
    };
    const first = await world.start(handler);
    const id = await begin(first);
    await turns();
    assert.equal(runs, 1);
    await world.crash(first);
    const second = await world.start(handler);
    await turns();
    const row = await world.store.task(id);
    assert.match(row?.held ?? "", /^STEP_IN_DOUBT: step "pay"/);
    assert.equal(row?.state, "TASK_STATE_WORKING");
    assert.equal(runs, 1);
    assert.equal((await taskOf(second, id)).artifacts, undefined);
    await second.engine.retry(id);
    await world.clock.advance(100);
    assert.match((await world.store.task(id))?.held ?? "", /^STEP_IN_DOUBT/);
    assert.equal(runs, 1);
    // Also when the new code forgot that it was to happen once.
    await world.crash(second);
    const third = await world.start(async (turn) => void (await turn.step("pay", () => ++runs)));
    await third.engine.retry(id);
    await world.clock.advance(100);
    assert.match((await world.store.task(id))?.held ?? "", /^STEP_IN_DOUBT/);
    assert.equal(runs, 1);
  });

  it("runs a step that is to happen once, once, when nothing goes wrong", async () => {
    const world = new World();
    let runs = 0;
    const handler: Handler = async (turn) => {
      await turn.step("pay", () => ++runs, { once: true });
      await turn.ask(say("?"));
    };
    const first = await world.start(handler);
    const id = await begin(first);
    await turns();
    await world.crash(first);
    const second = await world.start(handler);
    await tell(second, id, "yes");
    await turns();
    assert.equal(await stateOf(second, id), "COMPLETED");
    assert.equal(runs, 1);
  });

  it("refuses what cannot be replayed, in the words of what to do", async () => {
    const world = new World();
    const open = gate();
    const refused: string[] = [];
    const note = (error: unknown): void => {
      const { code, name, message } = error as { code?: string; name: string; message: string };
      refused.push(`${code ?? name}: ${message}`);
    };
    const life = await world.start(async (turn) => {
      const working = turn.step("work", async (): Promise<undefined> => {
        await turn.step("inside", () => 1).catch(note);
        await open.promise;
      });
      await turn.step("work", () => 1).catch(note);
      await turn.ask(say("?")).catch(note);
      await turn.requestAuth(say("?")).catch(note);
      await turn.sleep(1).catch(note);
      await turn.receive().catch(note);
      open.open();
      await working;
      await turn.write("x", async function* () {
        await turn.now().catch(note);
        yield "x";
      });
      await turn.sleep(-1).catch(note);
      await turn.requestAuth({ parts: [] }).catch(note);
      const asking = turn.ask(say("really?"));
      await turns();
      await turn.step("beside", () => 1).catch(note);
      await turn.ask(say("twice?")).catch(note);
      await turn.artifact({ name: "y", parts: [{ text: "y" }] }).catch(note);
      await asking;
    });
    const id = await begin(life);
    await turns(200);
    assert.equal(await stateOf(life, id), "INPUT_REQUIRED");
    assert.deepEqual(
      refused.map((text) => text.split(":")[0]),
      [
        "TypeError",
        "TypeError",
        "STEP_IN_FLIGHT",
        "STEP_IN_FLIGHT",
        "STEP_IN_FLIGHT",
        "STEP_IN_FLIGHT",
        "TypeError",
        "TypeError",
        "TypeError",
        "STEP_IN_FLIGHT",
        "STEP_IN_FLIGHT",
        "STEP_IN_FLIGHT",
      ],
      refused.join("\n"),
    );
    await tell(life, id, "yes");
    await turns();
    assert.equal(await stateOf(life, id), "COMPLETED");
  });
});
