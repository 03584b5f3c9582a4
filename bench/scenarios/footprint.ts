/** What is held: memory per task and per reader, bytes on disk, time of idle subscribers. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "../load/connection.ts";
import { runLoad } from "../load/load.ts";
import { rpc, sendRequest } from "../load/requests.ts";
import { ANSWER, type StreamPlan } from "../servers/behaviour.ts";
import type { StoreCounts } from "../servers/counted-store.ts";
import type { ServerProcess } from "../servers/server-process.ts";
import { CannotMeasure } from "./cannot-measure.ts";
import { startGated, subscribe } from "./fan-out.ts";
import type { Lab } from "./lab.ts";
import type { Scenario, Subject } from "./scenario.ts";

const send = (): string => sendRequest("ours", "jsonrpc", "SendMessage", { text: ANSWER });

async function openHeap(lab: Lab): Promise<readonly Subject[]> {
  const ours = await lab.start("ours", { behaviour: "task", store: "memory:" });
  let bytes = 0;
  await runLoad(ours, {
    operations: 2_000,
    inFlight: 16,
    request: send,
    onReply: ({ body }) => {
      bytes = Buffer.byteLength(body) - Buffer.byteLength('{"jsonrpc":"2.0","id":1,"result":{"task":}}');
    },
  });
  const tasks = lab.scaled(20_000);
  return [
    {
      async round() {
        const before = Number(await ours.ask("usedBytes"));
        await runLoad(ours, { operations: tasks, inFlight: 16, request: send });
        const after = Number(await ours.ask("usedBytes"));
        return { "bytes of heap per task": (after - before) / tasks, "bytes of its JSON": bytes };
      },
    },
  ];
}

const OWED: StreamPlan = { chunks: 1_500, perTurn: 1, chars: 8_000, gated: true };
const STALLED = 20;

/** Opens a stream and leaves it unread. */
async function stall(server: ServerProcess, taskId: string): Promise<Connection> {
  const connection = await Connection.open(server.port);
  connection.stall(rpc("SubscribeToTask", { id: taskId }));
  return connection;
}

/** What a server lets go of when subscribers that never read leave; one more stays, which keeps the task as any reader does. */
async function heldByStalled(server: ServerProcess): Promise<number> {
  const taskId = await startGated(server, OWED);
  const reader = await subscribe(server, taskId, 1);
  const staying = await stall(server, taskId);
  const leaving = await Promise.all(Array.from({ length: STALLED }, () => stall(server, taskId)));
  await sleep(100);
  await server.ask("go");
  await reader.ended;
  reader.close();
  await sleep(100);
  const before = Number(await server.ask("usedBytes"));
  for (const connection of leaving) connection.close();
  await sleep(200);
  const held = before - Number(await server.ask("usedBytes"));
  staying.close();
  return held;
}

async function openStalled(lab: Lab): Promise<readonly Subject[]> {
  const ours = await lab.start("ours", { behaviour: "stream", store: "memory:" });
  await heldByStalled(ours);
  return [
    {
      async round() {
        return { "KiB per stalled subscriber": (await heldByStalled(ours)) / STALLED / 1_024 };
      },
    },
  ];
}

async function openDisk(lab: Lab): Promise<readonly Subject[]> {
  const subjects: Subject[] = [];
  for (const inFlight of [1, 16]) {
    const ours = await lab.start("ours", { behaviour: "task", store: lab.store("sqlite") });
    const operations = lab.scaled(inFlight === 1 ? 500 : 4_000);
    await runLoad(ours, { operations: 200, inFlight, request: send });
    subjects.push({
      async round() {
        const { commits } = (await ours.ask("counts")) as StoreCounts;
        const written = ours.writtenBytes();
        await runLoad(ours, { operations, inFlight, request: send });
        return {
          [`commits per task, ${inFlight} in flight`]:
            (((await ours.ask("counts")) as StoreCounts).commits - commits) / operations,
          [`KiB written per task, ${inFlight} in flight`]: (ours.writtenBytes() - written) / operations / 1_024,
        };
      },
    });
  }
  return subjects;
}

const IDLE = 10_000;
const IDLE_SECONDS = 20;

/** Every subscriber is an open file at both ends. */
function requireFiles(count: number): void {
  const limit = Number(/^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1]);
  if (limit < count)
    throw new CannotMeasure(`it needs ${count} open files, and the limit is ${limit}: raise ulimit -n`);
}

async function openIdle(lab: Lab): Promise<readonly Subject[]> {
  const count = lab.scaled(IDLE);
  requireFiles(count + 200);
  const ours = await lab.start("ours", { behaviour: "stream", store: "memory:" });
  const taskId = await startGated(ours, { chunks: 1, perTurn: 1, chars: 40, gated: true });
  const readers = await subscribe(ours, taskId, count);
  readers.ended.catch(() => {});
  return [
    {
      maxRounds: 1,
      async round() {
        await sleep(1_000);
        const before = ours.cpuMicros();
        await sleep(IDLE_SECONDS * 1_000);
        const cost = ours.cpuMicros() - before;
        readers.close();
        return { "µs of CPU per subscriber and second": cost / IDLE_SECONDS / count };
      },
    },
  ];
}

/** The scenarios of this file. */
export const footprintScenarios: readonly Scenario[] = [
  {
    name: "heap-per-task",
    work: "heap of a finished task, its dedupe key included, memory",
    unit: "bytes",
    ratios: [],
    bounds: [{ what: "heap per task, bytes", of: "bytes of heap per task", atMost: 2_048 }],
    open: openHeap,
  },
  {
    name: "stalled-subscriber",
    work: `${STALLED} subscribers that never read while each is owed ${(OWED.chunks * OWED.chars) / 1e6} MB`,
    unit: "KiB",
    ratios: [],
    bounds: [{ what: "heap per stalled subscriber, KiB", of: "KiB per stalled subscriber", atMost: 1_024 }],
    open: openStalled,
  },
  {
    name: "disk-per-task",
    work: "commits (each one sync of the write-ahead log) and bytes written per task, SQLite FULL",
    unit: "per task",
    ratios: [],
    bounds: [
      { what: "commits per task, 1 in flight", of: "commits per task, 1 in flight", atMost: 2 },
      { what: "commits per task, 16 in flight", of: "commits per task, 16 in flight", atMost: 0.5 },
      { what: "KiB written per task, 1 in flight", of: "KiB written per task, 1 in flight" },
      { what: "KiB written per task, 16 in flight", of: "KiB written per task, 16 in flight" },
    ],
    open: openDisk,
  },
  {
    name: "idle-subscribers",
    work: `${IDLE.toLocaleString("en")} subscribers of a silent task for ${IDLE_SECONDS} s, one heartbeat included`,
    unit: "µs",
    ratios: [],
    bounds: [{ what: "CPU per subscriber and second", of: "µs of CPU per subscriber and second", atMost: 5 }],
    open: openIdle,
  },
];
