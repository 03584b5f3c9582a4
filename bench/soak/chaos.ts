/** What the soak does to its processes: kills, pauses and stops them, and starts others in their place. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Cleanup } from "../../packages/legation/test/cli/rehearsal-process.ts";
import { type Replica, type ReplicaSettings, startReplica } from "../../packages/legation/test/guarantees/replica.ts";

/** Random numbers that a seed gives again. */
export interface Dice {
  /** A whole number from `min` to `max`. */
  between(min: number, max: number): number;
  /** True that often. */
  chance(of: number): boolean;
}

/** Makes dice of a seed. */
export function createDice(seed: number): Dice {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (of) => next() < of,
  };
}

/** How often each was done. */
export interface Counts {
  killed: number;
  paused: number;
  stopped: number;
}

/** The replicas of one store. A port always leads to the replica that stands in for the ones before. */
export class Fleet {
  readonly counts: Counts = { killed: 0, paused: 0, stopped: 0 };
  readonly settings: ReplicaSettings;
  readonly #cleanup: Cleanup;
  readonly #replicas: Replica[] = [];

  private constructor(settings: ReplicaSettings, cleanup: Cleanup) {
    this.settings = settings;
    this.#cleanup = cleanup;
  }

  static async start(settings: ReplicaSettings, size: number, cleanup: Cleanup): Promise<Fleet> {
    const fleet = new Fleet(settings, cleanup);
    for (let n = 0; n < size; n += 1) fleet.#replicas.push(await startReplica(cleanup, settings));
    return fleet;
  }

  get size(): number {
    return this.#replicas.length;
  }

  get pids(): readonly number[] {
    return this.#replicas.flatMap(({ child }) => child.pid ?? []);
  }

  /** Address of the n-th replica, round and round. */
  url(n: number): string {
    return this.#replicas[n % this.size]?.url ?? "";
  }

  /** Something bad to one of them. */
  async strike(dice: Dice): Promise<void> {
    const index = dice.between(0, this.size - 1);
    const replica = this.#replicas[index];
    if (replica === undefined) return;
    const how = dice.between(0, 9);
    if (how < 6) {
      this.counts.killed += 1;
      await replica.kill();
    } else if (how < 8) {
      this.counts.stopped += 1;
      await replica.stop(dice.between(0, 500));
    } else {
      this.counts.paused += 1;
      replica.child.kill("SIGSTOP");
      await sleep(dice.between(1_000, 6_000));
      replica.child.kill("SIGCONT");
      return;
    }
    if (dice.chance(0.3)) await sleep(dice.between(100, 3_000));
    this.#replicas[index] = await startReplica(this.#cleanup, { ...this.settings, port: replica.port });
  }
}
