/** The server under measurement: an agent of this package on `serve`, as a user would write it. */
import { type Host, serve } from "legation/node";
import { type Agent, type AgentOptions, createAgent } from "legation/server";
import { createSqliteStore } from "legation/sqlite";
import { ANSWER, type Behaviour, chunkText, nextTurn, type ServerSetup, type StreamPlan } from "./behaviour.ts";
import { Gate, serveControls, usedBytes } from "./control.ts";

const gate = new Gate();

const handlers: Readonly<Record<Behaviour, Pick<AgentOptions, "onTask" | "onMessage">>> = {
  echo: { onMessage: () => ANSWER },
  task: {
    async onTask(task) {
      await task.artifact("answer.txt", { text: ANSWER });
    },
  },
  stream: {
    async onTask(task, message) {
      const plan = JSON.parse(message.text) as StreamPlan;
      if (plan.gated) await gate.passed();
      for (let index = 0; index < plan.chunks; index++) {
        if (plan.perTurn > 0 && index % plan.perTurn === 0) await nextTurn();
        await task.artifact("answer.txt", { text: chunkText(plan, index), append: index > 0 });
      }
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

let commits = 0;

/** The store of the set-up; that of SQLite counts its commits, each of which is one sync of the log of SQLite. */
function storeOf({ store }: ServerSetup): Parameters<typeof serve>[1] {
  if (!store.startsWith("sqlite:")) return { store };
  const sqlite = createSqliteStore(store.slice("sqlite:".length));
  const commit = sqlite.commit.bind(sqlite);
  sqlite.commit = (batch) => {
    commits += 1;
    return commit(batch);
  };
  return { store: sqlite };
}

const host: Host = await serve(agent, { ...storeOf(setup), log: false });
serveControls(host.port, {
  go: () => gate.open(),
  usedBytes,
  commits: () => commits,
});
