/**
 * One turn in the memory of this process: its handler, and what it waits for.
 *
 * - `running`: the handler runs under our lease. Leaves by parking, ending, or losing the lease.
 * - `parking` → `parked`: the handler waits for a message, an approval or a time, and the lease is given back. A claim
 *   of this process makes it running again; otherwise the frame is dropped after a while and the turn is replayed when
 *   its time comes. Its `finally` blocks do not run then.
 * - `over`: ended, held, canceled, or owned by another process. Nothing of it is written any more.
 *
 * Timers: the deadlines of {@link ./defaults.ts EngineSettings}, while running.
 */
import type { Message } from "../model/gen/types.ts";
import { isTerminal } from "../model/task-state.ts";
import { A2AError } from "../operations/errors.ts";
import type { ChunkContent, ChunkForm } from "./chunk.ts";
import { type Clock, monotonic, type Timer } from "./clock.ts";
import type { EngineSettings } from "./defaults.ts";
import { type Append, type AppendOptions, type Draft, LeaseLost } from "./draft.ts";
import type { ArtifactWrite, Emissions } from "./emissions.ts";
import type { Wait } from "./journal.ts";
import { requireRoom } from "./quotas.ts";
import type { Replay } from "./replay.ts";
import { RunHeld } from "./replay.ts";
import type { TaskLog } from "./task-log.ts";
import type { Ending, Utterance } from "./turn.ts";
import { draftEnd } from "./turn-end.ts";
import { draftHold, dueOfWait, outOfTime, withinTotal } from "./turn-entries.ts";

/** What a frame tells its scheduler. */
export interface FrameHost {
  readonly settings: EngineSettings;
  readonly clock: Clock;
  newId(): string;
  /** The lease was given back, the frame waits. */
  parked(frame: Frame): void;
  /** The frame is over. `next` when the lease is still ours and another turn has begun. */
  over(frame: Frame, next: boolean): void;
  report(level: "info" | "warn" | "error", event: string, frame: Frame, details?: object): void;
}

/** The task has ended while its handler was still at work; what the handler does from then on has no effect. */
export class TaskEnded extends Error {
  override readonly name = "TaskEnded";
}

/** A promise for what will never go on: the handler of a frame that is over is simply left. */
export const NEVER: Promise<never> = new Promise(() => {});
/** What is to be waited for where nothing is. */
const DONE: Promise<void> = Promise.resolve();

/** What a frame is made of. */
export interface FrameTurn {
  readonly number: number;
  readonly agentVersion: string;
  /** Epoch of the lease under which it runs. */
  readonly epoch: number;
  readonly replay: Replay;
  readonly emissions: Emissions;
}

export class Frame {
  readonly log: TaskLog;
  readonly number: number;
  readonly agentVersion: string;
  readonly replay: Replay;
  readonly emissions: Emissions;
  /** Epoch under which it writes. */
  epoch: number;
  /** End of the lease in monotonic time, counted from before it was asked for: from then on others may have it. */
  leaseEnds: number = Number.POSITIVE_INFINITY;
  /** Seq of the cancel request that was put to the agent. */
  cancelSeen = 0;
  #state: "running" | "parking" | "parked" | "over" = "running";
  #resume: (() => Promise<void>) | undefined;
  #timers: Timer[] = [];
  /** When something was shown last, in monotonic time; kept where there is a deadline for it. */
  #activity = 0;
  /** When the total time of the task is over, in monotonic time. */
  #end: number | undefined;
  #underLease: AppendOptions | undefined;
  /** The append of the last chunk: the next one may join it. */
  #chunks: Append | undefined;
  #controller: AbortController | undefined;
  /** Set when this frame writes the end of its turn: the commit that tells everybody is its own. */
  #isEnding = false;
  /** Why this frame itself brought the task to its end. */
  #endedBy: TaskEnded | undefined;
  readonly #host: FrameHost;

  constructor(host: FrameHost, log: TaskLog, turn: FrameTurn) {
    this.#host = host;
    this.log = log;
    this.number = turn.number;
    this.agentVersion = turn.agentVersion;
    this.replay = turn.replay;
    this.emissions = turn.emissions;
    this.epoch = turn.epoch;
    log.pin();
    this.#watchDeadlines();
  }

  get isParked(): boolean {
    return this.#state === "parking" || this.#state === "parked";
  }

  get isOver(): boolean {
    return this.#state === "over";
  }

