/** The outbox as operators see it: across all callers, without secrets. It needs the store alone, and no engine that runs. */
import { taskNotFound } from "../operations/errors.ts";
import { urlOfStored } from "./push-config.ts";
import type { HookRow } from "./push-hook.ts";
import type { Store } from "./store.ts";

/** One row of the outbox as an operator sees it: no secrets. */
export interface OutboxEntry {
  readonly taskId: string;
  readonly id: string;
  readonly tenant: string;
  readonly owner: string;
  readonly agent: string;
  /** `""` where what is stored cannot be read. */
  readonly url: string;
  /** `dead`: given up; `failing`: tried again at `due`; `pending`: something is to be sent; `delivered`: nothing is. */
  readonly status: "dead" | "failing" | "pending" | "delivered";
  readonly cursor: number;
  /** Last entry of the log of the task. */
  readonly seq: number;
  /** Failures since the last success. */
  readonly attempts: number;
  /** Next attempt, ms since the epoch; null when there will be none. */
  readonly due: number | null;
  /** Why the last attempt failed. */
  readonly error: string | null;
  readonly createdAt: number;
}

/** A page of the outbox. */
export interface OutboxPage {
  readonly entries: readonly OutboxEntry[];
  /** Give it as `after` for the next page; undefined at the end. */
  readonly next: { readonly key: number; readonly id: string } | undefined;
}

/** What an operator asks the outbox for. */
export interface OutboxQuery {
  readonly status?: "dead" | "pending" | undefined;
  readonly after?: OutboxPage["next"];
  /** Default 100; more than 1,000 are never given at once. */
  readonly limit?: number | undefined;
}

/** What operators see and do. */
export interface Outbox {
  list(query?: OutboxQuery): Promise<OutboxPage>;
  /** The webhooks of one task. @throws TASK_NOT_FOUND */
  show(taskId: string): Promise<readonly OutboxEntry[]>;
  /**
   * Tries webhooks again at once, from their cursors on; dead ones live again. Whoever serves the store delivers.
   *
   * @param id one of the task's; all of them when absent
   * @returns how many there were
   * @throws TASK_NOT_FOUND
   */
  redrive(taskId: string, id?: string): Promise<number>;
}

/**
 * Makes the view of a store that is open.
 *
 * @param options `agents` whose tasks are seen, all when absent; `redriven` is told when something is due
 */
export function createOutbox(
  store: Store,
  options: {
    readonly now?: () => number;
    readonly agents?: readonly string[];
    readonly redriven?: () => void;
  } = {},
): Outbox {
  const { agents, now = Date.now } = options;

  async function hooksOf(taskId: string): Promise<readonly HookRow[]> {
    const task = await store.task(taskId);
    if (task === undefined) throw taskNotFound(taskId);
    return store.hooks.list(task.key, "", Number.MAX_SAFE_INTEGER);
  }

  return {
    async list({ status, after, limit: wanted = DEFAULT_LIMIT } = {}) {
      const limit = Math.min(LONGEST_PAGE, Math.max(1, wanted));
      const filter = status === "dead" ? { dead: true } : status === "pending" ? { dead: false, behind: true } : {};
      const rows = await store.hooks.find({ ...filter, agents, after, limit: limit + 1 });
      const shown = rows.slice(0, limit);
      const last = shown.at(-1);
      const next = rows.length > limit && last !== undefined ? { key: last.key, id: last.id } : undefined;
      return { entries: shown.map(entryOf), next };
    },
    show: async (taskId) => (await hooksOf(taskId)).map(entryOf),
    async redrive(taskId, id) {
      const hooks = (await hooksOf(taskId)).filter((hook) => id === undefined || hook.id === id);
      await Promise.all(hooks.map((hook) => store.hooks.redrive(hook.key, hook.id, now())));
      options.redriven?.();
      return hooks.length;
    },
  };
}

const DEFAULT_LIMIT = 100;
const LONGEST_PAGE = 1_000;

function entryOf(row: HookRow): OutboxEntry {
  const { taskId, id, tenant, owner, agent, cursor, seq, attempts, due, error, createdAt } = row;
  const url = urlOfStored(row.config);
  const status = row.dead ? "dead" : attempts > 0 ? "failing" : cursor < seq ? "pending" : "delivered";
  return { taskId, id, tenant, owner, agent, url, status, cursor, seq, attempts, due, error, createdAt };
}
