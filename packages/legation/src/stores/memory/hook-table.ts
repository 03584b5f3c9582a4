import type {
  HookClaim,
  HookFilter,
  HookMove,
  HookRow,
  HookStore,
  HookWrite,
  NewHook,
} from "../../engine/push-hook.ts";
import { hookWakeOf } from "../sql/hook-wake.ts";
import { type HookQueue, HookQueues } from "./hook-queues.ts";
import type { StoredTask } from "./stored-task.ts";

/** A webhook in memory. */
interface StoredHook {
  readonly task: StoredTask;
  readonly queue: HookQueue<StoredHook>;
  readonly id: string;
  readonly createdAt: number;
  config: string;
  version: string;
  cursor: number;
  due: number | null;
  attempts: number;
  epoch: number;
  holder: string | null;
  leaseUntil: number;
  dead: boolean;
  error: string | null;
  wake: number | null;
  heapAt: number;
}

/** What the table needs of its store. */
export interface HookTableHost {
  /** Throws when the store is closed. */
  check(): void;
  task(key: number): StoredTask | undefined;
  /** Told when a webhook needs no more of the log of a task than it did. */
  drained(task: StoredTask): void;
}

/** The webhooks in memory: each under its task, and by owner those that wait. */
export class HookTable implements HookStore {
  readonly #host: HookTableHost;
  readonly #byTask = new Map<number, Map<string, StoredHook>>();
  readonly #queues = new HookQueues<StoredHook>();

  constructor(host: HookTableHost) {
    this.#host = host;
  }

  async put(
    key: number,
    hook: NewHook,
    { limit, now }: { readonly limit: number; readonly now: number },
  ): Promise<"put" | "full" | "missing"> {
    this.#host.check();
    const task = this.#host.task(key);
    if (task === undefined) return "missing";
    const hooks = this.#byTask.get(key);
    if (hooks?.has(hook.id) !== true && (hooks?.size ?? 0) >= limit) return "full";
    this.write(task, { ...hook, cursor: task.seq }, now);
    return "put";
  }

  async get(key: number, id: string): Promise<HookRow | undefined> {
    this.#host.check();
    const hook = this.#byTask.get(key)?.get(id);
    return hook === undefined ? undefined : viewHook(hook);
  }

  async list(key: number, afterId: string, limit: number): Promise<readonly HookRow[]> {
    this.#host.check();
    const hooks = [...(this.#byTask.get(key)?.values() ?? [])].filter(({ id }) => id > afterId);
    return hooks
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .slice(0, limit)
      .map(viewHook);
  }

  async remove(key: number, id: string): Promise<boolean> {
    this.#host.check();
    const hooks = this.#byTask.get(key);
    const hook = hooks?.get(id);
    if (hooks === undefined || hook === undefined) return false;
    hooks.delete(id);
    if (hooks.size === 0) this.#byTask.delete(key);
    this.#queues.set(hook.queue, hook, null);
    this.#host.drained(hook.task);
    return true;
  }

  async claim(query: HookClaim): Promise<readonly HookRow[]> {
    this.#host.check();
    const { now, holder, leaseMs } = query;
    const claimed: HookRow[] = [];
    this.#queues.claim(query, (hook) => {
      hook.epoch += 1;
      hook.holder = holder;
      hook.leaseUntil = now + leaseMs;
      hook.due = null;
      this.#wake(hook);
      claimed.push(viewHook(hook));
    });
    return claimed;
  }

  async move(holder: string, moves: readonly HookMove[], now: number): Promise<readonly boolean[]> {
    this.#host.check();
    return moves.map((move) => {
      const hook = this.#byTask.get(move.key)?.get(move.id);
      if (hook === undefined || hook.holder !== holder || hook.epoch !== move.epoch) return false;
      hook.cursor = move.cursor;
      hook.attempts = move.attempts;
      hook.dead = move.dead;
      hook.error = move.error;
      hook.leaseUntil = move.leaseUntil;
      if (move.leaseUntil === 0) {
        hook.holder = null;
        const isBehind = !move.dead && hook.task.seq > move.cursor;
        hook.due = move.due ?? (isBehind ? now : null);
      }
      this.#wake(hook);
      this.#host.drained(hook.task);
      return true;
    });
  }

