/**
 * What a process does beside running tasks, now and then: it tries held runs with its own code where only other code
 * has failed to fit them, and lets go of tasks that ended long ago.
 *
 * One timer, from the start on: every minute where others may write to the store, or where there is something to let
 * go of; never else.
 */
import { isTerminal } from "../model/task-state.ts";
import type { AgentRunner } from "./agent-runner.ts";
import type { Clock, Timer } from "./clock.ts";
import type { RetentionRule } from "./defaults.ts";
import type { RunState } from "./journal.ts";
import type { Store, TaskRow } from "./store.ts";
import type { TaskLog } from "./task-log.ts";
import { draftUnhold } from "./turn-entries.ts";

/** What the caretaker needs of its engine. */
export interface CaretakerHost {
  readonly store: Store;
  readonly clock: Clock;
  readonly settings: { readonly retention: readonly RetentionRule[] };
  readonly agents: readonly AgentRunner[];
  /** Runs `use` on the live log of a row. */
  withLogOfRow(row: TaskRow, use: (log: TaskLog) => Promise<void>): Promise<void>;
  /** Something may be due. */
  kick(): void;
  log(level: "info" | "warn", event: string, details: object): void;
}

const LOOK_MS = 60_000;
/** Tasks in one go: other work of the store comes in between. */
const PAGE = 100;

export class Caretaker {
  readonly #host: CaretakerHost;
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(host: CaretakerHost) {
    this.#host = host;
  }

  /** Looks at once, and every minute from then on. */
  start(): void {
    void this.#look();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async #look(): Promise<void> {
    const { store, clock, settings, log } = this.#host;
    try {
      for (const agent of this.#host.agents) await this.#tryHeld(agent);
      for (const rule of settings.retention) await this.#letGo(rule);
    } catch (failed) {
      log("warn", "upkeep.failed", { error: failed });
    }
    if (this.#isStopped || (store.exclusive && settings.retention.length === 0)) return;
    this.#timer = clock.setTimeout(() => void this.#look(), LOOK_MS);
  }

  /** Each version tries each held run once: two that do not fit must not hand it to and fro. */
  async #tryHeld(agent: AgentRunner): Promise<void> {
    const query = { agents: [agent.name], held: true, limit: PAGE };
    for (let afterKey = 0; !this.#isStopped; ) {
      const rows = await this.#host.store.upkeep.unfinished({ ...query, afterKey });
      for (const row of rows) if (isForOther(row, agent.version)) await this.#release(row, agent.version);
      const last = rows[rows.length - 1];
      if (last === undefined) return;
      afterKey = last.key;
    }
  }

  async #release(row: TaskRow, version: string): Promise<void> {
    await this.#host.withLogOfRow(row, async (log) => {
      await log.append((draft) => {
        const { held, run, state } = draft.view;
        if (held === null || isTerminal(state) || run.heldBy?.includes(version) !== false) return;
        draftUnhold(draft);
      });
    });
    this.#host.kick();
  }

  async #letGo({ tenant, states, afterMs, drop = "task" }: RetentionRule): Promise<void> {
    const { clock, log } = this.#host;
    const { upkeep } = this.#host.store;
    const whole = drop === "log";
    const query = { tenant, states: states ?? ENDED, before: clock.now() - afterMs, whole, limit: PAGE };
    let tasks = 0;
    while (!this.#isStopped) {
      const keys = await upkeep.ended(query);
      if (keys.length === 0) break;
      await (whole ? upkeep.compact(keys) : upkeep.remove(keys));
      tasks += keys.length;
    }
    if (tasks > 0) log("info", whole ? "logs.compacted" : "tasks.removed", { tasks, tenant, afterMs });
  }
}

const ENDED = ["TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED"] as const;

/** True when only versions other than this one have tried it. */
function isForOther(row: TaskRow, version: string): boolean {
  const { heldBy } = JSON.parse(row.run) as RunState;
  return heldBy !== undefined && !heldBy.includes(version);
}
