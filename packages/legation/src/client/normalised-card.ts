import type { AgentCard } from "../model/gen/types.ts";

/** Which generation of the protocol wrote a card; `hybrid` serves two at once. */
export type CardGeneration = "1.0" | "0.3" | "0.2" | "hybrid";

/** A card as it was understood. */
export interface NormalisedCard {
  /** Canonical; every REQUIRED list is there. A new object, which shares free JSON (params, headers) with what was read. */
  readonly card: AgentCard;
  readonly generation: CardGeneration;
  /** One sentence for each liberty; empty for a correct 1.0 card. */
  readonly warnings: readonly string[];
}
