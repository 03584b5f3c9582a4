import type { DatabaseSync } from "node:sqlite";
import type { HookClaim, HookFilter, HookMove, HookRow, HookWrite, NewHook } from "../../engine/push-hook.ts";
import { StoreCorrupt } from "../../engine/store.ts";
import { hookStatement, mapHookRow } from "../sql/hook-columns.ts";
import { hookWakeOf } from "../sql/hook-wake.ts";
import { createHookCandidates } from "./hook-candidates.ts";

/** The webhooks in the file that are only read. */
export interface HookReader {
  get(key: number, id: string): HookRow | undefined;
  list(key: number, afterId: string, limit: number): readonly HookRow[];
  find(filter: HookFilter): readonly HookRow[];
  nextDue(agents: readonly string[]): number | undefined;
  holders(): readonly string[];
  /** True when a claim may find something. */
  anyDue(query: HookClaim): boolean;
}

/** The webhooks in the file; every call only inside a transaction. */
export interface HookRows {
  put(
    key: number,
    hook: NewHook,
    options: { readonly limit: number; readonly now: number },
  ): "put" | "full" | "missing";
  /** Registers one in the transaction that made the task or appended to it. */
  write(key: number, hook: HookWrite, seq: number, now: number): void;
  /** Makes the webhooks of a task due. @param isEnd the dead ones too. */
  touch(key: number, now: number, isEnd: boolean): void;
  remove(key: number, id: string): boolean;
  claim(query: HookClaim): readonly HookRow[];
  move(holder: string, moves: readonly HookMove[], now: number): readonly boolean[];
  redrive(key: number, id: string, now: number): boolean;
  expire(holder: string): void;
}

/** Makes the reader of a connection. */
export function createHookReader(db: DatabaseSync): HookReader {
  const one = db.prepare(`${hookStatement("")} WHERE h.task = ? AND h.id = ?`);
  const some = db.prepare(`${hookStatement("")} WHERE h.task = ? AND h.id > ? ORDER BY h.id LIMIT ?`);
  const all = db.prepare(
    `${hookStatement("")} WHERE (h.task, h.id) > (?1, ?2) AND (?3 IS NULL OR l.agent IN (SELECT value FROM json_each(?3))) ` +
      "AND (?4 IS NULL OR h.dead = ?4) AND (?5 IS NULL OR (h.cursor < t.seq) = ?5) ORDER BY h.task, h.id LIMIT ?6",
  );
  for (const statement of [one, some, all]) statement.setReturnArrays(true);
  const first = db.prepare("SELECT min(wake) AS wake FROM hooks WHERE agent = ? AND wake IS NOT NULL");
  const held = db.prepare("SELECT DISTINCT holder FROM hooks WHERE holder IS NOT NULL");
  const nextDue = (agents: readonly string[]): number | undefined => {
    const times = agents.flatMap((agent) => first.get(agent)?.["wake"] ?? []).map(Number);
    return times.length === 0 ? undefined : Math.min(...times);
  };
  const rows = (found: unknown): HookRow[] => (found as readonly (readonly unknown[])[]).map(mapHookRow);
  return {
    get: (key, id) => {
      const row = one.get(key, id) as unknown as readonly unknown[] | undefined;
      return row === undefined ? undefined : mapHookRow(row);
    },
    list: (key, afterId, limit) => rows(some.all(key, afterId, limit)),
    find: ({ agents, dead, behind, after, limit }) =>
      rows(
        all.all(
          after?.key ?? 0,
          after?.id ?? "",
          agents === undefined ? null : JSON.stringify(agents),
          flag(dead),
          flag(behind),
          limit,
        ),
      ),
    nextDue,
    holders: () => held.all().map((row) => String(row["holder"])),
    anyDue: ({ agents, now }) => (nextDue(agents) ?? now + 1) <= now,
  };
}

function flag(value: boolean | undefined): number | null {
  return value === undefined ? null : Number(value);
}

