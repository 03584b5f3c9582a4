/** How long a caller waits: beside a long stream, and for the first event of its own. */
import { type ChildProcess, fork } from "node:child_process";
import { once as onceEvent } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { once, runLoad } from "../load/load.ts";
import { planText, rpc, sendRequest } from "../load/requests.ts";
import { median } from "../measure/statistics.ts";
import type { ServerProcess } from "../servers/server-process.ts";
import type { Lab } from "./lab.ts";
import type { Scenario, Subject } from "./scenario.ts";
import { planOf } from "./stream.ts";

/** Calls one after the other; gives the median of their times in µs. */
async function callTime(server: ServerProcess, request: string, calls: number): Promise<number> {
  const times: number[] = [];
  await runLoad(server, {
    operations: calls,
    inFlight: 1,
    request: () => request,
    onReply: ({ firstMs }) => times.push(firstMs * 1_000),
  });
  return median(times);
}

async function besideStream(server: ServerProcess, chunks: number, measure: () => Promise<number>): Promise<number> {
  const reader: ChildProcess = fork(path.join(import.meta.dirname, "../load/stream-reader.ts"), [
    String(server.port),
    server.contender,
    planText(planOf(chunks, 1)),
  ]);
  try {
    await onceEvent(reader, "message");
    return await measure();
  } finally {
    const exit = onceEvent(reader, "exit");
    reader.kill();
    await exit;
  }
}

const LONG = 20_000;
/** The SDK needs minutes for the long one, and does not stop when nobody reads any more. */
const LONG_FOR_SDK = 2_000;

/** Resolves when a server has nothing left to do. */
async function quiet(server: ServerProcess): Promise<void> {
  for (let before = server.cpuMicros(); ; ) {
    await sleep(200);
    const now = server.cpuMicros();
    if (now - before < 10_000) return;
    before = now;
  }
}

async function openBeside(lab: Lab): Promise<readonly Subject[]> {
  const setup = { behaviour: "stream", store: "memory:" } as const;
  const ours = await lab.start("ours", setup);
  const sdk = await lab.start("sdk", setup);
  const subjects: Subject[] = [];
  for (const server of [ours, sdk]) {
    const { contender } = server;
    const sent = await once(server, sendRequest(contender, "jsonrpc", "SendMessage", { text: planText(planOf(1, 1)) }));
    const request = rpc("GetTask", { id: /"task":\{"id":"([^"]+)"/.exec(sent.body)?.[1] });
    await callTime(server, request, 1_000);
    const calls = contender === "ours" ? lab.scaled(2_000) : 100;
    subjects.push({
      async round() {
        await quiet(server);
        const alone = await callTime(server, request, calls);
        const chunks = contender === "ours" ? LONG : LONG_FOR_SDK;
        const beside = await besideStream(server, chunks, () => callTime(server, request, calls));
        return { [`${contender} alone`]: alone, [`${contender} beside`]: beside };
      },
    });
  }
  return subjects;
}

/** The median time to the first event of streams that begin together. */
async function firstEvent(server: ServerProcess, batches: number): Promise<number> {
  const times: number[] = [];
  const text = planText(planOf(100, 1));
  for (let batch = 0; batch < batches; batch++) {
    await runLoad(server, {
      operations: 16,
      inFlight: 16,
      request: () => sendRequest(server.contender, "jsonrpc", "SendStreamingMessage", { text }),
      read: { keep: false },
      onReply: ({ firstMs }) => times.push(firstMs * 1_000),
    });
  }
  return median(times);
}

async function openFirstEvent(lab: Lab): Promise<readonly Subject[]> {
  const setup = { behaviour: "stream", store: "memory:" } as const;
  const ours = await lab.start("ours", setup);
  const text = planText(planOf(100, 1));
  const sample = await once(ours, sendRequest("ours", "jsonrpc", "SendStreamingMessage", { text }));
  const bare = await lab.startBare(sample, { perTurn: 1 });
  const sdk = await lab.start("sdk", setup);
  const subjects: Subject[] = [];
  for (const server of [ours, bare, sdk]) {
    const batches = server.contender === "sdk" ? 2 : lab.scaled(20);
    await firstEvent(server, 3);
    subjects.push({ round: async () => ({ [server.contender]: await firstEvent(server, batches) }) });
  }
  return subjects;
}

/** The scenarios of this file. */
export const latencyScenarios: readonly Scenario[] = [
  {
    name: "beside-a-stream",
    work: `p50 of GetTask beside a stream of ${LONG} chunks (SDK: ${LONG_FOR_SDK}), one a loop turn, memory`,
    unit: "µs wall",
    ratios: [
      { what: "beside / alone", of: "ours beside", to: "ours alone", atMost: 1.3 },
      { what: "SDK beside / ours beside", of: "sdk beside", to: "ours beside", atLeast: 8 },
    ],
    open: openBeside,
  },
  {
    name: "first-event",
    work: "p50 until the first event of 16 streams of 100 chunks, memory",
    unit: "µs wall",
    ratios: [
      { what: "ours / bare", of: "ours", to: "bare", atMost: 2 },
      { what: "SDK / ours", of: "sdk", to: "ours", atLeast: 2.5 },
    ],
    open: openFirstEvent,
  },
];
