import type { DatabaseSync } from "node:sqlite";
import type { TaskRow } from "../../engine/store.ts";
import { type EndedQuery, ERASED_OWNER, type UnfinishedQuery } from "../../engine/upkeep.ts";
import { STATE_CODES } from "../sql/codes.ts";
import { ownerDigest } from "../sql/dedupe-digest.ts";
import { mapTaskRow } from "../sql/task-columns.ts";
import { SEQ_BITS } from "./event-id.ts";
import { createScopeTable } from "./scope-table.ts";
import { rowStatement } from "./task-statement.ts";

/** The rows of a blob have ids `blob << 20 | n`; see blob-rows. */
const BLOB_ROW_BITS = 20;

/** What is read for the upkeep. */
export interface UpkeepReader {
  unfinished(query: UnfinishedQuery): readonly TaskRow[];
  ended(query: EndedQuery): readonly number[];
  openTasks(tenant: string): number;
}

/** What is written for it; only inside a transaction. */
export interface UpkeepRows {
  compact(keys: readonly number[]): void;
  remove(keys: readonly number[]): void;
  erase(tenant: string, owner: string, limit: number): readonly string[];
}

/** Makes the reader of a connection. */
export function createUpkeepReader(db: DatabaseSync): UpkeepReader {
  const scopes = createScopeTable(db);
  const lanes = "(?1 IS NULL OR t.lane IN (SELECT id FROM lanes WHERE agent IN (SELECT value FROM json_each(?1))))";
  const open = db.prepare(rowStatement(`t.key > ?2 AND ${lanes} AND t.state IN (1, 2, 6, 8) ORDER BY t.key LIMIT ?3`));
  const held = db.prepare(rowStatement(`t.held IS NOT NULL AND t.key > ?2 AND ${lanes} ORDER BY t.key LIMIT ?3`));
  for (const statement of [open, held]) statement.setReturnArrays(true);
  const old = db.prepare(
    "SELECT t.key AS key FROM scopes c JOIN lanes l ON l.id = c.lane JOIN tasks t ON t.scope = c.id " +
      "WHERE (?1 IS NULL OR l.tenant = ?1) AND t.state IN (SELECT value FROM json_each(?2)) AND t.status_time < ?3 " +
      "AND NOT EXISTS (SELECT 1 FROM hooks h WHERE h.task = t.key AND h.dead = 0 AND h.cursor < t.seq) " +
      `AND (?5 = 0 OR EXISTS (SELECT 1 FROM events e WHERE e.id = (t.key << ${SEQ_BITS}) + 1 AND e.payload <> '')) LIMIT ?4`,
  );
  const counted = db.prepare(
    "SELECT sum(o.n) AS n FROM lanes l JOIN scopes c ON c.lane = l.id JOIN counts o ON o.scope = c.id " +
      "WHERE l.tenant = ? AND c.owner <> ? AND o.state IN (1, 2, 6, 8)",
  );
  return {
    unfinished: ({ agents, held: onlyHeld, afterKey, limit }) => {
      const found = (onlyHeld ? held : open).all(
        agents === undefined ? null : JSON.stringify(agents),
        afterKey,
        limit,
      ) as unknown;
      return (found as readonly (readonly unknown[])[]).map((values) =>
        mapTaskRow(values, scopes.names(Number(values[2]))),
      );
    },
    openTasks: (tenant) => Number(counted.get(tenant, ERASED_OWNER)?.["n"] ?? 0),
    ended: ({ tenant, states, before, whole, limit }) => {
      const codes = JSON.stringify(states.map((state) => STATE_CODES[state]));
      return old.all(tenant ?? null, codes, before, limit, Number(whole)).map((row) => Number(row["key"]));
    },
  };
}

/** Makes the rows of a connection. */
export function createUpkeepRows(db: DatabaseSync): UpkeepRows {
  const range = `BETWEEN (?1 << ${SEQ_BITS}) AND ((?1 + 1) << ${SEQ_BITS}) - 1`;
  const count = db.prepare(
    "INSERT INTO counts (scope, state, n) SELECT scope, state, ?2 FROM tasks WHERE key = ?1 " +
      "ON CONFLICT (scope, state) DO UPDATE SET n = n + excluded.n",
  );
  const each = [
    `DELETE FROM events WHERE id ${range}`,
    "DELETE FROM snapshots WHERE task = ?1",
    "DELETE FROM hooks WHERE task = ?1",
    "DELETE FROM tasks WHERE key = ?1",
  ].map((sql) => db.prepare(sql));
  // Without an index: one look at the whole table for many tasks.
  const forget = db.prepare("DELETE FROM dedupe WHERE task IN (SELECT value FROM json_each(?))");
  const blank = db.prepare(
    `UPDATE events SET payload = '' WHERE id ${range} AND payload <> '' AND EXISTS (SELECT 1 FROM snapshots WHERE task = ?1)`,
  );
  return {
    compact: (keys) => {
      for (const key of keys) blank.run(key);
    },
    remove: (keys) => {
      for (const key of keys) {
        count.run(key, -1);
        for (const statement of each) statement.run(key);
      }
      forget.run(JSON.stringify(keys));
    },
    erase: createErase(db, count, range),
  };
}

function createErase(db: DatabaseSync, count: ReturnType<DatabaseSync["prepare"]>, range: string): UpkeepRows["erase"] {
  const scopes = createScopeTable(db);
  const some = db.prepare(
    "SELECT t.key AS key, t.id AS id, l.tenant AS tenant, l.agent AS agent FROM lanes l JOIN scopes c ON c.lane = l.id " +
      "JOIN tasks t ON t.scope = c.id WHERE l.tenant = ? AND c.owner = ? LIMIT ?",
  );
  const blank = db.prepare(`UPDATE events SET payload = '' WHERE id ${range} AND payload <> ''`);
  const drop = ["DELETE FROM snapshots WHERE task = ?", "DELETE FROM hooks WHERE task = ?"].map((sql) =>
    db.prepare(sql),
  );
  const move = db.prepare(
    "UPDATE tasks SET scope = ?2, context_id = '', epoch = epoch + 1, holder = NULL, lease_until = 0, due = NULL, " +
      "wake = NULL, held = 'erased', hooks = 0 WHERE key = ?1",
  );
  const rest = [
    `DELETE FROM blob_rows WHERE (id >> ${BLOB_ROW_BITS}) IN (SELECT id FROM blobs WHERE tenant = ?1 AND owner = ?2)`,
    "DELETE FROM blobs WHERE tenant = ?1 AND owner = ?2",
  ].map((sql) => db.prepare(sql));
  const replies = db.prepare("DELETE FROM dedupe WHERE digest >= ?1 AND digest < ?1 || '~'");
  return (tenant, owner, limit) => {
    const found = some.all(tenant, owner, limit) as unknown as readonly { key: number; id: string; agent: string }[];
    for (const { key, agent } of found) {
      count.run(key, -1);
      blank.run(key);
      for (const statement of drop) statement.run(key);
      move.run(key, scopes.obtain({ tenant, owner: ERASED_OWNER, agent }).scope);
      count.run(key, 1);
    }
    if (found.length < limit) {
      for (const statement of rest) statement.run(tenant, owner);
      replies.run(ownerDigest(tenant, owner));
    }
    return found.map(({ id }) => id);
  };
}