  /** Made when a handler asks for it: most never do, and it costs more than a status. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.isOver && !this.#isEnding) this.#controller.abort();
    return this.#controller.signal;
  }

  get settings(): EngineSettings {
    return this.#host.settings;
  }

  now(): number {
    return this.#host.clock.now();
  }

  /** Resolves after a while, unless the frame is over then. */
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => this.#timers.push(this.#host.clock.setTimeout(resolve, ms)));
  }

  newId(): string {
    return this.#host.newId();
  }

  /** Appends under the lease and resolves after COMMIT. Never resolves when the run is not ours any more. */
  async append(decide: (draft: Draft) => void, options?: AppendOptions): Promise<number> {
    if (this.isOver) return NEVER;
    this.#noteActivity();
    try {
      return await this.log.append((draft) => this.#guarded(draft, decide), this.#own(options));
    } catch (refused) {
      return this.#gone(refused);
    }
  }

  /** Appends under the lease without waiting for the commit; undefined when the run is not ours any more. */
  emit(decide: (draft: Draft) => void, options?: AppendOptions): Append | undefined {
    if (this.isOver) return undefined;
    requireRoom(this.log, this.settings);
    this.#noteActivity();
    try {
      return this.log.emit((draft) => this.#guarded(draft, decide), this.#own(options));
    } catch (refused) {
      if (!(refused instanceof LeaseLost || refused instanceof TaskEnded)) throw refused;
      this.leave(refused);
      return undefined;
    }
  }

  /** Appends a chunk as {@link emit} does; chunks in a row that no commit has taken are one append. */
  chunk(form: ChunkForm, content: ChunkContent): Append | undefined {
    if (this.#chunks !== undefined && !this.isOver) {
      requireRoom(this.log, this.settings);
      if (this.log.extend(this.#chunks, form, content)) {
        this.#noteActivity();
        return this.#chunks;
      }
    }
    this.#chunks = this.emit((draft) => draft.chunk(form, content));
    return this.#chunks;
  }

  /**
   * Gives the lease back and waits. `tryToGo` is asked whenever the task was claimed for this frame again; it says
   * whether the wait is over.
   */
  async park(draftWait: (draft: Draft) => Wait, tryToGo: () => Promise<boolean>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#resume = async (): Promise<void> => {
        try {
          if (!(await tryToGo())) return await this.#giveBack((draft) => draft.view.run.wait);
          this.#resume = undefined;
          resolve();
        } catch (failed) {
          this.#resume = undefined;
          reject(failed);
        }
      };
      this.#giveBack(draftWait).catch(reject);
    });
  }

  /** The task was claimed for this frame: it goes on. */
  resume(): void {
    this.epoch = this.log.view.epoch;
    this.#state = "running";
    this.#stopTimers();
    if (!this.#watchDeadlines()) void this.#resume?.();
  }

  /** The handler came to its end. */
  end(ending: Ending | undefined): Promise<void> {
    if (this.isOver) return DONE;
    try {
      this.replay.finish();
    } catch (held) {
      return this.hold(held);
    }
    let next = false;
    const unfinished = this.emissions.finish();
    const decide = (draft: Draft): void => {
      for (const { name, write } of unfinished) this.#replaceArtifact(draft, name, write);
      next = this.#draftEnd(draft, ending);
    };
    return this.#appendEnd(decide, () => {
      this.#close();
      this.#host.over(this, next);
    });
  }

  /** The handler threw. */
  async fail(thrown: unknown): Promise<void> {
    if (this.isOver) return;
    if (thrown instanceof TaskEnded || thrown instanceof LeaseLost) return this.leave(thrown);
    if (thrown instanceof RunHeld) return this.hold(thrown);
    if (this.#controller?.signal.aborted === true && isTerminal(this.log.stored.state)) return this.leave();
    try {
      this.replay.finish();
    } catch (held) {
      this.#host.report("error", "turn.failed", this, { error: thrown });
      return this.hold(held);
    }
    const error = A2AError.from(thrown);
    this.#host.report("error", "turn.failed", this, { error: thrown, ...error.metadata });
    const metadata = error.code === "INTERNAL" ? { ...error.metadata } : { code: error.code, ...error.metadata };
    const correlationId = error.metadata["correlationId"] ?? "none";
    const text = error.code === "INTERNAL" ? `the agent failed, correlation id ${correlationId}` : error.message;
    const decide = (draft: Draft): void =>
      draft.status("TASK_STATE_FAILED", this.message({ parts: [{ text }], metadata }));
    await this.#appendEnd(decide, () => {
      this.#close();
      this.#host.over(this, false);
    });
  }

  /** A person or another version has to decide: the run stops, the state of the task stays. Never resolves. */
  async hold(reason: unknown): Promise<never> {
    if (this.isOver || this.#isEnding) return NEVER;
    this.#host.report("warn", "run.held", this, { reason: reason instanceof Error ? reason.message : String(reason) });
    const decide = (draft: Draft): void => draftHold(draft, reason, this.agentVersion);
    await this.#appendEnd(decide, () => {
      this.#controller?.abort(reason);
      this.#close();
      this.#host.over(this, false);
    });
    return NEVER;
  }

  /** Nothing of this frame is written any more: the task ended, or another process owns it, or this one stops. */
  leave(reason?: unknown): void {
    if (this.isOver || (this.#isEnding && isTerminal(this.log.stored.state))) return;
    this.#close();
    this.#controller?.abort(reason ?? this.#endedBy ?? new TaskEnded(`task ${this.log.id} does not run here any more`));
    this.#host.over(this, false);
  }

  /** A message of the agent in this task. */
  message(utterance: Utterance): Message {
    const message: Message = {
      messageId: this.newId(),
      contextId: this.log.identity.contextId,
      taskId: this.log.id,
      role: "ROLE_AGENT",
      parts: [...utterance.parts],
    };
    if (utterance.metadata !== undefined) message.metadata = utterance.metadata;
    if (utterance.extensions !== undefined) message.extensions = [...utterance.extensions];
    return message;
  }

  /** Writes the end of the turn. When somebody else has ended the task, this frame is left like any other. */
  #appendEnd(decide: (draft: Draft) => void, done: () => void): Promise<void> {
    if (this.isOver) return NEVER;
    this.#isEnding = true;
    const appended = this.log.append((draft) => this.#guarded(draft, decide), this.#own(undefined));
    return appended.then(done, (refused) => {
      this.#isEnding = false;
      return this.#gone(refused);
    });
  }

  /** Options of an append under the lease; mostly there are no others. */
  #own(options: AppendOptions | undefined): AppendOptions {
    if (options !== undefined) return { ...options, epoch: this.epoch };
    if (this.#underLease?.epoch !== this.epoch) this.#underLease = { epoch: this.epoch };
    return this.#underLease;
  }

  #guarded(draft: Draft, decide: (draft: Draft) => void): void {
    if (draft.isTerminal) throw new TaskEnded(`task ${this.log.id} has ended`);
    decide(draft);
  }

  #gone(refused: unknown): Promise<never> {
    if (refused instanceof LeaseLost || refused instanceof TaskEnded) {
      this.leave(refused);
      return NEVER;
    }
    if (refused instanceof A2AError && refused.code === "UNAVAILABLE") {
      this.#host.report("warn", "run.dropped", this, { error: refused });
      this.leave(refused);
      return NEVER;
    }
    return Promise.reject(refused);
  }

  async #giveBack(draftWait: (draft: Draft) => Wait | null): Promise<void> {
    await this.append((draft) => {
      const wait = draftWait(draft);
      draft.run({ wait });
      const due = withinTotal(draft, dueOfWait(draft, wait), this.#host.settings.totalMs);
      draft.set({ holder: null, leaseUntil: 0, due, attempts: 0 });
      this.#state = "parking";
    });
    this.#chunks = undefined;
    if (this.#state !== "parking") return;
    this.#state = "parked";
    this.#stopTimers();
    this.#host.parked(this);
  }

  #replaceArtifact(draft: Draft, name: string, write: ArtifactWrite): void {
    const artifact = { artifactId: write.artifactId, name, parts: [...write.parts], ...write.head };
    const update = { taskId: this.log.id, contextId: this.log.identity.contextId, artifact };
    draft.artifact(update, JSON.stringify(artifact));
  }

  #draftEnd(draft: Draft, ending: Ending | undefined): boolean {
    const message = ending?.utterance === undefined ? undefined : this.message(ending.utterance);
    const { totalMs } = this.#host.settings;
    return draftEnd(draft, { kind: ending?.kind ?? "return", message, agentVersion: this.agentVersion, totalMs });
  }

  #close(): void {
    if (this.#state === "over") return;
    this.#state = "over";
    this.#stopTimers();
    this.log.unpin();
  }

  #stopTimers(): void {
    for (const timer of this.#timers.splice(0)) timer.cancel();
  }

  /** True when the turn is out of time already. */
  #watchDeadlines(): boolean {
    const { inactivityMs, totalMs } = this.#host.settings;
    this.#noteActivity();
    if (totalMs > 0) {
      const leftByWall = this.log.identity.createdAt + totalMs - this.now();
      // What is stored is wall time, and is asked anew; how long this frame has had is not the wall clock's to say.
      this.#end ??= monotonic(this.#host.clock) + leftByWall;
      const left = leftByWall <= 0 ? 0 : this.#end - monotonic(this.#host.clock);
      const expire = (): void => this.#expire(outOfTime(totalMs));
      if (left <= 0) {
        expire();
        return true;
      }
      this.#timers.push(this.#host.clock.setTimeout(expire, left));
    }
    if (inactivityMs > 0) this.#watchActivity(inactivityMs);
    return false;
  }

  #noteActivity(): void {
    if (this.settings.inactivityMs > 0) this.#activity = monotonic(this.#host.clock);
  }

  #watchActivity(inactivityMs: number): void {
    const left = (): number => this.#activity + inactivityMs - monotonic(this.#host.clock);
    const look = (): void => {
      if (this.#state !== "running") return;
      if (left() <= 0) this.#expire(`did nothing for ${inactivityMs} ms`);
      else this.#watchActivity(inactivityMs);
    };
    this.#timers.push(this.#host.clock.setTimeout(look, Math.max(1, left())));
  }

  #expire(why: string): void {
    if (this.#state !== "running") return;
    this.#host.report("warn", "turn.deadline", this, { why });
    this.#endedBy = new TaskEnded(`task ${this.log.id} ${why}`);
    const parts = [{ text: `the task ${why}` }];
    this.append((draft) => draft.status("TASK_STATE_FAILED", this.message({ parts }))).catch((error) =>
      this.#host.report("error", "turn.lost", this, { error }),
    );
  }
}
