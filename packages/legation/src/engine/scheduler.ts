/**
 * Which tasks run in this process: claims what is due, renews the leases of what runs, keeps parked frames, gives
 * everything back when it stops. One timer goes to the next due time.
 */
import type { JsonObject } from "../model/json.ts";
import { isTerminal } from "../model/task-state.ts";
import type { Blobs } from "./blobs.ts";
import type { Clock, Timer } from "./clock.ts";
import type { EngineSettings } from "./defaults.ts";
import { type Draft, LeaseLost } from "./draft.ts";
import { Emissions } from "./emissions.ts";
import { draftTurn, Frame, type FrameHost } from "./frame.ts";
import { Replay, RunHeld } from "./replay.ts";
import type { LeaseRef, Store, TaskRow } from "./store.ts";
import type { TaskLog } from "./task-log.ts";
import { turnOfFrame } from "./turn-of-frame.ts";
import { Ending, type Incoming, type Turn } from "./turn.ts";

/** An agent, as the engine runs it. */
export interface AgentRunner {
  /** Key of the agent in the store. */
  readonly name: string;
  /** Recorded with every turn. */
  readonly version: string;
  /** What happens to a turn that was cut off: run again against its journal (default), FAILED, or begun afresh. */
  readonly recovery?: "replay" | "fail" | "restart" | undefined;
  /** One turn. Returning nothing means: the next message, or COMPLETED. */
  run(turn: Turn, incoming: Incoming): Promise<Ending | undefined>;
  /** Asked before a running turn is canceled; without it a cancel takes effect at once. */
  readonly onCancel?:
    | ((task: { readonly taskId: string }, metadata: JsonObject | undefined) => Promise<"cancel" | "refuse"> | "cancel" | "refuse")
    | undefined;
}

export interface SchedulerHost {
  readonly store: Store;
  readonly settings: EngineSettings;
  readonly clock: Clock;
  readonly blobs: Blobs;
  readonly holder: string;
  newId(): string;
  agent(name: string): AgentRunner | undefined;
  readonly agentNames: readonly string[];
  /** The live log of a claimed row. */
  logOfRow(row: TaskRow): Promise<TaskLog>;
  log(level: "debug" | "info" | "warn" | "error", event: string, details: object): void;
}

/** No timer is longer: a due time may be moved by somebody else, and long timers fire at once on every runtime. */
const LONGEST_SLEEP_MS = 60_000;
/** After a failed claim. */
const RETRY_MS = 1_000;

export class Scheduler implements FrameHost {
  readonly settings: EngineSettings;
  readonly clock: Clock;
  readonly #host: SchedulerHost;
  readonly #running = new Map<string, Frame>();
  /** Oldest first. */
  readonly #parked = new Map<string, { readonly frame: Frame; readonly since: number }>();
  #stopping = false;
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #renewal: Timer | undefined;
  #claiming = false;
  #kicked = false;

  constructor(host: SchedulerHost) {
    this.#host = host;
    this.settings = host.settings;
    this.clock = host.clock;
  }

  newId(): string {
    return this.#host.newId();
  }

