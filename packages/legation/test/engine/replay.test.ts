/** A handler that is cut off anywhere comes to the same end as one that was never cut off. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Task } from "../../src/model/gen/types.ts";
import { artifactText, begin, type Handler, say, stateOf, taskOf, tell, textOf, turns, World } from "./harness.ts";

/** A kill at a commit: before it is done, when it is done and nobody has heard of it, or a loop turn later. */
interface Kill {
  readonly commit: number;
  readonly when: "before" | "unheard" | "after";
}

/** Runs a handler to its end and kills its process at commits. */
async function runWithKills(
  handler: Handler,
  kills: readonly Kill[],
  answers: readonly string[],
): Promise<{ task: Task; killed: number }> {
  const world = new World();
  let life = await world.start(handler);
  let [isDead, killed] = [false, 0];
  const kill = (): void => {
    life.crash();
    [isDead, killed] = [true, killed + 1];
  };
  const left = new Set(kills);
  const at = (number: number, when: Kill["when"]): boolean => {
    for (const due of left) if (!isDead && due.commit === number && due.when === when) return left.delete(due);
    return false;
  };
  const id = await begin(life);
  world.store.fate = (_batch, number) => {
    if (!at(number, "before")) return "ok";
    kill();
    return "refuse";
  };
  world.store.afterCommit = (number) => {
    if (at(number, "unheard")) kill();
    else if (at(number, "after")) setImmediate(() => isDead || kill());
  };
  const unsent = [...answers];
  for (let round = 0; round < 100; round++) {
    await turns(10);
    const row = await world.store.task(id);
    assert.ok(row !== undefined && row.held === null, row?.held ?? "no row");
    if (row.state === "TASK_STATE_COMPLETED" || row.state === "TASK_STATE_FAILED") break;
    if (isDead) {
      await world.clock.advance(15_001);
      life = await world.start(handler);
      isDead = false;
    } else if (row.state === "TASK_STATE_INPUT_REQUIRED" && row.holder === null) {
      const before = row.seq;
      const sent = tell(life, id, unsent[0] ?? "more");
      void sent.catch(() => {});
      await turns(10);
      const after = await world.store.task(id);
      if (after !== undefined && after.seq > before) unsent.shift();
    } else await world.clock.advance(2_000);
  }
  const reader = await world.start(handler);
  return { task: await taskOf(reader, id), killed };
}

function count(effects: Map<string, number>, key: string): void {
  effects.set(key, (effects.get(key) ?? 0) + 1);
}

function bytesOf(task: Task): Record<string, string | undefined> {
  const names = (task.artifacts ?? []).map((artifact) => artifact.name ?? "");
  assert.equal(new Set(names).size, names.length, "an artifact is there twice");
  return Object.fromEntries(names.sort().map((name) => [name, artifactText(task, name)]));
}

const mixed =
  (effects: Map<string, number>): Handler =>
  async (turn) => {
    await turn.working(say("first"));
    await turn.artifact({ name: "log", parts: [{ text: "begin;" }] });
    const branch = async (name: string, pauses: number): Promise<string> => {
      const one = await turn.step(`${name}1`, async ({ key }) => {
        count(effects, key);
        for (let n = 0; n < pauses; n++) await new Promise((resolve) => setImmediate(resolve));
        return `${name}1`;
      });
      for (let n = 0; n < pauses; n++) await Promise.resolve();
      const two = await turn.step(`${name}2`, ({ key }) => {
        count(effects, key);
        return `${name}2`;
      });
      return one + two;
    };
    const both = await Promise.all([branch("a", 3), branch("b", 0), branch("c", 1)]);
    await turn.artifact({ name: "log", append: true, parts: [{ text: `${both.join(",")};` }] });
    const now = await turn.now();
    const random = await turn.random();
    await turn.step("emits", async ({ key }): Promise<undefined> => {
      count(effects, key);
      await turn.artifact({ name: "log", append: true, parts: [{ text: "inside;" }] });
      await turn.artifact({ name: "side", parts: [{ text: "version 1" }] });
      await turn.artifact({ name: "side", parts: [{ text: "version 2" }] });
      await turn.working(say("inside"));
    });
    await turn.write("essay", async function* () {
      count(effects, "essay");
      for (let n = 0; n < 5; n++) yield `word ${n} `;
    });
    const answer = await turn.ask(say("name?"), (incoming) =>
      textOf(incoming) === "no"
        ? { ok: false as const, again: say("name, please?") }
        : { ok: true as const, value: textOf(incoming) },
    );
    await turn.artifact({ name: "log", append: true, parts: [{ text: `answer ${answer};` }] });
    await turn.sleep(1_000);
    await turn.working(say("last"));
    const again = [await turn.now(), await turn.random()];
    await turn.artifact({
      name: "log",
      append: true,
      parts: [{ text: `${again[0]! >= now + 1_000},${again[1] !== random};end` }],
    });
  };

/** About as many as a run of it takes. */
const COMMITS = 30;

const EXPECTED = {
  essay: "word 0 word 1 word 2 word 3 word 4 ",
  log: "begin;a1a2,b1b2,c1c2;inside;answer Ada;true,true;end",
  side: "version 2",
};

