import { hookStatement } from "../sql/hook-columns.ts";
import { DATABASE_NOW } from "./statements.ts";

/** The statements about webhooks, with `$1`, `$2` … */
export interface PgHookStatements {
  readonly lockTask: string;
  readonly count: string;
  readonly write: string;
  readonly recount: string;
  readonly get: string;
  readonly list: string;
  readonly remove: string;
  readonly claim: string;
  readonly move: string;
  readonly redrive: string;
  /** $1 task, $2 id, $3 why. */
  readonly bury: string;
  readonly nextDue: string;
  readonly find: string;
  readonly holders: string;
  readonly expire: string;
}

/** Gives the statements for a schema, whose name is quoted. */
export function pgHookStatements(schema: string): PgHookStatements {
  const hooks = `${schema}.hooks`;
  const select = hookStatement(`${schema}.`);
  const due = (behind: string) => `CASE WHEN ${behind} THEN ${DATABASE_NOW} END`;
  return {
    lockTask: `SELECT seq FROM ${schema}.tasks WHERE key = $1 FOR UPDATE`,
    count: `SELECT count(*), coalesce(bool_or(id = $2), false) FROM ${hooks} WHERE task = $1`,
    // $1 task, $2 id, $3 config, $4 version, $5 cursor of a new one.
    write:
      `INSERT INTO ${hooks} AS h (task, id, agent, scope, config, version, cursor, due, wake, attempts, epoch, lease_until, dead, created_at) ` +
      `SELECT t.key, $2, l.agent, t.scope, $3, $4, $5::bigint, ${due("t.seq > $5::bigint")}, ${due("t.seq > $5::bigint")}, 0, 1, 0, false, ${DATABASE_NOW} ` +
      `FROM ${schema}.tasks t JOIN ${schema}.lanes l ON l.id = t.lane WHERE t.key = $1 ` +
      `ON CONFLICT (task, id) DO UPDATE SET config = excluded.config, version = excluded.version, ` +
      `due = ${due(`(SELECT t.seq FROM ${schema}.tasks t WHERE t.key = h.task) > h.cursor`)}, ` +
      `wake = ${due(`(SELECT t.seq FROM ${schema}.tasks t WHERE t.key = h.task) > h.cursor`)}, ` +
      `attempts = 0, epoch = h.epoch + 1, holder = NULL, lease_until = 0, dead = false, error = NULL`,
    recount: `UPDATE ${schema}.tasks SET hooks = (SELECT count(*) FROM ${hooks} WHERE task = $1) WHERE key = $1`,
    get: `${select} WHERE h.task = $1 AND h.id = $2`,
    list: `${select} WHERE h.task = $1 AND h.id > $2 ORDER BY h.id LIMIT $3`,
    remove: `DELETE FROM ${hooks} WHERE task = $1 AND id = $2`,
    claim: claimStatement(schema),
    move: moveStatement(schema),
    redrive:
      `UPDATE ${hooks} SET dead = dead AND holder IS NOT NULL, attempts = CASE WHEN holder IS NULL THEN 0 ELSE attempts END, ` +
      `due = CASE WHEN holder IS NULL THEN ${DATABASE_NOW} ELSE due END, ` +
      `wake = CASE WHEN holder IS NULL THEN ${DATABASE_NOW} ELSE wake END WHERE task = $1 AND id = $2`,
    bury:
      `UPDATE ${hooks} SET dead = true, error = $3, holder = NULL, lease_until = 0, due = NULL, wake = NULL ` +
      `WHERE task = $1 AND id = $2`,
    nextDue: `SELECT min(wake) FROM ${hooks} WHERE agent = ANY($1::text[]) AND wake IS NOT NULL`,
    find:
      `${select} WHERE (h.task, h.id) > ($1::bigint, $2::text) AND ($3::text[] IS NULL OR l.agent = ANY($3)) ` +
      `AND ($4::boolean IS NULL OR h.dead = $4) AND ($5::boolean IS NULL OR (h.cursor < t.seq) = $5) ` +
      `ORDER BY h.task, h.id LIMIT $6`,
    holders: `SELECT DISTINCT holder FROM ${hooks} WHERE holder IS NOT NULL`,
    expire: `UPDATE ${hooks} SET holder = NULL, lease_until = 0, due = 0, wake = 0 WHERE holder = $1`,
  };
}

/** The owners with something that waits: one probe of the index each, and none while everything due has room. */
function waitingScopes(schema: string): string {
  const first = (more: string) =>
    `SELECT h.scope, h.wake FROM ${schema}.hooks h WHERE h.wake IS NOT NULL ${more}ORDER BY h.scope, h.wake LIMIT 1`;
  return (
    `w AS ((SELECT f.scope, f.wake FROM (${first("")}) f WHERE (SELECT count(*) FROM due) > $3::bigint) UNION ALL ` +
    `SELECT n.scope, n.wake FROM w CROSS JOIN LATERAL (${first("AND h.scope > w.scope ")}) n)`
  );
}

