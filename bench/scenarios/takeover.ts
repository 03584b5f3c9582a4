/** A replica is killed: how soon after the end of its leases another has its work in hand. */
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "legation/node";
import type { Store } from "legation/server";
import { runLoad } from "../load/load.ts";
import { sendRequest } from "../load/requests.ts";
import { quantile } from "../measure/statistics.ts";
import type { ServerProcess } from "../servers/server-process.ts";
import type { Lab } from "./lab.ts";
import type { Scenario, Subject } from "./scenario.ts";

const LEASE_MS = 1_000;
const TASKS = 10;
const KILLS = 5;
/** The kill comes at another moment between two renewals each time. */
const STEP_MS = 130;

/** Tasks whose step is at work at a server. */
async function beginTasks(server: ServerProcess): Promise<readonly string[]> {
  const ids: string[] = [];
  await runLoad(server, {
    operations: TASKS,
    inFlight: TASKS,
    request: () => sendRequest("ours", "jsonrpc", "SendMessage", { text: "work", returnImmediately: true }),
    onReply: ({ body }) => ids.push(/"task":\{"id":"([^"]+)"/.exec(body)?.[1] ?? ""),
  });
  await begun(server, ids);
  return ids;
}

/** When the step of each began, as soon as all did. */
async function begun(server: ServerProcess, ids: readonly string[]): Promise<readonly number[]> {
  for (const giveUp = Date.now() + 30_000; ; await sleep(20)) {
    const at = (await server.ask("begunAt")) as Readonly<Record<string, number>>;
    const found = ids.flatMap((id) => at[id] ?? []);
    if (found.length === ids.length) return found;
    if (Date.now() > giveUp) throw new Error(`${ids.length - found.length} tasks were not taken over`);
  }
}

async function leaseEnds(store: Store, ids: readonly string[]): Promise<readonly number[]> {
  const rows = await Promise.all(ids.map((id) => store.task(id)));
  return rows.map((row) => row?.leaseUntil ?? Number.NaN);
}

async function openTakeover(lab: Lab): Promise<readonly Subject[]> {
  const { url } = await lab.postgres();
  const setup = { behaviour: "unfinished", store: url, leaseMs: LEASE_MS } as const;
  const heir = await lab.start("ours", setup);
  const kills = Math.max(2, lab.scaled(KILLS));
  async function killOne(store: Store, kill: number): Promise<readonly number[]> {
    const owner = await lab.start("ours", setup);
    const ids = await beginTasks(owner);
    await sleep(kill * STEP_MS);
    await owner.kill();
    const killedAt = Date.now();
    const ends = await leaseEnds(store, ids);
    const resumed = await begun(heir, ids);
    return resumed.map((at, index) => at - Math.max(killedAt, ends[index] ?? Number.NaN));
  }
  return [
    {
      maxRounds: 3,
      async round() {
        // The owners come when the heir is told to finish, so that every task is left to it.
        await heir.ask("finish");
        await using store = await openStore(url);
        await store.open();
        const late: number[] = [];
        for (let kill = 0; kill < kills; kill++) late.push(...(await killOne(store, kill)));
        return { "p50, ms": quantile(late, 0.5), "p99, ms": quantile(late, 0.99), "longest, ms": Math.max(...late) };
      },
    },
  ];
}

/** The scenario of this file. */
export const takeoverScenarios: readonly Scenario[] = [
  {
    name: "takeover",
    work: `kill -9 of a replica with ${TASKS} tasks at work, ${KILLS} times: from the end of its leases until another has the step in hand, PostgreSQL`,
    unit: "",
    ratios: [],
    bounds: [
      { what: "p50 beyond the lease, ms", of: "p50, ms" },
      { what: "p99 beyond the lease, ms", of: "p99, ms", atMost: 200 },
    ],
    open: openTakeover,
  },
];
