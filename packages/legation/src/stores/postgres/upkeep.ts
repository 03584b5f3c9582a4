import type { TaskRow } from "../../engine/store.ts";
import { type EndedQuery, ERASED_OWNER, type UnfinishedQuery, type UpkeepStore } from "../../engine/upkeep.ts";
import { STATE_CODES } from "../sql/codes.ts";
import { ownerDigest } from "../sql/dedupe-digest.ts";
import { TASK_COLUMNS } from "../sql/task-columns.ts";
import { type PgClient, type PgPool, type RunStatement, withClient } from "./driver.ts";
import { keyOf, type PgScopes } from "./scopes.ts";

/** What the upkeep needs of the store. */
export interface PgUpkeepSettings {
  readonly pool: PgPool;
  readonly run: RunStatement;
  readonly scopes: PgScopes;
  /** The quoted name of the schema. */
  readonly schema: string;
  /** Reads a row with names. */
  readonly read: (values: readonly unknown[]) => TaskRow;
  readonly touched: (taskId: string) => void;
}

/**
 * The upkeep in PostgreSQL. What was deleted stands in dead rows until VACUUM, and in the write-ahead log and backups
 * as long as those are kept: how long is the server's matter.
 */
export class PgUpkeep implements UpkeepStore<TaskRow> {
  readonly #settings: PgUpkeepSettings;

  /** @param settings what it works with. */
  constructor(settings: PgUpkeepSettings) {
    this.#settings = settings;
  }

  async unfinished({ agents, held, afterKey, limit }: UnfinishedQuery): Promise<readonly TaskRow[]> {
    const { pool, run, schema, read } = this.#settings;
    const which = held ? "t.held IS NOT NULL" : "t.state IN (1, 2, 6, 8)";
    const text =
      `SELECT ${TASK_COLUMNS}, l.tenant, c.owner, l.agent FROM ${schema}.tasks t ` +
      `JOIN ${schema}.scopes c ON c.id = t.scope JOIN ${schema}.lanes l ON l.id = c.lane ` +
      "CROSS JOIN (SELECT NULL::text AS json, NULL::bigint AS seq) s " +
      `WHERE t.key > $1 AND ${which} AND ($2::text[] IS NULL OR l.agent = ANY($2::text[])) ORDER BY t.key LIMIT $3`;
    return (await run(pool, text, [afterKey, agents === undefined ? null : [...agents], limit])).rows.map(read);
  }

  async openTasks(tenant: string): Promise<number> {
    const { pool, run, schema } = this.#settings;
    const text =
      `SELECT coalesce(sum(o.n), 0) FROM ${schema}.lanes l JOIN ${schema}.scopes c ON c.lane = l.id ` +
      `JOIN ${schema}.counts o ON o.scope = c.id WHERE l.tenant = $1 AND c.owner <> $2 AND o.state IN (1, 2, 6, 8)`;
    return Number((await run(pool, text, [tenant, ERASED_OWNER])).rows[0]?.[0] ?? 0);
  }

  async ended({ tenant, states, before, whole, limit }: EndedQuery): Promise<readonly number[]> {
    const { pool, run, schema } = this.#settings;
    const text =
      `SELECT t.key FROM ${schema}.tasks t JOIN ${schema}.scopes c ON c.id = t.scope ` +
      `JOIN ${schema}.lanes l ON l.id = c.lane WHERE ($1::text IS NULL OR l.tenant = $1) ` +
      "AND t.state = ANY($2::smallint[]) AND t.status_time < $3 " +
      `AND NOT EXISTS (SELECT FROM ${schema}.hooks h WHERE h.task = t.key AND NOT h.dead AND h.cursor < t.seq) ` +
      `AND (NOT $5 OR EXISTS (SELECT FROM ${schema}.events e WHERE e.task = t.key AND e.seq = 1 AND e.payload <> '')) LIMIT $4`;
    const codes = states.map((state) => STATE_CODES[state]);
    return (await run(pool, text, [tenant ?? null, codes, before, limit, whole])).rows.map(([key]) => Number(key));
  }

  async compact(keys: readonly number[]): Promise<void> {
    const text =
      "UPDATE {schema}.events e SET payload = '' WHERE e.task = ANY($1::bigint[]) AND e.payload <> '' " +
      "AND EXISTS (SELECT FROM {schema}.snapshots s WHERE s.task = e.task)";
    await this.#transaction((client) => this.#run(client, text, [[...keys]]));
  }

