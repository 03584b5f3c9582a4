/**
 * Warms a server until the compilers of V8 have come to rest, whose threads count too: until its work has not become
 * cheaper for a while. They take some ten thousand requests, and more where the code is deeper.
 */
import type { Lab } from "./lab.ts";

/** A round that saves less than this has found nothing new. */
const SAVING = 0.03;
const CALM_ROUNDS = 3;
const MOST_ROUNDS = 15;

/** @param run does a round of the work and gives what it cost, in any unit */
export async function warmUp(lab: Lab, run: () => Promise<number>): Promise<void> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0, calm = 0; round < lab.scaled(MOST_ROUNDS) && calm < CALM_ROUNDS; round++) {
    const cost = await run();
    calm = cost < best * (1 - SAVING) ? 0 : calm + 1;
    best = Math.min(best, cost);
  }
}
