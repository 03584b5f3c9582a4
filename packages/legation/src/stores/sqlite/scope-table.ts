import type { DatabaseSync } from "node:sqlite";
import type { ScopeNames } from "../sql/task-columns.ts";

/** The numbers of a (tenant, owner, agent). */
export interface ScopeNumbers {
  readonly scope: number;
  readonly lane: number;
}

/** Names and numbers of scopes and lanes, each read once; rows never change, so the memory of them is never stale. */
export interface ScopeTable {
  /** Gives the numbers, undefined when nothing was ever stored there. */
  find(names: ScopeNames): ScopeNumbers | undefined;
  /** Gives the numbers and makes them when they are new. Only inside a transaction. */
  obtain(names: ScopeNames): ScopeNumbers;
  /** Gives the names of a scope. */
  names(scope: number): ScopeNames | undefined;
  /** Gives the tenant and agent of a lane. */
  lane(lane: number): { readonly tenant: string; readonly agent: string } | undefined;
  /** Forgets everything, because a transaction that made scopes was rolled back. */
  forget(): void;
}

/** How many are remembered; beyond it all are forgotten, which costs one read each. */
const REMEMBERED = 20_000;

/** Makes the table of a connection. */
export function createScopeTable(db: DatabaseSync): ScopeTable {
  const findLane = db.prepare("SELECT id FROM lanes WHERE tenant = ? AND agent = ?");
  const addLane = db.prepare("INSERT INTO lanes (tenant, agent) VALUES (?, ?) RETURNING id");
  const readLane = db.prepare("SELECT tenant, agent FROM lanes WHERE id = ?");
  const findScope = db.prepare("SELECT id FROM scopes WHERE lane = ? AND owner = ?");
  const addScope = db.prepare("INSERT INTO scopes (lane, owner) VALUES (?, ?) RETURNING id");
  const readScope = db.prepare(
    "SELECT l.tenant, s.owner, l.agent FROM scopes s JOIN lanes l ON l.id = s.lane WHERE s.id = ?",
  );
  const numbers = new Map<string, ScopeNumbers>();
  const names = new Map<number, ScopeNames>();
  const lanes = new Map<number, { tenant: string; agent: string }>();

  const resolve = ({ tenant, owner, agent }: ScopeNames, make: boolean): ScopeNumbers | undefined => {
    const key = `${tenant.length}:${owner.length}:${tenant}${owner}${agent}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const lane = findLane.get(tenant, agent) ?? (make ? addLane.get(tenant, agent) : undefined);
    if (lane === undefined) return undefined;
    const laneId = Number(lane["id"]);
    const scope = findScope.get(laneId, owner) ?? (make ? addScope.get(laneId, owner) : undefined);
    if (scope === undefined) return undefined;
    const found = { scope: Number(scope["id"]), lane: laneId };
    return remember(numbers, key, found);
  };

  return {
    find: (wanted) => resolve(wanted, false),
    obtain: (wanted) => resolve(wanted, true) as ScopeNumbers,
    names: (scope) => {
      const row = names.get(scope) ?? readScope.get(scope);
      return row === undefined ? undefined : remember(names, scope, row as unknown as ScopeNames);
    },
    lane: (lane) => {
      const row = lanes.get(lane) ?? readLane.get(lane);
      return row === undefined ? undefined : remember(lanes, lane, row as unknown as { tenant: string; agent: string });
    },
    forget: () => {
      for (const map of [numbers, names, lanes]) map.clear();
    },
  };
}

function remember<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): Value {
  if (map.size >= REMEMBERED) map.clear();
  map.set(key, value);
  return value;
}
