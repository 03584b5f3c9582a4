/** Below this the clocks count as one: it is far less than a lease, and what was written comes back as it was. */
const SAME_CLOCK_MS = 250;

/**
 * The clock of the database, by which leases go. Several machines share the leases, and one whose clock is wrong would
 * take the tasks of the others or keep its own for ever.
 */
export interface DatabaseClock {
  /** By how much the database is ahead of this process, in ms; 0 while they differ by little. */
  readonly offsetMs: number;
  /** Turns wall time of this process into that of the database. */
  toDatabase(ms: number): number;
  /** Turns wall time of the database into that of this process. */
  fromDatabase(ms: number): number;
  /** Notes what the database said between two readings of this process' clock. */
  note(databaseNow: number, before: number, after: number): void;
}

/** Makes a clock that knows nothing yet and takes both for one. */
export function createDatabaseClock(): DatabaseClock {
  let offsetMs = 0;
  return {
    get offsetMs() {
      return offsetMs;
    },
    toDatabase: (ms) => ms + offsetMs,
    fromDatabase: (ms) => ms - offsetMs,
    note: (databaseNow, before, after) => {
      const offset = Math.round(databaseNow - (before + after) / 2);
      offsetMs = Math.abs(offset) < SAME_CLOCK_MS ? 0 : offset;
    },
  };
}
