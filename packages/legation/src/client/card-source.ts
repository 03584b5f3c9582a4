/**
 * Where cards come from: an address, a card at hand, a static list of agents. A registry is one more source.
 *
 * @see specification §8.2
 */
import type { AgentCard } from "../model/gen/types.ts";
import { isJsonObject } from "../model/json.ts";
import { LocalError } from "../operations/errors.ts";
import { type DiscoveredCard, discoverCard } from "./discover-card.ts";
import type { FetchCardContext } from "./fetch-card.ts";
import { normaliseCard } from "./normalise-card.ts";

/** Anything that can say who an agent is. */
export interface CardSource {
  /** For messages: the address or the name. */
  readonly label: string;
  /** The card, as fresh as the context asks for. */
  discover(context: FetchCardContext): Promise<DiscoveredCard>;
}

/** Names an agent: its address, the address of its card, its card, or a source of cards. */
export type AgentTarget = string | URL | AgentCard | CardSource;

/** Makes a source of whatever names an agent. */
export function cardSource(target: AgentTarget): CardSource {
  if (typeof target === "string" || target instanceof URL) return urlSource(String(target));
  if ("discover" in target) return target;
  return givenSource(target);
}

function urlSource(url: string): CardSource {
  return { label: url, discover: (context) => discoverCard(url, context) };
}

function givenSource(given: unknown): CardSource {
  return {
    label: isJsonObject(given) && typeof given["name"] === "string" ? given["name"] : "card",
    discover: async () => ({ ...(await normaliseCard(given)), url: undefined, text: undefined, fromCache: false }),
  };
}

/** A fixed list of agents by name. */
export interface AgentDirectory {
  /** In the order of the configuration. */
  readonly names: readonly string[];
  /**
   * The source of one agent, for `connect`.
   *
   * @throws LocalError CONFIGURATION for an unknown name; the message lists the known ones
   */
  source(name: string): CardSource;
}

/**
 * Reads a static configuration: a JSON object of agents by name, each an address or a card.
 *
 * @param configuration parsed JSON, `{ "planner": "https://planner.example.com", "boats": { "name": "Boats", … } }`
 * @throws LocalError CONFIGURATION that names the entry that is neither
 */
export function agents(configuration: unknown): AgentDirectory {
  if (!isJsonObject(configuration)) {
    throw new LocalError("CONFIGURATION", "agents must be a JSON object of addresses or cards by name");
  }
  const sources = new Map<string, CardSource>();
  for (const [name, entry] of Object.entries(configuration)) {
    if (typeof entry === "string" && entry !== "") sources.set(name, urlSource(entry));
    else if (isJsonObject(entry)) sources.set(name, givenSource(entry));
    else
      throw new LocalError(
        "CONFIGURATION",
        `agent ${JSON.stringify(name)} must be an address or a card, not ${JSON.stringify(entry)}`,
      );
  }
  const names = [...sources.keys()];
  return {
    names,
    source(name) {
      const found = sources.get(name);
      if (found !== undefined) return found;
      throw new LocalError(
        "CONFIGURATION",
        `agent ${JSON.stringify(name)} is not configured; known are ${names.join(", ") || "none"}`,
      );
    },
  };
}
