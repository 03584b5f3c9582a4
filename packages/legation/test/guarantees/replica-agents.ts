/** The agents that replicas serve, by name. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Agent, createAgent } from "../../src/server/agent.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";
import type { TaskContext } from "../../src/server/task-context.ts";
import type { Effects } from "../../src/testing/rehearsal-effects.ts";
import { chunkText } from "../../src/testing/rehearsal-script.ts";
import type { ReplicaSettings } from "./replica.ts";

/** Chunks of each half of what the agent `table` writes, and their bytes. */
export const TABLE_CHUNKS = 20;
export const CHUNK_BYTES = 32;

/** What its artifact holds in the end. */
export const TABLE_TEXT: string = Array.from({ length: 2 * TABLE_CHUNKS }, (_, index) =>
  chunkText(index, CHUNK_BYTES),
).join("");

type Handlers = Pick<AgentOptions, "onTask" | "onMessage" | "onCancel">;

async function effect(task: TaskContext, effects: Effects, name: string, once = false): Promise<void> {
  await task.step(name, ({ key, attempt }) => effects.record({ key, task: task.id, name, attempt }), { once });
}

async function chunks(task: TaskContext, range: readonly [from: number, to: number], everyMs = 0): Promise<void> {
  for (let index = range[0]; index < range[1]; index++) {
    if (everyMs > 0) await sleep(everyMs);
    await task.artifact("out.txt", { text: chunkText(index, CHUNK_BYTES), append: index > 0 || undefined });
  }
}

/** Numbers in a message: `slow 40 25` is forty chunks, one each 25 ms. */
function numbers(text: string): readonly number[] {
  return (text.match(/\d+/g) ?? []).map(Number);
}

const AGENTS: Readonly<Record<string, (effects: Effects, settings: ReplicaSettings) => Handlers>> = {
  /** Comes by every fault point: a reply for `hello`, a task for everything else. */
  table: (effects) => ({
    onMessage: (message, turn) => (message.text === "hello" ? "hello yourself" : turn.startTask()),
    onTask: async (task, message) => {
      await effect(task, effects, "pay");
      // With a pause, or all chunks and the step behind them would go into one commit.
      await chunks(task, [0, TABLE_CHUNKS], 2);
      // Where the kill comes from a webhook it may strike anywhere: a step that must not run twice would be in doubt.
      await effect(task, effects, "ship", message.text !== "push");
      await task.sleep(20);
      await chunks(task, [TABLE_CHUNKS, 2 * TABLE_CHUNKS], 2);
      await effect(task, effects, "mail");
      if (message.text.includes("ask")) await task.ask("go on?");
      return "done";
    },
  }),
  /** A step, chunks that take their time, a step. `<chunks> <ms>` in the message. */
  slow: (effects) => ({
    onTask: async (task, message) => {
      const [count = 10, everyMs = 10] = numbers(message.text);
      await effect(task, effects, "begin");
      await chunks(task, [0, count], everyMs);
      await effect(task, effects, "end");
      return "done";
    },
  }),
  /** Kills its process when the message says so, else it is quick. */
  crasher: (effects) => ({
    onTask: async (task, message) => {
      if (message.text.startsWith("crash")) process.kill(process.pid, "SIGKILL");
      await effect(task, effects, "quick");
      return "done";
    },
  }),
  /** What the soak sends: `soak <steps> <chunks> <ms a chunk> <questions> <ms of sleep>`. */
  soak: (effects) => ({
    onMessage: (message, turn) => (message.text === "hello" ? "hello yourself" : turn.startTask()),
    onTask: async (task, message) => {
      const [steps = 1, count = 1, everyMs = 1, questions = 0, sleepMs = 0] = numbers(message.text);
      for (let step = 0; step < steps; step++) await effect(task, effects, `step ${step}`);
      await chunks(task, [0, count], everyMs);
      if (sleepMs > 0) await task.sleep(sleepMs);
      for (let question = 0; question < questions; question++) await task.ask(`question ${question}?`);
      await effect(task, effects, "last");
      return "done";
    },
  }),
  /** Says much: `flood <chunks> <bytes> <ms before>`, as fast as it is taken. */
  flood: () => ({
    onTask: async (task, message) => {
      const [count = 10, bytes = 100, waitMs = 500] = numbers(message.text);
      await task.sleep(waitMs);
      for (let index = 0; index < count; index++) {
        await task.artifact("out.txt", { text: chunkText(index, bytes), append: index > 0 || undefined });
      }
      return "done";
    },
  }),
  /** Asks one question and counts what it does with the answer. */
  asker: (effects) => ({
    onTask: async (task) => {
      await effect(task, effects, "begin");
      const answer = await task.ask("which?");
      await effect(task, effects, "end");
      return `it is ${answer.text}`;
    },
  }),
};

/** Makes the agent of a replica. */
export function createReplicaAgent(settings: ReplicaSettings, effects: Effects): Agent {
  const make = AGENTS[settings.agent];
  if (make === undefined) throw new Error(`there is no agent ${settings.agent}`);
  return createAgent({
    name: settings.agent,
    description: "For a guarantee test.",
    version: settings.version ?? "1",
    ...make(effects, settings),
  });
}
