import { LocalError } from "../operations/errors.ts";

/** Time, as the client asks for it; a test gives one that it moves by hand. */
export interface ClientClock {
  /** Wall time in ms. May jump. */
  now(): number;
  /** Time in ms from any origin that never jumps; where it is absent, wall time is taken for it. */
  monotonic?(): number;
  /** Calls `fn` once after `ms`. */
  setTimeout(fn: () => void, ms: number): { cancel(): void };
}

/** setTimeout of a longer wait than this fires at once on every runtime. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The clock of the machine. Its timers keep the process alive: somebody waits for them. */
export const SYSTEM_CLOCK: ClientClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimeout(fn, ms) {
    const timer = setTimeout(fn, Math.min(ms, LONGEST_TIMEOUT_MS));
    return { cancel: () => clearTimeout(timer) };
  },
};

/** Resolves after `ms`, or as soon as the signal aborts; it never rejects: whoever waits looks at the signal. */
export function sleep(clock: ClientClock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) {
      resolve();
      return;
    }
    const done = (): void => {
      timer.cancel();
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = clock.setTimeout(done, ms);
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** The error for a signal that aborted: TIMEOUT where a deadline of this room did it, otherwise ABORTED. */
export function abortError(signal: AbortSignal): LocalError {
  const reason: unknown = signal.reason;
  if (reason instanceof LocalError) return reason;
  return new LocalError("ABORTED", "aborted by the caller", { cause: reason });
}

/**
 * Waits for a promise or for the abort of a signal, whichever is first: a transport that ignores its signal holds
 * nobody up.
 *
 * @throws LocalError ABORTED or TIMEOUT when the signal is first
 */
export function raceAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(abortError(signal));
    if (signal.aborted) {
      promise.catch(() => undefined);
      onAbort();
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}

/** A signal that aborts with the caller's, or when time is up. */
export interface Deadline {
  readonly signal: AbortSignal | undefined;
  /** Ends the timer; call it in any case. */
  dispose(): void;
}

/**
 * Joins the caller's signal and a time limit.
 *
 * @param clock whose time counts
 * @param options the caller's `signal`, and `timeoutMs` (none when absent)
 * @param what begins the message of the TIMEOUT, `task t-1`
 */
export function startDeadline(
  clock: ClientClock,
  options: { readonly signal?: AbortSignal | undefined; readonly timeoutMs?: number | undefined },
  what: string,
): Deadline {
  const { signal, timeoutMs } = options;
  if (timeoutMs === undefined) return { signal, dispose: () => undefined };
  const expired = new AbortController();
  const reason = new LocalError(
    "TIMEOUT",
    `${what}: no end within ${timeoutMs} ms; the agent goes on, ask again later`,
    {
      metadata: { timeoutMs: String(timeoutMs) },
    },
  );
  const timer = clock.setTimeout(() => expired.abort(reason), timeoutMs);
  return {
    signal: signal === undefined ? expired.signal : AbortSignal.any([signal, expired.signal]),
    dispose: () => timer.cancel(),
  };
}
