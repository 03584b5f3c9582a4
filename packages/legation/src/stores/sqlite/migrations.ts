import type { Migration } from "../sql/migration-plan.ts";

/**
 * The schema of the SQLite store.
 *
 * `tasks.wake` is {@link ../sql/wake.ts | when a task may be claimed}. A task stands in the order of its state, so a
 * listing of all states merges eight runs. An entry of a log has the id `key << 26 | seq`: one integer finds it, and
 * entries of a task lie side by side (a table without rowid on two columns costs more per append). Snapshots have a
 * table of their own, because a row is rewritten whole on every append. `tasks.hooks` says how many webhooks a task has,
 * so that a commit to one without any looks for none.
 */
export const SQLITE_MIGRATIONS: readonly Migration[] = [
  {
    version: 1,
    name: "tasks",
    sql: `
CREATE TABLE lanes (
  id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, agent TEXT NOT NULL, UNIQUE (tenant, agent)
) STRICT;
CREATE TABLE scopes (
  id INTEGER PRIMARY KEY, lane INTEGER NOT NULL, owner TEXT NOT NULL, UNIQUE (lane, owner)
) STRICT;
CREATE TABLE tasks (
  key INTEGER PRIMARY KEY,
  scope INTEGER NOT NULL, lane INTEGER NOT NULL, state INTEGER NOT NULL, status_time INTEGER NOT NULL,
  seq INTEGER NOT NULL, epoch INTEGER NOT NULL, wake INTEGER,
  holder TEXT, lease_until INTEGER NOT NULL, attempts INTEGER NOT NULL, due INTEGER, held TEXT,
  created_at INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, context_id TEXT NOT NULL,
  agent_version TEXT NOT NULL, run TEXT NOT NULL
) STRICT;
CREATE INDEX tasks_list ON tasks (scope, state, status_time, id, created_at);
CREATE INDEX tasks_context ON tasks (context_id, scope);
CREATE INDEX tasks_wake ON tasks (lane, wake, holder) WHERE wake IS NOT NULL;
CREATE TABLE events (
  id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, time INTEGER NOT NULL, payload TEXT NOT NULL
) STRICT;
CREATE TABLE snapshots (task INTEGER PRIMARY KEY, seq INTEGER NOT NULL, json TEXT NOT NULL) STRICT;
CREATE TABLE counts (
  scope INTEGER NOT NULL, state INTEGER NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (scope, state)
) STRICT, WITHOUT ROWID;
CREATE TABLE dedupe (
  bucket INTEGER NOT NULL, digest TEXT NOT NULL, task INTEGER, reply TEXT, lease_until INTEGER NOT NULL,
  PRIMARY KEY (bucket, digest)
) STRICT, WITHOUT ROWID;
CREATE TABLE dedupe_buckets (bucket INTEGER PRIMARY KEY) STRICT;
CREATE TABLE blobs (
  id INTEGER PRIMARY KEY, tenant TEXT NOT NULL, owner TEXT NOT NULL, sha256 BLOB NOT NULL, length INTEGER NOT NULL,
  UNIQUE (tenant, owner, sha256)
) STRICT;
CREATE TABLE blob_rows (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT;
`,
  },
  {
    version: 2,
    name: "hooks",
    sql: `
ALTER TABLE tasks ADD COLUMN hooks INTEGER NOT NULL DEFAULT 0;
CREATE TABLE hooks (
  task INTEGER NOT NULL, id TEXT NOT NULL, agent TEXT NOT NULL, config TEXT NOT NULL, version TEXT NOT NULL,
  cursor INTEGER NOT NULL, due INTEGER, wake INTEGER, attempts INTEGER NOT NULL, epoch INTEGER NOT NULL,
  holder TEXT, lease_until INTEGER NOT NULL, dead INTEGER NOT NULL, error TEXT, created_at INTEGER NOT NULL,
  PRIMARY KEY (task, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX hooks_wake ON hooks (agent, wake, attempts) WHERE wake IS NOT NULL;
CREATE INDEX hooks_holder ON hooks (holder) WHERE holder IS NOT NULL;
`,
  },
  {
    version: 3,
    name: "held",
    sql: `
CREATE INDEX tasks_held ON tasks (key) WHERE held IS NOT NULL;
`,
  },
  {
    version: 4,
    name: "hook turns",
    sql: `
ALTER TABLE hooks ADD COLUMN scope INTEGER NOT NULL DEFAULT 0;
UPDATE hooks SET scope = coalesce((SELECT t.scope FROM tasks t WHERE t.key = hooks.task), 0);
CREATE INDEX hooks_turns ON hooks (scope, wake, attempts) WHERE wake IS NOT NULL;
`,
  },
];
