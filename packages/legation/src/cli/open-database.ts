import type { StoreUrl } from "../hosts/node/store-url.ts";
import type { StoreDatabase } from "../stores/sql/store-database.ts";
import { usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { COMMON_OPTIONS, type OptionName } from "./options.ts";

/** Options of the commands that look after the database of a store. */
export const DATABASE_OPTIONS: readonly OptionName[] = [...COMMON_OPTIONS, "store"];

/** Runs `use` on the database that `--store` names, and closes it. */
export async function withDatabase(
  { settings, messages }: CommandContext,
  use: (database: StoreDatabase, kind: string) => Promise<void>,
): Promise<void> {
  const { parseStoreUrl } = await import("../hosts/node/store-url.ts");
  const url = parseStoreUrl(settings.text("store") ?? "memory:");
  if (url.kind === "memory") throw usageError(messages.noDatabase, messages.nameStore);
  await using database = await open(url);
  await use(database, url.kind);
}

async function open(url: Exclude<StoreUrl, { readonly kind: "memory" }>): Promise<StoreDatabase> {
  if (url.kind === "sqlite") {
    const { openSqliteDatabase } = await import("../stores/sqlite/database.ts");
    return openSqliteDatabase(url.path);
  }
  const { requirePg } = await import("../stores/postgres/connection.ts");
  await requirePg();
  const { openPostgresDatabase } = await import("../stores/postgres/database.ts");
  return openPostgresDatabase(url);
}
