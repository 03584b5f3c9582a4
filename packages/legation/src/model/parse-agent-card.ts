import type { AgentCard } from "./gen/types.ts";
import { checkAgentCard } from "./gen/validate-card.ts";
import { type Check, type Loose, warn } from "./notes.ts";
import { type ParseOptions, parseWith } from "./parse.ts";

/**
 * Reads an agent's card. Names of older versions and modes that are no media types are warned about, never refused.
 *
 * @param value - Parsed JSON; changed in place, see {@link ParseOptions}.
 * @param options - Who is told of suspicious fields.
 * @returns `value` in canonical form.
 * @throws ModelError with the path of each violation.
 * @see specification §4.4.1
 */
export function parseAgentCard(value: unknown, options?: ParseOptions): AgentCard {
  return parseWith(value, options, checkAgentCard, cardLint) as unknown as AgentCard;
}

/** Modes are media types; `TEXT` and `IMAGE` come from tutorials and match nothing. */
function cardLint(object: Loose, check: Check): void {
  const card = object as unknown as AgentCard;
  lintModes(check, "defaultInputModes", card.defaultInputModes);
  lintModes(check, "defaultOutputModes", card.defaultOutputModes);
  card.skills.forEach((skill, index) => {
    lintModes(check, `skills[${index}].inputModes`, skill.inputModes);
    lintModes(check, `skills[${index}].outputModes`, skill.outputModes);
  });
}

function lintModes(check: Check, field: string, modes: readonly string[] | undefined): void {
  modes?.forEach((mode, index) => {
    if (!mode.includes("/"))
      warn(check, `${field}[${index}]`, `"${mode}" is no media type: write one such as text/plain`);
  });
}
