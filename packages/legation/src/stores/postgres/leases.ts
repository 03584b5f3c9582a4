import { type ClaimQuery, type LeaseRef, StoreCorrupt, type TaskRow } from "../../engine/store.ts";
import { TASK_COLUMN_COUNT } from "../sql/task-columns.ts";
import type { DatabaseClock } from "./database-clock.ts";
import type { PgPool, RunStatement } from "./driver.ts";
import type { PgStatements } from "./statements.ts";

/** What leases need of the store. */
export interface LeaseSettings {
  readonly pool: PgPool;
  readonly run: RunStatement;
  readonly statements: PgStatements;
  readonly clock: DatabaseClock;
  /** Reads a row with names. */
  readonly read: (values: readonly unknown[]) => TaskRow;
}

/** Who runs which task, by the clock of the database. Every call is one statement. */
export class PgLeases {
  readonly #settings: LeaseSettings;
  #lastTenant = "";

  /** @param settings what it works with. */
  constructor(settings: LeaseSettings) {
    this.#settings = settings;
  }

  async claim(query: ClaimQuery): Promise<readonly TaskRow[]> {
    const { holder, leaseMs, limit, agents, minAttempts, maxAttempts } = query;
    if (agents.length === 0) return [];
    const values = [holder, leaseMs, limit, [...agents], minAttempts, maxAttempts, this.#lastTenant];
    const found = await this.#run(this.#settings.statements.claim, values);
    const rows: TaskRow[] = [];
    for (const each of found) {
      const row = await this.#readClaimed(each);
      if (row !== undefined) rows.push(row);
    }
    const tenants = found.map((values) => String(values[TASK_COLUMN_COUNT]));
    this.#lastTenant = lastInTurn(tenants, this.#lastTenant);
    return rows;
  }

  async renew(holder: string, leases: readonly LeaseRef[], until: number): Promise<readonly LeaseRef[]> {
    if (leases.length === 0) return [];
    const { clock, statements } = this.#settings;
    const values = [holder, clock.toDatabase(until), ...pairs(leases)];
    const renewed = new Set((await this.#run(statements.renew, values)).map(([key, epoch]) => `${key}:${epoch}`));
    return leases.filter(({ key, epoch }) => !renewed.has(`${key}:${epoch}`));
  }

  async release(holder: string, leases: readonly LeaseRef[], due: number): Promise<void> {
    if (leases.length === 0) return;
    const { clock, statements } = this.#settings;
    await this.#run(statements.release, [holder, clock.toDatabase(due), ...pairs(leases)]);
  }

  async expire(holder: string): Promise<void> {
    await this.#run(this.#settings.statements.expire, [holder]);
  }

  async holders(): Promise<readonly string[]> {
    return (await this.#run(this.#settings.statements.holders, [])).map(([holder]) => String(holder));
  }

  async nextDue(agents: readonly string[]): Promise<number | undefined> {
    if (agents.length === 0) return undefined;
    const next = (await this.#run(this.#settings.statements.nextDue, [[...agents]]))[0]?.[0];
    return typeof next === "number" ? this.#settings.clock.fromDatabase(next) : undefined;
  }

  /** One that cannot be read is held, or it would stop every claim for ever. */
  async #readClaimed(values: readonly unknown[]): Promise<TaskRow | undefined> {
    try {
      return this.#settings.read(values);
    } catch (error) {
      if (!(error instanceof StoreCorrupt)) throw error;
      await this.#run(this.#settings.statements.hold, [values[0], error.message]);
      return undefined;
    }
  }

  async #run(text: string, values: readonly unknown[]): Promise<readonly (readonly unknown[])[]> {
    return (await this.#settings.run(this.#settings.pool, text, values)).rows;
  }
}

function pairs(leases: readonly LeaseRef[]): readonly [keys: number[], epochs: number[]] {
  return [leases.map(({ key }) => key), leases.map(({ epoch }) => epoch)];
}

/** The tenant that was served last, in the order that begins behind the one of the claim before. */
function lastInTurn(tenants: readonly string[], before: string): string {
  const last = [...new Set(tenants)]
    .sort((a, b) => Number(a <= before) - Number(b <= before) || (a < b ? -1 : 1))
    .at(-1);
  return last ?? before;
}