/**
 * $1 holder, $2 length of the lease, $3 limit, $4 agents, $5 and $6 the window of attempts, $7 and $8 tenants and owners
 * that are passed over. All that is due where it has room, else one of each owner in turn, whose order is drawn by lot:
 * replicas share no memory of who was last. What another process is just claiming is passed over, and what it has claimed
 * since is looked at again under the lock.
 */
function claimStatement(schema: string): string {
  const attempts = "h.attempts >= $5::bigint AND h.attempts < $6::bigint";
  const open = `h.wake <= clock.now AND ${attempts} AND h.agent = ANY($4::text[])`;
  // As expressions, what stands in the index of wake times is no reason to read all that is due once per owner and webhook.
  const openOfOwner = `h.wake <= clock.now AND ${attempts} AND h.agent || '' = ANY($4::text[])`;
  const stillOpen = `h.wake + 0 <= clock.now AND ${attempts} AND h.agent || '' = ANY($4::text[])`;
  const notPassed = (scope: string) => `NOT EXISTS (SELECT FROM passed p WHERE p.scope = ${scope})`;
  const waiting = `FROM clock CROSS JOIN ${schema}.hooks h WHERE ${open} ORDER BY h.wake`;
  return (
    `WITH RECURSIVE clock AS MATERIALIZED (SELECT ${DATABASE_NOW} AS now), ` +
    "passed AS MATERIALIZED (SELECT c.id AS scope FROM unnest($7::text[], $8::text[]) AS e(tenant, owner) " +
    `JOIN ${schema}.lanes l ON l.tenant = e.tenant JOIN ${schema}.scopes c ON c.lane = l.id AND c.owner = e.owner), ` +
    `due AS MATERIALIZED (SELECT h.task, h.id, h.scope ${waiting} LIMIT $3::bigint + 1), ${waitingScopes(schema)}, ` +
    "turns AS (SELECT w.scope, least($3::bigint, 1 + 2 * $3::bigint / greatest(1, count(*) OVER ())) AS most " +
    `FROM w JOIN clock ON w.wake <= clock.now WHERE ${notPassed("w.scope")}), ` +
    "queued AS (SELECT p.task, p.id, row_number() OVER (PARTITION BY u.scope ORDER BY p.wake) AS turn " +
    `FROM clock CROSS JOIN turns u CROSS JOIN LATERAL (SELECT h.task, h.id, h.wake FROM ${schema}.hooks h ` +
    `WHERE h.scope = u.scope AND ${openOfOwner} ORDER BY h.scope, h.wake LIMIT u.most) p), ` +
    "picked AS ((SELECT task, id FROM queued ORDER BY turn, random() LIMIT $3::bigint) UNION ALL " +
    `SELECT task, id FROM due WHERE (SELECT count(*) FROM due) <= $3::bigint AND ${notPassed("due.scope")}), ` +
    `k AS (SELECT h.task, h.id FROM clock CROSS JOIN ${schema}.hooks h JOIN picked ON picked.task = h.task AND picked.id = h.id ` +
    `WHERE ${stillOpen} FOR UPDATE OF h SKIP LOCKED), ` +
    `claimed AS (UPDATE ${schema}.hooks h SET epoch = h.epoch + 1, holder = $1, lease_until = clock.now + $2::bigint, ` +
    "wake = clock.now + $2::bigint, due = NULL FROM clock, k WHERE h.task = k.task AND h.id = k.id RETURNING h.*) " +
    hookStatement(`${schema}.`, "claimed")
  );
}

/**
 * $1 holder, $2 the moves as JSON. The tasks are locked in the order of commits, so that a commit is either seen here as
 * a log that has gone on, or finds the webhook resting and makes it due.
 */
function moveStatement(schema: string): string {
  const kept = "x.lease_until > 0";
  const due = `CASE WHEN ${kept} THEN NULL WHEN x.due IS NOT NULL THEN x.due WHEN NOT x.dead AND k.seq > x.cursor THEN ${DATABASE_NOW} END`;
  return (
    "WITH x AS MATERIALIZED (SELECT * FROM json_to_recordset($2::json) AS e(task bigint, id text, epoch bigint, cursor bigint, " +
    "attempts integer, dead boolean, error text, lease_until bigint, due bigint)), " +
    `k AS MATERIALIZED (SELECT t.key, t.seq FROM ${schema}.tasks t WHERE t.key IN (SELECT task FROM x) ORDER BY t.key FOR SHARE) ` +
    `UPDATE ${schema}.hooks h SET cursor = x.cursor, attempts = x.attempts, dead = x.dead, error = x.error, ` +
    `holder = CASE WHEN ${kept} THEN h.holder END, lease_until = x.lease_until, due = ${due}, ` +
    `wake = CASE WHEN ${kept} THEN x.lease_until ELSE ${due} END FROM x JOIN k ON k.key = x.task ` +
    "WHERE h.task = x.task AND h.id = x.id AND h.epoch = x.epoch AND h.holder = $1 RETURNING h.task, h.id"
  );
}
