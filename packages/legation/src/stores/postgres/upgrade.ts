import { createHash } from "node:crypto";
import { StoreUnavailable } from "../../engine/store.ts";
import { type AppliedMigration, type Migration, planMigrations } from "../sql/migration-plan.ts";
import { type PgClient, type PgRunner, quoteName, type RunStatement } from "./driver.ts";
import { POSTGRES_MIGRATIONS } from "./migrations.ts";

/** Before it, a server lacks what the statements use. */
const OLDEST_SERVER = 130_000;

/** Only one process at a time may change the schema; the lock ends with the transaction. */
const LOCK = 7_093_514_201;

/**
 * Gives the steps that a database still needs, without changing it.
 *
 * @throws StoreCorrupt when the schema is newer than this program or was made by other texts; StoreUnavailable for a
 *   server that is too old.
 */
export async function pendingMigrations(
  runner: PgRunner,
  run: RunStatement,
  schema: string,
): Promise<readonly Migration[]> {
  const server = await run(
    runner,
    "SELECT current_setting('server_version_num')::int, current_setting('server_encoding')",
    [],
  );
  const [version, encoding] = server.rows[0] as readonly [number, string];
  if (version < OLDEST_SERVER) {
    throw new StoreUnavailable(`postgres ${Math.floor(version / 10_000)} is too old: use 13 or newer`);
  }
  if (encoding !== "UTF8") throw new StoreUnavailable(`the database has the encoding ${encoding}: make one with UTF8`);
  const table = `${quoteName(schema)}.migrations`;
  const there = await run(runner, "SELECT to_regclass($1) IS NOT NULL", [table]);
  const applied =
    there.rows[0]?.[0] === true
      ? (await run(runner, `SELECT version, checksum FROM ${table} ORDER BY version`, [])).rows.map(
          ([each, checksum]): AppliedMigration => ({ version: Number(each), checksum: String(checksum) }),
        )
      : [];
  return planMigrations(POSTGRES_MIGRATIONS, applied, {
    checksum: checksumOf,
    where: `postgres schema ${schema}`,
  });
}

/** Gives what {@link upgradeSchema} would run, for somebody who may not let a program change a schema. */
export function migrationText(pending: readonly Migration[], schema: string): string {
  const quoted = quoteName(schema);
  const steps = pending.map(
    ({ version, name, sql }) =>
      `-- ${version}: ${name}\n${sql.replaceAll("{schema}", quoted).trim()}\n` +
      `INSERT INTO ${quoted}.migrations (version, name, checksum) VALUES (${version}, '${name}', '${checksumOf(sql)}');\n`,
  );
  return (
    `CREATE SCHEMA IF NOT EXISTS ${quoted};\n` +
    `CREATE TABLE IF NOT EXISTS ${quoted}.migrations (version integer PRIMARY KEY, name text NOT NULL, checksum text NOT NULL);\n` +
    steps.join("")
  );
}

/** Brings the schema up to date. Touches nothing when it is, so that a user without the right to create may run. */
export async function upgradeSchema(client: PgClient, run: RunStatement, schema: string): Promise<void> {
  if ((await pendingMigrations(client, run, schema)).length === 0) return;
  await client.query({ text: "BEGIN" });
  try {
    await client.query({ text: `SELECT pg_advisory_xact_lock(${LOCK})` });
    const pending = await pendingMigrations(client, run, schema);
    if (pending.length > 0) await client.query({ text: migrationText(pending, schema) });
    await client.query({ text: "COMMIT" });
  } catch (error) {
    await client.query({ text: "ROLLBACK" }).catch(() => {});
    throw error;
  }
}

function checksumOf(sql: string): string {
  return createHash("sha256").update(sql).digest("hex");
}
