/**
 * What a process loses with its power: a store and a clock that fall silent together. A call in flight is never
 * answered and a timer never fires, which is all that a dead process can do; what was committed stays.
 */
import { type Clock, monotonic } from "../engine/clock.ts";
import type { Store } from "../engine/store.ts";

/** The supply of one life of an engine. */
export interface Power {
  /** The store as this life sees it. Closing it leaves the store underneath open for the next life. */
  readonly store: Store;
  readonly clock: Clock;
  /** Aborts when the power is cut. */
  readonly signal: AbortSignal;
  cut(): void;
}

/** Puts a store and a clock on a supply of their own. */
export function createPower(store: Store, clock: Clock): Power {
  const supply = new AbortController();
  const { signal } = supply;
  return {
    store: powered(store, signal),
    clock: {
      now: () => clock.now(),
      monotonic: () => monotonic(clock),
      setTimeout: (fn, ms) => clock.setTimeout(() => signal.aborted || fn(), ms),
    },
    signal,
    cut: () => supply.abort(),
  };
}

/** A promise that a dead process waits for. */
const NEVER: Promise<never> = new Promise(() => undefined);

/** What a life does when it ends well belongs to the store's owner here, which goes on after it. */
const KEPT_OPEN: ReadonlySet<PropertyKey> = new Set(["close", Symbol.asyncDispose]);

function powered<Part extends object>(store: Part, signal: AbortSignal): Part {
  return new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (key === "hooks" && typeof member === "object" && member !== null) return powered(member, signal);
      if (typeof member !== "function") return member;
      if (KEPT_OPEN.has(key)) return async () => undefined;
      return (...args: unknown[]): unknown => {
        if (signal.aborted) return NEVER;
        const result: unknown = Reflect.apply(member, target, args);
        if (!(result instanceof Promise)) return result;
        return result.then(
          (value) => (signal.aborted ? NEVER : value),
          (reason) => (signal.aborted ? NEVER : Promise.reject(reason)),
        );
      };
    },
  });
}
