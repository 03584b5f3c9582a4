/** Who is first at a deferred task: its worker, its handler, whoever cancels it, or the power cut. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Ending, Turn } from "../../src/engine/turn.ts";
import { deferred, deferring, handed, issued, MINUTE, pause, workerOf } from "./deferring.ts";
import {
  artifactText,
  begin,
  gate,
  type Handler,
  type Life,
  SCOPE,
  say,
  stateOf,
  taskOf,
  textOf,
  turns,
  World,
} from "./harness.ts";

describe("deferred races", () => {
  it("lets a worker be quicker than the handler that hands over: its end counts, whatever the handler gives then", async () => {
    const world = new World();
    const returns: Record<string, (given: Ending, turn: Turn) => unknown> = {
      "what defer gave": (given) => given,
      "a rejection": (_given, turn) => turn.reject(say("no")),
      nothing: () => undefined,
    };
    for (const [name, give] of Object.entries(returns)) {
      const tokens: string[] = [];
      const open = gate();
      const life = await world.start(async (turn) => {
        const given = await turn.defer({ heartbeatMs: MINUTE });
        tokens.push(given.token);
        await open.promise;
        return give(given, turn);
      });
      const id = await begin(life);
      await issued(tokens, 1);
      await workerOf(life, tokens[0] ?? "").complete("quick");
      open.open();
      await turns();
      const { status } = await taskOf(life, id);
      assert.deepEqual([status.state, status.message?.parts[0]?.text], ["TASK_STATE_COMPLETED", "quick"], name);
      await world.crash(life);
    }
  });

  it("says UNAVAILABLE to a worker while the store is away, so that it reports again", async () => {
    const { world, life, id, worker } = await deferred();
    world.store.away = true;
    await assert.rejects(worker.complete("done", { id: "end" }), { code: "UNAVAILABLE" });
    assert.equal(worker.signal.aborted, false);
    world.store.away = false;
    await worker.complete("done", { id: "end" });
    assert.equal(await stateOf(life, id), "COMPLETED");
  });

  it("tells a handler how many tokens the turn has had, also those that died with their process", async () => {
    const world = new World();
    const attempts: number[] = [];
    const handler: Handler = async (turn) => {
      const given = await turn.defer({ heartbeatMs: MINUTE });
      attempts.push(given.attempt);
      if (given.attempt === 1) await new Promise(() => {});
      return given;
    };
    const first = await world.start(handler);
    const id = await begin(first);
    while (attempts.length < 1) await pause();
    await world.crash(first);
    const second = await world.start(handler);
    while (attempts.length < 2) await pause();
    await handed(world, id);
    await world.clock.advance(MINUTE + 1_000);
    while (attempts.length < 3) await pause();
    assert.deepEqual(attempts, [1, 2, 3]);
    assert.equal(await stateOf(second, id), "WORKING");
  });

  it("lets a handler take its task back by another ending, and asks onCancel only while it hands over", async () => {
    const world = new World();
    const tokens: string[] = [];
    const open = gate();
    const asked: string[] = [];
    const life = await world.start(
      async (turn, incoming) => {
        const given = await turn.defer({ heartbeatMs: MINUTE });
        tokens.push(given.token);
        if (textOf(incoming) === "back") return turn.complete(say("not needed"));
        await open.promise;
        return given;
      },
      {
        onCancel: ({ taskId }) => {
          asked.push(taskId);
          return "refuse";
        },
      },
    );
    const back = await begin(life, "back");
    await issued(tokens, 1);
    await turns();
    assert.equal(await stateOf(life, back), "COMPLETED");
    await assert.rejects(workerOf(life, tokens[0] ?? "").working("x"), {
      metadata: { taskId: back, state: "TASK_STATE_COMPLETED" },
    });
    const id = await begin(life, "stay");
    await issued(tokens, 2);
    await assert.rejects(life.engine.cancelTask(SCOPE, id), { code: "TASK_NOT_CANCELABLE" });
    open.open();
    await turns();
    await life.engine.cancelTask(SCOPE, id);
    assert.deepEqual([asked, await stateOf(life, id)], [[id], "CANCELED"]);
  });

  it("comes to the same end wherever processes are killed: one owner at a time, nothing taken twice", async () => {
    const kill = fc.record({ commit: fc.nat(12), when: fc.constantFrom("before", "after") });
    const property = fc.asyncProperty(fc.array(kill, { maxLength: 3 }), async (kills) => {
      const world = new World();
      const tokens: string[] = [];
      const handler = deferring(tokens, { attempts: 50 });
      let life = await world.start(handler);
      let isDead = false;
      const left = new Set(kills);
      const strike = (number: number, when: string): boolean => {
        for (const due of left) {
          if (isDead || due.commit !== number || due.when !== when) continue;
          left.delete(due);
          life.crash();
          isDead = true;
          return true;
        }
        return false;
      };
      const id = await begin(life);
      world.store.fate = (_batch, number) => (strike(number, "before") ? "refuse" : "ok");
      world.store.afterCommit = (number) => void strike(number, "after");
      let ends = 0;
      for (let round = 0; round < 2_000 && ends === 0; round++) {
        await turns(5);
        if (isDead) {
          await world.clock.advance(15_001);
          isDead = false;
          life = await world.start(handler);
          continue;
        }
        const token = tokens.at(-1);
        if (token === undefined) await pause();
        else if (await isEnded(work(life, token), () => isDead)) ends += 1;
        else if (!isDead) await world.clock.advance(MINUTE + 1_000);
      }
      world.store.fate = () => "ok";
      world.store.afterCommit = () => {};
      const reader = await world.start(handler);
      const task = await taskOf(reader, id);
      assert.equal(task.status.state, "TASK_STATE_COMPLETED");
      assert.equal(artifactText(task, "x"), "123");
    });
    await fc.assert(property, { numRuns: 60 });
  });
});

/** What a worker does, under ids of its own token, so that it may be sent again. */
async function work(life: Life, token: string): Promise<boolean> {
  const worker = workerOf(life, token);
  await worker.artifact("x", { text: "1" }, { id: "1" });
  await worker.artifact("x", { text: "2", append: true }, { id: "2" });
  await worker.artifact("x", { text: "3", append: true }, { id: "3" });
  await worker.complete(undefined, { id: "4" });
  return true;
}

/** True when it was done; false when it was refused, or its process is dead. */
async function isEnded(work: Promise<boolean>, isDead: () => boolean): Promise<boolean> {
  let outcome: boolean | undefined;
  work.then(
    (done) => {
      outcome = done;
    },
    () => {
      outcome = false;
    },
  );
  for (let round = 0; outcome === undefined && !isDead() && round < 5_000; round++) await pause();
  return outcome ?? false;
}
