import { normaliseOddCard } from "../../client/normalise-odd-card.ts";
import type { NormalisedCard } from "../../client/normalised-card.ts";

/**
 * A card of 0.2 or 0.3, or one of both versions, as a card of 1.0.
 *
 * It still says that the interfaces speak the old version, for that is what the agent promised: they are of 1.0 when the
 * agent is. Signatures are left out: they are of the old document.
 *
 * @param json parsed JSON; not changed
 * @param options `protocolVersion` written into every interface, once the agent speaks it; `baseUrl` resolves relative addresses
 * @returns the card, which generation it was of, and one sentence for each thing that was changed
 * @throws LocalError NOT_AN_AGENT for what is no card, CARD_INVALID for one without a name or an address
 * @see specification §4.4, appendix A.2
 */
export function upgradeCard(
  json: unknown,
  options: { readonly protocolVersion?: string | undefined; readonly baseUrl?: string | undefined } = {},
): NormalisedCard {
  const { protocolVersion, baseUrl } = options;
  const { card, generation, warnings } = normaliseOddCard(json, baseUrl);
  const { signatures, ...unsigned } = card;
  const said =
    signatures === undefined ? warnings : [...warnings, "the signatures are of the old document and are left out"];
  if (protocolVersion === undefined) return { card: unsigned, generation, warnings: said };
  const entries = card.supportedInterfaces.map((entry) => ({ ...entry, protocolVersion }));
  const distinct = new Map(entries.map((entry) => [JSON.stringify(entry), entry]));
  return { card: { ...unsigned, supportedInterfaces: [...distinct.values()] }, generation, warnings: said };
}
