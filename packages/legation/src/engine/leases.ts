/**
 * Keeps the leases of what runs here. A lease that is lost, or that could not be renewed in time, ends its run here
 * before another process may begin it, also where the wall clock was set back meanwhile: what counts is monotonic time
 * from before the lease was asked for. That is a courtesy: what makes it safe is the epoch that every write carries.
 */
import { type Clock, monotonic, type Timer } from "./clock.ts";
import type { EngineSettings } from "./defaults.ts";
import { LeaseLost } from "./draft.ts";
import type { Frame } from "./frame.ts";
import type { LeaseRef, Store } from "./store.ts";

export interface LeasesHost {
  readonly store: Store;
  readonly settings: EngineSettings;
  readonly clock: Clock;
  readonly holder: string;
  log(level: "warn", event: string, details: object): void;
}

export class Leases {
  readonly #host: LeasesHost;
  readonly #running: () => readonly Frame[];
  #timer: Timer | undefined;
  #isStopped = false;

  constructor(host: LeasesHost, running: () => readonly Frame[]) {
    this.#host = host;
    this.#running = running;
  }

  /** Renews from now on, as long as something runs. */
  keep(): void {
    if (this.#timer !== undefined || this.#isStopped) return;
    this.#timer = this.#host.clock.setTimeout(() => void this.#renew(), this.#host.settings.leaseMs / 3);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  async #renew(): Promise<void> {
    this.#timer = undefined;
    const { store, settings, clock, holder, log } = this.#host;
    // A renewal that hangs, or a process that was asleep: what has run out meanwhile is not ours to renew.
    const sentAt = monotonic(clock);
    this.#leave(sentAt);
    const frames = this.#frames();
    if (frames.length === 0) return;
    this.keep();
    const until = clock.now() + settings.leaseMs;
    const leases: LeaseRef[] = frames.map((frame) => ({ key: frame.log.key, epoch: frame.epoch }));
    try {
      const lost = new Set((await store.renew(holder, leases, until)).map((lease) => lease.key));
      for (const frame of frames) {
        if (frame.isOver || frame.isParked) continue;
        if (!lost.has(frame.log.key)) {
          frame.log.view.leaseUntil = until;
          frame.leaseEnds = sentAt + settings.leaseMs;
        } else {
          frame.leave(new LeaseLost("another process has the lease"));
          frame.log.refresh().catch((error) => log("warn", "reload.failed", { error }));
        }
      }
    } catch (failed) {
      log("warn", "renew.failed", { error: failed });
      // The next renewal would come too late.
      this.#leave(monotonic(clock) + settings.leaseMs / 3);
    }
  }

  /** Ends the runs whose leases end by then. */
  #leave(end: number): void {
    for (const frame of this.#frames()) {
      if (frame.leaseEnds <= end) frame.leave(new LeaseLost("the lease could not be renewed"));
    }
  }

  #frames(): readonly Frame[] {
    return this.#running().filter((frame) => !frame.isParked && !frame.isOver);
  }
}
