import type { DatabaseSync } from "node:sqlite";
import type { TaskColumns, TaskCommit } from "../../engine/store.ts";
import { STATE_CODES } from "../sql/codes.ts";
import { wakeOf } from "../sql/wake.ts";
import type { Counts } from "./counts.ts";
import type { ScopeTable } from "./scope-table.ts";

/** Why a commit was refused. */
export type Refusal = "seq" | "epoch" | "missing";

/** The rows of the tasks. Only inside a transaction. */
export interface TaskRows {
  /** Inserts the row of a new task and gives its key, undefined when its id is there. */
  create(commit: TaskCommit): number | undefined;
  /** Writes seq and columns if the guards hold, and gives how many webhooks the task has; else why not. */
  update(commit: TaskCommit, columns: TaskColumns): Refusal | number;
  /** Writes seq alone if the guards hold, and gives how many webhooks the task has; else why not. */
  grow(commit: TaskCommit): Refusal | number;
}

/** The columns that no index follows. */
type Plain = [number, number, number, number | null, string | null, string, string];

/** Makes the rows of a connection. */
export function createTaskRows(db: DatabaseSync, scopes: ScopeTable, counts: Counts): TaskRows {
  const guard = db.prepare(
    "SELECT seq, epoch, state, status_time, wake, scope, holder, hooks FROM tasks WHERE key = ?",
  );
  guard.setReturnArrays(true);
  const insertTask = db.prepare(
    "INSERT INTO tasks (id, scope, lane, context_id, created_at, seq, state, status_time, wake, " +
      "holder, epoch, lease_until, attempts, due, held, agent_version, run) " +
      "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
  );
  const grow = db.prepare("UPDATE tasks SET seq = ? WHERE key = ? AND seq = ? AND epoch = ? RETURNING hooks");
  grow.setReturnArrays(true);
  const plain = "epoch = ?, lease_until = ?, attempts = ?, due = ?, held = ?, agent_version = ?, run = ?, seq = ?";
  // An index is rewritten when a statement names one of its columns, changed or not: so there is one that names none.
  const updatePlain = db.prepare(`UPDATE tasks SET ${plain} WHERE key = ?`);
  const updateAll = db.prepare(
    `UPDATE tasks SET ${plain}, state = ?, status_time = ?, wake = ?, holder = ? WHERE key = ?`,
  );

  /** Gives the new row's key, undefined when the id is there. */
  const create = (commit: TaskCommit): number | undefined => {
    const { create: identity, columns, events } = commit;
    if (identity === undefined || columns === undefined)
      throw new TypeError("a commit that creates a task has no columns");
    const { scope, lane } = scopes.obtain(identity);
    const state = STATE_CODES[columns.state];
    const places = [identity.id, scope, lane, identity.contextId, identity.createdAt, events.length, state] as const;
    const inserted = insertTask.run(
      ...places,
      columns.statusTime,
      wakeOf(columns),
      columns.holder,
      ...plainOf(columns),
    );
    if (inserted.changes === 0) return undefined;
    counts.add(scope, state, 1);
    return Number(inserted.lastInsertRowid);
  };

  const update = (commit: TaskCommit, columns: TaskColumns): Refusal | number => {
    const row = guard.get(commit.key) as unknown as GuardRow | undefined;
    const why = refusal(row, commit);
    if (row === undefined || why !== undefined) return why ?? "missing";
    const [, , oldState, oldTime, oldWake, scope, oldHolder, hooks] = row;
    const state = STATE_CODES[columns.state];
    const wake = wakeOf(columns);
    const seq = commit.seq + commit.events.length;
    const indexed =
      state !== oldState || columns.statusTime !== oldTime || wake !== oldWake || columns.holder !== oldHolder;
    if (indexed) updateAll.run(...plainOf(columns), seq, state, columns.statusTime, wake, columns.holder, commit.key);
    else updatePlain.run(...plainOf(columns), seq, commit.key);
    if (state !== oldState) {
      counts.add(scope, oldState, -1);
      counts.add(scope, state, 1);
    }
    return hooks;
  };

  /** Appends alone: the guard is the condition of the one statement. */
  const growLog = (commit: TaskCommit): Refusal | number => {
    const { key, seq, epoch, events } = commit;
    const grown = grow.get(seq + events.length, key, seq, epoch) as unknown as readonly [number] | undefined;
    if (grown !== undefined) return grown[0];
    return refusal(guard.get(key) as unknown as GuardRow | undefined, commit) ?? "seq";
  };

  return { create, update, grow: growLog };
}

type GuardRow = readonly [
  seq: number,
  epoch: number,
  state: number,
  statusTime: number,
  wake: number | null,
  scope: number,
  holder: string | null,
  hooks: number,
];

function refusal(row: GuardRow | undefined, commit: TaskCommit): Refusal | undefined {
  if (row === undefined) return "missing";
  if (row[1] !== commit.epoch) return "epoch";
  return row[0] === commit.seq ? undefined : "seq";
}

function plainOf(columns: TaskColumns): Plain {
  const { epoch, leaseUntil, attempts, due, held, agentVersion, run } = columns;
  return [epoch, leaseUntil, attempts, due, held, agentVersion, run];
}
