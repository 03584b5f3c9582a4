/**
 * Engines on one store that a test can make fail, in lives that a test can end: what a kill, a second replica and a
 * bad disk do, without a process and without waiting.
 */
import assert from "node:assert/strict";
import type { EngineSettings } from "../../src/engine/defaults.ts";
import { type AgentRunner, Engine, type EngineLogEntry, type Scope } from "../../src/engine/engine.ts";
import type { Batch, BatchOutcome, DedupeKey, EventRow, Store } from "../../src/engine/store.ts";
import { StoreUnavailable } from "../../src/engine/store.ts";
import type { Incoming, Turn, Utterance } from "../../src/engine/turn.ts";
import type { Message, Task } from "../../src/model/gen/types.ts";
import type { EventStream, StreamEvent } from "../../src/operations/service.ts";
import { createMemoryStore } from "../../src/stores/memory/store.ts";
import { createFakeClock, type FakeClock } from "../../src/testing/fake-clock.ts";
import { createPower } from "../../src/testing/power.ts";

export const SCOPE: Scope = { tenant: "", owner: "", agent: "a" };

/**
 * What a commit is made to do. `lose`: it is done and its answer lost. `drop`: it is lost on its way, and nobody knows.
 * `refuse`: nothing is done, no retry helps.
 */
export type Fate = "ok" | "unavailable" | "lose" | "drop" | "refuse";

/** A store that several engines share, whose calls a test can make fail. */
export interface TestStore extends Store {
  /** How many commits were done. */
  readonly commits: number;
  /** Decides what becomes of a commit. */
  fate: (batch: Batch, number: number) => Fate | Promise<Fate>;
  /** Runs when a commit was done, before anybody hears of it. */
  afterCommit: (number: number) => void;
  /** Runs before a read of a task; may throw or wait. */
  beforeRead: () => void | Promise<void>;
  /** What a read of the log gives for an entry. */
  reads: (entry: EventRow) => EventRow;
  /** True: no call is answered. */
  away: boolean;
  /** False: commits are not told to the other replicas. */
  tells: boolean;
  /** Tells every replica that something, anything, was written. */
  hint(): void;
  /** By how much the clock of the store is ahead when it claims. */
  aheadMs: number;
  /** What renewals do. */
  renewal: "ok" | "unavailable";
}

const PLAIN: ReadonlySet<PropertyKey> = new Set(["fate", "beforeRead", "afterCommit", "reads", "watch", "hint"]);

/** Makes a store; not exclusive, as several replicas share it, unless said otherwise. */
export function createTestStore(options: { readonly exclusive?: boolean } = {}): TestStore {
  const inner = createMemoryStore({ recentTasks: 100_000, recentLength: 1e9 });
  const watchers = new Set<(taskIds: readonly string[] | undefined) => void>();
  const ids = new Map<number, string>();
  const controls = {
    commits: 0,
    fate: (): Fate => "ok",
    beforeRead: (): void => {},
    afterCommit: (): void => {},
    reads: (entry: EventRow): EventRow => entry,
    away: false,
    tells: true,
    aheadMs: 0,
    hint(): void {
      for (const watcher of watchers) watcher(undefined);
    },
    renewal: "ok",
    exclusive: options.exclusive ?? false,
    async commit(batch: Batch): Promise<BatchOutcome> {
      const fate = await store.fate(batch, store.commits);
      if (fate === "unavailable") throw new StoreUnavailable("the test says so");
      if (fate === "drop") throw new StoreUnavailable("the test lost it on its way", { unknown: true });
      if (fate === "refuse") throw new Error("the test refuses this commit");
      const outcome = await inner.commit(batch);
      controls.commits += 1;
      store.afterCommit(controls.commits - 1);
      const touched: string[] = [];
      for (const [index, task] of batch.tasks.entries()) {
        const result = outcome.tasks[index];
        if (result?.ok !== true) continue;
        if (task.create !== undefined) ids.set(result.key, task.create.id);
        touched.push(ids.get(result.key) as string);
      }
      if (controls.tells) for (const watcher of watchers) queueMicrotask(() => watcher(touched));
      if (fate === "lose") throw new StoreUnavailable("the answer of the test is lost", { unknown: true });
      return outcome;
    },
    async renew(...args: Parameters<Store["renew"]>): Promise<Awaited<ReturnType<Store["renew"]>>> {
      if (controls.renewal !== "ok") throw new StoreUnavailable("the test says so");
      return inner.renew(...args);
    },
    async claim(query: Parameters<Store["claim"]>[0]): ReturnType<Store["claim"]> {
      return inner.claim({ ...query, now: query.now + controls.aheadMs });
    },
    async task(id: string): ReturnType<Store["task"]> {
      await store.beforeRead();
      return inner.task(id);
    },
    async events(...range: Parameters<Store["events"]>): ReturnType<Store["events"]> {
      return (await inner.events(...range)).map((entry) => store.reads(entry));
    },
    watch(watcher: (taskIds: readonly string[] | undefined) => void): Disposable {
      watchers.add(watcher);
      return { [Symbol.dispose]: () => void watchers.delete(watcher) };
    },
  };
  const store = new Proxy(controls as unknown as TestStore, {
    get(target, key) {
      const member: unknown = key in target ? Reflect.get(target, key) : Reflect.get(inner, key);
      if (typeof member !== "function" || PLAIN.has(key)) return member;
      return async (...args: unknown[]): Promise<unknown> => {
        if (controls.away) throw new StoreUnavailable("the store is away");
        return Reflect.apply(member, key in target ? target : inner, args);
      };
    },
  });
  return store;
}

