/** One task with many subscribers. */
import { Connection, type Reply } from "../load/connection.ts";
import { once, requireGood } from "../load/load.ts";
import { planText, rpc, sendRequest } from "../load/requests.ts";
import type { StreamPlan } from "../servers/behaviour.ts";
import type { ServerProcess } from "../servers/server-process.ts";
import type { Lab } from "./lab.ts";
import { goals, type Scenario, type Subject } from "./scenario.ts";

/** Subscribers that have their first event, and wait for the rest. */
export interface Subscribers {
  readonly ended: Promise<readonly Reply[]>;
  close(): void;
}

/** Begins a task that waits at its gate; gives its id. */
export async function startGated(server: ServerProcess, plan: StreamPlan): Promise<string> {
  const { contender } = server;
  if (contender === "bare") return "any";
  const text = planText({ ...plan, gated: true });
  const reply = await once(server, sendRequest(contender, "jsonrpc", "SendMessage", { text, returnImmediately: true }));
  const id = /"task":\{"id":"([^"]+)"/.exec(reply.body)?.[1];
  if (id === undefined) throw new Error(`no task in ${reply.body.slice(0, 200)}`);
  return id;
}

/** Subscribes; resolves when all have their first event. */
export async function subscribe(server: ServerProcess, taskId: string, count: number): Promise<Subscribers> {
  const request = rpc("SubscribeToTask", { id: taskId });
  const connections: Connection[] = [];
  const ends: Promise<Reply>[] = [];
  // A hundred at a time: the listening socket has a queue of that order.
  while (connections.length < count) {
    const width = Math.min(100, count - connections.length);
    const opened = await Promise.all(Array.from({ length: width }, () => Connection.open(server.port)));
    const firsts = opened.map(
      (connection) =>
        new Promise<void>((resolve, reject) => {
          const end = connection.exchange(request, { keep: false, onFirst: resolve });
          end.catch(reject);
          ends.push(end);
        }),
    );
    connections.push(...opened);
    await Promise.all(firsts);
  }
  return {
    ended: Promise.all(ends),
    close: () => {
      for (const connection of connections) connection.close();
    },
  };
}

/** CPU of the server from the opening of the gate until every subscriber has seen the end. */
async function fanOutCost(server: ServerProcess, plan: StreamPlan, subscribers: number): Promise<number> {
  const taskId = await startGated(server, plan);
  const all = await subscribe(server, taskId, subscribers);
  const before = server.cpuMicros();
  await server.ask("go");
  for (const reply of await all.ended) requireGood(reply);
  const cost = server.cpuMicros() - before;
  all.close();
  return cost;
}

/** What one subscriber of ours is sent. */
async function sampleOf(ours: ServerProcess, plan: StreamPlan): Promise<Reply> {
  const connection = await Connection.open(ours.port);
  const request = rpc("SubscribeToTask", { id: await startGated(ours, plan) });
  const sample = await new Promise<Reply>((resolve, reject) => {
    connection.exchange(request, { onFirst: () => void ours.ask("go") }).then(resolve, reject);
  });
  connection.close();
  return sample;
}

interface FanOut {
  readonly subscribers: number;
  readonly events: number;
  readonly perTurn: number;
  readonly sdkRounds?: number | undefined;
}

async function openFanOut(lab: Lab, { subscribers, events, perTurn, sdkRounds }: FanOut): Promise<readonly Subject[]> {
  const plan: StreamPlan = { chunks: events, perTurn, chars: 40, gated: true };
  const setup = { behaviour: "stream", store: "memory:" } as const;
  const ours = await lab.start("ours", setup);
  const bare = await lab.startBare(await sampleOf(ours, plan), { perTurn, gateAfter: 1 });
  const sdk = await lab.start("sdk", setup);
  const width = lab.scaled(subscribers);
  const subjects: Subject[] = [];
  for (const server of [ours, bare, sdk]) {
    await fanOutCost(server, plan, Math.min(width, 50));
    subjects.push({
      maxRounds: server.contender === "sdk" ? sdkRounds : undefined,
      async round() {
        return { [server.contender]: (await fanOutCost(server, plan, width)) / (width * events) };
      },
    });
  }
  return subjects;
}

function fanOutScenario(name: string, limits: readonly [number, number | undefined], fanOut: FanOut): Scenario {
  const { subscribers, events, perTurn } = fanOut;
  return {
    name,
    work: `${events} events to ${subscribers} subscribers, ${perTurn} a loop turn, memory`,
    unit: "µs CPU per delivery",
    ratios: goals(...limits),
    open: (lab) => openFanOut(lab, fanOut),
  };
}

/** The scenarios of this file. */
export const fanOutScenarios: readonly Scenario[] = [
  fanOutScenario("fan-out-100", [1.2, 2.5], { subscribers: 100, events: 200, perTurn: 1 }),
  fanOutScenario("fan-out-1000", [1.2, 2.5], { subscribers: 1_000, events: 50, perTurn: 1, sdkRounds: 3 }),
  fanOutScenario("fan-out-1000-by-8", [1.6, 12], { subscribers: 1_000, events: 400, perTurn: 8, sdkRounds: 2 }),
];
