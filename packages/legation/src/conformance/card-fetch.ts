/** Finds and fetches the card of an agent under test, as it is. */
import type { Fetch } from "../bindings/http/outgoing.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { LocalError } from "../operations/errors.ts";
import type { RawReply } from "./raw-reply.ts";

/** A card and the URL where it was found. */
export interface FoundCard {
  readonly url: string;
  readonly card: JsonObject;
}

/** Fetches one URL by GET. */
export async function fetchText(
  fetch: Fetch,
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<RawReply> {
  const response = await fetch(url, { method: "GET", headers: { ...headers }, redirect: "manual", signal });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (let step = await reader?.read(); step !== undefined && !step.done; step = await reader?.read()) {
    text += decoder.decode(step.value, { stream: true });
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  return { status: response.status, header: (name) => response.headers.get(name) ?? undefined, text, json };
}

/**
 * Finds the card: a URL that ends in `.json` is the card, any other is the base below which it is well known; the
 * origin is asked last.
 *
 * @throws LocalError NOT_AN_AGENT that names every URL that was asked
 */
export async function findCard(
  fetch: Fetch,
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<FoundCard> {
  const candidates = cardUrls(url);
  for (const candidate of candidates) {
    const { status, json } = await fetchText(fetch, candidate, headers, signal);
    if (status === 200 && isJsonObject(json)) return { url: candidate, card: json };
  }
  throw new LocalError("NOT_AN_AGENT", `no agent card at ${candidates.join(" or ")}`, { metadata: { url } });
}

function cardUrls(url: string): readonly string[] {
  if (/\.json(\?|$)/.test(url)) return [url];
  const base = url.replace(/\/+$/, "");
  const wellKnown = "/.well-known/agent-card.json";
  return [...new Set([base + wellKnown, new URL(wellKnown, base).href])];
}
