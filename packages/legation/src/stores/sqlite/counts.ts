import type { DatabaseSync } from "node:sqlite";

/** The running totals of listings. Only inside a transaction. */
export interface Counts {
  /** Notes that the tasks of a scope in a state became more or fewer. */
  add(scope: number, state: number, change: number): void;
  /** Writes what a batch changed: one row per scope and state, however many tasks went through it. */
  flush(): void;
  /** Forgets what was noted, because the transaction was rolled back. */
  forget(): void;
}

/** Makes the totals of a connection. */
export function createCounts(db: DatabaseSync): Counts {
  const write = db.prepare(
    "INSERT INTO counts (scope, state, n) VALUES (?, ?, ?) ON CONFLICT (scope, state) DO UPDATE SET n = n + excluded.n",
  );
  const changes = new Map<number, number>();
  return {
    add: (scope, state, change) => {
      const key = scope * 16 + state;
      changes.set(key, (changes.get(key) ?? 0) + change);
    },
    flush: () => {
      for (const [key, change] of changes) if (change !== 0) write.run(Math.floor(key / 16), key % 16, change);
      changes.clear();
    },
    forget: () => changes.clear(),
  };
}
