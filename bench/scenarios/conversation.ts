/** A conversation of a thousand turns, and what a replay of a long journal costs. */
import { Connection } from "../load/connection.ts";
import { once, requireGood, runLoad } from "../load/load.ts";
import { rpc, sendRequest } from "../load/requests.ts";
import { ANSWER } from "../servers/behaviour.ts";
import type { ServerProcess } from "../servers/server-process.ts";
import type { Lab } from "./lab.ts";
import type { Scenario, Subject } from "./scenario.ts";

const CONVERSATIONS = 16;
/** Turns around the one in question that are measured together. */
const WINDOW = 50;

function taskIn(body: string): string {
  const id = /"task":\{"id":"([^"]+)"/.exec(body)?.[1];
  if (id === undefined) throw new Error(`no task in ${body.slice(0, 200)}`);
  return id;
}

/** Takes all conversations through some turns; the answers bring no history, which would grow by itself. */
async function takeTurns(server: ServerProcess, taskIds: readonly string[], turns: number): Promise<number> {
  const connections = await Promise.all(taskIds.map(() => Connection.open(server.port)));
  const before = server.cpuMicros();
  await Promise.all(
    connections.map(async (connection, index) => {
      for (let turn = 0; turn < turns; turn++) {
        const input = { text: ANSWER, taskId: taskIds[index], historyLength: 0 };
        requireGood(await connection.exchange(sendRequest(server.contender, "jsonrpc", "SendMessage", input)));
      }
    }),
  );
  const cost = server.cpuMicros() - before;
  for (const connection of connections) connection.close();
  return cost / (taskIds.length * turns);
}

async function openConversation(lab: Lab, store: "memory" | "sqlite"): Promise<readonly Subject[]> {
  const ours = await lab.start("ours", { behaviour: "conversation", store: lab.store(store) });
  async function start(): Promise<string[]> {
    const ids: string[] = [];
    const request = (): string => sendRequest("ours", "jsonrpc", "SendMessage", { text: ANSWER });
    await runLoad(ours, {
      operations: CONVERSATIONS,
      inFlight: 16,
      request,
      onReply: ({ body }) => ids.push(taskIn(body)),
    });
    return ids;
  }
  await takeTurns(ours, await start(), 100);
  const between = lab.scaled(1_000 - 2 * WINDOW);
  return [
    {
      // On a disk a round takes most of a minute.
      maxRounds: store === "sqlite" ? 3 : undefined,
      async round() {
        const ids = await start();
        const early = await takeTurns(ours, ids, WINDOW);
        await takeTurns(ours, ids, between);
        return { "turn 25": early, "turn 975": await takeTurns(ours, ids, WINDOW) };
      },
    },
  ];
}

/** A parked task whose process died: what its next message costs, with a long journal and with a short one. */
async function replayCost(lab: Lab, steps: number): Promise<number> {
  const store = lab.store("sqlite");
  const setup = { behaviour: "journal", store } as const;
  const first = await lab.start("ours", setup);
  const taskId = taskIn(
    (await once(first, sendRequest("ours", "jsonrpc", "SendMessage", { text: String(steps) }))).body,
  );
  await first.kill();
  const second = await lab.start("ours", setup);
  await once(second, rpc("GetTask", { id: taskId, historyLength: 0 }));
  const before = second.cpuMicros();
  const done = await once(
    second,
    sendRequest("ours", "jsonrpc", "SendMessage", { text: "on", taskId, historyLength: 0 }),
  );
  if (!done.body.includes("TASK_STATE_COMPLETED")) throw new Error(`not completed: ${done.body.slice(0, 300)}`);
  const cost = second.cpuMicros() - before;
  await second.kill();
  return cost;
}

/** Steps of the two journals whose difference is measured. */
const SHORT = 100;
const LONG = 1_100;

async function openReplay(lab: Lab): Promise<readonly Subject[]> {
  const more = lab.scaled(LONG - SHORT);
  return [
    {
      maxRounds: 3,
      async round() {
        const short = await replayCost(lab, SHORT);
        const long = await replayCost(lab, SHORT + more);
        return { "per journal entry": (long - short) / more };
      },
    },
  ];
}

function conversationScenario(store: "memory" | "sqlite"): Scenario {
  return {
    name: `conversation-${store}`,
    work: `16 conversations of 1,000 turns, answers without history, ${store}`,
    unit: "µs CPU per turn",
    ratios: [{ what: "turn 975 / turn 25", of: "turn 975", to: "turn 25", atMost: 1.2 }],
    open: (lab) => openConversation(lab, store),
  };
}

/** The scenarios of this file. */
export const conversationScenarios: readonly Scenario[] = [
  conversationScenario("memory"),
  conversationScenario("sqlite"),
  {
    name: "replay",
    work: `replay of a journal of ${LONG.toLocaleString("en")} steps after kill -9, SQLite`,
    unit: "µs CPU",
    ratios: [],
    bounds: [{ what: "per journal entry", of: "per journal entry", atMost: 100 }],
    open: openReplay,
  },
];
