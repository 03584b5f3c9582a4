/** Deliveries to webhooks: alone, and as a part of what a server does for a task. */
import { setTimeout as sleep } from "node:timers/promises";
import { runLoad } from "../load/load.ts";
import { planText, sendRequest } from "../load/requests.ts";
import { ANSWER } from "../servers/behaviour.ts";
import type { PushOrder } from "../servers/push.ts";
import type { Contender, ServerProcess } from "../servers/server-process.ts";
import type { Lab } from "./lab.ts";
import { goals, type Scenario, type Subject } from "./scenario.ts";
import { planOf } from "./stream.ts";

const HOOKS = 16;
const EVENTS = 200;

async function openPush(lab: Lab): Promise<readonly Subject[]> {
  const webhook = await lab.start("bare", { behaviour: "echo", store: "memory:" });
  const order: PushOrder = { url: `http://127.0.0.1:${webhook.port}/hook`, hooks: HOOKS, events: lab.scaled(EVENTS) };
  const contenders: readonly Contender[] = ["ours", "bare", "sdk"];
  return Promise.all(
    contenders.map(async (contender): Promise<Subject> => {
      const sender = await lab.startSender(contender);
      const cost = async (): Promise<number> => {
        await sender.ask("prepare", order);
        const before = sender.cpuMicros();
        await sender.ask("go");
        return (sender.cpuMicros() - before) / (order.hooks * order.events);
      };
      await cost();
      await cost();
      return {
        async round() {
          return { [contender]: await cost() };
        },
      };
    }),
  );
}

/** What tasks with a webhook are, and how many in one round by contender. */
interface HookedTasks {
  readonly text: string;
  /** Events of one task: the task, working, its chunks, completed. */
  readonly events: number;
  readonly tasks: { readonly ours: number; readonly sdk: number };
}

/** CPU of the server from the first message until the webhook has the last event, per event. */
async function tasksCost(
  server: ServerProcess,
  hook: ServerProcess,
  { text, events }: HookedTasks,
  tasks: number,
): Promise<number> {
  const webhook = `http://127.0.0.1:${hook.port}/hook`;
  const request = (): string => sendRequest(server.contender, "jsonrpc", "SendMessage", { text, webhook });
  const expected = Number(await hook.ask("received")) + tasks * events;
  const before = server.cpuMicros();
  await runLoad(server, { operations: tasks, inFlight: 16, request });
  const giveUp = Date.now() + 60_000;
  while (Number(await hook.ask("received")) < expected) {
    if (Date.now() > giveUp) throw new Error(`${server.contender}: deliveries are missing`);
    await sleep(10);
  }
  return (server.cpuMicros() - before) / (tasks * events);
}

async function openTasks(lab: Lab, plan: HookedTasks): Promise<readonly Subject[]> {
  const hook = await lab.start("bare", { behaviour: "echo", store: "memory:" });
  const subjects: Subject[] = [];
  for (const contender of ["ours", "sdk"] as const) {
    const server = await lab.start(contender, { behaviour: "mixed", store: "memory:", push: true });
    const tasks = Math.max(16, lab.scaled(plan.tasks[contender]));
    for (let warming = 0; warming < 2; warming++) await tasksCost(server, hook, plan, tasks);
    subjects.push({
      maxRounds: contender === "sdk" ? 3 : undefined,
      async round() {
        return { [contender]: await tasksCost(server, hook, plan, tasks) };
      },
    });
  }
  return subjects;
}

function tasksScenario(name: string, work: string, atLeastSdk: number | undefined, plan: HookedTasks): Scenario {
  return {
    name,
    work: `${work}, each event to its webhook, memory; all that the server does`,
    unit: "µs CPU per event",
    ratios: [{ what: "SDK / ours", of: "sdk", to: "ours", atLeast: atLeastSdk }],
    open: (lab) => openTasks(lab, plan),
  };
}

const CHUNKS = 200;

/** The scenarios of this file. */
export const pushScenarios: readonly Scenario[] = [
  {
    name: "push",
    work: `${EVENTS} events to each of ${HOOKS} webhooks, one after the other, memory; the delivery alone`,
    unit: "µs CPU per delivery",
    ratios: goals(1.4, 11),
    open: openPush,
  },
  tasksScenario("push-tasks", "tasks of four events", undefined, {
    text: ANSWER,
    events: 4,
    tasks: { ours: 400, sdk: 200 },
  }),
  tasksScenario("push-stream-200", `16 streams of ${CHUNKS} chunks, one a loop turn`, 11, {
    text: planText(planOf(CHUNKS, 1)),
    events: CHUNKS + 3,
    tasks: { ours: 16, sdk: 16 },
  }),
];
