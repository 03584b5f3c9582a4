/**
 * Extensions of a call: which ones the caller asked for, which ones it must ask for, which ones are active.
 *
 * @see specification §4.6, §3.2.6
 */
import { A2AError } from "./errors.ts";

/** How many extensions of one call are looked at; guards against a header that is one long list. */
export const MAX_EXTENSIONS = 64;

const NONE: readonly string[] = [];

/**
 * Reads the extensions of a call: several header lines, commas, the legacy header too, without duplicates, in order.
 * URIs are compared exactly; nothing is normalised.
 *
 * @param header `A2A-Extensions`, several lines joined by a comma
 * @param legacy `X-A2A-Extensions`, which clients sent before 1.0
 */
export function parseExtensions(header: string | undefined, legacy?: string | undefined): readonly string[] {
  if (header === undefined && legacy === undefined) return NONE;
  const found = new Set<string>();
  for (const line of [header, legacy]) {
    for (const item of line?.split(",") ?? NONE) {
      const uri = item.trim();
      if (uri !== "" && found.size < MAX_EXTENSIONS) found.add(uri);
    }
  }
  return [...found];
}

/** The value of the `A2A-Extensions` header for a list of URIs; `""` where there is none. */
export function encodeExtensions(uris: readonly string[]): string {
  return uris.join(",");
}

/** What a card says of one extension, as far as it matters here (§4.4.4). */
export interface DeclaredExtension {
  readonly uri?: string | undefined;
  readonly required?: boolean | undefined;
}

/**
 * The extensions that are active for a call: asked for and declared. One that was asked for and is unknown is ignored,
 * as §4.6.3 says; another version of it never takes its place.
 */
export function activeExtensions(
  requested: readonly string[],
  declared: readonly DeclaredExtension[],
): readonly string[] {
  if (requested.length === 0 || declared.length === 0) return NONE;
  return requested.filter((uri) => declared.some((extension) => extension.uri === uri));
}

/**
 * Refuses a call that does not ask for an extension that the card demands. Call it before anything is stored, for
 * every operation that runs the agent.
 *
 * @throws EXTENSION_SUPPORT_REQUIRED that names each missing URI
 */
export function requireExtensions(requested: readonly string[], declared: readonly DeclaredExtension[]): void {
  const missing: string[] = [];
  for (const { uri, required } of declared) {
    if (required === true && uri !== undefined && !requested.includes(uri)) missing.push(uri);
  }
  if (missing.length === 0) return;
  const list = encodeExtensions(missing);
  throw new A2AError(
    "EXTENSION_SUPPORT_REQUIRED",
    `this agent requires the extension ${missing.join(" and ")}; send A2A-Extensions: ${list}`,
    { metadata: { requiredExtensions: list } },
  );
}