  /** Ends the leases of holders that are known to be dead, and looks for what is due. */
  async start(isDead: (holder: string) => boolean): Promise<void> {
    for (const holder of await this.#host.store.holders()) {
      if (holder !== this.#host.holder && isDead(holder)) await this.#host.store.expire(holder);
    }
    this.kick();
  }

  /** The frame of a task in this process. */
  frame(taskId: string): Frame | undefined {
    return this.#running.get(taskId) ?? this.#parked.get(taskId)?.frame;
  }

  /** True while this process holds the lease of a task. */
  isOurs(log: TaskLog): boolean {
    return log.view.holder === this.#host.holder;
  }

  get hasRoom(): boolean {
    return !this.#stopping && this.#running.size < this.settings.maxRuns;
  }

  /**
   * Drafts a claim by this process when nobody holds the task and there is room, else makes it due at once; true when
   * it is ours, and {@link begin} must follow the commit.
   */
  draftClaim(draft: Draft): boolean {
    const { view } = draft;
    if (view.held !== null) return false;
    const free = view.holder === null || view.leaseUntil < draft.time;
    if (!free) return false;
    if (!this.hasRoom) {
      draft.set({ due: draft.time });
      return false;
    }
    draft.set({
      holder: this.#host.holder,
      epoch: view.epoch + 1,
      leaseUntil: draft.time + this.settings.leaseMs,
      attempts: 1,
      due: draft.time,
    });
    return true;
  }

  /** Runs a task whose lease is ours. */
  begin(log: TaskLog): void {
    const frame = this.frame(log.id);
    if (frame !== undefined && frame.epoch + 1 === log.view.epoch && frame.isParked) {
      this.#parked.delete(log.id);
      this.#running.set(log.id, frame);
      frame.resume();
    } else if (frame === undefined || frame.epoch !== log.view.epoch) {
      // Somebody else ran it since this frame was parked: what the frame remembers is not what happened.
      frame?.leave();
      log.pins += 1;
      void this.#enter(log).finally(() => {
        log.pins -= 1;
      });
    }
    this.#keepRenewing();
  }

  parked(frame: Frame): void {
    this.#running.delete(frame.log.id);
    this.#parked.set(frame.log.id, { frame, since: this.clock.now() });
    this.#dropOldFrames();
    const due = frame.log.view.due;
    if (due !== null) this.wakeAt(due);
  }

  over(frame: Frame, next: boolean): void {
    const { id } = frame.log;
    if (this.#running.get(id) === frame) this.#running.delete(id);
    if (this.#parked.get(id)?.frame === frame) this.#parked.delete(id);
    if (next) this.begin(frame.log);
    else if (this.#kicked) this.kick();
  }

  report(level: "info" | "warn" | "error", event: string, frame: Frame, details: object = {}): void {
    this.#host.log(level, event, { taskId: frame.log.id, turn: frame.number, ...details });
  }

  /** Something may be due. */
  kick(): void {
    this.wakeAt(this.clock.now());
  }

  /** Looks for due tasks at that time at the latest. */
  wakeAt(at: number): void {
    if (this.#stopping || at >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    const wait = Math.min(LONGEST_SLEEP_MS, Math.max(0, at - this.clock.now()));
    this.#timer = this.clock.setTimeout(() => void this.#claim(), wait);
  }

  /** No new claims; running turns get `graceMs`, then every lease is given back and its task is due for others. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#timer?.cancel();
    const end = Date.now() + graceMs;
    while (this.#running.size > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
    this.#renewal?.cancel();
    const leases = [...this.#running.values()].map((frame) => ({ key: frame.log.key, epoch: frame.epoch }));
    for (const frame of [...this.#running.values()]) frame.leave(new LeaseLost("the process is shutting down"));
    for (const { frame } of [...this.#parked.values()]) frame.leave(new LeaseLost("the process is shutting down"));
    if (leases.length > 0) await this.#host.store.release(this.#host.holder, leases, this.clock.now());
  }

  /** As a crash would: frames are forgotten, leases stay until they run out. */
  abandon(): void {
    this.#stopping = true;
    this.#timer?.cancel();
    this.#renewal?.cancel();
    for (const frame of [...this.#running.values()]) frame.leave();
    for (const { frame } of [...this.#parked.values()]) frame.leave();
  }

  async #claim(): Promise<void> {
    this.#timerAt = Number.POSITIVE_INFINITY;
    if (this.#claiming) {
      this.#kicked = true;
      return;
    }
    this.#claiming = true;
    this.#kicked = false;
    try {
      const room = this.settings.maxRuns - this.#running.size;
      if (room > 0) {
        const rows = await this.#claimRows(room);
        for (const row of rows) await this.#take(row);
        if (rows.length === room) this.#kicked = true;
        else await this.#sleepUntilNext();
      } else this.#kicked = true;
    } catch (failed) {
      this.#host.log("warn", "claim.failed", { error: failed });
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.wakeAt(this.clock.now() + RETRY_MS);
    } finally {
      this.#claiming = false;
      if (this.#kicked && this.hasRoom) this.kick();
    }
  }

  /** A task that failed twice may be what kills its process: it is taken only when nothing else runs. */
  async #claimRows(room: number): Promise<readonly TaskRow[]> {
    const query = {
      holder: this.#host.holder,
      now: this.clock.now(),
      leaseMs: this.settings.leaseMs,
      agents: this.#host.agentNames,
    };
    const rows = await this.#host.store.claim({ ...query, limit: room, minAttempts: 0, maxAttempts: 2 });
    if (rows.length > 0 || this.#running.size > 0) return rows;
    return this.#host.store.claim({ ...query, limit: 1, minAttempts: 2, maxAttempts: Number.MAX_SAFE_INTEGER });
  }

  async #take(row: TaskRow): Promise<void> {
    const log = await this.#host.logOfRow(row);
    if (log.view.holder === this.#host.holder && log.view.epoch === row.epoch) this.begin(log);
  }

  async #sleepUntilNext(): Promise<void> {
    const next = await this.#host.store.nextDue(this.#host.agentNames);
    if (next === undefined) return;
    // What is due already and was not claimed waits for its turn alone: soon enough.
    const now = this.clock.now();
    this.wakeAt(next <= now ? now + RETRY_MS : next);
  }

  #keepRenewing(): void {
    if (this.#renewal !== undefined || this.#stopping) return;
    this.#renewal = this.clock.setTimeout(() => void this.#renew(), this.settings.leaseMs / 3);
  }

  async #renew(): Promise<void> {
    this.#renewal = undefined;
    const frames = [...this.#running.values()].filter((frame) => !frame.isParked);
    if (frames.length === 0) return;
    this.#keepRenewing();
    const until = this.clock.now() + this.settings.leaseMs;
    const leases: LeaseRef[] = frames.map((frame) => ({ key: frame.log.key, epoch: frame.epoch }));
    try {
      const lost = new Set((await this.#host.store.renew(this.#host.holder, leases, until)).map((lease) => lease.key));
      for (const frame of frames) {
        if (frame.isOver || frame.isParked) continue;
        if (lost.has(frame.log.key)) void frame.log.refresh();
        else frame.log.view.leaseUntil = until;
      }
    } catch (failed) {
      this.#host.log("warn", "renew.failed", { error: failed });
      this.#fence(frames);
    }
  }

  /** A lease that could not be renewed may be somebody else's soon: the run stops before that, not after. */
  #fence(frames: readonly Frame[]): void {
    const now = this.clock.now();
    for (const frame of frames) {
      if (frame.log.view.leaseUntil <= now + this.settings.leaseMs / 3) frame.leave(new LeaseLost("the lease could not be renewed"));
    }
  }

  #dropOldFrames(): void {
    const oldest = this.clock.now() - this.settings.frameMs;
    for (const { frame, since } of this.#parked.values()) {
      if (since > oldest && this.#parked.size <= this.settings.maxFrames) return;
      frame.leave();
    }
  }

  /** Makes the frame of a task whose lease is ours: the turn that is open is replayed, or the next one begins. */
  async #enter(log: TaskLog): Promise<void> {
    const agent = this.#host.agent(log.identity.agent);
    if (agent === undefined || this.#stopping) return;
    const { epoch } = log.view;
    try {
      if (log.view.attempts > this.settings.maxAttempts) {
        await this.#giveUp(log, epoch);
        return;
      }
      if (log.view.run.open && agent.recovery === "fail") {
        await this.#endCutOff(log, epoch);
        return;
      }
      if (!log.view.run.open) this.#beginTurn(log, agent, epoch);
      if (!log.view.run.open || isTerminal(log.view.state)) return;
      await this.#runTurn(log, agent);
    } catch (failed) {
      if (failed instanceof RunHeld) await this.#hold(log, epoch, failed);
      else if (!(failed instanceof LeaseLost)) this.#host.log("error", "turn.lost", { taskId: log.id, error: failed });
    }
  }

  #beginTurn(log: TaskLog, agent: AgentRunner, epoch: number): void {
    log.emit(
      (draft) => {
        if (draft.view.run.mailbox.length > 0) draftTurn(draft, agent.version, undefined);
        else draft.set({ holder: null, leaseUntil: 0, due: null });
      },
      { epoch },
    );
  }

  async #runTurn(log: TaskLog, agent: AgentRunner): Promise<void> {
    const { run } = log.view;
    // A turn that has just begun has its own entry and the status WORKING, and nothing to be replayed.
    const isNew = log.seq <= run.turnSeq + 1 || agent.recovery === "restart";
    const entries = isNew ? [] : await log.read(run.turnSeq, Number.POSITIVE_INFINITY);
    const incoming = await log.message(run.message);
    const turn = {
      number: run.turn,
      agentVersion: agent.version,
      replay: new Replay(entries),
      emissions: new Emissions(entries, () => this.newId(), (name) => log.artifactId(name)),
    };
    const frame = new Frame(this, log, turn);
    this.#running.set(log.id, frame);
    this.#handle(frame, agent, incoming);
  }

  #handle(frame: Frame, agent: AgentRunner, incoming: Incoming): void {
    const handler = async (): Promise<Ending | undefined> => agent.run(turnOfFrame(frame, this.#host.blobs), incoming);
    const lost = (error: unknown): void => this.#host.log("error", "turn.lost", { taskId: frame.log.id, error });
    handler().then(
      (ending) => frame.end(ending).catch((error) => frame.fail(error)).catch(lost),
      (thrown) => (thrown instanceof Ending ? frame.end(thrown) : frame.fail(thrown)).catch(lost),
    );
  }

  async #giveUp(log: TaskLog, epoch: number): Promise<void> {
    const text = `the agent was stopped ${this.settings.maxAttempts} times while it worked on this task`;
    this.#host.log("error", "task.gave-up", { taskId: log.id, attempts: log.view.attempts });
    await log.append((draft) => failWith(draft, this.newId(), text), { epoch });
  }

  async #endCutOff(log: TaskLog, epoch: number): Promise<void> {
    await log.append((draft) => failWith(draft, this.newId(), "the agent was stopped while it worked on this task"), { epoch });
  }

  async #hold(log: TaskLog, epoch: number, reason: RunHeld): Promise<void> {
    this.#host.log("warn", "run.held", { taskId: log.id, reason: reason.message });
    await log.append(
      (draft) => {
        draft.journal("held", { reason: reason.message });
        draft.set({ held: reason.message, holder: null, leaseUntil: 0, due: null });
      },
      { epoch },
    );
  }
}

/** FAILED with a text; for runs that have no frame. */
export function failWith(draft: Draft, messageId: string, text: string): void {
  const { id, contextId } = draft.identity;
  draft.status("TASK_STATE_FAILED", { messageId, contextId, taskId: id, role: "ROLE_AGENT", parts: [{ text }] });
}
