/**
 * Which webhooks this process delivers to: claims those that are due, runs each beside the others, gives everything back
 * when it stops. One dead webhook delays nobody: each is a run of its own, failing ones never take more than half of the
 * room, and no owner may hold more than is left free for others.
 */
import type { Task } from "../model/gen/types.ts";
import { afterThisTurn, type Clock, monotonic, type Timer } from "./clock.ts";
import type { LogSource } from "./log-content.ts";
import { PushHealth } from "./push-health.ts";
import type { HookRow } from "./push-hook.ts";
import { askLease, type LeaseAsked } from "./push-lease.ts";
import { pushShapes } from "./push-message.ts";
import { PushMoves } from "./push-moves.ts";
import type { PushOptions, PushSettings } from "./push-options.ts";
import { PushRun, type PushRunHost } from "./push-run.ts";
import { HookShares } from "./push-shares.ts";
import { PushSlots } from "./push-slots.ts";

/** What the deliverer needs of its engine. */
export interface DelivererHost {
  readonly source: LogSource;
  readonly clock: Clock;
  readonly holder: string;
  readonly agentNames: readonly string[];
  task(row: HookRow): Promise<Task>;
  log(level: "debug" | "info" | "warn" | "error", event: string, details: object): void;
}

/** No timer is longer: a due time may be moved by another process. */
const LONGEST_SLEEP_MS = 60_000;
/** After a claim that failed, and the longest wait for what is due and was not claimed, for want of room mostly. */
const RETRY_MS = 1_000;
/** The shortest one: clocks differ by that, and timers come early. */
const RETRY_SOON_MS = 10;
/** Webhooks with nothing to deliver are held while no more than that share of the room is taken. */
const ROOMY_SHARE = 4;
/** How soon another webhook of a task is looked for when one of it is at work here already. */
const LOOK_AGAIN_MS = 250;

export class Deliverer {
  readonly #host: DelivererHost;
  readonly #settings: PushSettings;
  readonly #shared: PushRunHost;
  /** By task. */
  readonly #runs = new Map<string, Set<PushRun>>();
  readonly #held = new HookShares();
  readonly #failing = new HookShares();
  #isStopping = true;
  #isClaiming = false;
  #isKicked = false;
  #isScheduled = false;
  #timer: Timer | undefined;
  /** Monotonic time. */
  #timerAt = Number.POSITIVE_INFINITY;
  #idle: (() => void) | undefined;