/** One life of one process. */
export interface Life {
  readonly engine: Engine;
  readonly log: EngineLogEntry[];
  /** As `kill -9`: nothing more is heard of it. Its leases stay until they run out. */
  crash(): void;
}

/** Handler of the one agent `a`. */
export type Handler = (turn: Turn, incoming: Incoming) => Promise<unknown>;

export interface LifeOptions extends Partial<Omit<AgentRunner, "run">> {
  readonly settings?: Partial<EngineSettings> | undefined;
  readonly isDead?: ((holder: string) => boolean) | undefined;
}

/** A clock that can also be set: what waits on it goes on waiting as long as before. */
export interface JumpingClock extends FakeClock {
  jump(ms: number): void;
}

/** Makes one. */
export function createJumpingClock(): JumpingClock {
  const clock = createFakeClock();
  let offset = 0;
  return {
    ...clock,
    now: () => clock.now() + offset,
    jump(ms) {
      offset += ms;
    },
  };
}

/** A store, a clock, and the lives on them. */
export class World {
  readonly clock: JumpingClock = createJumpingClock();
  readonly store: TestStore;
  #ids = 0;
  #lives = 0;

  constructor(options: { readonly exclusive?: boolean } = {}) {
    this.store = createTestStore(options);
  }

  async start(handler: Handler, options: LifeOptions = {}): Promise<Life> {
    const { settings, isDead, ...agent } = options;
    const power = createPower(this.store, this.clock);
    const log: EngineLogEntry[] = [];
    const run: AgentRunner["run"] = async (turn, incoming) => {
      const ending = await handler(turn, incoming);
      return ending as Awaited<ReturnType<AgentRunner["run"]>>;
    };
    this.#lives += 1;
    const engine = new Engine({
      store: power.store,
      clock: power.clock,
      agents: [{ name: "a", version: "1", ...agent, run }],
      holder: `life-${this.#lives}`,
      newId: () => `id-${(this.#ids++).toString().padStart(6, "0")}`,
      log: (entry) => log.push(entry),
      settings,
      isDead,
    });
    await engine.start();
    await this.clock.advance(0);
    const crash = (): void => {
      power.cut();
      engine.abandon();
    };
    return { engine, log, crash };
  }

  /** Resolves when the clock was moved so far. */
  tick(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.setTimeout(resolve, ms));
  }

  /** Kills a life and gives its leases time to run out. */
  async crash(life: Life): Promise<void> {
    life.crash();
    await this.clock.advance(15_001);
  }

  /** Every entry of the log of a task. */
  async entries(taskId: string): Promise<readonly EventRow[]> {
    const row = await this.store.task(taskId);
    assert.ok(row !== undefined);
    return this.store.events(row.key, 0, 1e9);
  }
}

/** Lets everything that waits for nothing but the loop be done. */
export async function turns(count = 30): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}

let messages = 0;

export function textMessage(text: string, messageId = `m-${messages++}`): Message {
  return { messageId, role: "ROLE_USER", parts: [{ text }] };
}

/** Sends a message that makes a task. */
export async function begin(life: Life, text = "begin", dedupe?: DedupeKey): Promise<string> {
  const incoming = { message: textMessage(text, dedupe?.messageId), meta: {} };
  const accepted = await life.engine.createTask({ scope: SCOPE, contextId: "c", incoming, dedupe });
  return accepted.taskId;
}

/** Sends a message to a task; gives its seq. */
export async function tell(life: Life, taskId: string, text: string, dedupe?: DedupeKey): Promise<number> {
  const incoming = { message: textMessage(text, dedupe?.messageId), meta: {} };
  return (await life.engine.addMessage({ scope: SCOPE, taskId, incoming, dedupe })).seq;
}

export async function taskOf(life: Life, taskId: string): Promise<Task> {
  const task = (await life.engine.getTask(SCOPE, taskId)).value;
  return JSON.parse(JSON.stringify(task)) as Task;
}

export async function stateOf(life: Life, taskId: string): Promise<string> {
  return (await taskOf(life, taskId)).status.state.replace("TASK_STATE_", "");
}

export function say(text: string): Utterance {
  return { parts: [{ text }] };
}

/** The text of an artifact. */
export function artifactText(task: Task, name: string): string | undefined {
  const found = task.artifacts?.filter((artifact) => artifact.name === name) ?? [];
  assert.ok(found.length <= 1, `${found.length} artifacts are named ${name}`);
  return found[0]?.parts.map((part) => part.text ?? JSON.stringify(part)).join("");
}

export function textOf(incoming: Incoming): string {
  return incoming.message.parts.map((part) => part.text).join("");
}

/** Reads a stream to its end. */
export async function drain(stream: EventStream, into: StreamEvent[] = []): Promise<StreamEvent[]> {
  for await (const batch of stream) into.push(...batch);
  return into;
}

export function dedupeKey(messageId: string, hash = "h"): DedupeKey {
  return { tenant: "", owner: "", messageId, hash };
}

/** A promise and what settles it. */
export function gate<T = void>(): { readonly promise: Promise<T>; readonly open: (value: T) => void } {
  let open!: (value: T) => void;
  const promise = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}
