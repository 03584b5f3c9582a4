import type { AgentCard, AgentInterface } from "../model/gen/types.ts";
import { ModelError } from "../model/model-error.ts";
import { parseLeniently } from "../model/parse-leniently.ts";
import type { NormalisedCard } from "./normalised-card.ts";

/**
 * Makes the canonical card of any JSON that is recognisably a card: what older versions and other implementations
 * write is understood, and each liberty that was taken is a warning. Our own cards are strict; this is only for what
 * comes in.
 *
 * It decides what the card means, not whether it is trustworthy: signatures are carried, never checked, and they hold
 * for the received document, not for this one.
 *
 * @param json parsed JSON; not changed
 * @param baseUrl resolves relative interface URLs; the address of the card
 * @throws LocalError NOT_AN_AGENT when nothing in it looks like a card
 * @throws LocalError CARD_INVALID when it is a card without a name, or without any interface
 * @see specification §4.4, §8, appendix A.2
 */
export async function normaliseCard(json: unknown, baseUrl?: string): Promise<NormalisedCard> {
  const card = readCorrectCard(json);
  if (card !== undefined) return { card, generation: "1.0", warnings: [] };
  // In a file of its own: whoever talks to agents with correct cards never loads it.
  const { normaliseOddCard } = await import("./normalise-odd-card.ts");
  return normaliseOddCard(json, baseUrl);
}

/** A card of 1.0 with nothing missing, misspelt or unknown in it; undefined for any other. */
function readCorrectCard(json: unknown): AgentCard | undefined {
  let isOdd = false;
  const noteOddity = (): void => {
    isOdd = true;
  };
  let card: AgentCard;
  try {
    const options = { onWarning: noteOddity, onUnknown: noteOddity };
    card = parseLeniently("AgentCard", json, options) as unknown as AgentCard;
  } catch (thrown) {
    if (thrown instanceof ModelError) return undefined;
    throw thrown;
  }
  isOdd ||= card.name === "" || card.supportedInterfaces.length === 0;
  isOdd ||= card.skills.some(({ id }) => id === "") || !card.supportedInterfaces.every(isCorrect);
  return isOdd ? undefined : card;
}

const BINDINGS: readonly string[] = ["JSONRPC", "HTTP+JSON", "GRPC"];

function isCorrect({ url, protocolBinding, protocolVersion }: AgentInterface): boolean {
  if (!BINDINGS.includes(protocolBinding) || protocolVersion === "") return false;
  return protocolBinding === "GRPC" || URL.canParse(url);
}
