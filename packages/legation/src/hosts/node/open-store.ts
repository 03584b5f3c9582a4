/** Makes a store of a URL. The code of a store is loaded when it is asked for, and so are the packages it needs. */
import type { Store } from "../../engine/store.ts";
import { LocalError } from "../../operations/errors.ts";

/**
 * Makes the store that a URL names; the engine opens it.
 *
 * @param url `memory:`, or `sqlite:` and a path: `sqlite:./planner.db`, `sqlite:/var/lib/planner.db`
 * @throws LocalError CONFIGURATION for a URL that names no store
 */
export async function openStore(url: string): Promise<Store> {
  const colon = url.indexOf(":");
  const scheme = url.slice(0, Math.max(0, colon)).toLowerCase();
  const rest = url.slice(colon + 1);
  switch (scheme) {
    case "memory": {
      if (rest !== "") throw wrongUrl(url, "memory: takes nothing behind the colon");
      const { createMemoryStore } = await import("../../stores/memory/store.ts");
      return createMemoryStore();
    }
    case "sqlite": {
      const path = rest.startsWith("//") ? rest.slice(2) : rest;
      if (path === "") throw wrongUrl(url, "name the file, sqlite:./agent.db");
      const { createSqliteStore } = await import("../../stores/sqlite/store.ts");
      return createSqliteStore(path);
    }
    default:
      throw wrongUrl(url, "use memory: or sqlite:./agent.db");
  }
}

function wrongUrl(url: string, what: string): LocalError {
  // A store URL may hold a password: only what stands before its scheme's colon is shown.
  const shown = url.slice(0, Math.max(0, url.indexOf(":") + 1)) || url.slice(0, 40);
  return new LocalError("CONFIGURATION", `store ${JSON.stringify(shown)} cannot be opened: ${what}`);
}
