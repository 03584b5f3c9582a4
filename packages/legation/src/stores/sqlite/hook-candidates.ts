import type { DatabaseSync } from "node:sqlite";
import type { HookClaim } from "../../engine/push-hook.ts";
import { takeInTurns } from "../sql/take-in-turns.ts";
import { createScopeTable } from "./scope-table.ts";

/** A webhook that may be claimed. */
interface HookCandidate {
  readonly key: number;
  readonly id: string;
}

/**
 * Makes what chooses webhooks to claim: all that are due where they have room, else one of each owner in turn. Then the
 * owners with something that waits cost one probe of an index each, until enough is found.
 */
export function createHookCandidates(db: DatabaseSync): (query: HookClaim) => readonly HookCandidate[] {
  const scopes = createScopeTable(db);
  const due = db.prepare(
    "SELECT task, id, wake, scope FROM hooks WHERE agent = ? AND wake <= ? AND attempts >= ? AND attempts < ? ORDER BY wake LIMIT ?",
  );
  const nextScope = db.prepare(
    "SELECT scope, wake FROM hooks WHERE scope > ? AND wake IS NOT NULL ORDER BY scope, wake LIMIT 1",
  );
  const dueOf = db.prepare(
    "SELECT task, id, wake, scope, agent FROM hooks WHERE scope = ? AND wake <= ? AND attempts >= ? AND attempts < ? ORDER BY wake LIMIT ?",
  );
  let lastScope = "";

  function isPassedOver(scope: unknown, { except = [] }: HookClaim): boolean {
    const names = except.length === 0 ? undefined : scopes.names(Number(scope));
    return names !== undefined && except.some(({ tenant, owner }) => tenant === names.tenant && owner === names.owner);
  }

  /** The owners with something due, those behind the one that was served last first, no more than `limit` of them. */
  function dueScopes(query: HookClaim): readonly number[] {
    const found: number[] = [];
    const walk = (from: number, to: number): void => {
      for (let row = nextScope.get(from); row !== undefined; row = nextScope.get(Number(row["scope"]))) {
        const scope = Number(row["scope"]);
        if (scope > to || found.length >= query.limit) return;
        if (Number(row["wake"]) <= query.now && !isPassedOver(scope, query)) found.push(scope);
      }
    };
    const last = lastScope === "" ? -1 : Number(lastScope);
    walk(last, Number.MAX_SAFE_INTEGER);
    walk(-1, last);
    return found;
  }

  return (query) => {
    const { agents, now, minAttempts, limit } = query;
    if (limit <= 0) return [];
    const maxAttempts = Math.min(query.maxAttempts, Number.MAX_SAFE_INTEGER);
    const all = agents.flatMap((agent) => due.all(agent, now, minAttempts, maxAttempts, limit + 1));
    if (all.length <= limit) return all.filter(({ scope }) => !isPassedOver(scope, query)).map(candidateOf);
    const owners = dueScopes(query);
    const most = Math.min(limit, 1 + Math.ceil((2 * limit) / Math.max(1, owners.length)));
    const waiting = owners.flatMap((scope) =>
      dueOf
        .all(scope, now, minAttempts, maxAttempts, most)
        .filter(({ agent }) => agents.includes(String(agent)))
        .map((row) => ({ ...candidateOf(row), tenant: nameOf(scope), wake: Number(row["wake"]) })),
    );
    const taken = takeInTurns(waiting, limit, lastScope);
    lastScope = taken.at(-1)?.tenant ?? lastScope;
    return taken;
  };
}

function candidateOf(row: Readonly<Record<string, unknown>>): HookCandidate {
  return { key: Number(row["task"]), id: String(row["id"]) };
}

/** A name that sorts as the number does. */
function nameOf(scope: number): string {
  return String(scope).padStart(16, "0");
}