describe("replay", () => {
  it("comes to the same task wherever the process dies, and repeats no recorded step", async () => {
    const whole = await runWithKills(mixed(new Map()), [], ["no", "Ada"]);
    assert.equal(whole.task.status.state, "TASK_STATE_COMPLETED");
    assert.deepEqual(bytesOf(whole.task), EXPECTED);
    const kill = fc.record({
      commit: fc.integer({ min: 1, max: COMMITS }),
      when: fc.constantFrom<Kill["when"]>("before", "unheard", "after"),
    });
    const each = (when: Kill["when"]): [Kill[]][] =>
      Array.from({ length: COMMITS }, (_, n) => [[{ commit: n + 1, when }]]);
    const examples = [...each("before"), ...each("unheard"), ...each("after")];
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(kill, { maxLength: 4, selector: ({ commit }) => commit }), async (kills) => {
        const effects = new Map<string, number>();
        const { task, killed } = await runWithKills(mixed(effects), kills, ["no", "Ada"]);
        assert.equal(task.status.state, "TASK_STATE_COMPLETED");
        assert.deepEqual(bytesOf(task), EXPECTED);
        for (const [key, times] of effects) {
          assert.ok(times <= killed + 1, `${key} ran ${times} times with ${killed} kills`);
        }
        const said = (task.history ?? []).filter((message) => message.role === "ROLE_AGENT");
        const texts = [...said, task.status.message].map((message) => message?.parts[0]?.text);
        for (const text of ["first", "inside", "last"]) {
          assert.equal(texts.filter((other) => other === text).length, 1, `${text} in ${texts.join()}`);
        }
      }),
      { numRuns: examples.length + 60, endOnFailure: true, examples },
    );
  });

  it("delivers parallel results one at a time, so that what follows from each asks in the same order again", async () => {
    const world = new World();
    const handler: Handler = async (turn) => {
      const branch = async (name: string, hops: number): Promise<void> => {
        await turn.step(name, () => 1);
        for (let n = 0; n < hops; n++) await Promise.resolve();
        await turn.step(`${name} then`, () => 1);
      };
      // Recorded in one commit: what follows must not depend on how many microtasks each branch takes.
      await Promise.all([branch("slow", 50), branch("quick", 0)]);
      await turn.ask(say("?"));
    };
    const first = await world.start(handler);
    const id = await begin(first);
    await turns();
    await world.crash(first);
    const second = await world.start(handler);
    await tell(second, id, "yes");
    await turns();
    assert.equal((await world.store.task(id))?.held, null);
    assert.equal(await stateOf(second, id), "COMPLETED");
  });

  it("does not give a branch its next result while another waits for room to emit", async () => {
    const world = new World();
    const handler: Handler = async (turn) => {
      const talks = async (): Promise<void> => {
        await turn.step("a", () => 1);
        await turn.artifact({ name: "x", parts: [{ text: "." }] });
        for (let n = 0; n < 600; n++) await turn.artifact({ name: "x", append: true, parts: [{ text: "." }] });
        await turn.step("a then", () => 1);
      };
      const works = async (): Promise<void> => {
        await turn.step("b", () => 1);
        await turn.step("b then", () => 1);
      };
      await Promise.all([talks(), works()]);
      await turn.ask(say("?"));
    };
    const first = await world.start(handler);
    const id = await begin(first);
    await turns(60);
    await world.crash(first);
    const second = await world.start(handler);
    await tell(second, id, "yes");
    await turns(60);
    const task = await taskOf(second, id);
    assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    assert.equal(artifactText(task, "x")?.length, 601);
  });

  it("goes on with a step that was not finished while its neighbour was", async () => {
    const world = new World();
    const ran: string[] = [];
    let stuck = true;
    const handler: Handler = async (turn) => {
      const [left, right] = await Promise.all([
        turn.step("left", async () => {
          ran.push("left");
          if (stuck) await new Promise(() => {});
          return "L" as string;
        }),
        turn.step("right", () => {
          ran.push("right");
          return "R";
        }),
      ]);
      return turn.complete(say(left + right));
    };
    const first = await world.start(handler);
    const id = await begin(first);
    await turns();
    stuck = false;
    await world.crash(first);
    const second = await world.start(handler);
    await turns();
    assert.equal((await taskOf(second, id)).status.message?.parts[0]?.text, "LR");
    assert.deepEqual(ran, ["left", "right", "left"]);
  });

  it("gives the failure of a step again as it was given first", async () => {
    const world = new World();
    const seen: string[] = [];
    const handler: Handler = async (turn) => {
      try {
        await turn.step("fails", () => {
          throw Object.assign(new RangeError("out of range"), { code: "E_RANGE" });
        });
      } catch (error) {
        seen.push(`${(error as Error).name} ${(error as Error).message} ${(error as { code?: string }).code}`);
      }
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
    assert.deepEqual(seen, ["RangeError out of range E_RANGE", "RangeError out of range E_RANGE"]);
  });

  it("shows a handler the task as it stood when its turn began, also when it runs again", async () => {
    const world = new World();
    const seen: string[] = [];
    const handler: Handler = async (turn) => {
      await turn.artifact({ name: "x", parts: [{ text: `turn ${turn.number}` }] });
      await turn.step("flush", () => 1);
      const task = (await turn.snapshot()) as Task;
      seen.push(`${turn.number}:${task.artifacts?.[0]?.parts[0]?.text ?? "nothing"}:${task.history?.length}`);
      if (turn.number === 1) return turn.pause(say("more?"));
      await turn.ask(say("?"));
      return undefined;
    };
    const first = await world.start(handler);
    const id = await begin(first);
    await turns();
    await tell(first, id, "second");
    await turns();
    await world.crash(first);
    const second = await world.start(handler);
    await tell(second, id, "yes");
    await turns();
    assert.equal(await stateOf(second, id), "COMPLETED");
    assert.deepEqual(seen, ["1:nothing:1", "2:turn 1:3", "2:turn 1:3"]);
  });
});
