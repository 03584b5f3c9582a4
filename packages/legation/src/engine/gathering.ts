/**
 * What nobody waits for, the chunks of streams, on its way to the pump: at once when nothing was let go lately, else
 * together with what comes within a millisecond. So a stream that is faster than that is committed and told in fewer
 * and larger pieces, and a slow one waits for nothing.
 */
import type { TaskLog } from "./task-log.ts";

/** As long as a timer can be short: nobody who reads sees it, and it is many turns of a busy loop. */
const GATHER_MS = 1;

export class Gathering {
  readonly #letGo: (logs: readonly TaskLog[]) => void;
  #logs: TaskLog[] = [];
  /** Keeps the process alive, as what is not written yet is somebody's. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #releasedAt = Number.NEGATIVE_INFINITY;

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
    if (performance.now() - this.#releasedAt >= GATHER_MS) this.release();
    else this.#timer = setTimeout(() => this.release(), GATHER_MS);
  }

  /** Lets go of what is here. */
  release(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.isEmpty) return;
    this.#releasedAt = performance.now();
    this.#letGo(this.#logs);
    this.#logs = [];
  }
}
