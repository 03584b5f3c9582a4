import assert from "node:assert/strict";
import test from "node:test";
import { createAgent } from "../server/agent.ts";
import type { AgentOptions } from "../server/agent-options.ts";
import { createFakeClock } from "./fake-clock.ts";
import { pair } from "./pair.ts";

function agentWith(onTask: NonNullable<AgentOptions["onTask"]>): ReturnType<typeof createAgent> {
  return createAgent({ name: "Planner", description: "Plans.", version: "1.0.0", onTask });
}

test("the fake clock fires timers in order, each at its own time, and those that they set", async () => {
  const clock = createFakeClock(1_000);
  const fired: string[] = [];
  clock.setTimeout(() => fired.push(`b ${clock.now()}`), 200);
  clock.setTimeout(() => {
    fired.push(`a ${clock.now()}`);
    clock.setTimeout(() => fired.push(`c ${clock.now()}`), 150);
  }, 100);
  clock.setTimeout(() => fired.push("canceled"), 10).cancel();
  await clock.advance(250);
  assert.deepEqual(fired, ["a 1100", "b 1200", "c 1250"]);
  assert.equal(clock.now(), 1_250);
});

test("a stream that a crash cuts goes on by itself, with every chunk once", async () => {
  const agent = agentWith(async (task) => {
    await task.artifact("a.txt", { text: "one " });
    await task.sleep(60_000);
    await task.artifact("a.txt", { text: "two", append: true, lastChunk: true });
  });
  const t = await pair(agent);
  const run = t.client.stream("hi");
  let text = "";
  let crashed = false;
  for await (const event of run) {
    if (event.kind !== "artifact") continue;
    text = event.append ? text + event.text : event.text;
    if (crashed) continue;
    crashed = true;
    await t.crash();
    await t.clock.advance(61_000);
  }
  const done = await run.result;
  assert.equal(done.kind === "task" && done.state, "COMPLETED");
  assert.equal(text, "one two");
  assert.equal(await (done.kind === "task" ? done.artifact("a.txt")?.text() : ""), "one two");
  assert.equal(run.delivery, "resumed");
  await t.close();
});

test("a crash breaks a call in flight as a lost connection, and the task goes on", async () => {
  const agent = agentWith(async (task) => void (await task.sleep(60_000)));
  const t = await pair(agent);
  const call = t.fetch(`${t.url}/message:send`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({ message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "hi" }] } }),
  });
  const broken = assert.rejects(call, (thrown) => thrown instanceof TypeError && thrown.cause !== undefined);
  await t.clock.advance(1);
  await t.crash();
  await broken;
  await t.clock.advance(61_000);
  const [task] = (await t.client.tasks().page()).tasks;
  assert.equal(task?.state, "COMPLETED");
  await t.close();
});

test("what a handler of a dead process still says is not heard", async () => {
  const { promise: held, resolve: open } = Promise.withResolvers<void>();
  let lives = 0;
  const agent = agentWith(async (task) => {
    lives += 1;
    if (lives === 1) {
      await held;
      await task.artifact("ghost", { text: "boo" });
    }
    await task.artifact("a", { text: "alive" });
  });
  const t = await pair(agent);
  const sent = await t.client.send("hi", { returnImmediately: true });
  assert.ok(sent.kind === "task");
  await t.crash();
  open();
  await t.clock.advance(1_000);
  const task = await t.client.task(sent.id);
  assert.equal(task.state, "COMPLETED");
  assert.deepEqual(
    task.artifacts.map(({ name }) => name),
    ["a"],
  );
  await t.close();
});