  async redrive(key: number, id: string, now: number): Promise<boolean> {
    this.#host.check();
    const hook = this.#byTask.get(key)?.get(id);
    if (hook === undefined) return false;
    if (hook.holder !== null) return true;
    hook.dead = false;
    hook.attempts = 0;
    hook.due = now;
    this.#wake(hook);
    return true;
  }

  async nextDue(agents: readonly string[]): Promise<number | undefined> {
    this.#host.check();
    const times = agents.flatMap((agent) => this.#queues.firstWake(agent) ?? []);
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async find({ agents, dead, behind, after, limit }: HookFilter): Promise<readonly HookRow[]> {
    this.#host.check();
    const found: HookRow[] = [];
    const keys = [...this.#byTask.keys()].filter((key) => key >= (after?.key ?? 0)).sort((a, b) => a - b);
    for (const key of keys) {
      const afterId = key === after?.key ? after.id : "";
      for (const hook of await this.list(key, afterId, Number.MAX_SAFE_INTEGER)) {
        if (found.length >= limit) return found;
        if (agents?.includes(hook.agent) === false || (dead !== undefined && hook.dead !== dead)) continue;
        if (behind !== undefined && hook.cursor < hook.seq !== behind) continue;
        found.push(hook);
      }
    }
    return found;
  }

  /** Registers a webhook in the same step as something else; gives nothing back because nothing can refuse it. */
  write(task: StoredTask, { id, config, version, cursor }: HookWrite, now: number): void {
    const hooks = this.#byTask.get(task.key) ?? new Map<string, StoredHook>();
    this.#byTask.set(task.key, hooks);
    let hook = hooks.get(id);
    if (hook === undefined) {
      hook = { ...NEW_HOOK, task, queue: this.#queues.of(task.scope), id, createdAt: now, config, version, cursor };
      hooks.set(id, hook);
    }
    hook.config = config;
    hook.version = version;
    hook.epoch += 1;
    hook.holder = null;
    hook.leaseUntil = 0;
    hook.attempts = 0;
    hook.dead = false;
    hook.error = null;
    hook.due = task.seq > hook.cursor ? now : null;
    this.#wake(hook);
  }

  /** A commit has written something that subscribers see; true when the task has webhooks. */
  touch(task: StoredTask, now: number, isEnd: boolean): boolean {
    const hooks = this.#byTask.get(task.key);
    if (hooks === undefined) return false;
    for (const hook of hooks.values()) {
      if (hook.holder !== null || hook.due !== null || (hook.dead && !isEnd)) continue;
      hook.due = now;
      this.#wake(hook);
    }
    return true;
  }

  /** True while a living webhook has yet to read the log of a task. */
  needsLog(task: StoredTask): boolean {
    for (const hook of this.#byTask.get(task.key)?.values() ?? [])
      if (!hook.dead && hook.cursor < task.seq) return true;
    return false;
  }

  *holders(): Iterable<string> {
    for (const { holder } of this.#queues.values()) if (holder !== null) yield holder;
  }

  expire(holder: string): void {
    for (const hook of [...this.#queues.values()]) {
      if (hook.holder !== holder) continue;
      hook.holder = null;
      hook.leaseUntil = 0;
      hook.due = 0;
      this.#wake(hook);
    }
  }

  #wake(hook: StoredHook): void {
    this.#queues.set(hook.queue, hook, hookWakeOf(hook));
  }
}

const NEW_HOOK = {
  due: null,
  attempts: 0,
  epoch: 0,
  holder: null,
  leaseUntil: 0,
  dead: false,
  error: null,
  wake: null,
  heapAt: -1,
};

function viewHook(hook: StoredHook): HookRow {
  const { task, queue: _queue, wake: _wake, heapAt: _heapAt, ...columns } = hook;
  const { key, id: taskId, contextId, seq, state, scope } = task;
  const { tenant, agent } = scope.lane;
  return { ...columns, key, taskId, contextId, tenant, owner: scope.owner, agent, seq, state };
}
