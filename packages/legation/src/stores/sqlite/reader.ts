import type { DatabaseSync, StatementSync } from "node:sqlite";
import {
  type DedupeKey,
  type DedupeRow,
  type EventRow,
  type ListPage,
  type ListQuery,
  StoreCorrupt,
  type TaskRow,
} from "../../engine/store.ts";
import { kindOf } from "../sql/codes.ts";
import { dedupeDigest } from "../sql/dedupe-digest.ts";
import { mapTaskRow } from "../sql/task-columns.ts";
import { type BlobRows, createBlobRows } from "./blob-rows.ts";
import { createDedupeRows } from "./dedupe-rows.ts";
import { eventsOf, SEQ_BITS, seqOf } from "./event-id.ts";
import { createHookReader, type HookReader } from "./hook-rows.ts";
import { createLeases } from "./leases.ts";
import { createListReader } from "./list-reader.ts";
import { createScopeTable } from "./scope-table.ts";
import { rowStatement, taskStatement } from "./task-statement.ts";
import { createUpkeepReader, type UpkeepReader } from "./upkeep.ts";

/** Everything that reads, synchronously and on one connection. */
export interface SqliteReader {
  readonly blobs: BlobRows;
  readonly hooks: HookReader;
  readonly upkeep: UpkeepReader;
  task(id: string): TaskRow | undefined;
  /** The same without its snapshot. */
  row(id: string): TaskRow | undefined;
  events(key: number, afterSeq: number, maxBytes: number): readonly EventRow[];
  list(query: ListQuery): ListPage;
  dedupe(key: DedupeKey): DedupeRow | undefined;
  holders(): readonly string[];
  nextDue(agents: readonly string[]): number | undefined;
}

/**
 * Makes the reader of a connection. Its calls throw what SQLite throws, and StoreCorrupt for a row that cannot be read.
 *
 * @param db an open database with the current schema.
 */
export function createReader(db: DatabaseSync): SqliteReader {
  const scopes = createScopeTable(db);
  const leases = createLeases(db);
  const dedupe = createDedupeRows(db);
  const hooks = createHookReader(db);
  const byId = db.prepare(taskStatement("t.id = ?"));
  const rowById = db.prepare(rowStatement("t.id = ?"));
  const find = (statement: StatementSync, id: string): TaskRow | undefined => {
    const values = statement.get(id) as unknown as readonly unknown[] | undefined;
    return values === undefined ? undefined : mapTaskRow(values, scopes.names(Number(values[2])));
  };
  byId.setReturnArrays(true);
  rowById.setReturnArrays(true);
  return {
    blobs: createBlobRows(db),
    hooks,
    upkeep: createUpkeepReader(db),
    task: (id) => find(byId, id),
    row: (id) => find(rowById, id),
    events: createEventReader(db),
    list: createListReader(db, scopes),
    dedupe: (key) => dedupe.find(key, dedupeDigest(key)),
    holders: () => [...new Set([...leases.holders(), ...hooks.holders()])],
    nextDue: (agents) => leases.nextDue(agents),
  };
}

function createEventReader(db: DatabaseSync): SqliteReader["events"] {
  const select = db.prepare(
    `SELECT ${seqOf("e")}, e.kind, e.time, e.payload FROM events e ` +
      `WHERE e.id > (?1 << ${SEQ_BITS}) + ?2 AND ${eventsOf("e", "?1")} ORDER BY e.id`,
  );
  select.setReturnArrays(true);
  const idOf = db.prepare("SELECT id FROM tasks WHERE key = ?");
  return (key, afterSeq, maxBytes) => {
    const rows: EventRow[] = [];
    let length = 0;
    for (const values of select.iterate(key, Math.max(0, afterSeq)) as Iterable<unknown>) {
      const [seq, code, time, payload] = values as readonly unknown[];
      const kind = kindOf(code);
      if (seq !== afterSeq + rows.length + 1 || kind === undefined || typeof payload !== "string") {
        const id = idOf.get(key)?.["id"] ?? `with key ${key}`;
        throw new StoreCorrupt(`task ${id}: entry ${afterSeq + rows.length + 1} of its log cannot be read`);
      }
      length += payload.length;
      if (rows.length > 0 && length > maxBytes) break;
      rows.push({ seq, kind, time: Number(time), payload });
    }
    return rows;
  };
}
