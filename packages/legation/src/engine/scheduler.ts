/**
 * Which tasks run in this process: claims what is due, renews the leases of what runs, keeps parked frames, gives
 * everything back when it stops. One timer goes to the next due time.
 */
import { isTerminal } from "../model/task-state.ts";
import type { AgentRunner } from "./agent-runner.ts";
import type { Blobs } from "./blobs.ts";
import { type Clock, monotonic, type Timer } from "./clock.ts";
import type { EngineSettings } from "./defaults.ts";
import { type Draft, LeaseLost } from "./draft.ts";
import type { Frame, FrameHost } from "./frame.ts";
import { Leases } from "./leases.ts";
import { RenewedMap } from "./renewed-map.ts";
import type { Store, TaskRow } from "./store.ts";
import { isUnkeepable } from "./store-failure.ts";
import type { TaskLog } from "./task-log.ts";
import { failWith } from "./turn-entries.ts";
import { type Started, TurnStart } from "./turn-start.ts";

export interface SchedulerHost {
  readonly store: Store;
  readonly settings: EngineSettings;
  readonly clock: Clock;
  readonly blobs: Blobs;
  readonly holder: string;
  newId(): string;
  agent(name: string): AgentRunner | undefined;
  readonly agentNames: readonly string[];
  /** Runs `use` on the live log of a claimed row. */
  withLogOfRow(row: TaskRow, use: (log: TaskLog) => Promise<void>): Promise<void>;
  /** Told when a turn runs here: there may be something that it has to be told. */
  started(log: TaskLog): void;
  /** Told when nothing could be claimed for long: what does not run here does not go on for now. */
  stalled(reason: unknown): void;
  log(level: "debug" | "info" | "warn" | "error", event: string, details: object): void;
}

/** No timer is longer: a due time may be moved by somebody else, and long timers fire at once on every runtime. */
const LONGEST_SLEEP_MS = 60_000;
/** After a failed claim, and the longest wait for what is due and was not claimed. */
const RETRY_MS = 1_000;
/** The shortest one: clocks differ by that, and timers come early. */
const RETRY_SOON_MS = 10;
/** Others say that often at most that something may be due: what they touch is mostly theirs. */
const HINT_MS = 100;
/** Claims without progress after which a task is suspected of killing its process. */
const SUSPECT_ATTEMPTS = 2;

/** A lease that this process has just taken. */
interface Claimed {
  readonly epoch: number;
  readonly leaseEnds: number;
  readonly isNext: boolean;
}

export class Scheduler implements FrameHost {
  readonly settings: EngineSettings;
  readonly clock: Clock;
  readonly #host: SchedulerHost;
  readonly #starts: TurnStart;
  readonly #leases: Leases;
  readonly #running = new RenewedMap<string, Frame>();
  /** Tasks whose lease is drafted for us: under which epoch, and since when in monotonic time. They need room too. */
  readonly #reserved = new RenewedMap<string, { readonly epoch: number; readonly since: number }>();
  /** Tasks whose frame is being made, and their epochs. */
  readonly #entering = new Map<string, number>();
  /** Oldest first. */
  readonly #parked = new RenewedMap<string, { readonly frame: Frame; readonly since: number }>();
  #stopping = false;
  #timer: Timer | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #frameTimer: Timer | undefined;
  #claiming = false;
  #kicked = false;
  /** Since when no claim went through, in monotonic time like every other moment that is kept here. */
  #failingSince: number | undefined;
  #claimedAt = Number.NEGATIVE_INFINITY;
  /** From when on a suspect is claimed although something else runs. */
  #suspectsFrom = 0;

  constructor(host: SchedulerHost) {
    this.#host = host;
    this.settings = host.settings;
    this.clock = host.clock;
    this.#starts = new TurnStart({ ...host, agent: (name) => host.agent(name), newId: () => host.newId() }, this);
    this.#leases = new Leases(host, () => [...this.#running.values()]);
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
    const running = this.#running.get(taskId);
    return running !== undefined || this.#parked.size === 0 ? running : this.#parked.get(taskId)?.frame;
  }

