/** Cancelling: the first terminal write wins, wherever it is written. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { begin, gate, type Handler, type Life, SCOPE, say, stateOf, taskOf, tell, turns, World } from "./harness.ts";

const parks: Handler = async (turn) => void (await turn.ask(say("?")));

/** Works until it is aborted or let go. */
function works(open: Promise<unknown>, aborted: string[] = []): Handler {
  return async (turn) => {
    turn.signal.addEventListener("abort", () => aborted.push("aborted"));
    await turn.step("work", () => open.then(() => 1));
  };
}

async function cancel(life: Life, id: string): Promise<string> {
  return life.engine.cancelTask(SCOPE, id).then(
    () => "canceled",
    (error: { code: string }) => error.code,
  );
}

describe("cancel", () => {
  it("cancels at once a task that no turn runs for, also when the agent would be asked", async () => {
    const world = new World();
    const life = await world.start(parks, { onCancel: () => "refuse" });
    const id = await begin(life);
    await turns();
    assert.equal(await cancel(life, id), "canceled");
    assert.equal(await cancel(life, id), "canceled", "again");
    assert.equal(await stateOf(life, id), "CANCELED");
    await assert.rejects(tell(life, id, "x"), { code: "UNSUPPORTED_OPERATION" });
    await assert.rejects(life.engine.cancelTask(SCOPE, "none"), { code: "TASK_NOT_FOUND" });
  });

  it("cancels a running turn of an agent that is not asked, and aborts its signal", async () => {
    const world = new World();
    const aborted: string[] = [];
    const life = await world.start(works(new Promise(() => {}), aborted));
    const id = await begin(life);
    await turns();
    await tell(life, id, "waiting");
    assert.equal(await cancel(life, id), "canceled");
    assert.deepEqual(aborted, ["aborted"]);
    const kinds = (await world.entries(id)).map((entry) => entry.kind);
    assert.deepEqual(kinds.slice(-2), ["message.unprocessed", "status"]);
    assert.equal((await world.store.task(id))?.holder, null);
  });

  it("refuses to cancel what has ended, and says so", async () => {
    const world = new World();
    const life = await world.start(async () => undefined);
    const id = await begin(life);
    await turns();
    assert.equal(await cancel(life, id), "TASK_NOT_CANCELABLE");
    assert.equal(await stateOf(life, id), "COMPLETED");
  });

  it("asks the agent, with what the caller said, and does as it says", async () => {
    for (const verdict of ["cancel", "refuse"] as const) {
      const world = new World();
      const open = gate();
      const asked: unknown[] = [];
      const life = await world.start(works(open.promise), {
        onCancel: ({ taskId }, metadata) => {
          asked.push([taskId, metadata]);
          return verdict;
        },
      });
      const id = await begin(life);
      await turns();
      const done = life.engine.cancelTask(SCOPE, id, { why: "no need" });
      if (verdict === "cancel") await done;
      else await assert.rejects(done, { code: "TASK_NOT_CANCELABLE" });
      assert.deepEqual(asked, [[id, { why: "no need" }]]);
      assert.equal(await stateOf(life, id), verdict === "cancel" ? "CANCELED" : "WORKING");
      open.open();
      await turns();
      assert.equal(await stateOf(life, id), verdict === "cancel" ? "CANCELED" : "COMPLETED");
    }
  });

  it("cancels when the agent throws, and when it does not answer in time", async () => {
    const world = new World();
    const life = await world.start(works(new Promise(() => {})), {
      onCancel: () => {
        throw new Error("no idea");
      },
    });
    const id = await begin(life);
    await turns();
    assert.equal(await cancel(life, id), "canceled");
    const slow = await world.start(works(new Promise(() => {})), { onCancel: () => new Promise(() => {}) });
    const other = await begin(slow);
    await turns();
    const done = cancel(slow, other);
    await world.clock.advance(4_999);
    assert.equal(await stateOf(slow, other), "WORKING");
    await world.clock.advance(2);
    assert.equal(await done, "canceled");
    assert.equal(await stateOf(slow, other), "CANCELED");
  });

  it("asks the agent once for all who cancel at the same time", async () => {
    const world = new World();
    const verdict = gate<"cancel" | "refuse">();
    let asked = 0;
    const life = await world.start(works(new Promise(() => {})), {
      onCancel: () => {
        asked += 1;
        return verdict.promise;
      },
    });
    const id = await begin(life);
    await turns();
    const all = Array.from({ length: 5 }, () => cancel(life, id));
    await turns();
    verdict.open("cancel");
    assert.deepEqual(new Set(await Promise.all(all)), new Set(["canceled"]));
    assert.equal(asked, 1);
  });

  it("asks the agent where its turn runs when another replica was told to cancel", async () => {
    for (const verdict of ["cancel", "refuse"] as const) {
      const world = new World();
      const asked: string[] = [];
      const runner = await world.start(works(new Promise(() => {})), {
        onCancel: () => {
          asked.push("runner");
          return verdict;
        },
      });
      const other = await world.start(parks, {
        onCancel: () => {
          asked.push("other");
          return "cancel";
        },
      });
      const id = await begin(runner);
      await turns();
      assert.equal(await cancel(other, id), verdict === "cancel" ? "canceled" : "TASK_NOT_CANCELABLE");
      assert.deepEqual(asked, ["runner"]);
    }
  });

  it("stops a turn on the replica that runs it when another one canceled the task", async () => {
    const world = new World();
    const aborted: string[] = [];
    const runner = await world.start(works(new Promise(() => {}), aborted));
    const other = await world.start(parks);
    const id = await begin(runner);
    await turns();
    assert.equal(await cancel(other, id), "canceled");
    await turns();
    assert.deepEqual(aborted, ["aborted"]);
    assert.equal(await stateOf(runner, id), "CANCELED");
  });

  it("lets the first terminal write win, on one replica and on two", async () => {
    for (const replicas of [1, 2]) {
      for (let turn = 0; turn < 12; turn++) {
        const world = new World();
        const open = gate();
        const runner = await world.start(works(open.promise));
        const other = replicas === 1 ? runner : await world.start(parks);
        const id = await begin(runner);
        await turns();
        open.open();
        for (let n = 0; n < turn; n++) await Promise.resolve();
        if (turn > 8) await turns(turn - 8);
        const told = await cancel(other, id);
        await turns();
        const state = await stateOf(other, id);
        assert.equal(told === "canceled" ? "CANCELED" : "COMPLETED", state);
        assert.equal(await stateOf(runner, id), state);
        const terminal = (await world.entries(id)).filter((entry) => /COMPLETED|CANCELED/.test(entry.payload));
        assert.equal(terminal.length, 1);
      }
    }
  });

  it("asks the agent again at the live edge when the process that was asked died", async () => {
    const world = new World();
    const first = await world.start(works(new Promise(() => {})), { onCancel: () => new Promise(() => {}) });
    const id = await begin(first);
    await turns();
    void cancel(first, id);
    await turns();
    await world.crash(first);
    const second = await world.start(works(new Promise(() => {})), { onCancel: () => "cancel" });
    await turns();
    assert.equal(await stateOf(second, id), "CANCELED");
  });

  it("never lets a handler that goes on after it keep the process from anything else", async () => {
    const world = new World();
    let spins = 0;
    const life = await world.start(async (turn, incoming) => {
      if (incoming.message.parts[0]?.text !== "spin") return;
      await turn.artifact({ name: "x", parts: [{ text: "." }] });
      for (;;) {
        spins += 1;
        await turn.artifact({ name: "x", append: true, parts: [{ text: "." }] });
      }
    });
    const id = await begin(life, "spin");
    await turns();
    assert.equal(await cancel(life, id), "canceled");
    await turns();
    const before = spins;
    const other = await begin(life, "other");
    await turns();
    assert.equal(await stateOf(life, other), "COMPLETED");
    assert.equal(spins, before);
    const task = await taskOf(life, id);
    assert.equal(task.status.state, "TASK_STATE_CANCELED");
  });
});
