/** What runs side by side may come to its decisions in any order, where each has a branch of its own. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Turn } from "../../src/engine/turn.ts";
import { begin, type Handler, type Life, say, stateOf, taskOf, tell, textOf, turns, World } from "./harness.ts";

const NAMES = ["hotel", "car", "flight"];

/** Three side by side, each waiting for the world outside as long as the life says, before each of its steps. */
function trip(pauses: () => number, ran: string[], beside: Turn["branch"] | undefined): Handler {
  return async (turn) => {
    const branch: Turn["branch"] = beside ?? ((name, run) => turn.branch(name, run));
    const book = async (name: string): Promise<string> => {
      const keys: string[] = [];
      for (let n = 0; n < 3; n++) {
        await turns(pauses());
        // The same name in every branch: each has names of its own.
        const stepName = beside === undefined ? "book" : `book ${name}`;
        keys.push(
          await turn.step(stepName, ({ key }) => {
            ran.push(key);
            return key;
          }),
        );
      }
      const nested = await branch("total", async () => turn.step(`total of ${name}`, () => keys.length));
      return `${name} ${nested} ${new Set(keys).size}`;
    };
    const all = await Promise.all(NAMES.map((name) => branch(name, () => book(name))));
    const answer = textOf(await turn.ask(say("go on?")));
    return turn.complete(say(`${all.join(", ")}; ${answer}`));
  };
}

describe("branches", () => {
  it("come to the same end whatever they wait for and wherever the process dies, and repeat no recorded step", async () => {
    const kill = fc.record({ commit: fc.nat(16), when: fc.constantFrom("before", "after") });
    const property = fc.asyncProperty(
      fc.array(kill, { maxLength: 4 }),
      fc.array(fc.nat(12), { minLength: 1, maxLength: 20 }),
      async (kills, waits) => {
        const world = new World();
        const ran: string[] = [];
        let n = 0;
        const handler = trip(() => waits[n++ % waits.length] ?? 0, ran, undefined);
        let life: Life = await world.start(handler);
        let killed = 0;
        let isDead = false;
        const left = new Set(kills);
        const strike = (number: number, when: string): boolean => {
          for (const due of left) {
            if (isDead || due.commit !== number || due.when !== when) continue;
            left.delete(due);
            life.crash();
            [isDead, killed] = [true, killed + 1];
            return true;
          }
          return false;
        };
        const id = await begin(life);
        world.store.fate = (_batch, number) => (strike(number, "before") ? "refuse" : "ok");
        world.store.afterCommit = (number) => void strike(number, "after");
        let told = false;
        for (let round = 0; round < 60; round++) {
          await turns(60);
          const row = await world.store.task(id);
          assert.equal(row?.held, null);
          if (row?.state === "TASK_STATE_COMPLETED") break;
          if (isDead) {
            await world.clock.advance(15_001);
            isDead = false;
            life = await world.start(handler);
          } else if (row?.state === "TASK_STATE_INPUT_REQUIRED" && !told) {
            told = await Promise.race([tell(life, id, "yes").then(() => true), turns(20).then(() => false)]);
            const messages = (await world.entries(id)).filter(({ kind }) => kind === "message");
            told ||= messages.length > 1;
          } else await world.clock.advance(5_000);
        }
        world.store.fate = () => "ok";
        world.store.afterCommit = () => {};
        const reader = await world.start(handler);
        const text = (await taskOf(reader, id)).status.message?.parts[0]?.text;
        assert.equal(text, "hotel 3 3, car 3 3, flight 3 3; yes");
        assert.equal(new Set(ran).size, 9);
        for (const key of ran) assert.ok(ran.filter((other) => other === key).length <= killed + 1, key);
      },
    );
    await fc.assert(property, { numRuns: 80 });
  });

  it("are what a run that is held without them is told to take", async () => {
    const world = new World();
    const plain: Turn["branch"] = async (_name, run) => run();
    let order = [0, 9, 9];
    let n = 0;
    const handler = trip(() => order[n++ % 3] ?? 0, [], plain);
    const first = await world.start(handler);
    const id = await begin(first);
    for (let round = 0; (await stateOf(first, id)) !== "INPUT_REQUIRED" && round < 50; round++) await turns(20);
    await world.crash(first);
    [order, n] = [[9, 9, 0], 0];
    const second = await world.start(handler);
    await tell(second, id, "yes");
    await turns(200);
    const held = (await world.store.task(id))?.held ?? "";
    assert.match(held, /the journal has both: what runs side by side .* give each a task\.branch of its own/);
  });

  it("hold a run whose code does not fit within one, and refuse one inside a step and twice in flight", async () => {
    const world = new World();
    const handler =
      (name: string): Handler =>
      async (turn) => {
        await turn.branch("a", async () => void (await turn.step(name, () => 1)));
        await turn.branch("a", async () => void (await turn.step("again", () => 1)));
        await turn.ask(say("?"));
      };
    const first = await world.start(handler("old"));
    const id = await begin(first);
    await turns();
    await world.crash(first);
    const second = await world.start(handler("new"), { version: "2" });
    await tell(second, id, "yes");
    await turns(60);
    const held = (await world.store.task(id))?.held;
    assert.equal(held, 'the journal has step "old" as decision 0 of branch "a", the handler asks for step "new"');
    await world.crash(second);
    const third = await world.start(handler("old"), { version: "3" });
    await world.clock.advance(1_000);
    assert.equal(await stateOf(third, id), "COMPLETED");

    const refused: string[] = [];
    const note = (error: Error): void => void refused.push(error.message);
    const fourth = await world.start(async (turn) => {
      await turn.step("x", async () => void (await turn.branch("in", () => 1).catch(note)));
      await Promise.all([turn.branch("twin", () => turns(1)), turn.branch("twin", () => 1).catch(note)]);
    });
    await begin(fourth);
    await turns(60);
    assert.deepEqual(refused, [
      'branch "in" inside step "x": a decision cannot be part of another',
      'branch "twin" is in flight already: give the two different names',
    ]);
  });
});