  constructor(host: DelivererHost, options: PushOptions, settings: PushSettings) {
    this.#host = host;
    this.#settings = settings;
    const { source, clock, holder } = host;
    this.#shared = {
      source,
      options,
      settings,
      clock,
      shapes: pushShapes(options.shapes),
      moves: new PushMoves(source.store.hooks, holder, clock, (error) => host.log("warn", "push.unwritten", { error })),
      slots: new PushSlots(settings.maxDeliveries),
      health: new PushHealth(settings.retryMs),
      isRoomy: () => this.#held.size < settings.maxHeld / ROOMY_SHARE,
      task: (row) => host.task(row),
      log: (level, event, details) => host.log(level, event, details),
    };
  }

  /** Begins to look for what is due. */
  start(): void {
    this.#isStopping = false;
    this.kick();
  }

  /** Something may be due: looks for it at the end of this turn of the loop. */
  kick(): void {
    if (this.#isStopping || this.#isScheduled) return;
    this.#isScheduled = true;
    afterThisTurn(() => {
      this.#isScheduled = false;
      void this.#claim();
    });
  }

  /** A commit of this process made the webhooks of a task due. */
  committed(taskId: string): void {
    if (this.poke(taskId)) this.#wakeIn(LOOK_AGAIN_MS);
    else this.kick();
  }

  /** The log of a task may have gone on; false when none of its webhooks is at work here. */
  poke(taskId: string): boolean {
    const runs = this.#runs.get(taskId);
    for (const run of runs ?? []) run.poke();
    return runs !== undefined;
  }

  /** What runs for a webhook that was removed or registered anew ends; nothing more is sent for it. */
  cancel(taskId: string, id: string): void {
    for (const run of this.#runs.get(taskId) ?? []) if (run.row.id === id) run.cancel();
  }

  /** No new claims; requests under way get `graceMs`, then they are cut and are due again for others. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#timer?.cancel();
    const all = this.#all();
    if (all.length === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#idle = resolve;
    });
    for (const run of all) run.stop();
    const grace = setTimeout(() => {
      for (const run of this.#all()) run.cut();
    }, graceMs);
    await idle;
    clearTimeout(grace);
  }

  /** As a crash would: nothing more is sent or written, leases stay until they run out. */
  abandon(): void {
    this.#isStopping = true;
    this.#timer?.cancel();
    for (const run of this.#all()) run.cancel();
  }

  #all(): readonly PushRun[] {
    return [...this.#runs.values()].flatMap((runs) => [...runs]);
  }

  async #claim(): Promise<void> {
    if (this.#isStopping) return;
    if (this.#isClaiming) {
      this.#isKicked = true;
      return;
    }
    this.#isClaiming = true;
    this.#isKicked = false;
    this.#timer?.cancel();
    this.#timerAt = Number.POSITIVE_INFINITY;
    try {
      await this.#claimRows();
    } catch (failed) {
      this.#host.log("warn", "push.claim-failed", { error: failed });
      this.#wakeIn(RETRY_MS);
    } finally {
      this.#isClaiming = false;
      if (this.#isKicked) this.kick();
    }
  }

  async #claimRows(): Promise<void> {
    const { source, clock, holder, agentNames } = this.#host;
    const { leaseMs, maxHeld } = this.#settings;
    const asked = askLease(clock);
    const now = asked.wall;
    const query = { holder, now, leaseMs, agents: agentNames };
    const claim = async (room: number, shares: HookShares, minAttempts: number, maxAttempts: number) => {
      if (room <= 0) return 0;
      // Half of what is free: an owner that had nothing here finds the other half.
      const [limit, except] = [Math.ceil(room / 2), shares.above(room)];
      const rows = await source.store.hooks.claim({ ...query, limit, minAttempts, maxAttempts, except });
      for (const row of rows) this.#run(row, asked);
      return rows.length;
    };
    let claimed = await claim(maxHeld - this.#held.size, this.#held, 0, 1);
    const half = Math.ceil(Math.min(maxHeld, this.#settings.maxDeliveries) / 2);
    const room = Math.min(maxHeld - this.#held.size, half - this.#failing.size);
    claimed += await claim(room, this.#failing, 1, Number.MAX_SAFE_INTEGER);
    const next = await source.store.hooks.nextDue(agentNames);
    // What others make due is told by nobody: it is found by looking now and then.
    if (next === undefined) return this.#wakeIn(LONGEST_SLEEP_MS);
    if (next <= now && claimed > 0) return this.kick();
    // What has been due for long waits for room. What is due just now is not due yet by the clock of the store.
    this.#wakeIn(next > now ? next - clock.now() : Math.min(RETRY_MS, Math.max(RETRY_SOON_MS, now - next)));
  }

  #run(row: HookRow, asked: LeaseAsked): void {
    const run = new PushRun(this.#shared, row, asked);
    const runs = this.#runs.get(row.taskId) ?? new Set<PushRun>();
    this.#runs.set(row.taskId, runs.add(run));
    const isFailing = row.attempts > 0;
    this.#held.add(row);
    if (isFailing) this.#failing.add(row);
    if (this.#isStopping) run.stop();
    void run.deliver().then(() => {
      runs.delete(run);
      if (runs.size === 0) this.#runs.delete(row.taskId);
      this.#held.remove(row);
      if (isFailing) this.#failing.remove(row);
      if (this.#held.size === 0) this.#idle?.();
      // The log may have gone on while the lease was given back, and a failure has a time of its own.
      this.kick();
    });
  }

  #wakeIn(ms: number): void {
    const wait = Math.min(LONGEST_SLEEP_MS, Math.max(0, ms));
    const at = monotonic(this.#host.clock) + wait;
    if (this.#isStopping || at >= this.#timerAt) return;
    this.#timer?.cancel();
    this.#timerAt = at;
    this.#timer = this.#host.clock.setTimeout(() => void this.#claim(), wait);
  }
}
