import { createHash } from "node:crypto";
import { StoreCorrupt, StoreUnavailable, Unstorable } from "../../engine/store.ts";

/** A statement as the driver takes it. */
export interface PgQuery {
  readonly text: string;
  readonly values?: unknown[];
  /** Under this name the server keeps the plan; absent when the statement is not to be prepared. */
  readonly name?: string;
  readonly rowMode?: "array";
  readonly types?: { getTypeParser(oid: number, format?: string): (value: string) => unknown };
}

/** What the driver gives. */
export interface PgResult {
  readonly rows: readonly (readonly unknown[])[];
  readonly rowCount: number | null;
}

/** A connection of the `pg` package, as far as the store uses it. */
export interface PgClient {
  query(query: PgQuery): Promise<unknown>;
  release(error?: Error | boolean): void;
  on(event: "error" | "end" | "notification", listener: (...values: never[]) => void): unknown;
  removeListener(event: "error", listener: (error: Error) => void): unknown;
}

/** A pool of the `pg` package, or what behaves like one. */
export interface PgPool {
  connect(): Promise<PgClient>;
  query(query: PgQuery): Promise<unknown>;
  end?(): Promise<void>;
  on?(event: "error", listener: (error: Error) => void): unknown;
}

/** What runs statements: a pool, or one connection within a transaction. */
export type PgRunner = Pick<PgClient, "query">;

/** Runs a statement with numbered parameters and gives its rows as arrays. */
export type RunStatement = (runner: PgRunner, text: string, values: readonly unknown[]) => Promise<PgResult>;

/** Two transactions waited for each other, or wrote the same new row: to be done again. Never leaves this room. */
export class PgCollision extends Error {
  override readonly name = "PgCollision";
}

/**
 * Makes what runs statements.
 *
 * @param prepare whether the server keeps the plans under names; false behind a pooler that hands each transaction
 *   another connection.
 */
export function createRunner(prepare: boolean): RunStatement {
  const names = new Map<string, string>();
  const nameOf = (text: string): string => {
    let name = names.get(text);
    if (name === undefined) {
      name = `legation_${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
      names.set(text, name);
    }
    return name;
  };
  return async (runner, text, values) => {
    const query: PgQuery = { text, values: [...values], rowMode: "array", types: TYPES };
    return (await runner.query(prepare ? { ...query, name: nameOf(text) } : query)) as PgResult;
  };
}

/**
 * Gives `work` a connection of a pool for as long as it runs. One whose server went away is thrown out of the pool.
 *
 * @throws StoreUnavailable when there is no connection to be had; otherwise what `work` throws.
 */
export async function withClient<Result>(pool: PgPool, work: (client: PgClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect().catch((error: unknown) => {
    throw translatePgError(error, "connecting");
  });
  let lost: Error | undefined;
  // A pool does not listen to a connection that it has given away, and an error without a listener ends the process.
  const onError = (error: Error) => {
    lost = error;
  };
  client.on("error", onError);
  try {
    return await work(client);
  } finally {
    client.removeListener("error", onError);
    client.release(lost);
  }
}

/** int8 is a string to the driver; every integer of the store fits into a number. */
const TYPES: NonNullable<PgQuery["types"]> = {
  getTypeParser: (oid) => PARSERS.get(oid) ?? ((value) => value),
};

const PARSERS: ReadonlyMap<number, (value: string) => unknown> = new Map<number, (value: string) => unknown>([
  [16, (value) => value === "t"],
  [17, (value) => Buffer.from(value.slice(2), "hex")],
  [20, Number],
  [21, Number],
  [23, Number],
  [701, Number],
  [1700, Number],
]);

/** Gives a name as PostgreSQL takes it. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Says in the words of the port what the driver threw.
 *
 * @param error whatever was thrown.
 * @param doing `connecting` when nothing was sent, `working` when a failure means that nothing was done, `committing`
 *   when an answer that is lost leaves open what was done.
 */
export function translatePgError(error: unknown, doing: "connecting" | "working" | "committing"): Error {
  if (error instanceof StoreUnavailable || error instanceof StoreCorrupt) return error;
  if (error instanceof PgCollision || error instanceof Unstorable) return error;
  if (!(error instanceof Error)) return new StoreUnavailable(`postgres failed: ${String(error)}`);
  if (error instanceof TypeError || error instanceof RangeError) return error;
  const { code, severity } = error as { readonly code?: unknown; readonly severity?: unknown };
  const text = error.message === "" ? String(code) : error.message;
  // Only what the server itself says has a severity; the rest comes from the network.
  if (typeof code !== "string" || severity === undefined) {
    return new StoreUnavailable(`postgres cannot be reached (${text}): check the server and the DSN`, {
      cause: error,
      unknown: doing === "committing",
    });
  }
  switch (code.slice(0, 2)) {
    case "40":
      return new PgCollision(text, { cause: error });
    case "23":
      return new PgCollision(text, { cause: error });
    // The same again fails again, and what else is in the batch must not wait for it.
    case "22":
    case "54":
      return new Unstorable(`postgres cannot keep a value (${code}: ${text})`, { cause: error });
    // The server answered, so what it was doing is undone; only a connection that ended in between leaves it open.
    case "08":
    case "57":
      return new StoreUnavailable(`postgres is going away or coming up (${text})`, {
        cause: error,
        unknown: doing === "committing",
      });
    case "53":
      return new StoreUnavailable(`postgres is out of something (${text}): free disk, memory or connections`, {
        cause: error,
      });
    case "28":
      return new StoreUnavailable(`postgres refuses this user (${text}): check user and password of the DSN`, {
        cause: error,
      });
    case "XX":
      return new StoreCorrupt(`postgres reports damage (${text}): restore the database from a backup`, {
        cause: error,
      });
    default:
      return new StoreUnavailable(`postgres refused a statement (${code}: ${text})${HINTS.get(code) ?? ""}`, {
        cause: error,
      });
  }
}

const HINTS: ReadonlyMap<string, string> = new Map([
  ["3D000", ": create the database or name another in the DSN"],
  ["42501", ": grant this user the right to use and create tables in the schema"],
  ["25006", ": name the primary server in the DSN, this one is read-only"],
  ["26000", ": set prepare to false behind a transaction pooler"],
  ["42P05", ": set prepare to false behind a transaction pooler"],
]);
