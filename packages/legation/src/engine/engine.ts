/**
 * The engine of one process: durable tasks over a {@link Store}.
 *
 * What it has acknowledged it finishes or holds visibly, tells everyone about in one order, and records once. A
 * step of a handler runs at least once and carries a key; what is recorded is never run again.
 */
import type { Task } from "../model/gen/types.ts";
import type { JsonObject } from "../model/json.ts";
import { isTerminal } from "../model/task-state.ts";
import { A2AError, taskNotFound } from "../operations/errors.ts";
import type { Payload } from "../operations/payload.ts";
import type { EventStream } from "../operations/service.ts";
import type { AgentRunner } from "./agent-runner.ts";
import { Blobs } from "./blobs.ts";
import { Cancels } from "./cancels.ts";
import { Caretaker } from "./caretaker.ts";
import { type Clock, systemClock } from "./clock.ts";
import { ENGINE_DEFAULTS, type EngineSettings } from "./defaults.ts";
import { Deferrals } from "./deferrals.ts";
import type { Draft } from "./draft.ts";
import { Logs } from "./logs.ts";
import type { TaskShape } from "./projection.ts";
import { Pump } from "./pump.ts";
import { createPush, type Push } from "./push.ts";
import type { Hooks } from "./push-hooks.ts";
import type { PushOptions } from "./push-options.ts";
import { Quotas } from "./quotas.ts";
import { Readers, type Subscription } from "./readers.ts";
import { Scheduler } from "./scheduler.ts";
import { type Accepted, type Answer, type NewMessage, type NewTask, type Scope, Sends } from "./sends.ts";
import { settledTask, untilSettled } from "./settling.ts";
import type { DedupeKey, ListQuery, Store, TaskRow } from "./store.ts";
import { told } from "./store-failure.ts";
import type { TaskLog } from "./task-log.ts";
import { draftUnhold, failWith } from "./turn-entries.ts";
import { ERASED_OWNER } from "./upkeep.ts";
import { newUuidV7 } from "./uuid.ts";

export type { AgentRunner } from "./agent-runner.ts";
export type { Accepted, Scope } from "./sends.ts";

/** One line of the engine's log. The detail of a failure is here and nowhere else. */
export interface EngineLogEntry {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly event: string;
  readonly taskId?: string | undefined;
  readonly [detail: string]: unknown;
}

export interface EngineOptions {
  readonly store: Store;
  readonly agents: readonly AgentRunner[];
  readonly settings?: Partial<EngineSettings> | undefined;
  readonly clock?: Clock | undefined;
  readonly newId?: (() => string) | undefined;
  /** Names this process in leases; must differ from every other's. */
  readonly holder?: string | undefined;
  /** Tells whether the process behind a holder is known to be dead, so that its leases can end at once. */
  readonly isDead?: ((holder: string) => boolean) | undefined;
  readonly log?: ((entry: EngineLogEntry) => void) | undefined;
  /** How webhooks are called; absent: there are none. */
  readonly push?: PushOptions | undefined;
}

/** A page of tasks, each as JSON. */
export interface TaskList {
  readonly tasks: readonly string[];
  readonly next: NonNullable<ListQuery["after"]> | undefined;
  readonly total: number;
}

export interface TaskQuery extends TaskShape, Pick<ListQuery, "contextId" | "state" | "since" | "limit" | "after"> {}

/** Tasks of an owner that is erased, in one transaction. */
const ERASED_AT_ONCE = 100;

export class Engine implements AsyncDisposable {
  readonly settings: EngineSettings;
  readonly clock: Clock;
  readonly store: Store;
  /** What outside workers report on deferred tasks. */
  readonly deferrals: Deferrals;
  /** The webhooks of the tasks; undefined where none are delivered. */
  readonly hooks: Hooks | undefined;
  readonly #push: Push | undefined;
  readonly #pump: Pump;
  readonly #logs: Logs;
  readonly #scheduler: Scheduler;
  readonly #sends: Sends;
  readonly #cancels: Cancels;
  readonly #caretaker: Caretaker;
  readonly #readers = new Readers();
  readonly #isDead: (holder: string) => boolean;
  #watch: Disposable | undefined;

