import type { Migration } from "../sql/migration-plan.ts";
import { COMMIT_FUNCTION } from "./commit-function.ts";
import { HOOK_TURNS_SQL, HOOKS_SQL } from "./hook-tables.ts";

/**
 * The schema of the PostgreSQL store; `{schema}` stands for the quoted name of its schema.
 *
 * `tasks.wake` is {@link ../sql/wake.ts | when a task may be claimed}. Running totals are split into shards, one per
 * process, because a single row would let only one replica commit at a time. Text that is compared has the collation C,
 * so that every server gives the order that the other stores give. Payloads are text, not jsonb: they come back byte for
 * byte.
 */
export const POSTGRES_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: "tasks",
    sql: `
CREATE TABLE {schema}.lanes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL, agent text COLLATE "C" NOT NULL, UNIQUE (tenant, agent)
);
CREATE TABLE {schema}.scopes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  lane bigint NOT NULL, owner text COLLATE "C" NOT NULL, UNIQUE (lane, owner)
);
CREATE SEQUENCE {schema}.task_keys;
CREATE TABLE {schema}.tasks (
  key bigint PRIMARY KEY,
  scope bigint NOT NULL, lane bigint NOT NULL, state smallint NOT NULL, status_time bigint NOT NULL,
  seq bigint NOT NULL, epoch bigint NOT NULL, wake bigint,
  holder text COLLATE "C", lease_until bigint NOT NULL, attempts bigint NOT NULL, due bigint, held text,
  created_at bigint NOT NULL, id text COLLATE "C" NOT NULL UNIQUE, context_id text COLLATE "C" NOT NULL,
  agent_version text NOT NULL, run text NOT NULL
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX tasks_list ON {schema}.tasks (scope, state, status_time, id);
CREATE INDEX tasks_context ON {schema}.tasks (context_id, scope);
CREATE INDEX tasks_wake ON {schema}.tasks (lane, wake) WHERE wake IS NOT NULL;
CREATE TABLE {schema}.events (
  task bigint NOT NULL, seq bigint NOT NULL, kind smallint NOT NULL, time bigint NOT NULL, payload text NOT NULL,
  PRIMARY KEY (task, seq)
);
CREATE TABLE {schema}.snapshots (task bigint PRIMARY KEY, seq bigint NOT NULL, json text NOT NULL);
CREATE TABLE {schema}.counts (
  scope bigint NOT NULL, state smallint NOT NULL, shard smallint NOT NULL, n bigint NOT NULL,
  PRIMARY KEY (scope, state, shard)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
CREATE TABLE {schema}.dedupe (
  digest text COLLATE "C" PRIMARY KEY, bucket bigint NOT NULL, task bigint, reply text, lease_until bigint NOT NULL
);
CREATE INDEX dedupe_bucket ON {schema}.dedupe (bucket) WHERE bucket > 0;
CREATE TABLE {schema}.blobs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text COLLATE "C" NOT NULL, owner text COLLATE "C" NOT NULL, sha256 text COLLATE "C" NOT NULL,
  length bigint NOT NULL, UNIQUE (tenant, owner, sha256)
);
CREATE TABLE {schema}.blob_rows (
  blob bigint NOT NULL, n bigint NOT NULL, bytes bytea NOT NULL, PRIMARY KEY (blob, n)
);
ALTER TABLE {schema}.blob_rows ALTER COLUMN bytes SET STORAGE EXTERNAL;
${COMMIT_FUNCTION}`,
  },
  { version: 2, name: "hooks", sql: HOOKS_SQL },
  {
    version: 3,
    name: "held",
    sql: "CREATE INDEX tasks_held ON {schema}.tasks (key) WHERE held IS NOT NULL;",
  },
  { version: 4, name: "hook turns", sql: HOOK_TURNS_SQL },
];
