import { STATE_CODES } from "./codes.ts";
import { TASK_COLUMNS } from "./task-columns.ts";

/** What the two SQL stores write differently in a listing. */
export interface ListDialect {
  /** Stands before the names of tables. */
  readonly prefix: string;
  /** Gives the condition on `e`, the events, that picks those of the task whose key is given. */
  readonly eventsOf: (key: string) => string;
  /** The column of `e` that rises with seq within a task. */
  readonly order: string;
}

/** Which parts of a ListQuery are there; the text of a listing depends on nothing else. */
export interface ListShape {
  readonly context: boolean;
  /** The states to look in: the one asked for, or those of which there are tasks. Not used with a context. */
  readonly states: readonly number[];
  /** Whether one state is asked for. */
  readonly state: boolean;
  readonly since: boolean;
  readonly after: boolean;
}

/**
 * The parameters of every listing and total, by number. A shape that does not use one does not name it, so the last
 * numbers are those that every shape uses, or that follow from its parts.
 */
export interface ListParameters {
  readonly scope: number;
  readonly context: string;
  readonly state: number;
  readonly since: number;
  readonly limit: number;
  readonly placeTime: number;
  readonly placeId: string;
  readonly asOf: number;
}

/** A text with `$1`, `$2` … and the parameters that they stand for, in order. */
export interface ListStatement {
  readonly text: string;
  readonly parameters: readonly (keyof ListParameters)[];
}

/** All states, for a listing that cannot know which there are. */
export const ALL_STATES: readonly number[] = Object.values(STATE_CODES);

/** The entries that set the status time. */
const STATUS_KINDS = "(1, 3)";

/**
 * Gives the statement of a page: the columns of {@link TASK_COLUMNS}, then the place.
 *
 * Every state has an ordered index of its own, so a page without a state is the merge of eight short runs: the cost of
 * a page does not grow with the number of tasks, and a change of state moves one entry of one index.
 */
export function listStatement(shape: ListShape, dialect: ListDialect): ListStatement {
  const { numbered, parameters } = numbering();
  const runs = shape.context ? [contextRun(shape, dialect, numbered)] : stateRuns(shape, dialect, numbered);
  const text =
    `SELECT ${TASK_COLUMNS}, k.place FROM (` +
    `SELECT u.key, u.id, u.place FROM (${runs.join(" UNION ALL ")}) u ` +
    `ORDER BY u.place DESC, u.id DESC LIMIT ${numbered("limit")}) k ` +
    `JOIN ${dialect.prefix}tasks t ON t.key = k.key LEFT JOIN ${dialect.prefix}snapshots s ON s.task = t.key ORDER BY k.place DESC, k.id DESC`;
  return { text, parameters };
}

/** Gives the statement of a total that the running counts do not tell, because of a context or since: one number. */
export function totalStatement(shape: ListShape, dialect: ListDialect): ListStatement {
  const { numbered, parameters } = numbering();
  const text = `SELECT count(*) FROM ${dialect.prefix}tasks t WHERE ${conditions(shape, numbered)}`;
  return { text, parameters };
}

type Numbered = (name: keyof ListParameters) => string;

/** Numbers the parameters in the order in which they are first named. */
function numbering(): { readonly numbered: Numbered; readonly parameters: readonly (keyof ListParameters)[] } {
  const parameters: (keyof ListParameters)[] = [];
  const numbered: Numbered = (name) => {
    if (!parameters.includes(name)) parameters.push(name);
    return `$${parameters.indexOf(name) + 1}`;
  };
  return { numbered, parameters };
}

/** The filter as conditions on `t`. The states are spelled out so that the index on them is used. */
function conditions(shape: ListShape, numbered: Numbered): string {
  const all = [`t.scope = ${numbered("scope")}`];
  if (shape.context) all.push(`t.context_id = ${numbered("context")}`);
  if (shape.state) all.push(`t.state = ${numbered("state")}`);
  else if (!shape.context) all.push(`t.state IN (${shape.states.join(", ")})`);
  if (shape.since) all.push(`t.status_time >= ${numbered("since")}`);
  return all.join(" AND ");
}

/** The tasks of a conversation, few enough to be sorted. */
function contextRun(shape: ListShape, dialect: ListDialect, numbered: Numbered): string {
  const where = conditions(shape, numbered);
  if (!shape.after) return `SELECT t.key, t.id, t.status_time AS place FROM ${dialect.prefix}tasks t WHERE ${where}`;
  const place = `CASE WHEN t.status_time <= ${numbered("asOf")} THEN t.status_time ELSE ${placeAsOf(dialect, numbered)} END`;
  return beforeCursor(
    `SELECT t.key, t.id, ${place} AS place FROM ${dialect.prefix}tasks t WHERE ${where} AND ${born(numbered)}`,
    numbered,
  );
}

function stateRuns(shape: ListShape, dialect: ListDialect, numbered: Numbered): readonly string[] {
  const states = shape.state ? [numbered("state")] : shape.states.map(String);
  const since = shape.since ? ` AND t.status_time >= ${numbered("since")}` : "";
  const after = shape.after
    ? ` AND (t.status_time, t.id) < (${numbered("placeTime")}, ${numbered("placeId")}) AND t.status_time <= ${numbered("asOf")}`
    : "";
  const runs = states.map(
    (state, n) =>
      `SELECT r${n}.* FROM (SELECT t.key, t.id, t.status_time AS place FROM ${dialect.prefix}tasks t ` +
      `WHERE t.scope = ${numbered("scope")} AND t.state = ${state}${since}${after} ` +
      `ORDER BY t.status_time DESC, t.id DESC LIMIT ${numbered("limit")}) r${n}`,
  );
  if (!shape.after) return runs;
  const touched = `${conditions(shape, numbered)} AND t.status_time > ${numbered("asOf")} AND ${born(numbered)}`;
  const moved = `SELECT t.key, t.id, ${placeAsOf(dialect, numbered)} AS place FROM ${dialect.prefix}tasks t WHERE ${touched}`;
  return [...runs, beforeCursor(moved, numbered)];
}

/** A task that came later than the listing began is not in it. */
function born(numbered: Numbered): string {
  return `t.created_at <= ${numbered("asOf")}`;
}

/** The time of the last status at or before `asOf`, read from the end of the log. */
function placeAsOf(dialect: ListDialect, numbered: Numbered): string {
  return (
    `(SELECT e.time FROM ${dialect.prefix}events e WHERE ${dialect.eventsOf("t.key")} AND e.kind IN ${STATUS_KINDS} ` +
    `AND e.time <= ${numbered("asOf")} ORDER BY ${dialect.order} DESC LIMIT 1)`
  );
}

function beforeCursor(select: string, numbered: Numbered): string {
  const cursor = `(m.place, m.id) < (${numbered("placeTime")}, ${numbered("placeId")})`;
  return `SELECT m.* FROM (${select}) m WHERE m.place IS NOT NULL AND ${cursor}`;
}
