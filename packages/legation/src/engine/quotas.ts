/**
 * How much a task and a tenant may hold. Off by default. The count of a tenant is read from the store once a second and
 * carried on from there: replicas together may go beyond it by what they take within that second.
 */
import { A2AError } from "../operations/errors.ts";
import type { Clock } from "./clock.ts";
import type { EngineSettings } from "./defaults.ts";
import type { Store } from "./store.ts";
import type { TaskLog } from "./task-log.ts";

const COUNTED_FOR_MS = 1_000;

export class Quotas {
  readonly #store: Store;
  readonly #settings: EngineSettings;
  readonly #clock: Clock;
  readonly #counts = new Map<string, { readonly at: number; tasks: number }>();

  constructor(host: { readonly store: Store; readonly settings: EngineSettings; readonly clock: Clock }) {
    this.#store = host.store;
    this.#settings = host.settings;
    this.#clock = host.clock;
  }

  /** Takes room for one more task of a tenant. @throws A2AError RATE_LIMITED */
  async takeTask(tenant: string): Promise<void> {
    const { maxOpenTasks } = this.#settings;
    if (maxOpenTasks === 0) return;
    const now = this.#clock.now();
    let count = this.#counts.get(tenant);
    if (count === undefined || now - count.at >= COUNTED_FOR_MS || now < count.at) {
      count = { at: now, tasks: await this.#store.upkeep.openTasks(tenant) };
      this.#counts.set(tenant, count);
    }
    if (count.tasks >= maxOpenTasks) {
      const text = `${count.tasks} tasks are open, at most ${maxOpenTasks}: end some first`;
      throw new A2AError("RATE_LIMITED", text, { retryAfterSeconds: 1 });
    }
    count.tasks += 1;
  }

  /** @throws A2AError RATE_LIMITED when a task holds too much to take another message */
  requireRoom(log: TaskLog): void {
    const over = overQuota(log, this.#settings);
    if (over !== undefined)
      throw new A2AError("RATE_LIMITED", `${over}: begin another`, { metadata: { taskId: log.id } });
  }
}

/** @throws A2AError INVALID_AGENT_RESPONSE when a task holds too much for its agent to say more */
export function requireRoom(log: TaskLog, settings: EngineSettings): void {
  const over = overQuota(log, settings);
  if (over !== undefined) throw new A2AError("INVALID_AGENT_RESPONSE", over, { metadata: { taskId: log.id } });
}

/** Says that a task holds more than it may; undefined when it does not. */
function overQuota(log: TaskLog, { maxTaskBytes }: EngineSettings): string | undefined {
  if (maxTaskBytes === 0) return undefined;
  const { bytes } = log.content;
  if (bytes <= maxTaskBytes) return undefined;
  return `task ${log.id} holds ${bytes} bytes, at most ${maxTaskBytes}`;
}
