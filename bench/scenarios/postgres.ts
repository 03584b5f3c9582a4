/** What a task asks of PostgreSQL, and how soon an event of one replica is seen at another. */
import { type Arrivals, noteArrivals } from "../load/event-times.ts";
import { runLoad } from "../load/load.ts";
import { sendRequest } from "../load/requests.ts";
import { quantile } from "../measure/statistics.ts";
import { ANSWER } from "../servers/behaviour.ts";
import type { StoreCounts } from "../servers/counted-store.ts";
import { startGated } from "./fan-out.ts";
import type { Lab } from "./lab.ts";
import type { Scenario, Subject } from "./scenario.ts";

async function openTasks(lab: Lab): Promise<readonly Subject[]> {
  const postgres = await lab.postgres();
  const ours = await lab.start("ours", { behaviour: "task", store: postgres.url });
  const request = (): string => sendRequest("ours", "jsonrpc", "SendMessage", { text: ANSWER });
  const counts = async (): Promise<StoreCounts> => (await ours.ask("counts")) as StoreCounts;
  const subjects: Subject[] = [];
  for (const inFlight of [1, 16]) {
    const operations = lab.scaled(inFlight === 1 ? 100 : 2_000);
    await runLoad(ours, { operations, inFlight, request });
    subjects.push({
      async round() {
        const before = await counts();
        const cpu = postgres.cpuMicros();
        const { cpuMicros } = await runLoad(ours, { operations, inFlight, request });
        const after = postgres.cpuMicros();
        const { statements, timed } = await counts();
        const byClock = timed - before.timed;
        return {
          [`round trips, ${inFlight} in flight`]: (statements - before.statements - byClock) / operations,
          [`round trips by the clock, ${inFlight} in flight`]: byClock / operations,
          [`µs CPU of ours, ${inFlight} in flight`]: cpuMicros / operations,
          ...(cpu === undefined || after === undefined
            ? {}
            : { [`µs CPU of PostgreSQL, ${inFlight} in flight`]: (after - cpu) / operations }),
        };
      },
    });
  }
  return subjects;
}

const STREAMS = 8;
const EVERY_MS = 20;
const CHUNKS = 250;

/** From the answer to the commit of each chunk at one replica until a subscriber of the other has it, in ms. */
async function openAcross(lab: Lab): Promise<readonly Subject[]> {
  const { url: store } = await lab.postgres();
  const writer = await lab.start("ours", { behaviour: "stream", store });
  const reader = await lab.start("ours", { behaviour: "stream", store });
  const plan = { chunks: lab.scaled(CHUNKS), perTurn: 1, chars: 40, gated: true, everyMs: EVERY_MS };
  async function measure(): Promise<readonly number[]> {
    await writer.ask("noteCommits");
    const followed: [taskId: string, Arrivals][] = [];
    for (let stream = 0; stream < STREAMS; stream++) {
      const taskId = await startGated(writer, plan);
      followed.push([taskId, noteArrivals(reader.port, taskId)]);
    }
    await Promise.all(followed.map(([, { first }]) => first));
    await writer.ask("go");
    await Promise.all(followed.map(([, { ended }]) => ended));
    const { committedAt = {} } = (await writer.ask("counts")) as StoreCounts;
    const delays: number[] = [];
    for (const [taskId, { at }] of followed) {
      for (const [seq, arrived] of at) {
        const committed = committedAt[`${taskId}:${seq}`];
        if (committed !== undefined) delays.push(arrived - committed);
      }
    }
    if (delays.length !== STREAMS * plan.chunks) throw new Error(`${delays.length} events arrived`);
    return delays;
  }
  await measure();
  return [
    {
      async round() {
        const delays = await measure();
        return {
          "p50, ms": quantile(delays, 0.5),
          "p99, ms": quantile(delays, 0.99),
          "longest, ms": Math.max(...delays),
        };
      },
    },
  ];
}

/** The scenarios of this file. */
export const postgresScenarios: readonly Scenario[] = [
  {
    name: "postgres-task",
    work: "what a task asks of PostgreSQL: statements of the server, hints to others included, and the CPU of the database",
    unit: "per task",
    ratios: [],
    bounds: [
      { what: "round trips per task, 1 in flight", of: "round trips, 1 in flight", atMost: 3 },
      { what: "round trips per task, 16 in flight", of: "round trips, 16 in flight", atMost: 3 },
      { what: "µs CPU of PostgreSQL per task, 1 in flight", of: "µs CPU of PostgreSQL, 1 in flight" },
      { what: "µs CPU of PostgreSQL per task, 16 in flight", of: "µs CPU of PostgreSQL, 16 in flight" },
    ],
    open: openTasks,
  },
  {
    name: "postgres-across",
    work: `${STREAMS} streams with a chunk every ${EVERY_MS} ms: from the commit at one replica to a subscriber of another, PostgreSQL`,
    unit: "",
    ratios: [],
    bounds: [
      { what: "p50, ms", of: "p50, ms" },
      { what: "p99, ms", of: "p99, ms", atMost: 30 },
    ],
    open: openAcross,
  },
];
