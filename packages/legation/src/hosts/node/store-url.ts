/** What the URL of a store means: for the host that opens it, and for the commands that look after its database. */
import { LocalError } from "../../operations/errors.ts";

/** A store, as its URL names it. */
export type StoreUrl =
  | { readonly kind: "memory" }
  | { readonly kind: "sqlite"; readonly path: string }
  | {
      readonly kind: "postgres";
      readonly dsn: string;
      readonly schema: string;
      readonly prepare: boolean;
      readonly listenDsn: string | undefined;
    };

/**
 * Reads the URL of a store.
 *
 * @param url `memory:`, `sqlite:./planner.db`, or `postgres://user:password@host:5432/database`. The last takes, beside
 *   what the driver knows, `?schema=` (default `legation`), `?prepare=false` behind a transaction pooler, and `?listen=`
 *   with a DSN that leads around it (percent-encoded)
 * @throws LocalError CONFIGURATION for a URL that names no store
 */
export function parseStoreUrl(url: string): StoreUrl {
  const colon = url.indexOf(":");
  const scheme = url.slice(0, Math.max(0, colon)).toLowerCase();
  const rest = url.slice(colon + 1);
  switch (scheme) {
    case "memory":
      if (rest !== "") throw wrongUrl(url, "memory: takes nothing behind the colon");
      return { kind: "memory" };
    case "sqlite": {
      const path = rest.startsWith("//") ? rest.slice(2) : rest;
      if (path === "") throw wrongUrl(url, "name the file, sqlite:./agent.db");
      return { kind: "sqlite", path };
    }
    case "postgres":
    case "postgresql":
      return parsePostgres(url);
    default:
      throw wrongUrl(url, "use memory:, sqlite:./agent.db or postgres://user:password@host:5432/database");
  }
}

function parsePostgres(url: string): StoreUrl {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    throw wrongUrl(url, "write postgres://user:password@host:5432/database, with % codes for signs in the password");
  }
  const { searchParams: query } = parsed;
  const schema = query.get("schema") ?? "legation";
  if (schema === "" || schema.length > 63) throw wrongUrl(url, "?schema= takes a name of 1 to 63 characters");
  const prepare = query.get("prepare") ?? "true";
  if (prepare !== "true" && prepare !== "false") throw wrongUrl(url, "?prepare= is true or false");
  const listenDsn = query.get("listen") ?? undefined;
  for (const own of ["schema", "prepare", "listen"]) query.delete(own);
  return { kind: "postgres", dsn: parsed.href, schema, prepare: prepare === "true", listenDsn };
}

function wrongUrl(url: string, what: string): LocalError {
  // A store URL may hold a password: only what stands before its scheme's colon is shown.
  const shown = url.slice(0, Math.max(0, url.indexOf(":") + 1)) || url.slice(0, 40);
  return new LocalError("CONFIGURATION", `store ${JSON.stringify(shown)} cannot be opened: ${what}`);
}
