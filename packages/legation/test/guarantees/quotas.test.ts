/** A task and a tenant hold what they may, and whoever asks for more is told so. */
import assert from "node:assert/strict";
import { it } from "node:test";
import type { EngineSettings } from "../../src/engine/defaults.ts";
import { Engine, type Scope } from "../../src/engine/engine.ts";
import { createMemoryStore } from "../../src/stores/memory/store.ts";
import { dedupeKey, SCOPE, say, textMessage } from "../engine/harness.ts";

async function start(settings: Partial<EngineSettings>): Promise<Engine> {
  const engine = new Engine({
    store: createMemoryStore(),
    settings,
    agents: [
      {
        name: "a",
        version: "1",
        run: async (turn, incoming) => {
          const text = incoming.message.parts[0]?.text ?? "";
          if (text.startsWith("flood")) {
            for (let n = 0; n < 10_000; n += 1) {
              await turn.artifact({ name: "out", parts: [{ text: text.repeat(10) }], append: n > 0 });
            }
          }
          await turn.ask(say("and?"));
          return turn.complete();
        },
      },
    ],
  });
  await engine.start();
  return engine;
}

function send(engine: Engine, scope: Scope, text: string): Promise<{ taskId: string }> {
  const incoming = { message: textMessage(text), meta: {} };
  return engine.createTask({ scope, contextId: "c", incoming, dedupe: undefined });
}

it("quotas: a task that grows beyond its bytes is FAILED and says why; a message that is too much is refused", async () => {
  const engine = await start({ maxTaskBytes: 100_000 });
  const { taskId } = await send(engine, SCOPE, `flood${"x".repeat(50)}`);
  await engine.settled(SCOPE, taskId, 2);
  const task = (await engine.getTask(SCOPE, taskId)).value;
  assert.equal(task.status.state, "TASK_STATE_FAILED");
  assert.match(task.status.message?.parts[0]?.text ?? "", /holds \d+ bytes, at most 100000/);

  const asking = await send(engine, SCOPE, "y".repeat(90_000));
  await engine.settled(SCOPE, asking.taskId, 2);
  const more = { message: textMessage("z".repeat(90_000)), meta: {} };
  const tell = (): Promise<unknown> =>
    engine.addMessage({ scope: SCOPE, taskId: asking.taskId, incoming: more, dedupe: undefined });
  await engine.cancelTask(SCOPE, asking.taskId);
  await assert.rejects(tell(), { code: "UNSUPPORTED_OPERATION" });
  const full = await send(engine, SCOPE, "y".repeat(110_000));
  await engine.settled(SCOPE, full.taskId, 2);
  await assert.rejects(engine.addMessage({ scope: SCOPE, taskId: full.taskId, incoming: more, dedupe: undefined }), {
    code: "RATE_LIMITED",
  });
  await engine.stop({ graceMs: 0 });
});

it("quotas: a tenant with as many open tasks as it may have is refused another until one ends", async () => {
  const engine = await start({ maxOpenTasks: 3 });
  const incoming = { message: textMessage("the first", "m-1"), meta: {} };
  const first = { scope: SCOPE, contextId: "c", incoming, dedupe: dedupeKey("m-1") };
  const tasks = [(await engine.createTask(first)).taskId];
  for (let n = 0; n < 2; n += 1) tasks.push((await send(engine, SCOPE, "one more")).taskId);
  await assert.rejects(send(engine, SCOPE, "one too many"), { code: "RATE_LIMITED" });
  // What was accepted before is answered as before.
  assert.deepEqual(await engine.createTask(first), { taskId: tasks[0], seq: 2, duplicate: true });
  // Another tenant has its own.
  await send(engine, { ...SCOPE, tenant: "another" }, "first");
  await engine.cancelTask(SCOPE, tasks[0] ?? "");
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  await send(engine, SCOPE, "in its place");
  await engine.stop({ graceMs: 0 });
});
