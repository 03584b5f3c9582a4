/**
 * The webhooks of the tasks of an engine, as callers register them.
 *
 * @see specification §3.1.7 to §3.1.10
 */
import type { TaskPushNotificationConfig } from "../model/gen/types.ts";
import { A2AError, invalidField, taskNotFound } from "../operations/errors.ts";
import {
  admitPushConfig,
  decodePushConfig,
  encodePushConfig,
  isSameConfig,
  placeOf,
  plainPushConfig,
  showPushConfig,
} from "./push-config.ts";
import type { Deliverer } from "./push-deliverer.ts";
import type { NewHook } from "./push-hook.ts";
import type { PushOptions, PushSettings } from "./push-options.ts";
import { createOutbox, type Outbox } from "./push-outbox.ts";
import type { Store, TaskIdentity, TaskRow } from "./store.ts";

/** Whose tasks, and of which agent. */
type Scope = Pick<TaskIdentity, "tenant" | "owner" | "agent">;

/** A webhook that comes with a message. */
export interface InlineHook {
  readonly config: TaskPushNotificationConfig & { readonly id: string };
  /** As {@link NewHook.version}. */
  readonly version: string;
}

/** What it stands on. */
export interface HooksHost {
  readonly store: Store;
  readonly options: PushOptions;
  readonly settings: PushSettings;
  readonly deliverer: Deliverer;
  readonly agentNames: readonly string[];
  now(): number;
  newId(): string;
}

export class Hooks {
  readonly #host: HooksHost;

  constructor(host: HooksHost) {
    this.#host = host;
  }

  /** Refuses a registration before anything is stored. @throws INVALID_PARAMS */
  admit(config: TaskPushNotificationConfig, prefix?: string): void {
    admitPushConfig(config, this.#host.options.refuseUrl, prefix);
  }

  /** The form in which a webhook is stored; its secrets sealed for its task. */
  async prepare(taskId: string, { config, version }: InlineHook): Promise<NewHook> {
    const { id } = config;
    return { id, version, config: await encodePushConfig(config, placeOf(taskId, id), this.#host.options.seal) };
  }

  /**
   * Registers a webhook, or gives one that is there new content. Updates are sent from now on.
   *
   * @throws TASK_NOT_FOUND, INVALID_PARAMS (also for one too many)
   */
  async put(
    scope: Scope,
    taskId: string,
    config: TaskPushNotificationConfig,
    version: string,
  ): Promise<TaskPushNotificationConfig> {
    this.admit(config);
    const { key } = await this.#task(scope, taskId);
    const id = config.id ?? this.#host.newId();
    // What is there already and works is left alone: a delivery under way would have to begin again.
    if (config.id !== undefined && (await this.#isThere(key, taskId, { config: { ...config, id }, version }))) {
      return showPushConfig({ id, taskId, tenant: scope.tenant, config: JSON.stringify(plainPushConfig(config)) });
    }
    const hook = await this.prepare(taskId, { config: { ...config, id }, version });
    this.#host.deliverer.cancel(taskId, id);
    const { maxHooks } = this.#host.settings;
    const outcome = await this.#host.store.hooks.put(key, hook, { limit: maxHooks, now: this.#host.now() });
    if (outcome === "missing") throw taskNotFound(taskId);
    if (outcome === "full") throw tooMany(taskId, maxHooks);
    this.#host.deliverer.kick();
    return showPushConfig({ ...hook, taskId, tenant: scope.tenant });
  }

  /** @throws INVALID_PARAMS when the task has as many as it may have, and this would be one more */
  async requireRoom(scope: Scope, taskId: string, id: string): Promise<void> {
    const { maxHooks } = this.#host.settings;
    const { key } = await this.#task(scope, taskId);
    const hooks = await this.#host.store.hooks.list(key, "", maxHooks);
    if (hooks.length >= maxHooks && !hooks.some((hook) => hook.id === id)) throw tooMany(taskId, maxHooks);
  }

  /** @throws TASK_NOT_FOUND for an unknown task and for an unknown webhook of a known one */
  async get(scope: Scope, taskId: string, id: string): Promise<TaskPushNotificationConfig> {
    const { key } = await this.#task(scope, taskId);
    const row = await this.#host.store.hooks.get(key, id);
    if (row === undefined) {
      const text = `push notification config ${id} of task ${taskId} not found; list those there are`;
      throw new A2AError("TASK_NOT_FOUND", text, { metadata: { taskId, configId: id } });
    }
    return showPushConfig(row);
  }

  /** The webhooks of a task by id. @throws TASK_NOT_FOUND */
  async list(
    scope: Scope,
    taskId: string,
    page: { readonly size?: number | undefined; readonly token?: string | undefined },
  ): Promise<{ readonly configs: readonly TaskPushNotificationConfig[]; readonly next: string }> {
    const { key } = await this.#task(scope, taskId);
    const size = Math.min(page.size || this.#host.settings.maxHooks, this.#host.settings.maxHooks);
    const rows = await this.#host.store.hooks.list(key, page.token ?? "", size + 1);
    const shown = rows.slice(0, size);
    return { configs: shown.map(showPushConfig), next: rows.length > size ? (shown.at(-1)?.id ?? "") : "" };
  }

  /** Removes a webhook; nothing is sent to it any more. One that is not there is no error. @throws TASK_NOT_FOUND */
  async remove(scope: Scope, taskId: string, id: string): Promise<void> {
    const { key } = await this.#task(scope, taskId);
    await this.#host.store.hooks.remove(key, id);
    this.#host.deliverer.cancel(taskId, id);
  }

  /** What operators see and do. */
  get outbox(): Outbox {
    const { store, agentNames, deliverer } = this.#host;
    return createOutbox(store, { now: () => this.#host.now(), agents: agentNames, redriven: () => deliverer.kick() });
  }

  async #isThere(key: number, taskId: string, { config, version }: InlineHook): Promise<boolean> {
    const row = await this.#host.store.hooks.get(key, config.id);
    if (row === undefined || row.dead || row.attempts > 0 || row.version !== version) return false;
    const stored = await decodePushConfig(row.config, placeOf(taskId, row.id), this.#host.options.seal).catch(
      () => undefined,
    );
    return stored !== undefined && isSameConfig(stored, plainPushConfig(config));
  }

  async #task(scope: Scope, taskId: string): Promise<TaskRow> {
    const row = await this.#host.store.task(taskId);
    if (row === undefined) throw taskNotFound(taskId);
    const isVisible = row.tenant === scope.tenant && row.owner === scope.owner && row.agent === scope.agent;
    if (!isVisible) throw taskNotFound(taskId);
    return row;
  }
}

function tooMany(taskId: string, maxHooks: number): A2AError {
  return invalidField(
    "id",
    `task ${taskId} has ${maxHooks} push notification configs, which is all it may have; delete one, or send its id`,
  );
}
