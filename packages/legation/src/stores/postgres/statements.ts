import { TASK_COLUMNS } from "../sql/task-columns.ts";

/** The statements of the store other than those of the commit function and of listings, with `$1`, `$2` … */
export interface PgStatements {
  readonly commit: string;
  readonly task: string;
  /** The same without its snapshot. */
  readonly row: string;
  readonly events: string;
  readonly taskId: string;
  readonly dedupe: string;
  readonly claim: string;
  readonly hold: string;
  readonly renew: string;
  readonly release: string;
  readonly expire: string;
  readonly holders: string;
  readonly nextDue: string;
  readonly scope: string;
  readonly makeLane: string;
  readonly makeScope: string;
  readonly cleanDedupe: string;
  readonly findBlob: string;
  readonly makeBlob: string;
  readonly putBlobRow: string;
  readonly blobRow: string;
}

/** Milliseconds of the database: what leases go by. */
export const DATABASE_NOW = "floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/** Gives the statements for a schema, whose name is quoted. */
export function pgStatements(schema: string): PgStatements {
  const names = `JOIN ${schema}.scopes c ON c.id = t.scope JOIN ${schema}.lanes l ON l.id = c.lane`;
  const lock = (match: string) => `SELECT t.key FROM ${schema}.tasks t ${match} ORDER BY t.key FOR UPDATE OF t`;
  const leases = (pairs: string) =>
    lock(`JOIN unnest(${pairs}) AS x(key, epoch) ON x.key = t.key AND x.epoch = t.epoch WHERE t.holder = $1`);
  const freed = (due: string) =>
    `UPDATE ${schema}.tasks t SET holder = NULL, lease_until = 0, due = ${due}, ` +
    `wake = CASE WHEN t.held IS NULL THEN ${due} END FROM k WHERE t.key = k.key`;
  return {
    commit:
      `SELECT r.what, r.n, r.key, r.why, r.task_id, r.reply, r.lease, ` +
      `CASE WHEN r.why IS NULL THEN (SELECT t.hooks FROM ${schema}.tasks t WHERE t.key = r.key) END ` +
      `FROM ${schema}.commit_v1($1, $2, $3, $4, $5) r`,
    task:
      `SELECT ${TASK_COLUMNS}, l.tenant, c.owner, l.agent FROM ${schema}.tasks t ` +
      `LEFT JOIN ${schema}.snapshots s ON s.task = t.key ${names} WHERE t.id = $1`,
    row:
      `SELECT ${TASK_COLUMNS}, l.tenant, c.owner, l.agent FROM ${schema}.tasks t ` +
      `CROSS JOIN (SELECT NULL::text AS json, NULL::bigint AS seq) s ${names} WHERE t.id = $1`,
    events:
      `SELECT seq, kind, time, payload FROM (SELECT seq, kind, time, payload, ` +
      `sum(length(payload)) OVER (ORDER BY seq) AS upto, row_number() OVER (ORDER BY seq) AS n ` +
      `FROM (SELECT * FROM ${schema}.events WHERE task = $1 AND seq > $2 ORDER BY seq LIMIT 4096) e) p ` +
      `WHERE n = 1 OR upto <= $3 ORDER BY seq`,
    taskId: `SELECT id FROM ${schema}.tasks WHERE key = $1`,
    dedupe:
      `SELECT t.id, d.reply, d.lease_until FROM ${schema}.dedupe d LEFT JOIN ${schema}.tasks t ON t.key = d.task ` +
      `WHERE d.digest = $1`,
    claim: claimStatement(schema, names),
    hold: `UPDATE ${schema}.tasks SET held = $2, holder = NULL, lease_until = 0, wake = NULL WHERE key = $1`,
    renew:
      `WITH k AS (${leases("$3::bigint[], $4::bigint[]")}) UPDATE ${schema}.tasks t SET lease_until = $2::bigint, ` +
      `wake = CASE WHEN t.held IS NULL THEN $2::bigint END FROM k WHERE t.key = k.key RETURNING t.key, t.epoch`,
    release: `WITH k AS (${leases("$3::bigint[], $4::bigint[]")}) ${freed("$2::bigint")}`,
    expire: `WITH k AS (${lock("WHERE t.wake IS NOT NULL AND t.holder = $1")}) ${freed("0")}`,
    holders: `SELECT DISTINCT holder FROM ${schema}.tasks WHERE wake IS NOT NULL AND holder IS NOT NULL`,
    nextDue:
      `WITH RECURSIVE ${waitingLanes(schema)} SELECT min(w.wake) FROM w JOIN ${schema}.lanes l ON l.id = w.lane ` +
      `WHERE l.agent = ANY($1::text[])`,
    scope:
      `SELECT c.id, c.lane FROM ${schema}.scopes c JOIN ${schema}.lanes l ON l.id = c.lane ` +
      `WHERE l.tenant = $1 AND l.agent = $3 AND c.owner = $2`,
    makeLane: `INSERT INTO ${schema}.lanes (tenant, agent) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
    makeScope:
      `INSERT INTO ${schema}.scopes (lane, owner) SELECT id, $2 FROM ${schema}.lanes WHERE tenant = $1 AND agent = $3 ` +
      `ON CONFLICT DO NOTHING`,
    cleanDedupe:
      `DELETE FROM ${schema}.dedupe WHERE digest IN ` +
      `(SELECT digest FROM ${schema}.dedupe WHERE bucket > 0 AND bucket < $1 LIMIT 1000 FOR UPDATE SKIP LOCKED)`,
    findBlob: `SELECT id, length FROM ${schema}.blobs WHERE tenant = $1 AND owner = $2 AND sha256 = $3`,
    makeBlob:
      `INSERT INTO ${schema}.blobs (tenant, owner, sha256, length) VALUES ($1, $2, $3, $4) ` +
      `ON CONFLICT DO NOTHING RETURNING id`,
    putBlobRow: `INSERT INTO ${schema}.blob_rows (blob, n, bytes) VALUES ($1, $2, $3)`,
    blobRow: `SELECT bytes FROM ${schema}.blob_rows WHERE blob = $1 AND n = $2`,
  };
}

/** The lanes in which something waits, each with its first wake: one probe of the index per lane. */
function waitingLanes(schema: string): string {
  const first = (after: string) =>
    `SELECT o.lane, o.wake FROM ${schema}.tasks o WHERE o.wake IS NOT NULL ${after} ORDER BY o.lane, o.wake LIMIT 1`;
  return (
    `w(lane, wake) AS ((${first("")}) UNION ALL ` +
    `SELECT next.lane, next.wake FROM w CROSS JOIN LATERAL (${first("AND o.lane > w.lane")}) next)`
  );
}

/**
 * The claim, in one statement. $1 holder, $2 length of the lease, $3 limit, $4 agents, $5 and $6 the window of attempts,
 * $7 the tenant that was served last. One of each tenant in turn, each tenant's as they fell due; what another process
 * is just claiming is passed over, and what it has claimed since is looked at again under the lock.
 */
function claimStatement(schema: string, names: string): string {
  const open = "t.wake <= clock.now AND t.attempts >= $5::bigint AND t.attempts < $6::bigint";
  return (
    `WITH RECURSIVE ${waitingLanes(schema)}, clock AS MATERIALIZED (SELECT ${DATABASE_NOW} AS now), ` +
    "waiting AS (SELECT p.key, l.tenant, row_number() OVER (PARTITION BY l.tenant ORDER BY p.wake) AS turn " +
    `FROM clock JOIN w ON w.wake <= clock.now JOIN ${schema}.lanes l ON l.id = w.lane AND l.agent = ANY($4::text[]) ` +
    `CROSS JOIN LATERAL (SELECT t.key, t.wake FROM ${schema}.tasks t WHERE t.lane = w.lane AND ${open} ` +
    "ORDER BY t.wake LIMIT $3::bigint) p), " +
    "picked AS (SELECT key FROM waiting ORDER BY turn, tenant <= $7, tenant LIMIT $3::bigint), " +
    `k AS (SELECT t.key FROM clock CROSS JOIN ${schema}.tasks t WHERE t.key IN (SELECT key FROM picked) AND ${open} ` +
    "ORDER BY t.key FOR UPDATE OF t SKIP LOCKED), " +
    `claimed AS (UPDATE ${schema}.tasks t SET epoch = t.epoch + 1, attempts = t.attempts + 1, holder = $1, ` +
    "lease_until = clock.now + $2::bigint, wake = clock.now + $2::bigint FROM clock, k WHERE t.key = k.key RETURNING t.*) " +
    `SELECT ${TASK_COLUMNS}, l.tenant, c.owner, l.agent FROM claimed t LEFT JOIN ${schema}.snapshots s ON s.task = t.key ${names}`
  );
}
