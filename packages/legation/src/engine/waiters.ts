/** Those who wait for something to become true of what is committed. */
interface Waiter<T> {
  readonly condition: (value: T) => boolean;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
  readonly signal: AbortSignal | undefined;
  /** Listens to the signal. */
  abort: (() => void) | undefined;
}

export class Waiters<T> {
  readonly #waiters: Waiter<T>[] = [];

  get size(): number {
    return this.#waiters.length;
  }

  /** Resolves when {@link tell} is given a value that satisfies the condition; rejects with the reason of the signal. */
  until(condition: (value: T) => boolean, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const waiter: Waiter<T> = { condition, resolve, reject, signal, abort: undefined };
      this.#waiters.push(waiter);
      if (signal === undefined) return;
      waiter.abort = () => {
        this.#take(this.#waiters.indexOf(waiter));
        reject(signal.reason);
      };
      signal.addEventListener("abort", waiter.abort, { once: true });
    });
  }

  /** Lets those go on whose condition has come true. */
  tell(value: T): void {
    for (let at = 0; at < this.#waiters.length; ) {
      const waiter = this.#waiters[at] as Waiter<T>;
      if (!waiter.condition(value)) {
        at += 1;
        continue;
      }
      this.#take(at);
      waiter.resolve();
    }
  }

  /** Nothing will come true any more. */
  end(reason: unknown): void {
    while (this.#waiters.length > 0) {
      const waiter = this.#waiters[0] as Waiter<T>;
      this.#take(0);
      waiter.reject(reason);
    }
  }

  #take(at: number): void {
    const [waiter] = at === -1 ? [] : this.#waiters.splice(at, 1);
    if (waiter?.abort !== undefined) waiter.signal?.removeEventListener("abort", waiter.abort);
  }
}
