/**
 * The one writer of a process: gathers what every log and every reply wants written, commits it in one transaction,
 * and tells each what became of it.
 *
 * Idle → (something is dirty) → scheduled → committing → pausing → idle, or scheduled again when more came meanwhile.
 * The first commit goes out at the end of the loop turn in which it was asked for; the next not before a pause of
 * max(store.pauseMs, 4 × the last commit, at most 250 ms), so that a slow disk gathers more into each commit instead of queueing.
 * Where a store asks for no pause, what nobody waits for is gathered nevertheless; see {@link ./gathering.ts}.
 */
import { afterThisTurn, systemClock, type Timer } from "./clock.ts";
import { Gathering } from "./gathering.ts";
import {
  type Batch,
  type ReplyCommit,
  type ReplyOutcome,
  type Store,
  StoreUnavailable,
  type TaskCommit,
} from "./store.ts";
import { refusalOf } from "./store-failure.ts";
import type { TaskLog } from "./task-log.ts";

interface PendingReply {
  readonly commit: ReplyCommit;
  readonly resolve: (outcome: ReplyOutcome) => void;
  readonly reject: (reason: unknown) => void;
}

// Pauses here are about the disk and not about the task: they run on the clock of the machine, whatever the engine's is.

/** While the process stops it is not waited for long: what is not written goes on at the next start. */
const GIVE_UP_STOPPING_MS = 1_000;
const RETRY_FIRST_MS = 20;
const RETRY_LONGEST_MS = 1_000;
/** However long a commit took: what a disk or a database that was away for seconds must not slow down for longer. */
const LONGEST_PAUSE_MS = 250;

