import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ListPage, ListQuery } from "../../engine/store.ts";
import { STATE_CODES } from "../sql/codes.ts";
import {
  type ListDialect,
  type ListParameters,
  type ListShape,
  type ListStatement,
  listStatement,
  totalStatement,
} from "../sql/list-statement.ts";
import { mapTaskRow, TASK_COLUMN_COUNT } from "../sql/task-columns.ts";
import { eventsOf } from "./event-id.ts";
import type { ScopeTable } from "./scope-table.ts";

const NOTHING: ListPage = { rows: [], places: [], more: false, total: 0 };

const DIALECT: ListDialect = {
  prefix: "",
  eventsOf: (key: string) => eventsOf("e", key),
  order: "e.id",
};

interface PreparedStatement {
  readonly statement: StatementSync;
  readonly parameters: readonly (keyof ListParameters)[];
}

/**
 * Makes what reads listings. There are few shapes of a listing: each is prepared when it is first asked for.
 *
 * @param db an open database with the current schema.
 * @param scopes of the same connection.
 */
export function createListReader(db: DatabaseSync, scopes: ScopeTable): (query: ListQuery) => ListPage {
  const begin = db.prepare("BEGIN");
  const commit = db.prepare("COMMIT");
  const counts = db.prepare("SELECT state, n FROM counts WHERE scope = ? AND n > 0");
  counts.setReturnArrays(true);
  const pages = new Map<string, PreparedStatement>();
  const totals = new Map<string, PreparedStatement>();

  const countsOf = (scope: number): ReadonlyMap<number, number> =>
    new Map(counts.all(scope) as unknown as (readonly [number, number])[]);
  const read = (query: ListQuery, scope: number): ListPage => {
    const { contextId, state, since, after, limit } = query;
    const code = state === undefined ? 0 : STATE_CODES[state];
    const there = contextId === undefined ? countsOf(scope) : new Map<number, number>();
    const wanted = state === undefined ? [...there.keys()] : [code];
    if (contextId === undefined && wanted.every((each) => !there.has(each))) return NOTHING;
    const shape: ListShape = {
      context: contextId !== undefined,
      states: wanted.sort(),
      state: state !== undefined,
      since: since !== undefined,
      after: after !== undefined,
    };
    const given: ListParameters = {
      scope,
      context: contextId ?? "",
      state: code,
      since: since ?? 0,
      limit: limit + 1,
      placeTime: after?.statusTime ?? 0,
      placeId: after?.id ?? "",
      asOf: after?.asOf ?? 0,
    };
    const page = prepared(db, pages, shape, listStatement);
    const found = page.statement.all(...bind(page, given)) as unknown as (readonly unknown[])[];
    const shown = found.slice(0, limit);
    return {
      rows: shown.map((values) => mapTaskRow(values, query)),
      places: shown.map((values) => Number(values[TASK_COLUMN_COUNT])),
      more: found.length > limit,
      total: totalOf(shape, given, there),
    };
  };
  const totalOf = (shape: ListShape, given: ListParameters, there: ReadonlyMap<number, number>): number => {
    if (!shape.context && !shape.since) return shape.states.reduce((sum, state) => sum + (there.get(state) ?? 0), 0);
    const total = prepared(db, totals, { ...shape, after: false }, totalStatement);
    const [n] = total.statement.get(...bind(total, given)) as unknown as readonly [number];
    return n;
  };

  return (query) => {
    const scope = scopes.find(query)?.scope;
    if (scope === undefined) return NOTHING;
    // One snapshot of the file: page and total agree although other processes write.
    begin.run();
    try {
      return read(query, scope);
    } finally {
      if (db.isTransaction) commit.run();
    }
  };
}

function prepared(
  db: DatabaseSync,
  statements: Map<string, PreparedStatement>,
  shape: ListShape,
  make: (shape: ListShape, dialect: ListDialect) => ListStatement,
): PreparedStatement {
  const { context, state, since, after } = shape;
  const key = `${context} ${state} ${since} ${after} ${context || state ? "" : shape.states.join()}`;
  let found = statements.get(key);
  if (found === undefined) {
    const { text, parameters } = make(shape, DIALECT);
    found = { statement: db.prepare(toSqlite(text)), parameters };
    found.statement.setReturnArrays(true);
    statements.set(key, found);
  }
  return found;
}

function bind({ parameters }: PreparedStatement, given: ListParameters): (string | number)[] {
  return parameters.map((name) => given[name]);
}

/** SQLite numbers `$1` by where it stands, but `?1` by its number. */
function toSqlite(text: string): string {
  return text.replaceAll("$", "?");
}
