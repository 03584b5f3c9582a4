/**
 * How long a webhook is still ours. What counts is the time from before the lease was asked for, by the clock that says
 * more of it: a wall clock may be set back, and monotonic time stands still while the machine sleeps. That is a courtesy,
 * as with tasks: what makes it safe is the epoch that every write carries.
 */
import { type Clock, monotonic } from "./clock.ts";

/** When a lease was asked for. */
export interface LeaseAsked {
  readonly wall: number;
  readonly monotonic: number;
}

/** Takes the time, right before a lease is asked for. */
export function askLease(clock: Clock): LeaseAsked {
  return { wall: clock.now(), monotonic: monotonic(clock) };
}

/** What is left in ms of a lease that was granted; 0 or less when it is over. */
export function leaseLeft(clock: Clock, asked: LeaseAsked, leaseMs: number): number {
  return leaseMs - Math.max(clock.now() - asked.wall, monotonic(clock) - asked.monotonic);
}
