/** Time, as the engine uses it; tests give one that they move by hand. */
export interface Clock {
  /** Wall time in ms since the epoch. May jump. */
  now(): number;
  /** Time in ms from any origin that never jumps; where it is absent, wall time is taken for it. */
  monotonic?(): number;
  /** Calls `fn` once after `ms`; never keeps a process alive by itself. */
  setTimeout(fn: () => void, ms: number): Timer;
}

/** A pending call of a {@link Clock}. */
export interface Timer {
  cancel(): void;
}

/** setTimeout of a longer wait than this fires at once on every runtime. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(fn, ms) {
    const timer: unknown = setTimeout(fn, Math.min(Math.max(0, ms), LONGEST_TIMEOUT_MS));
    (timer as { unref?: () => void }).unref?.();
    return { cancel: () => clearTimeout(timer as Parameters<typeof clearTimeout>[0]) };
  },
};

/** Time that never jumps, as far as a clock has it. */
export function monotonic(clock: Clock): number {
  return clock.monotonic?.() ?? clock.now();
}

/** Calls `fn` when the events of this turn of the loop have been handled. */
export const afterThisTurn: (fn: () => void) => void =
  (globalThis as { setImmediate?: (fn: () => void) => unknown }).setImmediate ??
  ((fn): void => {
    setTimeout(fn, 0);
  });
