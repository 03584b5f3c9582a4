/**
 * The live logs of this process: one object per task, made when somebody needs it and forgotten when nobody does.
 */
import type { Task } from "../model/gen/types.ts";
import { isTerminal } from "../model/task-state.ts";
import { A2AError, taskNotFound } from "../operations/errors.ts";
import { type Payload, payloadOfJson } from "../operations/payload.ts";
import { afterThisTurn } from "./clock.ts";
import { stringifyInPieces } from "./large-json.ts";
import { shapedTask, shapeTask, type TaskShape } from "./projection.ts";
import { RenewedMap } from "./renewed-map.ts";
import type { Scope } from "./sends.ts";
import type { TaskIdentity, TaskRow } from "./store.ts";
import { goesOnLater } from "./store-failure.ts";
import { type LogHost, TaskLog } from "./task-log.ts";
import { withoutArtifacts } from "./without-artifacts.ts";

export class Logs {
  readonly #host: LogHost;
  /** Least recently used first. */
  readonly #live = new RenewedMap<string, TaskLog>();
  readonly #loading = new Map<string, Promise<TaskLog>>();
  #isLimiting = false;
  /** Ended in this turn of the loop. */
  #ended: TaskLog[] = [];
  /** How often others were heard of: what is read meanwhile may be old already when it is live. */
  #hints = 0;

  constructor(host: LogHost) {
    this.#host = host;
  }

  /** How many are live. */
  get size(): number {
    return this.#live.size;
  }

