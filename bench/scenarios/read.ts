/** GetTask and ListTasks. */
import { once, runLoad } from "../load/load.ts";
import { get, rpc, sendRequest } from "../load/requests.ts";
import { ANSWER } from "../servers/behaviour.ts";
import type { ServerProcess } from "../servers/server-process.ts";
import type { Lab } from "./lab.ts";
import { goals, type Scenario, type Subject } from "./scenario.ts";
import { warmUp } from "./warm-up.ts";

/** Puts finished tasks into a server, by sends or by its own short way. */
async function fill(server: ServerProcess, count: number): Promise<void> {
  if (server.contender === "sdk") {
    await server.ask("seed", count);
    return;
  }
  const request = (): string => sendRequest(server.contender, "jsonrpc", "SendMessage", { text: ANSWER });
  await runLoad(server, { operations: count, inFlight: 64, request });
}

/** Measures one request that is repeated. */
async function readSubject(
  lab: Lab,
  server: ServerProcess,
  { name, request, operations }: { readonly name: string; readonly request: string; readonly operations: number },
): Promise<Subject> {
  const load = { operations: lab.scaled(operations), inFlight: 16, request: () => request };
  const run = async (): Promise<number> => (await runLoad(server, load)).cpuMicros / load.operations;
  await warmUp(lab, run);
  return {
    async round() {
      return { [name]: await run() };
    },
  };
}

async function openGet(lab: Lab, binding: "jsonrpc" | "rest"): Promise<readonly Subject[]> {
  const setup = { behaviour: "task", store: "memory:" } as const;
  const ours = await lab.start("ours", setup);
  const sdk = await lab.start("sdk", setup);
  const requests = new Map<ServerProcess, string>();
  for (const server of [ours, sdk]) {
    const { contender } = server;
    const sent = await once(server, sendRequest(contender, "jsonrpc", "SendMessage", { text: ANSWER }));
    const id = /"task":\{"id":"([^"]+)"/.exec(sent.body)?.[1] ?? "none";
    requests.set(server, binding === "rest" ? get(contender, `/tasks/${id}`) : rpc("GetTask", { id }));
  }
  const ask = requests.get(ours) ?? "";
  const bare = await lab.startBare(await once(ours, ask));
  return [
    await readSubject(lab, ours, { name: "ours", request: ask, operations: 8_000 }),
    await readSubject(lab, bare, { name: "bare", request: ask, operations: 12_000 }),
    await readSubject(lab, sdk, { name: "sdk", request: requests.get(sdk) ?? "", operations: 2_000 }),
  ];
}

const sizes = [1_000, 10_000, 100_000] as const;

async function openList(lab: Lab, store: "memory" | "sqlite"): Promise<readonly Subject[]> {
  const ask = rpc("ListTasks", { pageSize: 50 });
  const subjects: Subject[] = [];
  for (const size of sizes) {
    const count = lab.scaled(size);
    const ours = await lab.start("ours", { behaviour: "task", store: lab.store(store) });
    await fill(ours, count);
    subjects.push(await readSubject(lab, ours, { name: `ours at ${size}`, request: ask, operations: 2_000 }));
    // A page has the same 50 tasks' worth of bytes everywhere, so one limit serves all.
    if (size === 100_000) {
      const bare = await lab.startBare(await once(ours, ask));
      subjects.push(await readSubject(lab, bare, { name: "bare", request: ask, operations: 4_000 }));
    }
    if (store === "sqlite" || size === 10_000) continue;
    const sdk = await lab.start("sdk", { behaviour: "task", store: lab.store(store) });
    await fill(sdk, count);
    const operations = size === 100_000 ? 20 : 200;
    subjects.push(await readSubject(lab, sdk, { name: `sdk at ${size}`, request: ask, operations }));
  }
  return subjects;
}

function getScenario(binding: "jsonrpc" | "rest"): Scenario {
  return {
    name: `get-${binding}`,
    work: `GetTask of a finished task, ${binding === "rest" ? "HTTP+JSON" : "JSON-RPC"}, memory`,
    unit: "µs CPU per call",
    ratios: goals(1.4, 6),
    open: (lab) => openGet(lab, binding),
  };
}

const flat = { what: "100,000 tasks / 1,000 tasks", of: "ours at 100000", to: "ours at 1000", atMost: 1.2 };
const overBare = { what: "ours / bare, 100,000 tasks", of: "ours at 100000", to: "bare", atMost: 2.2 };

/** The scenarios of this file. */
export const readScenarios: readonly Scenario[] = [
  getScenario("jsonrpc"),
  getScenario("rest"),
  {
    name: "list-memory",
    work: "ListTasks, a page of 50, memory",
    unit: "µs CPU per page",
    ratios: [
      overBare,
      flat,
      { what: "SDK / ours, 1,000 tasks", of: "sdk at 1000", to: "ours at 1000" },
      { what: "SDK / ours, 100,000 tasks", of: "sdk at 100000", to: "ours at 100000", atLeast: 40 },
    ],
    open: (lab) => openList(lab, "memory"),
  },
  {
    name: "list-sqlite",
    work: "ListTasks, a page of 50, SQLite",
    unit: "µs CPU per page",
    ratios: [{ ...overBare, atMost: undefined }, flat],
    open: (lab) => openList(lab, "sqlite"),
  },
];
