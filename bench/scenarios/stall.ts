/** How long a server's loop is away at a time, beside everything that callers do. */
import { once, runLoad } from "../load/load.ts";
import { type Mixture, runMixture } from "../load/mixed.ts";
import { sendRequest } from "../load/requests.ts";
import { ANSWER } from "../servers/behaviour.ts";
import type { Stalls } from "../servers/loop-probe.ts";
import type { Contender, ServerProcess } from "../servers/server-process.ts";
import type { Lab } from "./lab.ts";
import type { Bound, Sample, Scenario, Subject } from "./scenario.ts";

const SECONDS = 4;
/** Tasks that are there before. */
const TASKS = 5_000;
const LARGE_BYTES = 9 * 1_048_576;

async function fill(server: ServerProcess, count: number): Promise<void> {
  if (server.contender === "sdk") await server.ask("seed", count);
  else {
    const request = (): string => sendRequest(server.contender, "jsonrpc", "SendMessage", { text: ANSWER });
    await runLoad(server, { operations: count, inFlight: 64, request });
  }
}

async function stallSubject(lab: Lab, contender: Contender, store: string, largeBytes: number): Promise<Subject> {
  const server = await lab.start(contender, { behaviour: "mixed", store });
  const mixture: Mixture = { seconds: Math.max(1, lab.scaled(SECONDS)), largeBytes };
  await fill(server, lab.scaled(TASKS));
  await runMixture(server, mixture);
  return {
    maxRounds: contender === "sdk" ? 2 : undefined,
    async round() {
      await server.ask("probe");
      await runMixture(server, mixture);
      return valuesOf(contender, (await server.ask("stalls")) as Stalls);
    },
  };
}

const ALONE = 10;

/** Large parts one after the other, and nothing else. */
async function openAlone(lab: Lab, store: "memory" | "sqlite"): Promise<readonly Subject[]> {
  const server = await lab.start("ours", { behaviour: "mixed", store: lab.store(store) });
  const text = "a".repeat(LARGE_BYTES);
  const messages = Math.max(3, lab.scaled(ALONE));
  const sendAll = async (): Promise<void> => {
    for (let n = 0; n < messages; n++) await once(server, sendRequest("ours", "jsonrpc", "SendMessage", { text }));
  };
  await sendAll();
  return [
    {
      async round() {
        await server.ask("probe");
        await sendAll();
        return valuesOf("ours", (await server.ask("stalls")) as Stalls);
      },
    },
  ];
}

function valuesOf(contender: Contender, { stallMs, ownMs, waitedMs, collectionMs }: Stalls): Sample {
  return {
    [contender]: ownMs,
    [`${contender}, with waits for a processor`]: stallMs,
    [`${contender}, all waits for a processor`]: waitedMs,
    [`${contender}, longest collection`]: collectionMs,
  };
}

const BOUNDS: readonly Bound[] = [
  { what: "longest stall, ms", of: "ours", atMost: 20 },
  { what: "with waits for a processor, ms", of: "ours, with waits for a processor" },
];

function aloneScenario(store: "memory" | "sqlite"): Scenario {
  return {
    name: `stall-large-part-${store}`,
    work: `longest stall of the loop beside ${ALONE} messages of 9 MiB, one after the other, that are answered in full, ${store}`,
    unit: "ms",
    ratios: [],
    bounds: BOUNDS,
    open: (lab) => openAlone(lab, store),
  };
}

function stallScenario(name: string, store: "memory" | "sqlite", largeBytes: number): Scenario {
  const isCompared = store === "memory" && largeBytes === 0;
  return {
    name,
    work:
      `longest stall of the loop in ${SECONDS} s beside 320 tasks, 2,000 streamed chunks, 2 bursts of 1,000 and 40 lists a ` +
      `second${largeBytes > 0 ? ", and 2 messages of 9 MiB that are answered in full" : ""}, ${store}`,
    unit: "ms",
    ratios: isCompared ? [{ what: "SDK / ours", of: "sdk", to: "ours" }] : [],
    bounds: BOUNDS,
    async open(lab) {
      const ours = await stallSubject(lab, "ours", lab.store(store), largeBytes);
      return isCompared ? [ours, await stallSubject(lab, "sdk", lab.store(store), largeBytes)] : [ours];
    },
  };
}

/** The scenarios of this file. */
export const stallScenarios: readonly Scenario[] = [
  stallScenario("stall-memory", "memory", 0),
  stallScenario("stall-sqlite", "sqlite", 0),
  aloneScenario("memory"),
  aloneScenario("sqlite"),
  stallScenario("stall-large-parts-memory", "memory", LARGE_BYTES),
  stallScenario("stall-large-parts-sqlite", "sqlite", LARGE_BYTES),
];
