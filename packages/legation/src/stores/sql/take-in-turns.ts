/** Something that waits to be claimed. */
export interface Candidate {
  readonly tenant: string;
  readonly wake: number;
}

/**
 * Gives the candidates to claim: one of each tenant in turn, each tenant's as they fell due, so that nobody waits
 * behind the backlog of another.
 *
 * @param candidates all that may be claimed, in any order.
 * @param limit how many to give.
 * @param lastTenant the tenant that was served last: the turn goes on behind it.
 */
export function takeInTurns<Each extends Candidate>(
  candidates: readonly Each[],
  limit: number,
  lastTenant: string,
): readonly Each[] {
  const byTenant = Map.groupBy(candidates, ({ tenant }) => tenant);
  for (const queue of byTenant.values()) queue.sort((a, b) => a.wake - b.wake);
  const tenants = [...byTenant.keys()].sort();
  const start = Math.max(
    0,
    tenants.findIndex((tenant) => tenant > lastTenant),
  );
  const turns = [...tenants.slice(start), ...tenants.slice(0, start)];
  const taken: Each[] = [];
  for (let round = 0; taken.length < limit; round += 1) {
    const before = taken.length;
    for (const tenant of turns) {
      const next = byTenant.get(tenant)?.[round];
      if (next !== undefined && taken.length < limit) taken.push(next);
    }
    if (taken.length === before) break;
  }
  return taken;
}
