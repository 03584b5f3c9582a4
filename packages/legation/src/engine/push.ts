/** Puts together what delivers to webhooks: the outbox of an engine. */
import type { Task } from "../model/gen/types.ts";
import type { Blobs } from "./blobs.ts";
import type { Clock } from "./clock.ts";
import type { EngineSettings } from "./defaults.ts";
import { Deliverer } from "./push-deliverer.ts";
import type { HookRow } from "./push-hook.ts";
import { Hooks } from "./push-hooks.ts";
import { PUSH_DEFAULTS, type PushOptions } from "./push-options.ts";
import type { Store } from "./store.ts";

/** What the outbox needs of its engine. */
export interface PushHost {
  readonly store: Store;
  readonly settings: EngineSettings;
  readonly clock: Clock;
  readonly blobs: Blobs;
  readonly options: PushOptions;
  readonly holder: string;
  readonly agentNames: readonly string[];
  newId(): string;
  /** The Task as it is stored now. */
  task(row: HookRow): Promise<Task>;
  log(level: "debug" | "info" | "warn" | "error", event: string, details: object): void;
}

/** The outbox of an engine. */
export interface Push {
  readonly hooks: Hooks;
  readonly deliverer: Deliverer;
  /** A commit of this process made webhooks due; undefined when it is not known of which task. */
  committed(taskId: string | undefined): void;
  /** Others wrote to the store; undefined when it is not known what. */
  hinted(taskIds: readonly string[] | undefined): void;
}

/** Makes the outbox; nothing is delivered before its deliverer is started. */
export function createPush(host: PushHost): Push {
  const { store, clock, blobs, options, holder, agentNames } = host;
  const settings = { ...PUSH_DEFAULTS, ...options.settings };
  const source = { store, settings: host.settings, blobs };
  const task = (row: HookRow): Promise<Task> => host.task(row);
  const log: PushHost["log"] = (level, event, details) => host.log(level, event, details);
  const deliverer = new Deliverer({ source, clock, holder, agentNames, task, log }, options, settings);
  const now = (): number => clock.now();
  const newId = (): string => host.newId();
  const hooks = new Hooks({ store, options, settings, deliverer, agentNames, now, newId });
  return {
    hooks,
    deliverer,
    hinted: (taskIds) => {
      if (taskIds === undefined) deliverer.kick();
      else for (const taskId of taskIds) deliverer.poke(taskId);
    },
    committed: (taskId) => (taskId === undefined ? deliverer.kick() : deliverer.committed(taskId)),
  };
}
