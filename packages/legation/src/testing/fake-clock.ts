/** A clock that stands still until a test moves it. */
import type { Clock, Timer } from "../engine/clock.ts";

/** A clock in the hand of a test. */
export interface FakeClock extends Clock {
  /**
   * Moves time forward and fires what falls due on the way, in order, each at its own time. Resolves when what was
   * fired, and what followed from it without waiting, has been done.
   *
   * @param ms 0 or more
   */
  advance(ms: number): Promise<void>;
}

interface Pending {
  readonly at: number;
  readonly fn: () => void;
}

/** Turns of the event loop after which what was fired counts as done: some commits and reads follow one another. */
const SETTLE_TURNS = 20;

/**
 * Makes a clock.
 *
 * @param start wall time in ms; midnight of 1 January 2026 (UTC) by default
 */
export function createFakeClock(start: number = Date.UTC(2026, 0, 1)): FakeClock {
  let now = start;
  const pending = new Set<Pending>();

  function takeDue(until: number): Pending | undefined {
    let first: Pending | undefined;
    for (const timer of pending) if (timer.at <= until && (first === undefined || timer.at < first.at)) first = timer;
    if (first !== undefined) pending.delete(first);
    return first;
  }

  return {
    now: () => now,
    monotonic: () => now,
    setTimeout(fn, ms): Timer {
      const timer = { at: now + Math.max(0, ms), fn };
      pending.add(timer);
      return { cancel: () => void pending.delete(timer) };
    },
    async advance(ms) {
      const target = now + ms;
      await settle();
      for (let due = takeDue(target); due !== undefined; due = takeDue(target)) {
        now = Math.max(now, due.at);
        due.fn();
        await settle();
      }
      now = target;
      await settle();
    },
  };
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < SETTLE_TURNS; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
}
