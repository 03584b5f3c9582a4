/**
 * The function that writes a batch: one round trip and one transaction, whatever is in it. Its name carries a version,
 * so that replicas of two versions can share a database while they are replaced.
 *
 * Every task of the batch is locked in the order of its key before anything is decided, so two batches never wait for
 * each other in a circle; the statement behind the lock sees what is current. A key may stand in a batch once: the
 * caller splits what it cannot. The order within the statement:
 * `x` what is asked → `g` why it is refused → `noted` the dedupe rows that were new (a row that another process is just
 * writing is waited for) → `a` what is accepted → the writes. `dedupe` rows go in by digest, for the same reason as the
 * locks. What expired counts as absent and is removed first.
 */
export const COMMIT_FUNCTION = `
CREATE FUNCTION {schema}.commit_v1(p_tasks json, p_events json, p_replies json, p_shard integer, p_bucket bigint)
RETURNS TABLE (what text, n bigint, key bigint, why text, task_id text, reply text, lease bigint)
LANGUAGE plpgsql AS $function$
#variable_conflict use_column
DECLARE
  r record;
  d record;
BEGIN
  DELETE FROM {schema}.dedupe o WHERE o.bucket > 0 AND o.bucket < p_bucket AND o.digest IN (
    SELECT e.digest FROM json_to_recordset(p_tasks) AS e(digest text) WHERE e.digest IS NOT NULL
    UNION SELECT e.digest FROM json_to_recordset(p_replies) AS e(digest text));

  FOR r IN SELECT * FROM json_to_recordset(p_replies) AS e(
      n bigint, digest text, step text, now bigint, lease bigint, bucket bigint, reply text) ORDER BY e.digest, e.n
  LOOP
    IF r.step = 'release' THEN
      DELETE FROM {schema}.dedupe o WHERE o.digest = r.digest AND o.task IS NULL AND o.reply IS NULL;
    ELSE
      INSERT INTO {schema}.dedupe AS o (digest, bucket, reply, lease_until)
      VALUES (r.digest, r.bucket, r.reply, r.lease)
      ON CONFLICT (digest) DO UPDATE SET bucket = r.bucket, reply = r.reply, lease_until = r.lease
      WHERE o.task IS NULL AND o.reply IS NULL AND (r.step = 'reply' OR o.lease_until <= r.now);
    END IF;
    IF FOUND THEN
      RETURN QUERY SELECT 'reply', r.n, NULL::bigint, NULL::text, NULL::text, NULL::text, NULL::bigint;
    ELSE
      SELECT t.id, o.reply, o.lease_until INTO d
      FROM {schema}.dedupe o LEFT JOIN {schema}.tasks t ON t.key = o.task WHERE o.digest = r.digest;
      RETURN QUERY SELECT 'reply', r.n, NULL::bigint, CASE WHEN FOUND THEN 'duplicate' END, d.id, d.reply, d.lease_until;
    END IF;
  END LOOP;

  PERFORM 1 FROM {schema}.tasks t
  WHERE t.key IN (SELECT e.key FROM json_to_recordset(p_tasks) AS e(key bigint) WHERE e.key > 0)
  ORDER BY t.key FOR UPDATE;

  FOR r IN
    WITH x AS MATERIALIZED (
      SELECT * FROM json_to_recordset(p_tasks) AS e(
        n bigint, key bigint, seq bigint, epoch bigint, added bigint, digest text, bucket bigint,
        id text, scope bigint, lane bigint, context_id text, created_at bigint,
        state smallint, status_time bigint, new_epoch bigint, holder text, lease_until bigint, attempts bigint,
        due bigint, held text, agent_version text, run text, wake bigint, snapshot text)
    ), g AS MATERIALIZED (
      SELECT x.n, t.state AS old_state, coalesce(x.id, t.id) AS task_id, coalesce(x.scope, t.scope) AS scope,
        CASE WHEN x.id IS NULL THEN x.key ELSE nextval('{schema}.task_keys') END AS key,
        CASE
          WHEN x.digest IS NOT NULL AND EXISTS (SELECT FROM {schema}.dedupe o WHERE o.digest = x.digest) THEN 'duplicate'
          WHEN x.id IS NOT NULL THEN
            CASE WHEN EXISTS (SELECT FROM {schema}.tasks o WHERE o.id = x.id) THEN 'seq' END
          WHEN t.key IS NULL THEN 'missing'
          WHEN t.epoch <> x.epoch THEN 'epoch'
          WHEN t.seq <> x.seq THEN 'seq'
        END AS why
      FROM x LEFT JOIN {schema}.tasks t ON t.key = x.key
    ), first AS (
      SELECT DISTINCT ON (x.digest) x.digest, x.bucket, g.key
      FROM x JOIN g USING (n) WHERE g.why IS NULL AND x.digest IS NOT NULL ORDER BY x.digest, x.n
    ), noted AS (
      INSERT INTO {schema}.dedupe (digest, bucket, task, lease_until)
      SELECT f.digest, f.bucket, f.key, 0 FROM first f ORDER BY f.digest
      ON CONFLICT (digest) DO NOTHING RETURNING digest, task
    ), a AS MATERIALIZED (
      SELECT x.*, g.key AS task, g.old_state, g.scope AS task_scope FROM x JOIN g USING (n)
      WHERE g.why IS NULL
        AND (x.digest IS NULL OR EXISTS (SELECT FROM noted o WHERE o.digest = x.digest AND o.task = g.key))
    ), created AS (
      INSERT INTO {schema}.tasks (key, scope, lane, state, status_time, seq, epoch, wake, holder, lease_until, attempts,
        due, held, created_at, id, context_id, agent_version, run)
      SELECT a.task, a.scope, a.lane, a.state, a.status_time, a.added, a.new_epoch, a.wake, a.holder, a.lease_until,
        a.attempts, a.due, a.held, a.created_at, a.id, a.context_id, a.agent_version, a.run
      FROM a WHERE a.id IS NOT NULL ORDER BY a.n
    ), changed AS (
      UPDATE {schema}.tasks t SET state = a.state, status_time = a.status_time, seq = a.seq + a.added,
        epoch = a.new_epoch, wake = a.wake, holder = a.holder, lease_until = a.lease_until, attempts = a.attempts,
        due = a.due, held = a.held, agent_version = a.agent_version, run = a.run
      FROM a WHERE a.id IS NULL AND a.state IS NOT NULL AND t.key = a.key
    ), grown AS (
      UPDATE {schema}.tasks t SET seq = a.seq + a.added
      FROM a WHERE a.id IS NULL AND a.state IS NULL AND a.added > 0 AND t.key = a.key
    ), appended AS (
      INSERT INTO {schema}.events (task, seq, kind, time, payload)
      SELECT a.task, a.seq + e.at, e.kind, e.time, e.payload
      FROM json_to_recordset(p_events) AS e(n bigint, at bigint, kind smallint, time bigint, payload text) JOIN a USING (n)
    ), snapped AS (
      INSERT INTO {schema}.snapshots AS o (task, seq, json)
      SELECT a.task, a.seq + a.added, a.snapshot FROM a WHERE a.snapshot IS NOT NULL
      ON CONFLICT (task) DO UPDATE SET seq = excluded.seq, json = excluded.json
    ), counted AS (
      INSERT INTO {schema}.counts AS o (scope, state, shard, n)
      SELECT c.scope, c.state, p_shard, sum(c.n) FROM (
        SELECT a.task_scope AS scope, a.state, 1 AS n FROM a WHERE a.state IS DISTINCT FROM a.old_state AND a.state IS NOT NULL
        UNION ALL
        SELECT a.task_scope, a.old_state, -1 FROM a WHERE a.state IS DISTINCT FROM a.old_state AND a.state IS NOT NULL
          AND a.old_state IS NOT NULL
      ) c GROUP BY c.scope, c.state HAVING sum(c.n) <> 0 ORDER BY c.scope, c.state
      ON CONFLICT (scope, state, shard) DO UPDATE SET n = o.n + excluded.n
    )
    SELECT x.n, x.digest, g.key, g.task_id, coalesce(g.why, CASE WHEN a.n IS NULL THEN 'duplicate' END) AS why
    FROM x JOIN g USING (n) LEFT JOIN a USING (n)
  LOOP
    IF r.why = 'duplicate' THEN
      SELECT t.id, o.reply, o.lease_until INTO d
      FROM {schema}.dedupe o LEFT JOIN {schema}.tasks t ON t.key = o.task WHERE o.digest = r.digest;
      RETURN QUERY SELECT 'task', r.n, NULL::bigint, r.why, d.id, d.reply, d.lease_until;
    ELSE
      RETURN QUERY SELECT 'task', r.n, r.key, r.why, r.task_id, NULL::text, NULL::bigint;
    END IF;
  END LOOP;
END
$function$;
`;