  /** True while this process holds the lease of a task. */
  isOurs(log: TaskLog): boolean {
    return log.view.holder === this.#host.holder;
  }

  get #room(): number {
    return this.#stopping ? 0 : this.settings.maxRuns - this.#running.size - this.#entering.size - this.#reserved.size;
  }

  /**
   * Drafts a claim by this process when nobody holds the task and there is room, else makes it due at once; true when
   * it is ours, and {@link beginDrafted} must follow the commit, or {@link forgo} when there is none.
   */
  draftClaim(draft: Draft): boolean {
    const { view, identity } = draft;
    this.forgo(identity.id);
    if (view.held !== null || (view.holder !== null && view.leaseUntil >= draft.now)) return false;
    if (this.#room <= 0 || view.attempts >= SUSPECT_ATTEMPTS || this.#host.agent(identity.agent) === undefined) {
      draft.set({ due: draft.now });
      return false;
    }
    this.#reserved.set(identity.id, { epoch: view.epoch + 1, since: monotonic(this.clock) });
    const claimed = draft.change();
    claimed.holder = this.#host.holder;
    claimed.epoch += 1;
    claimed.leaseUntil = draft.now + this.settings.leaseMs;
    claimed.attempts += 1;
    claimed.due = draft.now;
    return true;
  }

  /** A drafted claim does not come about. */
  forgo(taskId: string): void {
    this.#reserved.delete(taskId);
  }

  /** Runs a task whose claim was drafted by {@link draftClaim} and is committed. */
  beginDrafted(log: TaskLog): void {
    const drafted = this.#reserved.get(log.id);
    this.forgo(log.id);
    // Where the commit is heard of so late that the lease ran out and was taken once more, who took it begins: under
    // one epoch there is one run.
    if (drafted?.epoch === log.view.epoch) this.#begin(log, false, drafted.since);
  }

  /**
   * Runs a task whose lease is ours.
   *
   * @param isNext when its turn follows one that ended here just now
   * @param since when the lease was asked for, in monotonic time
   */
  #begin(log: TaskLog, isNext: boolean, since: number): void {
    const leaseEnds = since + this.settings.leaseMs;
    const { epoch } = log.view;
    // A commit may be heard of so late that somebody else has the lease by now, or that we took it once more.
    if (!this.isOurs(log) || this.#entering.get(log.id) === epoch) return;
    const frame = this.frame(log.id);
    if (frame?.isParked === true && frame.epoch + 1 === epoch) {
      this.#parked.delete(log.id);
      this.#running.set(log.id, frame);
      frame.leaseEnds = leaseEnds;
      frame.resume();
    } else if (frame === undefined || frame.epoch !== epoch) {
      // Somebody else ran it since this frame was parked: what the frame remembers is not what happened.
      frame?.leave();
      const started = this.#stopping ? undefined : this.#starts.startNew(log, epoch);
      if (started === undefined) void this.#enter(log, { epoch, leaseEnds, isNext });
      else this.#run(log, started, leaseEnds);
    }
    this.#leases.keep();
  }

  /** What was drafted is gone: the run that drafted it must not build on it, and begins again from the log. */
  lost(log: TaskLog, reason: unknown): void {
    const frame = this.frame(log.id);
    if (frame === undefined) return;
    frame.leave(reason);
    if (this.#stopping) return;
    const { epoch } = frame;
    const isEnd = isUnkeepable(reason);
    const release = async (): Promise<void> => {
      await log.fresh();
      const draftNext = (draft: Draft): void =>
        isEnd
          ? failWith(draft, this.newId(), "the agent said something that the store cannot keep")
          : this.#draftRelease(draft);
      await log.append(draftNext, { epoch });
      this.kick();
    };
    // A lease that cannot be given back runs out.
    this.clock.setTimeout(() => void release().catch(() => {}), RETRY_MS);
  }

  parked(frame: Frame): void {
    this.#running.delete(frame.log.id);
    this.#parked.set(frame.log.id, { frame, since: monotonic(this.clock) });
    this.#dropOldFrames();
    this.#frameTimer ??= this.clock.setTimeout(() => this.#lookAtFrames(), this.settings.frameMs);
    const due = frame.log.view.due;
    if (due !== null) this.wakeAt(due);
  }

  over(frame: Frame, next: boolean): void {
    const { id } = frame.log;
    if (this.#running.get(id) === frame) this.#running.delete(id);
    if (this.#parked.get(id)?.frame === frame) this.#parked.delete(id);
    if (next && this.#stopping) this.#giveBack(frame);
    else if (next) this.#begin(frame.log, true, frame.leaseEnds - this.settings.leaseMs);
    else if (this.#kicked) this.kick();
    // What is left for later: the deadline of a worker, a message that came while the turn paused.
    const { due, holder, state } = frame.log.view;
    if (due !== null && holder === null && !isTerminal(state)) this.wakeAt(due);
  }

  report(level: "info" | "warn" | "error", event: string, frame: Frame, details: object = {}): void {
    this.#host.log(level, event, { taskId: frame.log.id, turn: frame.number, ...details });
  }

  /** Something may be due. */
  kick(): void {
    this.#wakeIn(0);
  }

  /** Others wrote something. */
  hinted(): void {
    this.#wakeIn(this.#claimedAt + HINT_MS - monotonic(this.clock));
  }

  /** Looks for due tasks at that wall time at the latest. */
  wakeAt(at: number): void {
    this.#wakeIn(at - this.clock.now());
  }

  #wakeIn(ms: number): void {
    const wait = Math.min(LONGEST_SLEEP_MS, Math.max(0, ms));
    const at = monotonic(this.clock) + wait;
    if (this.#stopping || at >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.clock.setTimeout(() => void this.#claim(), wait);
  }

  /** No new claims; running turns get `graceMs`, then every lease is given back and its task is due for others. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    this.#timer?.cancel();
    const end = performance.now() + graceMs;
    while (this.#running.size > 0 && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
    // Behind everything that a turn has on its way, and not as a claim that failed.
    for (const frame of this.#running.values()) this.#giveBack(frame);
    this.#leaveAll(new LeaseLost("the process is shutting down"));
  }

  /** As a crash would: frames are forgotten, leases stay until they run out. */
  abandon(): void {
    this.#stopping = true;
    this.#leaveAll();
  }

  #leaveAll(reason?: unknown): void {
    this.#timer?.cancel();
    this.#frameTimer?.cancel();
    this.#leases.stop();
    for (const frame of [...this.#running.values()]) frame.leave(reason);
    for (const { frame } of [...this.#parked.values()]) frame.leave(reason);
  }

  #giveBack(frame: Frame): void {
    frame.log
      .append((draft) => this.#draftRelease(draft, 1), { epoch: frame.epoch })
      .catch((error) => this.report("warn", "release.failed", frame, { error }));
  }

  /** @param uncounted claims that are not to be counted as attempts */
  #draftRelease(draft: Draft, uncounted = 0): void {
    if (draft.view.holder !== this.#host.holder) return;
    const attempts = Math.max(0, draft.view.attempts - uncounted);
    draft.set({ holder: null, leaseUntil: 0, due: draft.now, attempts });
  }

  async #claim(): Promise<void> {
    this.#timerAt = Number.POSITIVE_INFINITY;
    if (this.#claiming) {
      this.#kicked = true;
      return;
    }
    this.#claiming = true;
    this.#kicked = false;
    this.#claimedAt = monotonic(this.clock);
    try {
      const room = this.#room;
      if (room > 0) {
        const rows = await this.#claimRows(room);
        for (const row of rows) await this.#take(row, this.#claimedAt);
        if (rows.length === room) this.#kicked = true;
        else await this.#sleepUntilNext();
      } else this.#kicked = true;
      this.#failingSince = undefined;
    } catch (failed) {
      this.#host.log("warn", "claim.failed", { error: failed });
      this.#failingSince ??= this.#claimedAt;
      if (monotonic(this.clock) - this.#failingSince >= this.settings.storeWaitMs) this.#host.stalled(failed);
      this.#timerAt = Number.POSITIVE_INFINITY;
      this.#wakeIn(RETRY_MS);
    } finally {
      this.#claiming = false;
      if (this.#kicked && this.#room > 0) this.kick();
    }
  }

  /**
   * A task that failed twice may be what kills its process: it is taken alone, when nothing else runs. Where something
   * always runs, one is taken now and then all the same: it must come to its end too.
   */
  async #claimRows(room: number): Promise<readonly TaskRow[]> {
    const { leaseMs } = this.settings;
    const query = { holder: this.#host.holder, now: this.clock.now(), leaseMs, agents: this.#host.agentNames };
    const rows = await this.#host.store.claim({ ...query, limit: room, minAttempts: 0, maxAttempts: SUSPECT_ATTEMPTS });
    const now = monotonic(this.clock);
    const isAlone = rows.length === 0 && this.#running.size === 0 && this.#entering.size === 0;
    if (rows.length >= room || (!isAlone && now < this.#suspectsFrom)) return rows;
    if (!isAlone && this.#suspectsFrom === 0) {
      this.#suspectsFrom = now + leaseMs;
      return rows;
    }
    this.#suspectsFrom = isAlone ? 0 : now + leaseMs;
    const suspects = { ...query, limit: 1, minAttempts: SUSPECT_ATTEMPTS, maxAttempts: Number.MAX_SAFE_INTEGER };
    return [...rows, ...(await this.#host.store.claim(suspects))];
  }

  async #take(row: TaskRow, since: number): Promise<void> {
    try {
      await this.#host.withLogOfRow(row, async (log) => {
        if (this.isOurs(log) && log.view.epoch === row.epoch) this.#begin(log, false, since);
      });
    } catch (failed) {
      // One that cannot be read must not keep the others, which are claimed too, from running.
      this.#host.log("error", "turn.lost", { taskId: row.id, error: failed });
    }
  }

  async #sleepUntilNext(): Promise<void> {
    const now = this.clock.now();
    const next = await this.#host.store.nextDue(this.#host.agentNames);
    // What others write is told by hints; one that is lost is made up for by looking now and then.
    if (next === undefined) return this.#host.store.exclusive ? undefined : this.#wakeIn(LONGEST_SLEEP_MS);
    // A lease that ran out just now is not over yet by the clock of the store. What has been due for long waits for its
    // turn alone: soon enough.
    this.#wakeIn(next > now ? next - now : Math.min(RETRY_MS, Math.max(RETRY_SOON_MS, now - next)));
  }

  async #enter(log: TaskLog, { epoch, leaseEnds, isNext }: Claimed): Promise<void> {
    log.pin();
    this.#entering.set(log.id, epoch);
    try {
      const started = await this.#starts.start(log, epoch, isNext);
      if (started === undefined) return;
      if (this.#stopping) {
        this.#giveBack(started.frame);
        started.frame.leave(new LeaseLost("the process is shutting down"));
      } else this.#run(log, started, leaseEnds);
    } catch (failed) {
      this.#host.log("error", "turn.lost", { taskId: log.id, error: failed });
    } finally {
      if (this.#entering.get(log.id) === epoch) this.#entering.delete(log.id);
      log.unpin();
      if (this.#kicked) this.kick();
    }
  }

  #run(log: TaskLog, { frame, run }: Started, leaseEnds: number): void {
    frame.leaseEnds = leaseEnds;
    this.#running.set(log.id, frame);
    run();
    this.#host.started(log);
  }

  #lookAtFrames(): void {
    this.#frameTimer = undefined;
    this.#dropOldFrames();
    const [oldest] = this.#parked.values();
    if (oldest === undefined || this.#stopping) return;
    const left = oldest.since + this.settings.frameMs - monotonic(this.clock);
    this.#frameTimer = this.clock.setTimeout(() => this.#lookAtFrames(), Math.max(1, left));
  }

  #dropOldFrames(): void {
    const oldest = monotonic(this.clock) - this.settings.frameMs;
    for (const { frame, since } of this.#parked.values()) {
      if (since > oldest && this.#parked.size <= this.settings.maxFrames) return;
      frame.leave();
    }
  }
}
