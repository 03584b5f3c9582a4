/** Makes a store of a URL. The code of a store is loaded when it is asked for, and so are the packages it needs. */
import type { Store } from "../../engine/store.ts";
import { LocalError } from "../../operations/errors.ts";
import { parseStoreUrl } from "./store-url.ts";

/**
 * Makes the store that a URL names; the engine opens it.
 *
 * @param url `memory:`; `sqlite:` and a path: `sqlite:./planner.db`, `sqlite:/var/lib/planner.db`; or
 *   `postgres://user:password@host:5432/database`, which needs the package `pg`
 * @throws LocalError CONFIGURATION for a URL that names no store, and when `pg` is missing
 */
export async function openStore(url: string): Promise<Store> {
  const parsed = parseStoreUrl(url);
  switch (parsed.kind) {
    case "memory": {
      const { createMemoryStore } = await import("../../stores/memory/store.ts");
      return createMemoryStore();
    }
    case "sqlite": {
      const { createSqliteStore } = await import("../../stores/sqlite/store.ts");
      return createSqliteStore(parsed.path);
    }
    case "postgres": {
      await requirePg();
      const { createPostgresStore } = await import("../../stores/postgres/store.ts");
      return createPostgresStore(parsed);
    }
  }
}

/** @throws LocalError CONFIGURATION that says how to install it when the package `pg` is missing */
export async function requirePg(): Promise<void> {
  try {
    await import("pg");
  } catch (cause) {
    throw new LocalError("CONFIGURATION", "a postgres store needs the package pg; npm install pg", { cause });
  }
}
