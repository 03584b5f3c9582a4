/** SendMessage: answered by a message, and by a task. */
import { once, runLoad } from "../load/load.ts";
import { type Binding, sendRequest } from "../load/requests.ts";
import { ANSWER, type Behaviour } from "../servers/behaviour.ts";
import type { Contender, ServerProcess } from "../servers/server-process.ts";
import type { Lab } from "./lab.ts";
import { goals, type Scenario, type Subject } from "./scenario.ts";
import { warmUp } from "./warm-up.ts";

interface SendPlan {
  readonly behaviour: Behaviour;
  readonly binding: Binding;
  readonly store: "memory" | "sqlite";
  /** Sends in one round, by contender: what each does in a comparable time. */
  readonly operations: Readonly<Record<Contender, number>>;
}

/** Measures one server under sends, after a warm-up. */
async function sendSubject(lab: Lab, server: ServerProcess, { binding, operations }: SendPlan): Promise<Subject> {
  const { contender } = server;
  const count = lab.scaled(operations[contender]);
  const request = (): string => sendRequest(contender, binding, "SendMessage", { text: ANSWER });
  const run = async (): Promise<number> =>
    (await runLoad(server, { operations: count, inFlight: 16, request })).cpuMicros / count;
  await warmUp(lab, run);
  return {
    async round() {
      return { [contender]: await run() };
    },
  };
}

async function openSend(lab: Lab, plan: SendPlan): Promise<readonly Subject[]> {
  const { behaviour, binding, store } = plan;
  const ours = await lab.start("ours", { behaviour, store: lab.store(store) });
  const sample = await once(ours, sendRequest("ours", binding, "SendMessage", { text: ANSWER }));
  const bare = await lab.startBare(sample);
  const sdk = await lab.start("sdk", { behaviour, store: lab.store(store) });
  const subjects: Subject[] = [];
  for (const server of [ours, bare, sdk]) subjects.push(await sendSubject(lab, server, plan));
  return subjects;
}

const toMessage = { ours: 8_000, bare: 12_000, sdk: 1_500 };
const toTask = { ours: 5_000, bare: 12_000, sdk: 1_000 };

/** The scenarios of this file. */
export const sendScenarios: readonly Scenario[] = [
  {
    name: "send-message-jsonrpc",
    work: "SendMessage answered by a Message, JSON-RPC, memory",
    unit: "µs CPU per message",
    ratios: goals(1.3, 7),
    open: (lab) => openSend(lab, { behaviour: "echo", binding: "jsonrpc", store: "memory", operations: toMessage }),
  },
  {
    name: "send-message-rest",
    work: "SendMessage answered by a Message, HTTP+JSON, memory",
    unit: "µs CPU per message",
    ratios: goals(1.3, 7),
    open: (lab) => openSend(lab, { behaviour: "echo", binding: "rest", store: "memory", operations: toMessage }),
  },
  {
    name: "send-task-memory",
    work: "task: submitted, working, artifact, completed; JSON-RPC, memory",
    unit: "µs CPU per task",
    ratios: goals(2.5, 6),
    open: (lab) => openSend(lab, { behaviour: "task", binding: "jsonrpc", store: "memory", operations: toTask }),
  },
  {
    name: "send-task-sqlite",
    work: "the same task on SQLite, synchronous=FULL, committed before the answer",
    unit: "µs CPU per task",
    ratios: goals(5.7, 16),
    open: (lab) =>
      openSend(lab, {
        behaviour: "task",
        binding: "jsonrpc",
        store: "sqlite",
        operations: { ours: 4_000, bare: 12_000, sdk: 200 },
      }),
  },
];
