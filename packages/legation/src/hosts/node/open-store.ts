/** Makes a store of a URL. The code of a store is loaded when it is asked for, and so are the packages it needs. */
import type { Store } from "../../engine/store.ts";
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
      const { requirePg } = await import("../../stores/postgres/connection.ts");
      await requirePg();
      const { createPostgresStore } = await import("../../stores/postgres/store.ts");
      return createPostgresStore(parsed);
    }
  }
}
