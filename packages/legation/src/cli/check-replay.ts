/**
 * Replays the journals of parked tasks against other code, without any effect: each is copied into a store in memory,
 * where the new code runs until it comes to where the journal ends. A step that is not recorded is not run.
 */
import type { AgentRunner } from "../engine/agent-runner.ts";
import { Engine } from "../engine/engine.ts";
import type { RunState } from "../engine/journal.ts";
import type { EventRow, Store, TaskRow } from "../engine/store.ts";
import type { Turn } from "../engine/turn.ts";
import type { Agent } from "../server/agent.ts";
import { createAgentRunner } from "../server/agent-runner.ts";
import { createMemoryStore } from "../stores/memory/store.ts";

/** What came of one journal. */
export interface ReplayCheck {
  readonly taskId: string;
  readonly agent: string;
  /** Version of the code that wrote it. */
  readonly writtenBy: string;
  readonly fits: boolean;
  /** Why it does not. */
  readonly reason: string | undefined;
}

const PAGE = 100;
/** New code that neither ends nor waits by then is told as not fitting: it may wait for the world outside of a step. */
const REST_MS = 5_000;

/** Checks the journal of every open turn of these agents, one after the other. Reads `store` and writes nothing to it. */
export async function* checkReplays(store: Store, agents: readonly Agent[]): AsyncGenerator<ReplayCheck> {
  for (const agent of agents) {
    for (let afterKey = 0; ; ) {
      const rows = await store.upkeep.unfinished({ agents: [agent.name], held: false, afterKey, limit: PAGE });
      for (const row of rows) {
        if ((JSON.parse(row.run) as RunState).open) yield await checkOne(store, row, agent);
      }
      const last = rows[rows.length - 1];
      if (last === undefined) break;
      afterKey = last.key;
    }
  }
}

async function checkOne(store: Store, row: TaskRow, agent: Agent): Promise<ReplayCheck> {
  const verdict = Promise.withResolvers<string | undefined>();
  const copy = await copyTask(store, row);
  const engine: Engine = new Engine({
    store: copy,
    agents: [
      withoutEffects(
        createAgentRunner(agent.options, () => engine),
        () => verdict.resolve(undefined),
      ),
    ],
    log: ({ event, reason, error }) => {
      if (event === "run.held") verdict.resolve(String(reason));
      if (event === "turn.lost") verdict.resolve(error instanceof Error ? error.message : String(error));
    },
  });
  const patience = setTimeout(() => verdict.resolve(`it did not come to rest within ${REST_MS} ms`), REST_MS);
  const looking = setInterval(async () => {
    const now = await copy.task(row.id);
    // Parked again, or at its end; one that is held tells so itself.
    if (now !== undefined && now.holder === null && now.held === null && now.epoch > row.epoch)
      verdict.resolve(undefined);
  }, 5);
  try {
    await engine.start();
    const reason = await verdict.promise;
    const { id: taskId, agentVersion: writtenBy } = row;
    return { taskId, agent: agent.name, writtenBy, fits: reason === undefined, reason };
  } finally {
    clearTimeout(patience);
    clearInterval(looking);
    engine.abandon();
  }
}

/** The task as it is, free to be run; large parts are read where they are. */
async function copyTask(store: Store, row: TaskRow): Promise<Store> {
  const events: EventRow[] = [];
  for (let after = 0; after < row.seq; after = events[events.length - 1]?.seq ?? row.seq) {
    events.push(...(await store.events(row.key, after, 1_048_576)));
  }
  const { id, tenant, owner, contextId, agent, createdAt } = row;
  const { state, statusTime, epoch, agentVersion, run } = row;
  const columns = { state, statusTime, epoch, agentVersion, run: withoutWorker(run) };
  const free = { holder: null, leaseUntil: 0, attempts: 0, due: 0, held: null };
  const create = { id, tenant, owner, contextId, agent, createdAt };
  const memory = createMemoryStore();
  await memory.commit({
    tasks: [{ create, key: 0, seq: 0, epoch: 0, events, columns: { ...columns, ...free } }],
    replies: [],
  });
  return new Proxy(memory, {
    get(target, key) {
      if (key === "blob") return store.blob.bind(store);
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** A task that an outside worker has is looked at as if that worker had fallen silent: then its handler runs again. */
function withoutWorker(run: string): string {
  const state = JSON.parse(run) as RunState;
  if (state.wait?.kind !== "defer") return run;
  return JSON.stringify({ ...state, wait: { ...state.wait, handed: undefined, lapsed: true } });
}

/** The handler stops where the world outside would come in. */
function withoutEffects(runner: AgentRunner, atEdge: () => void): AgentRunner {
  const stop = (): Promise<never> => {
    atEdge();
    return new Promise(() => {});
  };
  return {
    ...runner,
    run(turn, incoming) {
      const own: Partial<Turn> = {
        step: (name, _fn, options) => turn.step(name, stop, options),
        write: (name, _source, options) => turn.write(name, stop, options),
        defer: (options) => turn.defer(options).then(stop),
      };
      const dry = new Proxy(turn, {
        get(target, key) {
          if (Object.hasOwn(own, key)) return Reflect.get(own, key);
          const member: unknown = Reflect.get(target, key, target);
          return typeof member === "function" ? member.bind(target) : member;
        },
      });
      return runner.run(dry, incoming);
    },
  };
}
