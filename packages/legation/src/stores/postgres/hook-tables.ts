/**
 * The tables of webhooks, and the trigger by which a commit makes those of its task due. It is a trigger and no part of
 * the commit function so that a replica of an older version wakes them too; its condition costs a task without webhooks
 * one comparison. Whoever writes to a webhook locks its task first, as commits do.
 */
export const HOOKS_SQL = `
ALTER TABLE {schema}.tasks ADD COLUMN hooks integer NOT NULL DEFAULT 0;
CREATE TABLE {schema}.hooks (
  task bigint NOT NULL, id text COLLATE "C" NOT NULL, agent text COLLATE "C" NOT NULL, config text NOT NULL,
  version text NOT NULL, cursor bigint NOT NULL, due bigint, wake bigint, attempts integer NOT NULL,
  epoch bigint NOT NULL, holder text COLLATE "C", lease_until bigint NOT NULL, dead boolean NOT NULL, error text,
  created_at bigint NOT NULL, PRIMARY KEY (task, id)
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX hooks_wake ON {schema}.hooks (agent, wake) WHERE wake IS NOT NULL;
CREATE INDEX hooks_holder ON {schema}.hooks (holder) WHERE holder IS NOT NULL;
CREATE FUNCTION {schema}.wake_hooks_v1() RETURNS trigger LANGUAGE plpgsql AS $function$
DECLARE
  now bigint := floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint;
BEGIN
  IF EXISTS (SELECT FROM {schema}.events e WHERE e.task = NEW.key AND e.seq > OLD.seq AND e.kind IN (1, 3, 4)) THEN
    UPDATE {schema}.hooks h SET due = now, wake = now
    WHERE h.task = NEW.key AND h.holder IS NULL AND h.due IS NULL AND (NOT h.dead OR NEW.state IN (3, 4, 5, 7));
  END IF;
  RETURN NULL;
END
$function$;
CREATE TRIGGER tasks_wake_hooks AFTER UPDATE OF seq ON {schema}.tasks FOR EACH ROW
  WHEN (NEW.hooks > 0 AND NEW.seq > OLD.seq) EXECUTE FUNCTION {schema}.wake_hooks_v1();
`;

/** Whose webhook it is, for turns among owners. A replica of an older version leaves 0, which has a turn of its own. */
export const HOOK_TURNS_SQL = `
ALTER TABLE {schema}.hooks ADD COLUMN scope bigint NOT NULL DEFAULT 0;
UPDATE {schema}.hooks h SET scope = t.scope FROM {schema}.tasks t WHERE t.key = h.task;
CREATE INDEX hooks_turns ON {schema}.hooks (scope, wake) WHERE wake IS NOT NULL;
`;
