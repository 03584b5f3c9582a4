import type { StoreDatabase } from "../sql/store-database.ts";
import { openPool } from "./connection.ts";
import { createRunner, translatePgError, withClient } from "./driver.ts";
import { readHealth } from "./health.ts";
import { POSTGRES_MIGRATIONS } from "./migrations.ts";
import { migrationText, pendingMigrations, upgradeSchema } from "./upgrade.ts";

/**
 * Opens the database of a store without its tasks.
 *
 * @param options `dsn` of the server and the `schema` that holds the tables.
 * @throws StoreUnavailable when it cannot be reached.
 */
export async function openPostgresDatabase(options: {
  readonly dsn: string;
  readonly schema: string;
}): Promise<StoreDatabase> {
  const pool = await openPool(options.dsn, 1);
  const run = createRunner(false);
  const pending = () => pendingMigrations(pool, run, options.schema);
  const translated = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      throw translatePgError(error, "working");
    }
  };
  return {
    status: () =>
      translated(async () => {
        const steps = await pending();
        const { problems } = await readHealth(pool, run);
        return { version: POSTGRES_MIGRATIONS.length - steps.length, pending: steps, problems };
      }),
    sql: () =>
      translated(async () => {
        const steps = await pending();
        return steps.length === 0 ? "" : `BEGIN;\n${migrationText(steps, options.schema)}COMMIT;\n`;
      }),
    upgrade: () =>
      translated(async () => {
        const steps = await pending();
        await withClient(pool, (client) => upgradeSchema(client, run, options.schema));
        return steps;
      }),
    [Symbol.asyncDispose]: async () => {
      await pool.end?.();
    },
  };
}