  constructor(options: EngineOptions) {
    this.settings = { ...ENGINE_DEFAULTS, ...options.settings };
    this.clock = options.clock ?? systemClock;
    this.store = options.store;
    this.#isDead = options.isDead ?? (() => false);
    const newId = options.newId ?? (() => newUuidV7(this.clock.now()));
    const agents = new Map(options.agents.map((agent) => [agent.name, agent]));
    const log = (level: EngineLogEntry["level"], event: string, details: object): void =>
      options.log?.({ level, event, ...details });
    const blobs = new Blobs(this.store, this.settings.blobBytes);
    const holder = options.holder ?? newId();
    const agentNames = [...agents.keys()];
    this.#pump = new Pump(
      { store: this.store, giveUpMs: this.settings.storeWaitMs },
      (event, details) => log("warn", event, details),
      (taskId) => this.#push?.committed(taskId),
    );
    this.#logs = new Logs({
      store: this.store,
      settings: this.settings,
      blobs,
      now: () => this.clock.now(),
      dirty: (dirty, isUrgent) => this.#pump.dirty(dirty, isUrgent),
      changed: (changed) => this.#changed(changed),
      lost: (lost, reason) => this.#scheduler.lost(lost, reason),
      idle: (idle) => this.#logs.tidy(idle),
    });
    const shared = { settings: this.settings, clock: this.clock, blobs, store: this.store, newId, log };
    const agent = (name: string): AgentRunner | undefined => agents.get(name);
    this.#scheduler = new Scheduler({
      ...shared,
      agent,
      holder,
      agentNames,
      withLogOfRow: (row, use) => this.#logs.useClaimed(row, use),
      started: (log) => this.#changed(log),
      stalled: (reason) => this.#logs.stall(reason, (log) => this.#scheduler.frame(log.id) === undefined),
    });
    const task = async (row: Scope & { readonly taskId: string }): Promise<Task> =>
      (await this.getTask(row, row.taskId, { artifacts: true })).value;
    this.#push = options.push && createPush({ ...shared, options: options.push, holder, agentNames, task });
    this.hooks = this.#push?.hooks;
    const quotas = new Quotas(shared);
    this.deferrals = new Deferrals({
      ...shared,
      quotas,
      withLog: (scope, taskId, use) => this.#use(scope, taskId, use),
      wakeAt: (at) => this.#scheduler.wakeAt(at),
    });
    this.#sends = new Sends({
      ...shared,
      hooks: this.hooks,
      pump: this.#pump,
      quotas,
      scheduler: this.#scheduler,
      newLog: (identity) => this.#logs.create(identity),
      withLog: (scope, taskId, use) => this.#logs.use(scope, taskId, use),
    });
    this.#cancels = new Cancels({ ...shared, agent });
    this.#caretaker = new Caretaker({
      ...shared,
      agents: options.agents,
      withLogOfRow: (row, use) => this.#logs.useRow(row, use),
      kick: () => this.#scheduler.kick(),
    });
  }

  /** Opens the store and begins to run what is due. */
  async start(): Promise<void> {
    await this.store.open();
    this.#watch = this.store.watch((taskIds) => {
      this.#logs.refresh(taskIds);
      this.#scheduler.hinted();
      this.#push?.hinted(taskIds);
    });
    await this.#scheduler.start(this.#isDead);
    this.#push?.deliverer.start();
    this.#caretaker.start();
  }

  /**
   * Takes the data of an owner out of the store: their tasks are found by nobody any more, whatever runs of them loses
   * its lease. The skeletons of the logs stay (seq, kind, time). It may be called again until nothing is left.
   *
   * @returns how many tasks it was
   */
  async eraseOwner(tenant: string, owner: string): Promise<number> {
    let tasks = 0;
    for (;;) {
      const erased = await told(this.store.upkeep.erase(tenant, owner, ERASED_AT_ONCE));
      if (erased.length === 0) return tasks;
      tasks += erased.length;
      this.#logs.refresh(erased);
    }
  }

  /** Running turns get `graceMs`; then leases are released, readers are told UNAVAILABLE and the store is closed. */
  async stop(options: { readonly graceMs?: number | undefined } = {}): Promise<void> {
    const graceMs = options.graceMs ?? this.settings.graceMs;
    this.#caretaker.stop();
    await this.#scheduler.stop(graceMs);
    await this.#push?.deliverer.stop(graceMs);
    this.#readers.stop();
    this.#logs.stop(new A2AError("UNAVAILABLE", "the agent is shutting down, ask again", { retryAfterSeconds: 1 }));
    await this.#pump.drained();
    this.#watch?.[Symbol.dispose]();
    await this.store.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Forgets everything without a goodbye, as a crash would; the store stays open. For tests. */
  abandon(): void {
    this.#caretaker.stop();
    this.#scheduler.abandon();
    this.#push?.deliverer.abandon();
    this.#readers.stop();
    this.#watch?.[Symbol.dispose]();
  }

  /** Tasks whose log is in memory: those that run, that are followed, and some that were used last. */
  get liveTasks(): number {
    return this.#logs.size;
  }

  createTask(input: NewTask): Promise<Accepted> {
    return told(this.#sends.createTask(input));
  }

  /** @throws A2AError TASK_NOT_FOUND, UNSUPPORTED_OPERATION (it has ended), INVALID_PARAMS (another context) */
  addMessage(input: NewMessage): Promise<Accepted> {
    return told(this.#sends.addMessage(input));
  }

  answerOnce(key: DedupeKey | undefined, scope: Scope, answer: () => Promise<Answer>): Promise<Accepted> {
    return told(this.#sends.answerOnce(key, scope, answer));
  }

  /** Resolves when the task is terminal or interrupted by something after `afterSeq` in its log. */
  settled(scope: Scope, taskId: string, afterSeq: number, signal?: AbortSignal): Promise<void> {
    return this.#use(scope, taskId, (log) => untilSettled(log, afterSeq, signal));
  }

  /** The Task as it is when {@link settled} resolves. */
  settledTask(scope: Scope, { taskId, seq }: Accepted, shape: TaskShape, signal?: AbortSignal): Promise<Payload<Task>> {
    const settle = (log: TaskLog): Promise<Payload<Task>> => settledTask(log, seq, { shape, signal });
    const live = this.#logs.live(scope, taskId);
    return live === undefined ? this.#use(scope, taskId, settle) : settle(live);
  }

  /** @throws A2AError TASK_NOT_FOUND */
  getTask(scope: Scope, taskId: string, shape: TaskShape = {}): Promise<Payload<Task>> {
    return told(this.#logs.read(scope, taskId, shape));
  }

  async listTasks(scope: Scope, query: TaskQuery): Promise<TaskList> {
    const asOf = query.after?.asOf ?? this.clock.now();
    const { historyLength, artifacts, ...filter } = query;
    const page = await told(this.store.list({ ...scope, ...filter }));
    const shape = { historyLength, artifacts };
    const jsonOf = async (row: TaskRow): Promise<string> => (await told(this.#logs.ofStored(row, shape))).json;
    const found = page.rows.map((row) => this.#logs.asStored(row, shape) ?? jsonOf(row));
    const tasks = found.every((json) => typeof json === "string") ? found : await Promise.all(found);
    const last = page.rows[page.rows.length - 1];
    const place = page.places[page.places.length - 1];
    const next =
      page.more && last !== undefined && place !== undefined ? { statusTime: place, id: last.id, asOf } : undefined;
    return { tasks, next, total: page.total };
  }

  /** Resolves when it is CANCELED, also when it was before. @throws A2AError TASK_NOT_FOUND, TASK_NOT_CANCELABLE */
  cancelTask(scope: Scope, taskId: string, metadata?: JsonObject): Promise<void> {
    return this.#use(scope, taskId, (log) => this.#cancels.cancel(log, metadata));
  }

  /** @throws A2AError TASK_NOT_FOUND; UNSUPPORTED_OPERATION when it has ended and the stream is to end only there */
  subscribe(scope: Scope, taskId: string, subscription: Subscription): Promise<EventStream> {
    const live = this.#logs.live(scope, taskId);
    const { lastEventId, afterSeq } = subscription;
    // The stream of a send begins behind its message, which this process has written just now: nothing is read.
    if (live?.isAtHand === true && lastEventId === undefined && afterSeq === live.seq) {
      return this.#follow(live, subscription);
    }
    return this.#use(scope, taskId, async (log) => {
      const { until } = subscription;
      // The subscriber may know more than this process; who names an event that there is not resumes nothing.
      if (lastEventId !== undefined && lastEventId > log.seq) await log.refresh();
      const isNew = lastEventId === undefined || lastEventId > log.seq;
      if (until === "terminal" && isNew && isTerminal(log.stored.state)) {
        const text = `task ${taskId} is ${log.stored.state}: there is nothing to follow any more, read it with GetTask`;
        throw new A2AError("UNSUPPORTED_OPERATION", text, { metadata: { taskId, state: log.stored.state } });
      }
      return this.#readers.subscribe(log, subscription);
    });
  }

  /**
   * Grants the open request for authorisation of a task.
   *
   * @param token what {@link pendingAuthorization} gave: the grant is for that request and no other; without it, for
   *   the one that is open
   * @throws A2AError TASK_NOT_FOUND, UNSUPPORTED_OPERATION (nothing is asked for, or something else by now)
   */
  async authorize(taskId: string, token?: string): Promise<void> {
    let claimed = false;
    const grant = (draft: Draft): void => {
      claimed = false;
      const { wait } = draft.view.run;
      if (wait?.kind !== "auth") {
        throw new A2AError("UNSUPPORTED_OPERATION", `task ${taskId} does not wait for an authorisation`, {
          metadata: { taskId },
        });
      }
      if (token !== undefined && token !== wait.token) {
        throw new A2AError("UNSUPPORTED_OPERATION", `task ${taskId} asks for another authorisation by now`, {
          metadata: { taskId },
        });
      }
      if (wait.approved === true) return;
      draft.journal("authorized", { seq: wait.seq });
      draft.run({ wait: { ...wait, approved: true } });
      claimed = this.#scheduler.draftClaim(draft);
    };
    await this.#withAny(taskId, async (log) => {
      try {
        await log.append(grant);
        if (claimed) this.#scheduler.beginDrafted(log);
        else this.#scheduler.kick();
      } finally {
        this.#scheduler.forgo(taskId);
      }
    });
  }

  /** Token of the request for authorisation that a task waits with; undefined when it waits for none. */
  pendingAuthorization(taskId: string): Promise<string | undefined> {
    return this.#withAny(taskId, async (log) => log.stored.run.wait?.token);
  }

  /** A held run is run again from its journal. @throws A2AError TASK_NOT_FOUND, UNSUPPORTED_OPERATION (not held) */
  retry(taskId: string): Promise<void> {
    return this.#release(taskId, false);
  }

  /**
   * A held run begins its turn afresh: what the turn has recorded is not used again, and the messages that it received
   * are there to be received once more. It stays the same turn, so that each step has the key that it had: what a callee
   * has done under that key it does not do again.
   */
  restartTurn(taskId: string): Promise<void> {
    return this.#release(taskId, true);
  }

  /** Ends a task that is held or stuck: FAILED, with a reason that its caller reads. */
  fail(taskId: string, reason: string): Promise<void> {
    return this.#withAny(taskId, async (log) => {
      await log.append((draft) => {
        if (draft.isTerminal)
          throw new A2AError("UNSUPPORTED_OPERATION", `task ${taskId} has ended`, { metadata: { taskId } });
        failWith(draft, newUuidV7(this.clock.now()), reason);
      });
    });
  }

  async #release(taskId: string, restart: boolean): Promise<void> {
    await this.#withAny(taskId, async (log) => {
      await log.append((draft) => {
        if (draft.view.held === null) {
          throw new A2AError("UNSUPPORTED_OPERATION", `task ${taskId} is not held`, { metadata: { taskId } });
        }
        draft.run({ heldBy: undefined });
        if (restart) draft.run({ afresh: true });
        draftUnhold(draft);
      });
    });
    this.#scheduler.kick();
  }

  async #follow(log: TaskLog, subscription: Subscription): Promise<EventStream> {
    return this.#readers.subscribe(log, subscription);
  }

  #use<T>(scope: Scope, taskId: string, use: (log: TaskLog) => Promise<T>): Promise<T> {
    return told(this.#logs.use(scope, taskId, use));
  }

  async #withAny<T>(taskId: string, use: (log: TaskLog) => Promise<T>): Promise<T> {
    const row = await told(this.store.task(taskId));
    if (row === undefined || row.owner === ERASED_OWNER) throw taskNotFound(taskId);
    return this.#use(row, taskId, use);
  }

  /** After every commit: whoever runs here learns what others wrote. */
  #changed(log: TaskLog): void {
    const frame = this.#scheduler.frame(log.id);
    if (frame !== undefined) {
      if (isTerminal(log.stored.state)) frame.leave();
      else if (log.view.epoch > frame.epoch && !this.#scheduler.isOurs(log)) frame.leave();
      else if (log.stored.run.cancel > frame.cancelSeen) void this.#cancels.ask(frame);
    }
    this.#logs.tidy(log);
  }
}
