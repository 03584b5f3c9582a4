/** SendStreamingMessage: chunks of one artifact, one in a turn of the loop or all in one. */
import { once, runLoad } from "../load/load.ts";
import { planText, sendRequest } from "../load/requests.ts";
import type { StreamPlan } from "../servers/behaviour.ts";
import type { Contender, ServerProcess } from "../servers/server-process.ts";
import type { Lab } from "./lab.ts";
import { goals, type Scenario, type Subject } from "./scenario.ts";
import { warmUp } from "./warm-up.ts";

interface StreamLoad {
  readonly chunks: number;
  /** 1, or 0 for a burst. */
  readonly perTurn: number;
  readonly store: "memory" | "sqlite";
  /** Streams in one round, by contender. */
  readonly streams: Readonly<Record<Contender, number>>;
  readonly inFlight: number;
  readonly sdkRounds?: number | undefined;
}

/** Chunks of the size of a few words of a model. */
export function planOf(chunks: number, perTurn: number): StreamPlan {
  return { chunks, perTurn, chars: 40, gated: false };
}

/** Runs streams and gives the CPU of the server for all of them. */
export async function streamCost(
  server: ServerProcess,
  plan: StreamPlan,
  { streams, inFlight }: { readonly streams: number; readonly inFlight: number },
): Promise<number> {
  const text = planText(plan);
  const { cpuMicros } = await runLoad(server, {
    operations: streams,
    inFlight,
    request: () => sendRequest(server.contender, "jsonrpc", "SendStreamingMessage", { text }),
    read: { keep: false },
  });
  return cpuMicros;
}

/** @throws Error when a stream does not bring all of its chunks: what is measured afterwards is only counted */
async function requireWhole(server: ServerProcess, plan: StreamPlan): Promise<void> {
  const { contender } = server;
  if (contender === "bare") return;
  const input = { text: planText(plan) };
  const { body } = await once(server, sendRequest(contender, "jsonrpc", "SendStreamingMessage", input));
  const chunks = body.split('"artifactUpdate"').length - 1;
  if (chunks === plan.chunks && body.includes("TASK_STATE_COMPLETED")) return;
  throw new Error(`${contender} brought ${chunks} of ${plan.chunks} chunks: ${body.slice(-300)}`);
}

async function openStreams(lab: Lab, load: StreamLoad): Promise<readonly Subject[]> {
  const { chunks, perTurn, store, inFlight } = load;
  const plan = planOf(chunks, perTurn);
  const ours = await lab.start("ours", { behaviour: "stream", store: lab.store(store) });
  const sample = await once(ours, sendRequest("ours", "jsonrpc", "SendStreamingMessage", { text: planText(plan) }));
  const bare = await lab.startBare(sample, { perTurn });
  const servers = [ours, bare];
  // It takes a minute for one of the long ones: not for a look.
  if (!lab.options.quick || load.sdkRounds !== 1) {
    servers.push(await lab.start("sdk", { behaviour: "stream", store: lab.store(store) }));
  }
  const subjects: Subject[] = [];
  for (const server of servers) {
    const { contender } = server;
    const streams = lab.scaled(load.streams[contender]);
    // Short streams warm all code that long ones run.
    const short = planOf(Math.min(chunks, 200), perTurn);
    await requireWhole(server, short);
    const warming = { streams: lab.scaled(contender === "sdk" ? 20 : 300), inFlight };
    await warmUp(lab, () => streamCost(server, short, warming));
    subjects.push({
      maxRounds: contender === "sdk" ? load.sdkRounds : undefined,
      async round() {
        return { [contender]: (await streamCost(server, plan, { streams, inFlight })) / (streams * chunks) };
      },
    });
  }
  return subjects;
}

function streamScenario(
  name: string,
  work: string,
  limits: readonly [number | undefined, number | undefined],
  load: StreamLoad,
): Scenario {
  return {
    name,
    work,
    unit: "µs CPU per chunk",
    ratios: goals(...limits),
    open: (lab) => openStreams(lab, load),
  };
}

/** One stream alone, of two lengths: what a chunk costs must not depend on how many came before. */
async function openGrowth(
  lab: Lab,
  store: "memory" | "sqlite",
  short: number,
  long: number,
): Promise<readonly Subject[]> {
  const ours = await lab.start("ours", { behaviour: "stream", store: lab.store(store) });
  await streamCost(ours, planOf(200, 1), { streams: 20, inFlight: 1 });
  const cost = (chunks: number, streams: number): Promise<number> =>
    streamCost(ours, planOf(chunks, 1), { streams, inFlight: 1 });
  return [
    {
      async round() {
        const repeated = 3;
        return {
          [`${short} chunks`]: (await cost(short, repeated)) / repeated,
          [`${long} chunks`]: await cost(long, 1),
        };
      },
    },
  ];
}

function growthScenario(store: "memory" | "sqlite", short: number, long: number, atMost: number): Scenario {
  return {
    name: `stream-growth-${long}-${store}`,
    work: `one stream of ${long} chunks against one of ${short}, ${store}`,
    unit: "µs CPU per stream",
    ratios: [{ what: `t(${long}) / t(${short})`, of: `${long} chunks`, to: `${short} chunks`, atMost }],
    open: (lab) => openGrowth(lab, store, short, long),
  };
}

const few = { ours: 480, bare: 480, sdk: 16 };
const long = { ours: 4, bare: 4, sdk: 1 };

/** The scenarios of this file. */
export const streamScenarios: readonly Scenario[] = [
  streamScenario("stream-100-turn", "16 streams of 100 chunks, one a loop turn, memory", [1.3, 15], {
    chunks: 100,
    perTurn: 1,
    store: "memory",
    streams: few,
    inFlight: 16,
  }),
  streamScenario("stream-100-burst", "16 streams of 100 chunks in a burst, memory", [2, 50], {
    chunks: 100,
    perTurn: 0,
    store: "memory",
    streams: { ...few, bare: 960 },
    inFlight: 16,
  }),
  streamScenario(
    "stream-100-turn-sqlite",
    "16 streams of 100 chunks, one a loop turn, SQLite",
    [undefined, undefined],
    {
      chunks: 100,
      perTurn: 1,
      store: "sqlite",
      streams: { ...few, sdk: 4 },
      inFlight: 16,
      sdkRounds: 3,
    },
  ),
  streamScenario("stream-5000-turn", "one stream of 5,000 chunks, one a loop turn, memory", [1.6, 200], {
    chunks: 5_000,
    perTurn: 1,
    store: "memory",
    streams: long,
    inFlight: 1,
    sdkRounds: 1,
  }),
  streamScenario("stream-5000-burst", "one stream of 5,000 chunks in a burst, memory", [undefined, undefined], {
    chunks: 5_000,
    perTurn: 0,
    store: "memory",
    streams: { ...long, bare: 10 },
    inFlight: 1,
    sdkRounds: 1,
  }),
  streamScenario("stream-5000-turn-sqlite", "one stream of 5,000 chunks, one a loop turn, SQLite", [3.2, 50], {
    chunks: 5_000,
    perTurn: 1,
    store: "sqlite",
    streams: long,
    inFlight: 1,
    sdkRounds: 1,
  }),
  growthScenario("memory", 1_000, 5_000, 5.5),
  growthScenario("sqlite", 1_000, 5_000, 5.5),
  growthScenario("sqlite", 1_000, 10_000, 12),
];
