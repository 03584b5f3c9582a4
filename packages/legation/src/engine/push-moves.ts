/**
 * Writes where deliveries are. All webhooks of a process share one write at a time: while one is under way, what comes
 * meanwhile is gathered, and of one webhook only the newest word is written.
 */
import type { Clock } from "./clock.ts";
import type { HookMove, HookStore } from "./push-hook.ts";
import { StoreUnavailable } from "./store.ts";

interface Pending {
  move: HookMove;
  readonly done: PromiseWithResolvers<boolean>;
}

const RETRY_FIRST_MS = 50;
const RETRY_LONGEST_MS = 5_000;

export class PushMoves {
  readonly #store: HookStore;
  readonly #holder: string;
  readonly #clock: Clock;
  readonly #warn: (error: unknown) => void;
  #pending = new Map<string, Pending>();
  #writing = false;

  constructor(store: HookStore, holder: string, clock: Clock, warn: (error: unknown) => void) {
    this.#store = store;
    this.#holder = holder;
    this.#clock = clock;
    this.#warn = warn;
  }

  /** Resolves when it, or a newer word about the same webhook, is written: false when the lease is no longer ours. */
  write(move: HookMove): Promise<boolean> {
    const name = `${move.key} ${move.id}`;
    const pending = this.#pending.get(name) ?? { move, done: Promise.withResolvers<boolean>() };
    pending.move = move;
    this.#pending.set(name, pending);
    if (!this.#writing) void this.#write();
    return pending.done.promise;
  }

  async #write(): Promise<void> {
    this.#writing = true;
    // What is written in the same turn of the loop goes out together.
    await Promise.resolve();
    while (this.#pending.size > 0) {
      const batch = [...this.#pending.values()];
      this.#pending = new Map();
      try {
        const moved = await this.#move(batch);
        for (const [index, { done }] of batch.entries()) done.resolve(moved[index] ?? false);
      } catch (failed) {
        for (const { done } of batch) done.reject(failed);
      }
    }
    this.#writing = false;
  }

  /** A store that is away is waited for: what was delivered is not to be delivered again. */
  async #move(batch: readonly Pending[]): Promise<readonly boolean[]> {
    for (let pauseMs = RETRY_FIRST_MS; ; pauseMs = Math.min(2 * pauseMs, RETRY_LONGEST_MS)) {
      try {
        return await this.#store.move(
          this.#holder,
          batch.map(({ move }) => move),
          this.#clock.now(),
        );
      } catch (failed) {
        this.#warn(failed);
        if (!(failed instanceof StoreUnavailable) || pauseMs === RETRY_LONGEST_MS) throw failed;
      }
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
