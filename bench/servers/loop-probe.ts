/** How long a loop was away at a time, and how much of that it only waited for a processor. */
import { closeSync, openSync, readSync } from "node:fs";
import { PerformanceObserver } from "node:perf_hooks";

/** The longest of a while, in ms. */
export interface Stalls {
  /** Between two looks of a timer that is due every ms. */
  readonly stallMs: number;
  /** The same without the time in which the thread was ready and something else had its processor. */
  readonly ownMs: number;
  /** All of that time. */
  readonly waitedMs: number;
  /** The longest pause of the collector; it is part of the above. */
  readonly collectionMs: number;
}

const EVERY_MS = 1;
const NS = 1_000_000;

/** Looks every ms until it is stopped. */
export class LoopProbe {
  readonly #schedule = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
  readonly #buffer = Buffer.alloc(128);
  readonly #collections = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) this.#collectionMs = Math.max(this.#collectionMs, duration);
  });
  #stallMs = 0;
  #ownMs = 0;
  #collectionMs = 0;
  #lastAt = performance.now();
  #lastWaited = this.#waited();
  readonly #firstWaited = this.#lastWaited;
  #timer: NodeJS.Timeout;

  constructor() {
    this.#collections.observe({ entryTypes: ["gc"] });
    this.#timer = setTimeout(() => this.#look(), EVERY_MS);
  }

  /** Ends it. */
  async stop(): Promise<Stalls> {
    clearTimeout(this.#timer);
    // The collector's entries are told of in a turn of their own.
    await new Promise((resolve) => setImmediate(resolve));
    this.#collections.disconnect();
    closeSync(this.#schedule);
    return {
      stallMs: this.#stallMs,
      ownMs: this.#ownMs,
      waitedMs: this.#lastWaited - this.#firstWaited,
      collectionMs: this.#collectionMs,
    };
  }

  #look(): void {
    const now = performance.now();
    const waited = this.#waited();
    const stallMs = Math.max(0, now - this.#lastAt - EVERY_MS);
    this.#stallMs = Math.max(this.#stallMs, stallMs);
    this.#ownMs = Math.max(this.#ownMs, stallMs - (waited - this.#lastWaited));
    this.#lastAt = now;
    this.#lastWaited = waited;
    this.#timer = setTimeout(() => this.#look(), EVERY_MS);
  }

  /** Time that this thread was ready to run and did not, in ms: the second number of its schedstat. */
  #waited(): number {
    const length = readSync(this.#schedule, this.#buffer, 0, this.#buffer.length, 0);
    return Number(this.#buffer.toString("latin1", 0, length).split(" ")[1]) / NS;
  }
}

let probe: LoopProbe | undefined;

/** What servers are asked for: begins a probe, and ends it. */
export const probeControls = {
  probe: (): void => {
    probe = new LoopProbe();
  },
  stalls: (): Promise<Stalls> => {
    if (probe === undefined) throw new Error("no probe was begun");
    return probe.stop();
  },
};
