/** Those who wait for something to become true of what is committed. */
interface Waiter<T> {
  readonly condition: (value: T) => boolean;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export class Waiters<T> {
  #waiters: Waiter<T>[] = [];

  get size(): number {
    return this.#waiters.length;
  }

  /** Resolves when {@link tell} is given a value that satisfies the condition; rejects with the reason of the signal. */
  until(condition: (value: T) => boolean, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(signal.reason);
        return;
      }
      const leave = (): void => {
        signal?.removeEventListener("abort", abort);
        this.#waiters = this.#waiters.filter((other) => other !== waiter);
      };
      const abort = (): void => {
        leave();
        reject(signal?.reason);
      };
      const waiter: Waiter<T> = {
        condition,
        resolve: () => {
          leave();
          resolve();
        },
        reject: (reason) => {
          leave();
          reject(reason);
        },
      };
      signal?.addEventListener("abort", abort, { once: true });
      this.#waiters.push(waiter);
    });
  }

  /** Lets those go on whose condition has come true. */
  tell(value: T): void {
    if (this.#waiters.length === 0) return;
    for (const waiter of [...this.#waiters]) if (waiter.condition(value)) waiter.resolve();
  }

  /** Nothing will come true any more. */
  end(reason: unknown): void {
    for (const waiter of [...this.#waiters]) waiter.reject(reason);
  }
}