  /** A log for a new task; pinned. */
  create(identity: TaskIdentity): TaskLog {
    if (this.#live.has(identity.id)) {
      throw new A2AError("INTERNAL", `there is a task ${identity.id} already`, { metadata: { taskId: identity.id } });
    }
    const log = new TaskLog(this.#host, identity);
    log.pin();
    this.#live.set(identity.id, log);
    return log;
  }

  /** Runs `use` on the live log of a task that this scope may see. @throws A2AError TASK_NOT_FOUND */
  async use<T>(scope: Scope, taskId: string, use: (log: TaskLog) => Promise<T>): Promise<T> {
    const log = await this.#find(scope, taskId);
    return await pinned(log, use);
  }

  /**
   * The log of a task that this scope may see, where it is live; to be pinned at once. It is not read anew: for whoever
   * waits for what is to come, of which the store tells.
   */
  live(scope: Scope, taskId: string): TaskLog | undefined {
    const log = this.#live.get(taskId);
    return log?.isStored === true && isVisible(log.identity, scope) ? log : undefined;
  }

  /** Runs `use` on the live log of a row that was just read, not behind it. */
  async useRow<T>(row: TaskRow, use: (log: TaskLog) => Promise<T>): Promise<T> {
    return pinned(await this.#ofRow(row), use);
  }

  /** Runs `use` on the live log of a row that was claimed: what others wrote since then is known too. */
  useClaimed<T>(row: TaskRow, use: (log: TaskLog) => Promise<T>): Promise<T> {
    return this.useRow(row, async (log) => {
      if (!this.#host.store.exclusive) await log.refresh();
      return use(log);
    });
  }

  /** A task in a shape: from its live log when there is one, else from its row. */
  async read(scope: Scope, taskId: string, shape: TaskShape): Promise<Payload<Task>> {
    const live = this.#live.get(taskId);
    if (live?.isStored === true) {
      if (!isVisible(live.identity, scope)) throw taskNotFound(taskId);
      // What has ended stays as it is: nobody else can have written since.
      if (!this.#host.store.exclusive && !isTerminal(live.stored.state)) await live.refresh();
      const preparing = live.content.prepare(shape);
      if (preparing !== undefined) await preparing;
      return live.payload(shape);
    }
    const row = await this.#host.store.task(taskId);
    if (row === undefined || !isVisible(row, scope)) throw taskNotFound(taskId);
    const stored = this.asStored(row, shape);
    return stored === undefined ? await this.ofStored(row, shape) : payloadOfJson(stored);
  }

  /** The JSON of a finished task in a shape, where the row tells it and nothing has to be parsed; else undefined. */
  asStored(row: TaskRow, shape: TaskShape): string | undefined {
    if (row.snapshot === null || row.snapshotSeq !== row.seq || shape.historyLength !== undefined) return undefined;
    if (this.#host.blobs.hasReferences(row.snapshot)) return undefined;
    return shape.artifacts === false ? withoutArtifacts(row.snapshot) : row.snapshot;
  }

  /** A task in a shape from a row that was just read. A finished task is answered as it is stored. */
  async ofStored(row: TaskRow, shape: TaskShape): Promise<Payload<Task>> {
    const stored = this.asStored(row, shape);
    if (stored !== undefined) return payloadOfJson(stored);
    if (row.snapshot === null || row.snapshotSeq !== row.seq) {
      return this.useRow(row, (log) => log.payload(shape));
    }
    if (this.#host.blobs.hasReferences(row.snapshot)) {
      // What the shape leaves out is not read.
      const task = shapedTask(JSON.parse(row.snapshot) as Task, shape, this.#host.settings.historyCap);
      return payloadOfJson(await stringifyInPieces(await this.#host.blobs.expand(row, task)));
    }
    return payloadOfJson(shapeTask(JSON.parse(row.snapshot) as Task, shape, this.#host.settings.historyCap));
  }

  async #ofRow(row: TaskRow): Promise<TaskLog> {
    const live = this.#live.get(row.id);
    if (live === undefined) return this.#load(row);
    await pinned(live, async () => {
      // A commit under way answers for itself: it finds out that the row moved.
      while (live.isBusy && isBehind(live, row)) await live.flushed();
      if (isBehind(live, row)) await live.refresh();
    });
    return live;
  }

  /** Others wrote: logs that somebody here follows are read again. */
  refresh(taskIds: readonly string[] | undefined): void {
    this.#hints += 1;
    const logs = taskIds === undefined ? [...this.#live.values()] : taskIds.flatMap((id) => this.#live.get(id) ?? []);
    for (const log of logs) {
      if (log.isIdle) this.#forget(log);
      else log.refresh().catch(() => {});
    }
  }

  /** A log that has ended is forgotten as soon as nobody needs it; others when there are too many. */
  tidy(log: TaskLog): void {
    if (!log.isIdle) {
      if (isTerminal(log.stored.state) && log.tail.readers > 0) this.#tidySoon(log);
    } else if (!log.isStored) this.#forget(log);
    else if (!isTerminal(log.stored.state)) this.#limit();
    else if (this.#host.store.exclusive) this.#forget(log);
    else this.#tidySoon(log);
  }

  /**
   * Who waited for the end answers with the task: what is at hand in this turn of the loop need not be read again.
   * Readers that have not come to the end by then may never do.
   */
  #tidySoon(log: TaskLog): void {
    if (this.#ended.push(log) > 1) return;
    afterThisTurn(() => {
      for (const ended of this.#ended.splice(0)) {
        if (ended.isIdle) this.#forget(ended);
        else ended.lighten();
      }
    });
  }

  /** Whoever waits for something here is told that it will not come. */
  stop(reason: unknown): void {
    for (const log of this.#live.values()) log.end(reason);
  }

  /** The store takes nothing for now: whoever waits for one of these is told. */
  stall(reason: unknown, isStalled: (log: TaskLog) => boolean): void {
    for (const log of this.#live.values()) if (isStalled(log)) log.end(goesOnLater(log.id, reason));
  }

  /** What still refers to it for a while must not keep what it adds up to. */
  #forget(log: TaskLog): void {
    if (this.#live.get(log.id) === log) this.#live.delete(log.id);
    log.lighten();
  }

  /** Not at once: who has just been given a log pins it in this turn of the loop. */
  #limit(): void {
    if (this.#isLimiting || this.#live.size <= this.#host.settings.maxIdleLogs) return;
    this.#isLimiting = true;
    afterThisTurn(() => {
      this.#isLimiting = false;
      for (const log of this.#live.values()) {
        if (this.#live.size <= this.#host.settings.maxIdleLogs / 2) return;
        if (log.isIdle) this.#forget(log);
      }
    });
  }

  async #find(scope: Scope, taskId: string): Promise<TaskLog> {
    const live = this.#live.get(taskId);
    if (live?.isStored === true) {
      if (!isVisible(live.identity, scope)) throw taskNotFound(taskId);
      // What is on its way finds out by itself, and a stream that begins now must not wait for it.
      if (!this.#host.store.exclusive && !live.isBusy) await pinned(live, () => live.refresh());
      return live;
    }
    const hints = this.#hints;
    const row = await this.#host.store.task(taskId);
    if (row === undefined || !isVisible(row, scope)) throw taskNotFound(taskId);
    const log = await this.#ofRow(row);
    if (this.#hints !== hints) await pinned(log, () => log.refresh());
    return log;
  }

  #load(row: TaskRow): Promise<TaskLog> {
    const loading = this.#loading.get(row.id);
    if (loading !== undefined) return loading;
    const load = TaskLog.load(this.#host, row)
      .then((log) => {
        const other = this.#live.get(row.id);
        if (other !== undefined) return other;
        this.#live.set(row.id, log);
        this.#limit();
        return log;
      })
      .finally(() => this.#loading.delete(row.id));
    this.#loading.set(row.id, load);
    return load;
  }
}

/** Keeps a log while it is used: one that is forgotten meanwhile hears of nothing that others write. */
async function pinned<T>(log: TaskLog, use: (log: TaskLog) => Promise<T>): Promise<T> {
  log.pin();
  try {
    return await use(log);
  } finally {
    log.unpin();
  }
}

function isBehind(log: TaskLog, row: TaskRow): boolean {
  return log.seq < row.seq || log.stored.epoch < row.epoch;
}

function isVisible(identity: TaskIdentity, scope: Scope): boolean {
  return identity.tenant === scope.tenant && identity.owner === scope.owner && identity.agent === scope.agent;
}
