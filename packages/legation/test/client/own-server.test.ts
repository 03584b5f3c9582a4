// Our client against our server, over both bindings: what neither can show alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isA2AError } from "../../src/operations/errors.ts";
import { createAgent } from "../../src/server/agent.ts";
import { pair } from "../../src/testing/pair.ts";
import { Screen } from "./fake-peer.ts";

for (const binding of ["jsonrpc", "rest"] as const) {
  test(`${binding}: send, ask, reply, artifact`, async () => {
    const planner = createAgent({
      name: "Planner",
      description: "Plans.",
      version: "1.0.0",
      skills: [],
      async onTask(task) {
        const answer = await task.ask("How many days?");
        await task.artifact("route.md", { text: `${answer.text} days` });
      },
    });
    const t = await pair(planner, { binding });
    try {
      let trip = await t.client.send("Perth to Albany");
      assert.ok(trip.kind === "task" && trip.state === "INPUT_REQUIRED");
      assert.equal(trip.question, "How many days?");
      trip = await trip.reply("3");
      assert.ok(trip.kind === "task");
      assert.equal(trip.state, "COMPLETED");
      assert.equal(await trip.artifact("route.md")?.text(), "3 days");
      assert.equal((await t.client.task(trip.id)).state, "COMPLETED");
      await assert.rejects(t.client.cancel(trip.id), (error) => isA2AError(error, "TASK_NOT_CANCELABLE"));
      const ids: string[] = [];
      for await (const each of t.client.tasks()) ids.push(each.id);
      assert.deepEqual(ids, [trip.id]);
      const seen = await t.client.subscribe(trip.id).result;
      assert.ok(seen.kind === "task" && seen.state === "COMPLETED");
    } finally {
      await t.close();
    }
  });

  test(`${binding}: a stream survives the death of the agent, and the text is exact`, async () => {
    let release: (() => void) | undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const agent = createAgent({
      name: "Writer",
      description: "Writes.",
      version: "1.0.0",
      skills: [],
      async onTask(task) {
        await task.write("out.txt", async function* () {
          for (let n = 0; n < 100; n++) {
            if (n === 50) await gate;
            yield `${n},`;
          }
        });
      },
    });
    const t = await pair(agent, { binding });
    try {
      const run = t.client.stream("write");
      const screen = new Screen();
      let isKilled = false;
      for await (const event of run) {
        screen.show(event);
        if (!isKilled && event.kind === "artifact" && event.text.includes("49,")) {
          isKilled = true;
          release?.();
          await t.crash();
          await t.clock.advance(60_000);
        }
      }
      assert.ok(isKilled);
      const expected = Array.from({ length: 100 }, (_, n) => `${n},`).join("");
      assert.equal(screen.texts.get("out.txt"), expected);
      assert.equal(run.delivery, "resumed");
      const result = await run.result;
      assert.ok(result.kind === "task" && result.state === "COMPLETED");
      assert.equal(await result.artifact("out.txt")?.text(), expected);
    } finally {
      await t.close();
    }
  });
}
