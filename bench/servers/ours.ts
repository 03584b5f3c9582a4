/** The server under measurement: an agent of this package on `serve`, as a user would write it. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Host, serve } from "legation/node";
import { type Agent, type AgentOptions, createAgent } from "legation/server";
import { ANSWER, type Behaviour, chunkText, nextTurn, type ServerSetup, type StreamPlan } from "./behaviour.ts";
import { Gate, serveControls, usedBytes } from "./control.ts";
import { openCountedStore, type StoreCounts } from "./counted-store.ts";
import { probeControls } from "./loop-probe.ts";

type OnTask = NonNullable<AgentOptions["onTask"]>;

const gate = new Gate();
const counts: StoreCounts = { commits: 0, statements: 0, timed: 0 };
/** When the step of an unfinished task began here, by task, in ms since the epoch. */
const begunAt: Record<string, number> = {};
let finishes = false;

const work: OnTask = async (task) => {
  await task.artifact("answer.txt", { text: ANSWER });
};

const stream: OnTask = async (task, message) => {
  const plan = JSON.parse(message.text) as StreamPlan;
  if (plan.gated) await gate.passed();
  for (let index = 0; index < plan.chunks; index++) {
    if (plan.everyMs !== undefined) await sleep(plan.everyMs);
    else if (plan.perTurn > 0 && index % plan.perTurn === 0) await nextTurn();
    await task.artifact("answer.txt", { text: chunkText(plan, index), append: index > 0 });
  }
};

const handlers: Readonly<Record<Behaviour, Pick<AgentOptions, "onTask" | "onMessage">>> = {
  echo: { onMessage: () => ANSWER },
  task: { onTask: work },
  stream: { onTask: stream },
  mixed: { onTask: (task, message) => (message.text.startsWith("{") ? stream : work)(task, message) },
  unfinished: {
    async onTask(task) {
      await task.step("work", async () => {
        begunAt[task.id] = Date.now();
        if (!finishes) await new Promise(() => {});
      });
    },
  },
  conversation: { onTask: (task) => task.pause("and then?") },
  journal: {
    async onTask(task, message) {
      const steps = Number(message.text);
      for (let index = 0; index < steps; index++) await task.step(`step ${index}`, () => index);
      await task.ask("go on?");
    },
  },
};

const setup = JSON.parse(process.argv[2] ?? "{}") as ServerSetup;
const agent: Agent = createAgent({
  name: "Bench",
  description: "Answers as fast as it can.",
  version: "1.0.0",
  ...handlers[setup.behaviour],
});

const isMemory = setup.store === "memory:";
const host: Host = await serve(agent, {
  store: isMemory ? setup.store : await openCountedStore(setup.store, counts),
  settings: setup.leaseMs === undefined ? {} : { leaseMs: setup.leaseMs },
  ...(setup.push === true ? { push: { allow: ["127.0.0.0/8"] } } : {}),
  secret: "bench",
  log: false,
});
serveControls(host.port, {
  ...probeControls,
  go: () => gate.open(),
  usedBytes,
  counts: () => counts,
  noteCommits: () => {
    counts.committedAt = {};
  },
  finish: () => {
    finishes = true;
  },
  begunAt: () => begunAt,
});
