/** Finds the card of an agent by its address. */
import { shown } from "../bindings/http/outgoing.ts";
import type { AgentCard } from "../model/gen/types.ts";
import { LocalError } from "../operations/errors.ts";
import { type FetchCardContext, type FetchedCard, fetchCard } from "./fetch-card.ts";
import { normaliseCard } from "./normalise-card.ts";
import type { CardGeneration } from "./normalised-card.ts";

/** A card, how it was found and how it was understood. */
export interface DiscoveredCard {
  /** Canonical. */
  readonly card: AgentCard;
  /** Where it was, after redirects; undefined for a card that was given. */
  readonly url: string | undefined;
  /** As it was received: signatures hold for this text. Undefined for a card that was given. */
  readonly text: string | undefined;
  readonly generation: CardGeneration;
  /** One sentence for each liberty of the reading. */
  readonly warnings: readonly string[];
  /** True when no new copy was transferred. */
  readonly fromCache: boolean;
}

const WELL_KNOWN = ".well-known/agent-card.json";
const LEGACY_WELL_KNOWN = ".well-known/agent.json";

/**
 * The addresses where the card of an agent can be, in the order in which they are tried: below the path, at the
 * origin, the same for the name that 0.2 used, and the address itself. An address that names a document is the only
 * one.
 *
 * @param target `https://host/path`, the address of a card, or `host:port` (http on a loopback host, otherwise https)
 * @throws LocalError CONFIGURATION when it is no http address
 */
export function cardLocations(target: string): readonly string[] {
  const url = parseTarget(target);
  url.hash = "";
  if (url.pathname.endsWith(".json") || url.pathname.includes("/.well-known/") || url.search !== "") return [url.href];
  const base = url.pathname.endsWith("/") ? url.href : `${url.href}/`;
  const origin = new URL("/", url).href;
  const locations = [base + WELL_KNOWN, origin + WELL_KNOWN, base + LEGACY_WELL_KNOWN, origin + LEGACY_WELL_KNOWN];
  if (url.pathname !== "/") locations.push(url.href);
  return [...new Set(locations)];
}

function parseTarget(target: string): URL {
  const trimmed = target.trim();
  const hasScheme = /^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed);
  const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?(\/|$)/i.test(trimmed);
  const absolute = hasScheme ? trimmed : `${isLoopback ? "http" : "https"}://${trimmed}`;
  if (trimmed !== "" && URL.canParse(absolute)) {
    const url = new URL(absolute);
    if (url.protocol === "http:" || url.protocol === "https:") return url;
  }
  throw new LocalError(
    "CONFIGURATION",
    `${JSON.stringify(shown(target))} is not the address of an agent; write https://host/path`,
  );
}

/**
 * Fetches and reads the card of an agent.
 *
 * @param target see {@link cardLocations}
 * @throws LocalError NOT_AN_AGENT when none of the addresses holds a card; its message lists them
 * @throws whatever {@link fetchCard} throws
 * @see specification §8.2, §14.3
 */
export async function discoverCard(target: string, context: FetchCardContext): Promise<DiscoveredCard> {
  const locations = cardLocations(target);
  let page: LocalError | undefined;
  for (const location of locations) {
    let fetched: FetchedCard | undefined;
    try {
      fetched = await fetchCard(location, context);
      if (fetched !== undefined) return await readCard(fetched);
    } catch (error) {
      // A web server that answers every path with a page, or with something else, may still have a card elsewhere.
      if (!(error instanceof LocalError) || error.code !== "NOT_AN_AGENT") throw error;
      page ??= error;
    }
  }
  if (page !== undefined) throw page;
  throw new LocalError(
    "NOT_AN_AGENT",
    `no agent card at ${locations.map(shown).join(", ")}; check host, port and path`,
    {
      metadata: { url: shown(target) },
    },
  );
}

async function readCard(fetched: FetchedCard): Promise<DiscoveredCard> {
  const { finalUrl, text, fromCache } = fetched;
  const url = shown(finalUrl);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new LocalError("NOT_AN_AGENT", `${url} is not JSON, so not an agent card; check the path`, {
      metadata: { url },
      cause,
    });
  }
  return { ...(await normaliseCard(json, finalUrl)), url: finalUrl, text, fromCache };
}
