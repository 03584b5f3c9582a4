import type { DatabaseSync } from "node:sqlite";
import { type ClaimQuery, type LeaseRef, StoreCorrupt, type TaskRow } from "../../engine/store.ts";
import { takeInTurns } from "../sql/take-in-turns.ts";
import { mapTaskRow } from "../sql/task-columns.ts";
import { createScopeTable } from "./scope-table.ts";
import { taskStatement } from "./task-statement.ts";

/** Who runs which task. All but `anyDue`, `nextDue` and `holders` only inside a transaction. */
export interface Leases {
  /** True when a claim may find something. */
  anyDue(query: ClaimQuery): boolean;
  claim(query: ClaimQuery): readonly TaskRow[];
  renew(holder: string, leases: readonly LeaseRef[], until: number): readonly LeaseRef[];
  release(holder: string, leases: readonly LeaseRef[], due: number): void;
  expire(holder: string): void;
  holders(): readonly string[];
  nextDue(agents: readonly string[]): number | undefined;
}

/** A lane in which something waits. */
interface WaitingLane {
  readonly lane: number;
  readonly tenant: string;
  /** When its first task may be claimed. */
  readonly wake: number;
}

/** Makes the leases of a connection. */
export function createLeases(db: DatabaseSync): Leases {
  const claims = createClaims(db);
  const extend = db.prepare(
    "UPDATE tasks SET lease_until = ?1, wake = CASE WHEN held IS NULL THEN ?1 END WHERE key = ?2 AND epoch = ?3 AND holder = ?4",
  );
  const give = db.prepare(
    "UPDATE tasks SET holder = NULL, lease_until = 0, due = ?1, wake = CASE WHEN held IS NULL THEN ?1 END " +
      "WHERE key = ?2 AND epoch = ?3 AND holder = ?4",
  );
  const end = db.prepare(
    "UPDATE tasks SET holder = NULL, lease_until = 0, due = 0, wake = 0 WHERE key IN " +
      "(SELECT key FROM tasks INDEXED BY tasks_wake WHERE wake IS NOT NULL AND holder = ?)",
  );
  const allHolders = db.prepare(
    "SELECT DISTINCT holder FROM tasks INDEXED BY tasks_wake WHERE wake IS NOT NULL AND holder IS NOT NULL",
  );
  return {
    ...claims,
    renew: (holder, leases, until) =>
      leases.filter(({ key, epoch }) => extend.run(until, key, epoch, holder).changes === 0),
    release: (holder, leases, due) => {
      for (const { key, epoch } of leases) give.run(due, key, epoch, holder);
    },
    expire: (holder) => {
      end.run(holder);
    },
    holders: () => allHolders.all().map((row) => String(row["holder"])),
  };
}

/** Makes what looks for waiting tasks. */
function createClaims(db: DatabaseSync): Pick<Leases, "anyDue" | "claim" | "nextDue"> {
  const scopes = createScopeTable(db);
  // One probe of the index per lane, however many tasks wait in it.
  const nextLane = db.prepare(
    "SELECT lane, wake FROM tasks WHERE lane > ? AND wake IS NOT NULL ORDER BY lane, wake LIMIT 1",
  );
  const waiting = db.prepare(
    "SELECT key, wake FROM tasks WHERE lane = ? AND wake <= ? AND attempts >= ? AND attempts < ? ORDER BY wake LIMIT ?",
  );
  const take = db.prepare(
    "UPDATE tasks SET epoch = epoch + 1, attempts = attempts + 1, holder = ?1, lease_until = ?2, wake = ?2 WHERE key = ?3",
  );
  const read = db.prepare(taskStatement("t.key = ?"));
  read.setReturnArrays(true);
  const hold = db.prepare("UPDATE tasks SET held = ?, holder = NULL, lease_until = 0, wake = NULL WHERE key = ?");
  let lastTenant = "";

  const waitingLanes = (agents: readonly string[]): readonly WaitingLane[] => {
    const lanes: WaitingLane[] = [];
    for (let row = nextLane.get(0); row !== undefined; row = nextLane.get(Number(row["lane"]))) {
      const lane = Number(row["lane"]);
      const names = scopes.lane(lane);
      if (names === undefined || !agents.includes(names.agent)) continue;
      lanes.push({ lane, tenant: names.tenant, wake: Number(row["wake"]) });
    }
    return lanes;
  };

  /** Reads a task that was just claimed; one that cannot be read is held, or it would stop every claim for ever. */
  const readClaimed = (key: number): TaskRow | undefined => {
    const values = read.get(key) as unknown as readonly unknown[];
    try {
      return mapTaskRow(values, scopes.names(Number(values[2])));
    } catch (error) {
      if (!(error instanceof StoreCorrupt)) throw error;
      hold.run(error.message, key);
      return undefined;
    }
  };

  return {
    anyDue: ({ agents, now }) => waitingLanes(agents).some(({ wake }) => wake <= now),
    claim: ({ agents, now, minAttempts, maxAttempts, limit, holder, leaseMs }) => {
      const candidates = waitingLanes(agents)
        .filter(({ wake }) => wake <= now)
        .flatMap(({ lane, tenant }) =>
          waiting
            .all(lane, now, minAttempts, maxAttempts, limit)
            .map((row) => ({ tenant, wake: Number(row["wake"]), key: Number(row["key"]) })),
        );
      const rows: TaskRow[] = [];
      for (const { key, tenant } of takeInTurns(candidates, limit, lastTenant)) {
        take.run(holder, now + leaseMs, key);
        const row = readClaimed(key);
        if (row !== undefined) rows.push(row);
        lastTenant = tenant;
      }
      return rows;
    },
    nextDue: (agents) => {
      const lanes = waitingLanes(agents);
      return lanes.length === 0 ? undefined : Math.min(...lanes.map(({ wake }) => wake));
    },
  };
}