/** Makes the rows of a connection. */
export function createHookRows(db: DatabaseSync): HookRows {
  const taskOf = db.prepare(
    "SELECT t.seq AS seq, l.agent AS agent FROM tasks t JOIN lanes l ON l.id = t.lane WHERE t.key = ?",
  );
  const counted = db.prepare("SELECT count(*) AS n, max(id = ?2) AS known FROM hooks WHERE task = ?1");
  const insert = db.prepare(
    "INSERT INTO hooks (task, id, agent, scope, config, version, cursor, due, wake, attempts, epoch, holder, lease_until, dead, " +
      "error, created_at) SELECT ?1, ?2, l.agent, t.scope, ?3, ?4, ?5, iif(?6 > ?5, ?7, NULL), iif(?6 > ?5, ?7, NULL), 0, 1, NULL, 0, 0, " +
      "NULL, ?7 FROM tasks t JOIN lanes l ON l.id = t.lane WHERE t.key = ?1 " +
      "ON CONFLICT (task, id) DO UPDATE SET config = ?3, version = ?4, due = iif(?6 > cursor, ?7, NULL), " +
      "wake = iif(?6 > cursor, ?7, NULL), attempts = 0, epoch = epoch + 1, holder = NULL, lease_until = 0, dead = 0, error = NULL",
  );
  const count = db.prepare("UPDATE tasks SET hooks = (SELECT count(*) FROM hooks WHERE task = ?1) WHERE key = ?1");
  const wake = db.prepare(
    "UPDATE hooks SET due = ?2, wake = ?2 WHERE task = ?1 AND holder IS NULL AND due IS NULL AND (dead = 0 OR ?3)",
  );
  const remove = db.prepare("DELETE FROM hooks WHERE task = ? AND id = ?");
  const revive = db.prepare(
    "UPDATE hooks SET dead = iif(holder IS NULL, 0, dead), attempts = iif(holder IS NULL, 0, attempts), " +
      "due = iif(holder IS NULL, ?3, due), wake = iif(holder IS NULL, ?3, wake) WHERE task = ?1 AND id = ?2",
  );
  const end = db.prepare("UPDATE hooks SET holder = NULL, lease_until = 0, due = 0, wake = 0 WHERE holder = ?");
  const write: HookRows["write"] = (key, { id, config, version, cursor }, seq, now) => {
    insert.run(key, id, config, version, cursor, seq, now);
    count.run(key);
  };
  return {
    write,
    put: (key, hook, { limit, now }) => {
      const task = taskOf.get(key);
      if (task === undefined) return "missing";
      const { n, known } = counted.get(key, hook.id) as { n: number; known: number | null };
      if (known !== 1 && n >= limit) return "full";
      const seq = Number(task["seq"]);
      write(key, { ...hook, cursor: seq }, seq, now);
      return "put";
    },
    touch: (key, now, isEnd) => {
      wake.run(key, now, Number(isEnd));
    },
    remove: (key, id) => {
      if (remove.run(key, id).changes === 0) return false;
      count.run(key);
      return true;
    },
    ...createHookLeases(db),
    redrive: (key, id, now) => revive.run(key, id, now).changes === 1,
    expire: (holder) => {
      end.run(holder);
    },
  };
}

function createHookLeases(db: DatabaseSync): Pick<HookRows, "claim" | "move"> {
  const candidates = createHookCandidates(db);
  const take = db.prepare(
    "UPDATE hooks SET epoch = epoch + 1, holder = ?3, lease_until = ?4, wake = ?4, due = NULL WHERE task = ?1 AND id = ?2",
  );
  const read = db.prepare(`${hookStatement("")} WHERE h.task = ? AND h.id = ?`);
  read.setReturnArrays(true);
  const bury = db.prepare(
    "UPDATE hooks SET dead = 1, error = ?3, holder = NULL, lease_until = 0, due = NULL, wake = NULL WHERE task = ?1 AND id = ?2",
  );
  const guard = db.prepare(
    "SELECT t.seq AS seq FROM hooks h JOIN tasks t ON t.key = h.task WHERE h.task = ? AND h.id = ? AND h.epoch = ? AND h.holder = ?",
  );
  const move = db.prepare(
    "UPDATE hooks SET cursor = ?3, attempts = ?4, dead = ?5, error = ?6, holder = ?7, lease_until = ?8, due = ?9, wake = ?10 " +
      "WHERE task = ?1 AND id = ?2",
  );
  /** Reads a webhook that was just claimed; one that cannot be read is dead, or it would stop every claim for ever. */
  const readClaimed = (key: number, id: string): HookRow | undefined => {
    try {
      return mapHookRow(read.get(key, id) as unknown as readonly unknown[]);
    } catch (error) {
      if (!(error instanceof StoreCorrupt)) throw error;
      bury.run(key, id, error.message);
      return undefined;
    }
  };
  return {
    claim: (query) =>
      candidates(query).flatMap(({ key, id }) => {
        take.run(key, id, query.holder, query.now + query.leaseMs);
        return readClaimed(key, id) ?? [];
      }),
    move: (holder, moves, now) =>
      moves.map(({ key, id, epoch, cursor, attempts, dead, error, leaseUntil, due: next }) => {
        const row = guard.get(key, id, epoch, holder);
        if (row === undefined) return false;
        const isKept = leaseUntil > 0;
        const isBehind = !dead && Number(row["seq"]) > cursor;
        const columns = {
          holder: isKept ? holder : null,
          leaseUntil,
          due: isKept ? null : (next ?? (isBehind ? now : null)),
        };
        const place = [columns.holder, leaseUntil, columns.due, hookWakeOf(columns)] as const;
        move.run(key, id, cursor, attempts, Number(dead), error, ...place);
        return true;
      }),
  };
}
