import type {
  HookClaim,
  HookFilter,
  HookMove,
  HookRow,
  HookStore,
  HookWrite,
  NewHook,
} from "../../engine/push-hook.ts";
import { StoreCorrupt } from "../../engine/store.ts";
import { mapHookRow } from "../sql/hook-columns.ts";
import type { DatabaseClock } from "./database-clock.ts";
import { type PgPool, type PgRunner, type RunStatement, withClient } from "./driver.ts";
import type { PgHookStatements } from "./hook-statements.ts";

/** What webhooks need of the store. */
export interface HookSettings {
  readonly pool: PgPool;
  readonly run: RunStatement;
  readonly statements: PgHookStatements;
  readonly clock: DatabaseClock;
}

/** The webhooks in PostgreSQL, by the clock of the database. */
export class PgHooks implements HookStore {
  readonly #settings: HookSettings;

  /** @param settings what it works with. */
  constructor(settings: HookSettings) {
    this.#settings = settings;
  }

  put(key: number, hook: NewHook, { limit }: { readonly limit: number }): Promise<"put" | "full" | "missing"> {
    const { statements, run } = this.#settings;
    return this.#transaction(async (client) => {
      const seq = (await run(client, statements.lockTask, [key])).rows[0]?.[0];
      if (seq === undefined) return "missing";
      const [n, known] = (await run(client, statements.count, [key, hook.id])).rows[0] ?? [];
      if (known !== true && Number(n) >= limit) return "full";
      await this.write(client, key, { ...hook, cursor: Number(seq) });
      return "put";
    });
  }

  /** Registers one within a transaction that has locked its task. */
  async write(client: PgRunner, key: number, { id, config, version, cursor }: HookWrite): Promise<void> {
    const { statements, run } = this.#settings;
    await run(client, statements.write, [key, id, config, version, cursor]);
    await run(client, statements.recount, [key]);
  }

  async get(key: number, id: string): Promise<HookRow | undefined> {
    return (await this.#rows(this.#settings.statements.get, [key, id]))[0];
  }

  list(key: number, afterId: string, limit: number): Promise<readonly HookRow[]> {
    return this.#rows(this.#settings.statements.list, [key, afterId, limit]);
  }

  remove(key: number, id: string): Promise<boolean> {
    const { statements, run } = this.#settings;
    return this.#transaction(async (client) => {
      await run(client, statements.lockTask, [key]);
      if ((await run(client, statements.remove, [key, id])).rowCount === 0) return false;
      await run(client, statements.recount, [key]);
      return true;
    });
  }

  async claim(query: HookClaim): Promise<readonly HookRow[]> {
    const { holder, leaseMs, limit, agents, minAttempts, maxAttempts, except = [] } = query;
    const passedOver = [except.map(({ tenant }) => tenant), except.map(({ owner }) => owner)];
    const values = [holder, leaseMs, limit, [...agents], minAttempts, maxAttempts, ...passedOver];
    const { run, pool, statements } = this.#settings;
    const claimed = (await run(pool, statements.claim, values)).rows;
    const rows: HookRow[] = [];
    for (const found of claimed) {
      const row = await this.#readClaimed(found);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }

  async move(holder: string, moves: readonly HookMove[]): Promise<readonly boolean[]> {
    if (moves.length === 0) return [];
    const { clock, run, pool, statements } = this.#settings;
    const rows = moves.map(({ key, leaseUntil, due, ...rest }) => ({
      ...rest,
      task: key,
      lease_until: leaseUntil === 0 ? 0 : clock.toDatabase(leaseUntil),
      due: due === null ? null : clock.toDatabase(due),
    }));
    const { rows: done } = await run(pool, statements.move, [holder, JSON.stringify(rows)]);
    const moved = new Set(done.map(([key, id]) => `${key} ${id}`));
    return moves.map(({ key, id }) => moved.has(`${key} ${id}`));
  }

  async redrive(key: number, id: string): Promise<boolean> {
    const { run, pool, statements } = this.#settings;
    return (await run(pool, statements.redrive, [key, id])).rowCount === 1;
  }

  async nextDue(agents: readonly string[]): Promise<number | undefined> {
    const { run, pool, statements, clock } = this.#settings;
    const next = (await run(pool, statements.nextDue, [[...agents]])).rows[0]?.[0];
    return typeof next === "number" ? clock.fromDatabase(next) : undefined;
  }

  find({ agents, dead, behind, after, limit }: HookFilter): Promise<readonly HookRow[]> {
    const values = [
      after?.key ?? 0,
      after?.id ?? "",
      agents === undefined ? null : [...agents],
      dead ?? null,
      behind ?? null,
      limit,
    ];
    return this.#rows(this.#settings.statements.find, values);
  }

  async holders(): Promise<readonly string[]> {
    const { run, pool, statements } = this.#settings;
    return (await run(pool, statements.holders, [])).rows.map(([holder]) => String(holder));
  }

  async expire(holder: string): Promise<void> {
    const { run, pool, statements } = this.#settings;
    await run(pool, statements.expire, [holder]);
  }

  #transaction<Result>(work: (client: PgRunner) => Promise<Result>): Promise<Result> {
    return withClient(this.#settings.pool, async (client) => {
      await client.query({ text: "BEGIN" });
      try {
        const result = await work(client);
        await client.query({ text: "COMMIT" });
        return result;
      } catch (error) {
        await client.query({ text: "ROLLBACK" }).catch(() => {});
        throw error;
      }
    });
  }

  /** One that cannot be read is dead, or it would stop every claim for ever. */
  async #readClaimed(found: readonly unknown[]): Promise<HookRow | undefined> {
    try {
      return this.#read(found);
    } catch (error) {
      if (!(error instanceof StoreCorrupt)) throw error;
      const { run, pool, statements } = this.#settings;
      await run(pool, statements.bury, [found[0], found[1], error.message]);
      return undefined;
    }
  }

  async #rows(text: string, values: readonly unknown[]): Promise<readonly HookRow[]> {
    const { run, pool } = this.#settings;
    return (await run(pool, text, values)).rows.map((found) => this.#read(found));
  }

  #read(found: readonly unknown[]): HookRow {
    const { offsetMs } = this.#settings.clock;
    const row = mapHookRow(found);
    if (offsetMs === 0) return row;
    const leaseUntil = row.leaseUntil === 0 ? 0 : row.leaseUntil - offsetMs;
    return { ...row, leaseUntil, due: row.due === null ? null : row.due - offsetMs };
  }
}
