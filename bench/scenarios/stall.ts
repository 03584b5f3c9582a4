/** How long a server's loop is away at a time, beside everything that callers do. */
import { runLoad } from "../load/load.ts";
import { type Mixture, runMixture } from "../load/mixed.ts";
import { sendRequest } from "../load/requests.ts";
import { ANSWER } from "../servers/behaviour.ts";
import type { Stalls } from "../servers/loop-probe.ts";
import type { Contender, ServerProcess } from "../servers/server-process.ts";
import type { Lab } from "./lab.ts";
import type { Scenario, Subject } from "./scenario.ts";

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
      const { stallMs, ownMs, waitedMs, collectionMs } = (await server.ask("stalls")) as Stalls;
      return {
        [contender]: ownMs,
        [`${contender}, with waits for a processor`]: stallMs,
        [`${contender}, all waits for a processor`]: waitedMs,
        [`${contender}, longest collection`]: collectionMs,
      };
    },
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
    bounds: [
      { what: "longest stall, ms", of: "ours", atMost: 20 },
      { what: "with waits for a processor, ms", of: "ours, with waits for a processor" },
    ],
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
  stallScenario("stall-large-parts-memory", "memory", LARGE_BYTES),
  stallScenario("stall-large-parts-sqlite", "sqlite", LARGE_BYTES),
];
