/** The store of our server under measurement, and what is counted of it from outside. */
import { openStore } from "legation/node";
import type { Store } from "legation/server";
import pg from "pg";

type Batch = Parameters<Store["commit"]>[0];
type Outcome = Awaited<ReturnType<Store["commit"]>>;

/** What was counted. */
export interface StoreCounts {
  commits: number;
  /** Statements on all connections of this process to PostgreSQL: each is one round trip. */
  statements: number;
  /** Of these, what a replica asks for by the clock, whether there are tasks or not: what is due, whether others wrote. */
  timed: number;
  /** When the commit of a chunk had its answer, by `<task>:<seq>`, in ms of {@link hostMs}; absent: it is not noted. */
  committedAt?: Record<string, number> | undefined;
}

/** A clock that all processes of this machine share, in ms. */
export function hostMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Opens the store of a URL that a disk or a server stands behind. */
export async function openCountedStore(url: string, counts: StoreCounts): Promise<Store> {
  if (url.startsWith("postgres:")) countStatements(counts);
  const store = await openStore(url);
  const commit = store.commit.bind(store);
  store.commit = async (batch) => {
    counts.commits += 1;
    const outcome = await commit(batch);
    if (counts.committedAt !== undefined) note(batch, outcome, counts.committedAt);
    return outcome;
  };
  return store;
}

/** Claims and renewals, the next due time, webhooks that are due, the position of the log. */
const TIMED = /^WITH\b|FROM ("[^"]+"|\S+)\.hooks\b|pg_current_wal_insert_lsn/;

/** Leases, hints, clocks and all: whatever the store asks goes through this one method of the driver. */
function countStatements(counts: StoreCounts): void {
  const { prototype } = pg.Client as unknown as { prototype: { query(...values: unknown[]): unknown } };
  const query = prototype.query;
  prototype.query = function (...values) {
    const [asked] = values as readonly { readonly text?: string }[];
    counts.statements += 1;
    if (TIMED.test(asked?.text ?? "")) counts.timed += 1;
    return query.apply(this, values);
  };
}

function note(batch: Batch, outcome: Outcome, committedAt: Record<string, number>): void {
  const at = hostMs();
  for (const [index, { seq, events }] of batch.tasks.entries()) {
    if (outcome.tasks[index]?.ok !== true) continue;
    for (const [place, { kind, payload }] of events.entries()) {
      const taskId = kind === "artifact" ? /"taskId":"([^"]+)"/.exec(payload)?.[1] : undefined;
      if (taskId !== undefined) committedAt[`${taskId}:${seq + place + 1}`] = at;
    }
  }
}
