/** The skills that only the extended card of an agent has. */
import type { AgentCard } from "../model/gen/types.ts";
import type { Principal } from "../operations/call.ts";
import { isA2AError } from "../operations/errors.ts";
import type { AgentOptions } from "./agent-options.ts";
import { findExtendedCard } from "./card.ts";

/** A skill, as far as a message is judged by it. */
export interface AdmittedSkill {
  readonly id: string;
  /** What it reads. */
  readonly inputModes: readonly string[];
}

/**
 * The skills of the extended card that a caller may see.
 *
 * @param card the public card
 * @returns none for a caller who has no such card
 */
export async function findExtendedSkills(
  options: AgentOptions,
  card: AgentCard,
  principal: Principal,
): Promise<readonly AdmittedSkill[]> {
  try {
    const { skills, defaultInputModes } = await findExtendedCard(options, card, principal);
    return skills.map(({ id, inputModes = [] }) => ({
      id,
      inputModes: inputModes.length === 0 ? defaultInputModes : inputModes,
    }));
  } catch (thrown) {
    if (isA2AError(thrown, "EXTENDED_AGENT_CARD_NOT_CONFIGURED") || isA2AError(thrown, "UNAUTHENTICATED")) return [];
    throw thrown;
  }
}