  async remove(keys: readonly number[]): Promise<void> {
    await this.#transaction(async (client) => {
      await this.#count(client, keys, -1);
      for (const table of ["events", "snapshots", "hooks", "dedupe"]) {
        await this.#run(client, `DELETE FROM {schema}.${table} WHERE task = ANY($1::bigint[])`, [[...keys]]);
      }
      await this.#run(client, "DELETE FROM {schema}.tasks WHERE key = ANY($1::bigint[])", [[...keys]]);
    });
  }

  async erase(tenant: string, owner: string, limit: number): Promise<readonly string[]> {
    const { pool, run, schema, scopes } = this.#settings;
    // Made outside of the transaction: what is remembered of them must be there even if it is undone.
    const lanes = (await run(pool, `SELECT agent FROM ${schema}.lanes WHERE tenant = $1`, [tenant])).rows;
    const graves = await withClient(pool, (client) =>
      scopes.obtainAll(
        client,
        lanes.map(([agent]) => ({ tenant, owner: ERASED_OWNER, agent: String(agent) })),
      ),
    );
    const erased = await this.#transaction(async (client) => {
      const text =
        "SELECT t.key, t.id, l.agent FROM {schema}.tasks t JOIN {schema}.scopes c ON c.id = t.scope " +
        "JOIN {schema}.lanes l ON l.id = c.lane WHERE l.tenant = $1 AND c.owner = $2 ORDER BY t.key LIMIT $3 FOR UPDATE OF t";
      const rows = await this.#run(client, text, [tenant, owner, limit]);
      const byAgent = new Map<string, number[]>();
      for (const [key, , agent] of rows) {
        const keys = byAgent.get(String(agent)) ?? [];
        byAgent.set(String(agent), keys);
        keys.push(Number(key));
      }
      for (const [agent, keys] of byAgent) {
        const grave = graves.get(keyOf({ tenant, owner: ERASED_OWNER, agent }));
        await this.#eraseTasks(client, keys, grave?.scope ?? 0);
      }
      if (rows.length < limit) await this.#eraseRest(client, tenant, owner);
      return rows.map(([, id]) => String(id));
    });
    for (const id of erased) this.#settings.touched(id);
    return erased;
  }

  async #eraseTasks(client: PgClient, keys: readonly number[], scope: number): Promise<void> {
    await this.#count(client, keys, -1);
    await this.#run(client, "UPDATE {schema}.events SET payload = '' WHERE task = ANY($1::bigint[])", [[...keys]]);
    for (const table of ["snapshots", "hooks"]) {
      await this.#run(client, `DELETE FROM {schema}.${table} WHERE task = ANY($1::bigint[])`, [[...keys]]);
    }
    const move =
      "UPDATE {schema}.tasks SET scope = $2, context_id = '', epoch = epoch + 1, holder = NULL, lease_until = 0, " +
      "due = NULL, wake = NULL, held = 'erased', hooks = 0 WHERE key = ANY($1::bigint[])";
    await this.#run(client, move, [[...keys], scope]);
    await this.#count(client, keys, 1);
  }

  async #eraseRest(client: PgClient, tenant: string, owner: string): Promise<void> {
    const blobs = "SELECT id FROM {schema}.blobs WHERE tenant = $1 AND owner = $2";
    await this.#run(client, `DELETE FROM {schema}.blob_rows WHERE blob IN (${blobs})`, [tenant, owner]);
    await this.#run(client, "DELETE FROM {schema}.blobs WHERE tenant = $1 AND owner = $2", [tenant, owner]);
    const digest = ownerDigest(tenant, owner);
    await this.#run(client, "DELETE FROM {schema}.dedupe WHERE digest >= $1 AND digest < $2", [digest, `${digest}~`]);
  }

  /** On a shard of its own: commits of replicas are not waited for. */
  async #count(client: PgClient, keys: readonly number[], change: number): Promise<void> {
    const text =
      "INSERT INTO {schema}.counts AS o (scope, state, shard, n) SELECT scope, state, -1, count(*) * $2 " +
      "FROM {schema}.tasks WHERE key = ANY($1::bigint[]) GROUP BY scope, state ORDER BY scope, state " +
      "ON CONFLICT (scope, state, shard) DO UPDATE SET n = o.n + excluded.n";
    await this.#run(client, text, [[...keys], change]);
  }

  async #run(client: PgClient, text: string, values: readonly unknown[]): Promise<readonly (readonly unknown[])[]> {
    const { run, schema } = this.#settings;
    return (await run(client, text.replaceAll("{schema}", schema), values)).rows;
  }

  #transaction<Result>(work: (client: PgClient) => Promise<Result>): Promise<Result> {
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
}
