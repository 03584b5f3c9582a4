import {
  type DedupeKey,
  type DedupeRow,
  type EventRow,
  type ListPage,
  type ListQuery,
  StoreCorrupt,
  type TaskRow,
} from "../../engine/store.ts";
import { kindOf, STATE_CODES } from "../sql/codes.ts";
import { dedupeDigest } from "../sql/dedupe-digest.ts";
import {
  ALL_STATES,
  type ListDialect,
  type ListParameters,
  type ListStatement,
  listStatement,
  totalStatement,
} from "../sql/list-statement.ts";
import { mapTaskRow, type ScopeNames, TASK_COLUMN_COUNT } from "../sql/task-columns.ts";
import type { DatabaseClock } from "./database-clock.ts";
import type { PgPool, RunStatement } from "./driver.ts";
import type { PgScopes } from "./scopes.ts";
import type { PgStatements } from "./statements.ts";

/** What reads need of the store. */
export interface ReadSettings {
  readonly pool: PgPool;
  readonly run: RunStatement;
  readonly statements: PgStatements;
  readonly scopes: PgScopes;
  readonly clock: DatabaseClock;
  /** The quoted name of the schema. */
  readonly schema: string;
}

/** Reads rows; throws what the driver throws, and StoreCorrupt for a row that cannot be read. */
export class PgReads {
  readonly #settings: ReadSettings;
  readonly #dialect: ListDialect;
  readonly #lists = new Map<string, { readonly page: ListStatement; readonly total: ListStatement }>();

  /** @param settings what it works with. */
  constructor(settings: ReadSettings) {
    this.#settings = settings;
    this.#dialect = { prefix: `${settings.schema}.`, eventsOf: (key) => `e.task = ${key}`, order: "e.seq" };
  }

  /** Reads the row of a statement that gives the columns of a task and then tenant, owner and agent. */
  named(values: readonly unknown[]): TaskRow {
    const [tenant, owner, agent] = values.slice(TASK_COLUMN_COUNT) as readonly string[];
    if (tenant === undefined || owner === undefined || agent === undefined) return this.#row(values, undefined);
    return this.#row(values, { tenant, owner, agent });
  }

  async task(id: string, snapshot: boolean): Promise<TaskRow | undefined> {
    const { statements } = this.#settings;
    const row = (await this.#run(snapshot ? statements.task : statements.row, [id]))[0];
    return row === undefined ? undefined : this.named(row);
  }

  async events(key: number, afterSeq: number, maxBytes: number): Promise<readonly EventRow[]> {
    const after = Math.max(0, afterSeq);
    const { statements } = this.#settings;
    const found = await this.#run(statements.events, [key, after, maxBytes]);
    const rows: EventRow[] = [];
    let length = 0;
    for (const [seq, code, time, payload] of found) {
      const kind = kindOf(code);
      if (seq !== after + rows.length + 1 || kind === undefined || typeof payload !== "string") {
        const id = (await this.#run(statements.taskId, [key]))[0]?.[0] ?? `with key ${key}`;
        throw new StoreCorrupt(`task ${id}: entry ${after + rows.length + 1} of its log cannot be read`);
      }
      // The server counts characters, the port the units of a string.
      length += payload.length;
      if (rows.length > 0 && length > maxBytes) break;
      rows.push({ seq, kind, time: Number(time), payload });
    }
    return rows;
  }

  async list(query: ListQuery): Promise<ListPage> {
    const { pool, scopes } = this.#settings;
    const found = await scopes.find(pool, query);
    if (found === undefined) return { rows: [], places: [], more: false, total: 0 };
    const { contextId, state, since, after, limit } = query;
    const given: ListParameters = {
      scope: found.scope,
      context: contextId ?? "",
      state: state === undefined ? 0 : STATE_CODES[state],
      since: since ?? 0,
      limit: limit + 1,
      placeTime: after?.statusTime ?? 0,
      placeId: after?.id ?? "",
      asOf: after?.asOf ?? 0,
    };
    const { page, total } = this.#statementsOf(query);
    const [rows, totals] = await Promise.all([this.#list(page, given), this.#list(total, given)]);
    const shown = rows.slice(0, limit);
    return {
      rows: shown.map((values) => this.#row(values, query)),
      places: shown.map((values) => Number(values[TASK_COLUMN_COUNT])),
      more: rows.length > limit,
      total: Number(totals[0]?.[0] ?? 0),
    };
  }

  async dedupe(key: DedupeKey): Promise<DedupeRow | undefined> {
    const row = (await this.#run(this.#settings.statements.dedupe, [dedupeDigest(key)]))[0];
    if (row === undefined) return undefined;
    const [taskId, reply, leaseUntil] = row as readonly [string | null, string | null, number];
    const { tenant, owner, messageId, hash } = key;
    return { tenant, owner, messageId, hash, taskId, reply, leaseUntil };
  }

  async blob(tenant: string, owner: string, sha256: string): Promise<Uint8Array | undefined> {
    const { statements } = this.#settings;
    const row = (await this.#run(statements.findBlob, [tenant, owner, sha256]))[0];
    if (row === undefined) return undefined;
    const [id, length] = row as readonly [number, number];
    const bytes = new Uint8Array(length);
    for (let n = 0, at = 0; at < length; n += 1) {
      const piece = (await this.#run(statements.blobRow, [id, n]))[0]?.[0] as Uint8Array | undefined;
      if (piece === undefined) return undefined;
      bytes.set(piece, at);
      at += piece.length;
    }
    return bytes;
  }

  #row(values: readonly unknown[], names: ScopeNames | undefined): TaskRow {
    const row = mapTaskRow(values, names);
    const { offsetMs } = this.#settings.clock;
    if (offsetMs === 0) return row;
    const leaseUntil = row.leaseUntil === 0 ? 0 : row.leaseUntil - offsetMs;
    return { ...row, leaseUntil, due: row.due === null ? null : row.due - offsetMs };
  }

  #statementsOf({ contextId, state, since, after }: ListQuery) {
    const shape = {
      context: contextId !== undefined,
      states: ALL_STATES,
      state: state !== undefined,
      since: since !== undefined,
      after: after !== undefined,
    };
    const key = `${shape.context} ${shape.state} ${shape.since} ${shape.after}`;
    let found = this.#lists.get(key);
    if (found === undefined) {
      const counted = shape.context || shape.since;
      const total = counted ? totalStatement(shape, this.#dialect) : runningTotal(shape.state, this.#dialect);
      found = { page: listStatement(shape, this.#dialect), total };
      this.#lists.set(key, found);
    }
    return found;
  }

  #list({ text, parameters }: ListStatement, given: ListParameters) {
    return this.#run(
      text,
      parameters.map((name) => given[name]),
    );
  }

  async #run(text: string, values: readonly unknown[]): Promise<readonly (readonly unknown[])[]> {
    return (await this.#settings.run(this.#settings.pool, text, values)).rows;
  }
}

/** The total that the running counts tell, over all shards. */
function runningTotal(state: boolean, { prefix }: ListDialect): ListStatement {
  const text = `SELECT coalesce(sum(n), 0) FROM ${prefix}counts WHERE scope = $1${state ? " AND state = $2" : ""}`;
  return { text, parameters: state ? ["scope", "state"] : ["scope"] };
}
