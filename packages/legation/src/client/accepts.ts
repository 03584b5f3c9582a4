import type { AgentCard, AgentSkill, Part, SecurityRequirement } from "../model/gen/types.ts";
import { matchesMediaType, partMediaType } from "../operations/media-type.ts";
import type { MessageDraft } from "./compose-message.ts";

/** What stands in the way of a message. */
export interface AcceptanceProblem {
  readonly what: "skill" | "input-mode" | "output-mode" | "channel" | "auth" | "extension";
  /** One sentence: what was wanted, what the card offers. */
  readonly message: string;
}

/** Whether a card takes a message. It promises nothing: the agent decides. */
export type Acceptance =
  | { readonly ok: true }
  | { readonly ok: false; readonly problems: readonly AcceptanceProblem[] };

/** What is wanted of the agent, beside the message. */
export interface AcceptanceQuery {
  /** Id of the skill. Default: any; the modes of the card and of all skills then count together. */
  readonly skill?: string | undefined;
  /** Media types of which the caller needs at least one. Default: any. */
  readonly acceptedOutputModes?: readonly string[] | undefined;
  /** How the caller wants to be told. Default: any; polling is always possible. */
  readonly channel?: "polling" | "streaming" | "push" | undefined;
  /** Extensions that the caller asks for. */
  readonly extensions?: readonly string[] | undefined;
  /** True when the caller has credentials; they are not tried. */
  readonly hasCredentials?: boolean | undefined;
}

/**
 * Compares a message with a card: skill, input and output modes, channel, authentication, required extensions.
 *
 * @param card canonical
 * @param message its parts
 * @param query what else is wanted
 */
export function accepts(
  card: AgentCard,
  message: Pick<MessageDraft, "parts">,
  query: AcceptanceQuery = {},
): Acceptance {
  const problems: AcceptanceProblem[] = [];
  const skill = card.skills.find(({ id }) => id === query.skill);
  if (query.skill !== undefined && skill === undefined) {
    const known = card.skills.map(({ id }) => id).join(", ");
    problems.push({ what: "skill", message: `${card.name} has no skill ${query.skill}; it has ${known || "none"}` });
  }
  problems.push(...inputProblems(card, skill, message.parts));
  problems.push(...outputProblems(card, skill, query.acceptedOutputModes ?? []));
  problems.push(...channelProblems(card, query.channel));
  if (query.hasCredentials !== true && demandsAuth(skill?.securityRequirements ?? card.securityRequirements)) {
    const names = Object.keys(card.securitySchemes ?? {}).join(", ") || "an unnamed scheme";
    problems.push({ what: "auth", message: `${card.name} demands authentication by ${names}; pass credentials` });
  }
  for (const { uri, required } of card.capabilities.extensions ?? []) {
    if (required !== true || uri === undefined || query.extensions?.includes(uri) === true) continue;
    problems.push({
      what: "extension",
      message: `${card.name} requires the extension ${uri}; ask for it in extensions`,
    });
  }
  return problems.length === 0 ? { ok: true } : { ok: false, problems };
}

function inputProblems(card: AgentCard, skill: AgentSkill | undefined, parts: readonly Part[]): AcceptanceProblem[] {
  const modes = modesOf(card, skill, "inputModes");
  const problems = new Map<string, AcceptanceProblem>();
  for (const part of parts) {
    const type = partMediaType(part);
    if (type === undefined || modes.length === 0 || modes.some((mode) => matchesMediaType(mode, type))) continue;
    problems.set(type, {
      what: "input-mode",
      message: `${card.name} does not read ${type}; it reads ${modes.join(", ")}`,
    });
  }
  return [...problems.values()];
}

function outputProblems(
  card: AgentCard,
  skill: AgentSkill | undefined,
  wanted: readonly string[],
): AcceptanceProblem[] {
  const modes = modesOf(card, skill, "outputModes");
  if (wanted.length === 0 || modes.length === 0) return [];
  if (wanted.some((want) => modes.some((mode) => matchesMediaType(want, mode) || matchesMediaType(mode, want))))
    return [];
  return [
    { what: "output-mode", message: `${card.name} does not give ${wanted.join(" or ")}; it gives ${modes.join(", ")}` },
  ];
}

function channelProblems({ name, capabilities }: AgentCard, channel: AcceptanceQuery["channel"]): AcceptanceProblem[] {
  const missing =
    (channel === "streaming" && capabilities.streaming !== true) ||
    (channel === "push" && capabilities.pushNotifications !== true);
  if (!missing) return [];
  return [{ what: "channel", message: `${name} does not declare ${channel}; polling is always possible` }];
}

/** One requirement that demands nothing makes authentication optional (§4.5, as in OpenAPI). */
function demandsAuth(requirements: readonly SecurityRequirement[] | undefined): boolean {
  if (requirements === undefined || requirements.length === 0) return false;
  return requirements.every(({ schemes }) => Object.keys(schemes ?? {}).length > 0);
}

// A skill's own modes override those of the card; without a skill everything that some skill takes may be taken.
function modesOf(card: AgentCard, skill: AgentSkill | undefined, key: "inputModes" | "outputModes"): readonly string[] {
  const defaults = key === "inputModes" ? card.defaultInputModes : card.defaultOutputModes;
  if (skill !== undefined) return skill[key] ?? defaults;
  return [...new Set([...defaults, ...card.skills.flatMap((each) => each[key] ?? [])])];
}
