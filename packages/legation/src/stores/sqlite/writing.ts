import type { DatabaseSync } from "node:sqlite";
import type { Batch } from "../../engine/store.ts";
import { pollCommits } from "./commit-poll.ts";
import { createSlowCommits, isLargeBatch } from "./slow-commits.ts";
import type { WorkerSettings } from "./worker-messages.ts";
import { startWorkerWriter, type WorkerWriter } from "./worker-writer.ts";
import { createWriter, type SqliteWriter } from "./writer.ts";

/** On which thread commits are written: `auto` begins on the main one and leaves it when commits are slow. */
export type CommitThread = "auto" | "main" | "worker";

/**
 * Whoever writes to the file now: the connection of the main thread, or a worker with its own.
 *
 * States: on the main thread (entered by opening, and when the worker is lost) → starting (commits were slow or one is
 * large; the main thread still writes) → on the worker (all writes; never back by itself). A worker that cannot be
 * started is not tried again.
 */
export class Writing {
  readonly #db: DatabaseSync;
  readonly #settings: WorkerSettings;
  readonly #thread: CommitThread;
  readonly #changed: () => void;
  readonly #main: SqliteWriter;
  readonly #commits = createSlowCommits();
  #worker: WorkerWriter | undefined;
  #starting: Promise<void> | undefined;
  #poll: Disposable | undefined;
  #watching = false;
  #closed = false;

  /**
   * @param db the connection of the main thread.
   * @param settings for the worker.
   * @param options on which thread to write, and what to call after commits of other processes.
   */
  constructor(
    db: DatabaseSync,
    settings: WorkerSettings,
    options: { readonly thread: CommitThread; readonly changed: () => void },
  ) {
    this.#db = db;
    this.#settings = settings;
    this.#thread = settings.path === ":memory:" ? "main" : options.thread;
    this.#changed = options.changed;
    this.#main = createWriter(db, settings.path, (tookMs) => this.#commits.note(tookMs));
  }

  /** Starts the worker when it was asked for from the beginning. */
  async open(): Promise<void> {
    if (this.#thread === "worker") await this.#start();
  }

  /** Writes a batch. Throws what the writer throws. */
  async commit(batch: Batch): Promise<ReturnType<SqliteWriter["commit"]>> {
    if (this.#thread === "auto" && this.#starting === undefined) {
      // A disk that is slow is slow later too: the thread may take its time. A large batch waits for it.
      if (isLargeBatch(batch)) await this.#start();
      else if (this.#commits.slow) void this.#start();
    }
    if (this.#worker !== undefined) return await this.#worker.commit(batch);
    return this.#main.commit(batch);
  }

  /** Has the writer of the moment do something else. Throws what the writer throws. */
  async call<Method extends Exclude<keyof SqliteWriter, "commit">>(
    method: Method,
    ...values: Parameters<SqliteWriter[Method]>
  ): Promise<ReturnType<SqliteWriter[Method]>> {
    if (this.#worker !== undefined) return await this.#worker.call(method, ...values);
    const work = this.#main[method] as (...values: readonly unknown[]) => ReturnType<SqliteWriter[Method]>;
    return work(...values);
  }

  /** Turns telling about the commits of other processes on and off. */
  watch(on: boolean): void {
    this.#watching = on;
    this.#poll?.[Symbol.dispose]();
    this.#poll = undefined;
    // The connection that writes must ask, or it would hear of its own commits.
    if (this.#worker !== undefined) this.#worker.watch(on);
    else if (on) this.#poll = pollCommits(this.#db, this.#settings.pollMs, this.#changed);
  }

  /** Ends the worker after what it was given. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#poll?.[Symbol.dispose]();
    await this.#starting;
    await this.#worker?.close();
    this.#worker = undefined;
  }

  #start(): Promise<void> {
    this.#starting ??= startWorkerWriter(this.#settings, { changed: this.#changed, lost: () => this.#lose() }).then(
      (worker) => {
        this.#worker = worker;
        if (this.#watching && !this.#closed) this.watch(true);
      },
      () => {},
    );
    return this.#starting;
  }

  #lose(): void {
    if (this.#worker === undefined) return;
    this.#worker = undefined;
    if (this.#watching) this.watch(true);
  }
}
