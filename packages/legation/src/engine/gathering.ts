/**
 * What nobody waits for, the chunks of streams, on its way to the pump: at once when nothing was let go lately, else
 * together with what comes within a millisecond, or within the time that it took to tell everybody of the last. So a
 * stream that is faster than that is committed and told in fewer and larger pieces, a slow one waits for nothing, and
 * a thousand subscribers leave half of the time to others.
 */
import { afterThisTurn } from "./clock.ts";
import type { TaskLog } from "./task-log.ts";

/** As long as a timer can be short: nobody who reads sees it, and it is many turns of a busy loop. */
const GATHER_MS = 1;
/** However long it took to tell: what stalled the process once must not slow it down for longer. */
const LONGEST_MS = 50;

export class Gathering {
  readonly #letGo: (logs: readonly TaskLog[]) => void;
  #logs: TaskLog[] = [];
  /** Keeps the process alive, as what is not written yet is somebody's. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #releasedAt = Number.NEGATIVE_INFINITY;
  #pauseMs = GATHER_MS;

  /** @param letGo gets logs that have something to be written; one may be given twice */
  constructor(letGo: (logs: readonly TaskLog[]) => void) {
    this.#letGo = letGo;
  }

  get isEmpty(): boolean {
    return this.#logs.length === 0;
  }

  add(log: TaskLog): void {
    this.#logs.push(log);
    if (this.#timer !== undefined) return;
    if (performance.now() - this.#releasedAt >= this.#pauseMs) this.release();
    else this.#timer = setTimeout(() => this.release(), this.#pauseMs);
  }

  /** Lets go of what is here. */
  release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.isEmpty) return;
    const logs = this.#logs;
    this.#logs = [];
    this.#releasedAt = performance.now();
    let begun = 0;
    afterThisTurn(() => {
      begun = performance.now();
    });
    this.#letGo(logs);
    // Behind the commit that this asked for and all that is written of it.
    afterThisTurn(() => {
      this.#releasedAt = performance.now();
      this.#pauseMs = Math.min(LONGEST_MS, Math.max(GATHER_MS, this.#releasedAt - begun));
    });
  }
}
