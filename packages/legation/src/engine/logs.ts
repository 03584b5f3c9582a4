/**
 * The live logs of this process: one object per task, made when somebody needs it and forgotten when nobody does.
 */
import type { Task } from "../model/gen/types.ts";
import { isTerminal } from "../model/task-state.ts";
import { taskNotFound } from "../operations/errors.ts";
import { type Payload, payloadOfJson } from "../operations/payload.ts";
import { shapeTask, type TaskShape } from "./projection.ts";
import type { Scope } from "./sends.ts";
import type { TaskIdentity, TaskRow } from "./store.ts";
import { type LogHost, TaskLog } from "./task-log.ts";

export class Logs {
  readonly #host: LogHost;
  /** Least recently used first. */
  readonly #live = new Map<string, TaskLog>();
  readonly #loading = new Map<string, Promise<TaskLog>>();

  constructor(host: LogHost) {
    this.#host = host;
  }

  create(identity: TaskIdentity): TaskLog {
    const log = new TaskLog(this.#host, identity);
    this.#live.set(identity.id, log);
    return log;
  }

  /** Runs `use` on the live log of a task that this scope may see. @throws A2AError TASK_NOT_FOUND */
  async use<T>(scope: Scope, taskId: string, use: (log: TaskLog) => Promise<T>): Promise<T> {
    const log = await this.#find(scope, taskId);
    log.pins += 1;
    try {
      return await use(log);
    } finally {
      log.pins -= 1;
    }
  }

  /** A task in a shape: from its live log when there is one, else from its row. */
  async read(scope: Scope, taskId: string, shape: TaskShape): Promise<Payload<Task>> {
    const live = this.#live.get(taskId);
    if (live !== undefined && live.isStored) {
      if (!isVisible(live.identity, scope)) throw taskNotFound(taskId);
      if (!this.#host.store.exclusive) await live.refresh();
      return live.payload(shape);
    }
    const row = await this.#host.store.task(taskId);
    if (row === undefined || !isVisible(row, scope)) throw taskNotFound(taskId);
    return this.ofStored(row, shape);
  }

  /** A task in a shape from a row that was just read. A finished task is answered as it is stored. */
  async ofStored(row: TaskRow, shape: TaskShape): Promise<Payload<Task>> {
    if (row.snapshot === null || row.snapshotSeq !== row.seq) {
      const log = await this.ofRow(row);
      return log.payload(shape);
    }
    if (this.#host.blobs.hasReferences(row.snapshot)) {
      const task = await this.#host.blobs.expand(row, JSON.parse(row.snapshot) as Task);
      return payloadOfJson(shapeTask(task, shape, this.#host.settings.historyCap));
    }
    if (shape.historyLength === undefined && shape.artifacts !== false) return payloadOfJson(row.snapshot);
    return payloadOfJson(shapeTask(JSON.parse(row.snapshot) as Task, shape, this.#host.settings.historyCap));
  }

  /** The live log of a row that was just read, not behind it. */
  async ofRow(row: TaskRow): Promise<TaskLog> {
    const live = this.#live.get(row.id);
    if (live === undefined) return this.#load(row);
    await live.flushed();
    if (live.view.epoch !== row.epoch || live.seq !== row.seq) await live.refresh();
    return live;
  }

  /** Others wrote: logs that somebody here follows are read again. */
  refresh(taskIds: readonly string[] | undefined): void {
    const logs = taskIds === undefined ? [...this.#live.values()] : taskIds.flatMap((id) => this.#live.get(id) ?? []);
    for (const log of logs) {
      if (log.isIdle) this.#live.delete(log.id);
      else log.refresh().catch(() => {});
    }
  }

  /** A log that has ended is forgotten as soon as nobody needs it; others when there are too many. */
  tidy(log: TaskLog): void {
    if (!log.isIdle) return;
    if (!log.isStored || isTerminal(log.stored.state)) this.#live.delete(log.id);
    else if (this.#live.size > this.#host.settings.maxIdleLogs) this.#dropIdle();
  }

  #dropIdle(): void {
    for (const log of this.#live.values()) {
      if (this.#live.size <= this.#host.settings.maxIdleLogs / 2) return;
      if (log.isIdle) this.#live.delete(log.id);
    }
  }

  async #find(scope: Scope, taskId: string): Promise<TaskLog> {
    const live = this.#live.get(taskId);
    if (live !== undefined && live.isStored) {
      if (!isVisible(live.identity, scope)) throw taskNotFound(taskId);
      if (!this.#host.store.exclusive && !live.isBusy) await live.refresh();
      return live;
    }
    const row = await this.#host.store.task(taskId);
    if (row === undefined || !isVisible(row, scope)) throw taskNotFound(taskId);
    return this.ofRow(row);
  }

  #load(row: TaskRow): Promise<TaskLog> {
    const loading = this.#loading.get(row.id);
    if (loading !== undefined) return loading;
    const load = TaskLog.load(this.#host, row)
      .then((log) => {
        const other = this.#live.get(row.id);
        if (other !== undefined) return other;
        this.#live.set(row.id, log);
        return log;
      })
      .finally(() => this.#loading.delete(row.id));
    this.#loading.set(row.id, load);
    return load;
  }
}

function isVisible(identity: TaskIdentity, scope: Scope): boolean {
  return identity.tenant === scope.tenant && identity.owner === scope.owner && identity.agent === scope.agent;
}