export class Pump {
  readonly #store: Store;
  readonly #warn: (event: string, details: object) => void;
  readonly #hooked: (taskId: string | undefined) => void;
  readonly #gathering = new Gathering((logs) => {
    this.#dirty.push(...logs);
    this.#schedule();
  });
  #dirty: TaskLog[] = [];
  #replies: PendingReply[] = [];
  #state: "idle" | "scheduled" | "committing" | "pausing" = "idle";
  /** Logs that are read again after a conflict; they come back with what they still want written. */
  #rereading = 0;
  #idle: (() => void)[] = [];
  /** A commit that the store could not take is tried again for that long before its writers are told. */
  #giveUpMs: number;
  /** How long the store took for the last commit, without what it was waited for while it was away. */
  #tookMs = 0;
  #pausing: Timer | undefined;

  /** @param hooked told of a task whose webhooks a commit made due; undefined when it is not known whose */
  constructor(
    { store, giveUpMs }: { readonly store: Store; readonly giveUpMs: number },
    warn: (event: string, details: object) => void,
    hooked: (taskId: string | undefined) => void,
  ) {
    this.#store = store;
    this.#giveUpMs = giveUpMs;
    this.#warn = warn;
    this.#hooked = hooked;
  }

  /** @param isUrgent false when nobody waits for what the log wants written */
  dirty(log: TaskLog, isUrgent: boolean): void {
    if (isUrgent || this.#store.pauseMs > 0) {
      this.#dirty.push(log);
      this.#schedule();
    } else this.#gathering.add(log);
  }

  reply(commit: ReplyCommit): Promise<ReplyOutcome> {
    return new Promise((resolve, reject) => {
      this.#replies.push({ commit, resolve, reject });
      this.#schedule();
    });
  }

  /** Resolves when nothing is pending any more. The process stops: from now on a store that is away is given up soon. */
  drained(): Promise<void> {
    this.#giveUpMs = GIVE_UP_STOPPING_MS;
    this.#gathering.release();
    if (this.#pausing !== undefined) this.#resume();
    if (this.#isIdle) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  get #isIdle(): boolean {
    const isPending = this.#dirty.length > 0 || this.#replies.length > 0 || !this.#gathering.isEmpty;
    return this.#state === "idle" && this.#rereading === 0 && !isPending;
  }

  #tellIdle(): void {
    if (this.#isIdle) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #schedule(): void {
    if (this.#state !== "idle") return;
    this.#state = "scheduled";
    afterThisTurn(() => void this.#commit());
  }

  async #commit(): Promise<void> {
    this.#state = "committing";
    const logs: TaskLog[] = [];
    const tasks: TaskCommit[] = [];
    for (const log of this.#dirty.splice(0)) {
      try {
        const commit = log.take();
        if (commit === undefined) continue;
        logs.push(log);
        tasks.push(commit);
      } catch (failed) {
        this.#refuse([log], [], failed);
      }
    }
    const replies = this.#replies.splice(0);
    if (tasks.length > 0 || replies.length > 0) {
      await this.#deliver({ tasks, replies: replies.map((reply) => reply.commit) }, logs, replies);
    }
    this.#pause();
  }

  #pause(): void {
    this.#state = "pausing";
    const { pauseMs } = this.#store;
    const isStopping = this.#giveUpMs === GIVE_UP_STOPPING_MS;
    if (pauseMs === 0 || isStopping) this.#resume();
    else {
      const wanted = Math.min(LONGEST_PAUSE_MS, 4 * this.#tookMs);
      this.#pausing = systemClock.setTimeout(() => this.#resume(), Math.max(pauseMs, wanted));
    }
  }

  #resume(): void {
    this.#pausing?.cancel();
    this.#pausing = undefined;
    this.#state = "idle";
    if (this.#dirty.length > 0 || this.#replies.length > 0) this.#schedule();
    else this.#tellIdle();
  }

  async #deliver(batch: Batch, logs: readonly TaskLog[], replies: readonly PendingReply[]): Promise<void> {
    try {
      const outcome = await this.#write(batch, logs);
      for (const [index, reply] of replies.entries()) reply.resolve(outcome.replies[index] as ReplyOutcome);
      for (const [index, log] of logs.entries()) {
        const written = outcome.tasks[index] as Parameters<TaskLog["settle"]>[0];
        if (written.ok && written.hooked === true) this.#hooked(log.id);
        const rereading = log.settle(written);
        if (rereading !== undefined) this.#follow(rereading);
      }
    } catch (failed) {
      const isAlone = logs.length + replies.length === 1;
      if (failed instanceof StoreUnavailable || isAlone) this.#refuse(logs, replies, failed);
      else await this.#deliverOneByOne(batch, logs, replies);
    }
  }

  /** One of them is what the store cannot take: the others must not fail with it. */
  async #deliverOneByOne(batch: Batch, logs: readonly TaskLog[], replies: readonly PendingReply[]): Promise<void> {
    for (const reply of replies) await this.#deliver({ tasks: [], replies: [reply.commit] }, [], [reply]);
    for (const [index, log] of logs.entries()) {
      await this.#deliver({ tasks: [batch.tasks[index] as TaskCommit], replies: [] }, [log], []);
    }
  }

  #refuse(logs: readonly TaskLog[], replies: readonly PendingReply[], failed: unknown): void {
    this.#warn("commit.failed", { tasks: logs.length, error: failed });
    const reason = refusalOf(failed);
    for (const reply of replies) reply.reject(reason);
    for (const log of logs) this.#follow(log.abandon(reason));
  }

  /** A log is read again beside the commits of the others. */
  #follow(rereading: Promise<void>): void {
    this.#rereading += 1;
    rereading
      .catch((error) => this.#warn("reload.failed", { error }))
      .finally(() => {
        this.#rereading -= 1;
        this.#tellIdle();
      });
  }

  /** Tries again while the store is away; a commit whose answer was lost is found out about by the guards of its rows. */
  async #write(batch: Batch, logs: readonly TaskLog[]): ReturnType<Store["commit"]> {
    let waited = 0;
    for (let pauseMs = RETRY_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, RETRY_LONGEST_MS)) {
      const started = performance.now();
      try {
        return await this.#store.commit(batch);
      } catch (failed) {
        if (!(failed instanceof StoreUnavailable) || waited >= this.#giveUpMs) throw failed;
        if (failed.unknown) {
          for (const log of logs) log.doubt();
          this.#hooked(undefined);
        }
        this.#warn("commit.retry", { waitedMs: waited, error: failed });
      } finally {
        this.#tookMs = performance.now() - started;
      }
      // Keeps the process alive, as what is not written yet is somebody's.
      await new Promise<void>((resolve) => setTimeout(resolve, pauseMs));
      waited += pauseMs;
    }
  }
}
