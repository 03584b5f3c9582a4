/**
 * Hands results to a handler one at a time: between two of them the handler comes to rest. So what it does in
 * parallel goes on in the order of the results and in no other, in the first run as in every replay.
 */
import { afterThisTurn } from "./clock.ts";

export class Deliveries {
  readonly #queue: (() => void)[] = [];
  /** True from a delivery until the handler has come to rest. */
  #isBusy = false;
  #isScheduled = false;
  /** What the handler waits for that is no result: room for what it emits, a message that is read. */
  #waits = 0;

  get isBusy(): boolean {
    return this.#isBusy;
  }

  /** Resolves when the caller's result is the one to be handed over. */
  turn(): Promise<void> {
    if (this.#isBusy) return new Promise((resolve) => this.#queue.push(resolve));
    this.#isBusy = true;
    this.#schedule();
    return Promise.resolve();
  }

  /** No result is handed over before this wait is over and what follows from it is done. */
  async during<T>(wait: Promise<T>): Promise<T> {
    this.#waits += 1;
    this.#isBusy = true;
    try {
      return await wait;
    } finally {
      this.#waits -= 1;
      this.#schedule();
    }
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    afterThisTurn(() => {
      this.#isScheduled = false;
      if (this.#waits === 0) this.#next();
    });
  }

  #next(): void {
    const deliver = this.#queue.shift();
    this.#isBusy = deliver !== undefined;
    if (deliver === undefined) return;
    this.#schedule();
    deliver();
  }
}
