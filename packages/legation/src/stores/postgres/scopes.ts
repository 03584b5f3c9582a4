import type { ListQuery, TaskIdentity } from "../../engine/store.ts";
import type { ScopeNumbers } from "./batch-call.ts";
import type { PgRunner, RunStatement } from "./driver.ts";
import type { PgStatements } from "./statements.ts";

/** How many are remembered; beyond it all are forgotten, which costs one round trip each. */
const REMEMBERED = 20_000;

type Names = Pick<TaskIdentity & ListQuery, "tenant" | "owner" | "agent">;

/** The numbers of scopes, each asked for once: rows never change. */
export class PgScopes {
  readonly #run: RunStatement;
  readonly #statements: PgStatements;
  readonly #known = new Map<string, ScopeNumbers>();

  /** @param run runs statements. @param statements of the schema. */
  constructor(run: RunStatement, statements: PgStatements) {
    this.#run = run;
    this.#statements = statements;
  }

  /** Gives the numbers, undefined when nothing was ever stored there. */
  async find(runner: PgRunner, names: Names): Promise<ScopeNumbers | undefined> {
    const key = keyOf(names);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { rows } = await this.#run(runner, this.#statements.scope, [names.tenant, names.owner, names.agent]);
    const row = rows[0];
    if (row === undefined) return undefined;
    const found = { scope: Number(row[0]), lane: Number(row[1]) };
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(key, found);
    return found;
  }

  /** Makes the scopes that are new, before the transaction that needs them: most batches need none. */
  async obtainAll(runner: PgRunner, all: readonly Names[]): Promise<ReadonlyMap<string, ScopeNumbers>> {
    const obtained = new Map<string, ScopeNumbers>();
    for (const names of all) {
      const key = keyOf(names);
      if (!obtained.has(key)) obtained.set(key, await this.#obtain(runner, names));
    }
    return obtained;
  }

  async #obtain(runner: PgRunner, names: Names): Promise<ScopeNumbers> {
    const { makeLane, makeScope } = this.#statements;
    const found = await this.find(runner, names);
    if (found !== undefined) return found;
    await this.#run(runner, makeLane, [names.tenant, names.agent]);
    await this.#run(runner, makeScope, [names.tenant, names.owner, names.agent]);
    const made = await this.find(runner, names);
    if (made === undefined) throw new Error(`scope of agent ${names.agent} was not made`);
    return made;
  }
}

/** Gives the key of a scope in what {@link PgScopes.obtainAll} gives. */
export function keyOf({ tenant, owner, agent }: Names): string {
  return `${tenant.length}:${owner.length}:${tenant}${owner}${agent}`;
}
