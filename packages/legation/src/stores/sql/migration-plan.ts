import { StoreCorrupt } from "../../engine/store.ts";

/** One step of a schema. Its text never changes once it was published: its checksum stands in the databases. */
export interface Migration {
  /** 1, 2, 3 … */
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** A step that a database has behind it. */
export interface AppliedMigration {
  readonly version: number;
  readonly checksum: string;
}

/**
 * Gives the steps that a database still needs.
 *
 * @param known all steps that this version of the program knows, in order.
 * @param applied what the database says it has behind it, in order.
 * @param options `checksum` gives that of a text; `where` names the database in messages.
 * @throws StoreCorrupt when the database is newer than the program, or was made by other texts.
 */
export function planMigrations(
  known: readonly Migration[],
  applied: readonly AppliedMigration[],
  options: { readonly checksum: (sql: string) => string; readonly where: string },
): readonly Migration[] {
  const newest = known.at(-1)?.version ?? 0;
  for (const { version, checksum } of applied) {
    const migration = known.find((each) => each.version === version);
    if (migration === undefined) {
      throw new StoreCorrupt(
        `${options.where} has schema version ${version}, this program knows up to ${newest}: use a newer legation`,
      );
    }
    if (options.checksum(migration.sql) !== checksum) {
      throw new StoreCorrupt(
        `${options.where} was made by another text of migration ${version} (${migration.name}): use the legation that made it`,
      );
    }
  }
  return known.filter(({ version }) => !applied.some((each) => each.version === version));
}
