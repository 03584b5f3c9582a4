/**
 * The card of an agent, made from what is there: its options, the bindings that the host wires, the address under
 * which it is reached.
 *
 * @see specification §4.4, §8
 */
import type { AgentCard, AgentExtension, AgentInterface, AgentSkill } from "../model/gen/types.ts";
import { ModelError } from "../model/model-error.ts";
import { parseAgentCard } from "../model/parse-agent-card.ts";
import type { Principal } from "../operations/call.ts";
import { A2AError, LocalError } from "../operations/errors.ts";
import { isExtension } from "../operations/extension.ts";
import { IDEMPOTENT_SEND_EXTENSION, SKILL_EXTENSION } from "../operations/extension-uris.ts";
import { PROTOCOL_VERSION } from "../operations/version.ts";
import type { AgentOptions } from "./agent-options.ts";
import { SKILL_SCHEMAS_EXTENSION } from "./answer.ts";

/** Name of the gRPC binding in a card (§4.4.6). */
const GRPC_BINDING = "GRPC";

/** Media types of an agent that does not say what it reads and writes. */
export const DEFAULT_MODES: readonly string[] = ["text/plain", "application/json"];

/** What a host has wired for its agents; a card may declare nothing else. */
export interface Wiring {
  /** Names of the bindings at the base URL, the preferred one first. */
  readonly bindings: readonly string[];
  /** Address of gRPC, `host:port`; absent where it is not served. */
  readonly grpc?: string | undefined;
  /** Names the agent to gRPC, where several share its port; absent where there is one. */
  readonly grpcTenant?: string | undefined;
  /** True when webhooks are delivered. */
  readonly push: boolean;
}

/** The extensions of an agent: its own, and ours that follow from its options. */
export function declaredExtensions(options: AgentOptions): readonly AgentExtension[] {
  const { extensions = [], onTask, skills = [], dedupe = true } = options;
  const ours: AgentExtension[] = [];
  if (onTask !== undefined) {
    ours.push({ uri: SKILL_SCHEMAS_EXTENSION, description: "A question carries the JSON Schema of its answer." });
  }
  if (skills.length > 0) {
    ours.push({ uri: SKILL_EXTENSION, description: 'A message may name the skill that it means: {"skillId":"…"}.' });
  }
  if (dedupe === true || dedupe === "strict") {
    ours.push({ uri: IDEMPOTENT_SEND_EXTENSION, description: "A message that is sent again is carried out once." });
  }
  const own = extensions.map((extension) => (isExtension(extension) ? extension.declare() : extension));
  return [...own, ...ours.filter(({ uri }) => !own.some((extension) => extension.uri === uri))];
}

/**
 * Makes the card.
 *
 * @param baseUrl absolute, without a slash at its end
 * @param tenant named in every interface; a client sends it with every request
 * @throws LocalError CONFIGURATION that names the field, for options that do not make a valid card
 */
export function createCard(options: AgentOptions, wiring: Wiring, baseUrl: string, tenant?: string): AgentCard {
  const rest = { protocolVersion: PROTOCOL_VERSION, ...(tenant === undefined ? {} : { tenant }) };
  const interfaces: AgentInterface[] = wiring.bindings.map((protocolBinding) => ({
    url: baseUrl,
    protocolBinding,
    ...rest,
  }));
  if (wiring.grpc !== undefined) {
    const full = [wiring.grpcTenant, tenant].filter((name) => name !== undefined).join("/");
    interfaces.push({
      url: wiring.grpc,
      protocolBinding: GRPC_BINDING,
      protocolVersion: PROTOCOL_VERSION,
      ...(full === "" ? {} : { tenant: full }),
    });
  }
  const draft = {
    name: options.name,
    description: options.description,
    supportedInterfaces: interfaces,
    provider: options.provider,
    version: options.version,
    documentationUrl: options.documentationUrl,
    capabilities: {
      streaming: options.capabilities?.streaming !== false,
      pushNotifications: wiring.push,
      extensions: declaredExtensions(options),
      extendedAgentCard: options.extendedCard !== undefined,
    },
    securitySchemes: options.securitySchemes,
    securityRequirements: options.securityRequirements,
    defaultInputModes: options.modes?.input ?? DEFAULT_MODES,
    defaultOutputModes: options.modes?.output ?? DEFAULT_MODES,
    skills: skillsOf(options),
    iconUrl: options.iconUrl,
  };
  try {
    // A copy through JSON: parsing normalises in place, and the options belong to the user.
    return parseAgentCard(JSON.parse(JSON.stringify(draft)));
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    throw new LocalError("CONFIGURATION", `agent ${options.name} makes no valid card: ${thrown.message}`, {
      cause: thrown,
    });
  }
}

/** The skills of the card, which needs one at least: an agent that names none is good at what it describes. */
export function skillsOf({ skills, name, description }: AgentOptions): readonly AgentSkill[] {
  if (skills !== undefined && skills.length > 0) return skills;
  const id = name.toLowerCase().replaceAll(/\s+/g, "-");
  return [{ id, name, description, tags: [id] }];
}

/**
 * Refuses an agent whose card would promise what is not there (§3.3.4).
 *
 * @throws LocalError CONFIGURATION
 */
export function assertHonest(options: AgentOptions, wiring: Wiring): void {
  const { pushNotifications, extendedAgentCard } = options.capabilities ?? {};
  if (pushNotifications === true && !wiring.push) {
    throw dishonest(options, "pushNotifications", "this host delivers no webhooks; remove it from capabilities");
  }
  if (extendedAgentCard === true && options.extendedCard === undefined) {
    throw dishonest(options, "extendedAgentCard", "there is no extendedCard; give one or remove it from capabilities");
  }
  if (extendedAgentCard === false && options.extendedCard !== undefined) {
    throw dishonest(options, "extendedAgentCard", "extendedCard is given; remove one of the two");
  }
  const schemes = Object.keys(options.securitySchemes ?? {});
  for (const requirement of options.securityRequirements ?? []) {
    const unknown = Object.keys(requirement.schemes ?? {}).find((name) => !schemes.includes(name));
    if (unknown === undefined) continue;
    throw dishonest(options, "securityRequirements", `${unknown} is none of securitySchemes; describe it there`);
  }
}

function dishonest(options: AgentOptions, field: string, why: string): LocalError {
  return new LocalError("CONFIGURATION", `agent ${options.name} declares ${field}: ${why}`, { metadata: { field } });
}

/**
 * The fuller card for a caller.
 *
 * @throws UNSUPPORTED_OPERATION without the capability, UNAUTHENTICATED for an anonymous caller,
 * EXTENDED_AGENT_CARD_NOT_CONFIGURED when there is none for this caller
 */
export async function findExtendedCard(
  options: AgentOptions,
  card: AgentCard,
  principal: Principal,
): Promise<AgentCard> {
  if (options.extendedCard === undefined) {
    throw new A2AError("UNSUPPORTED_OPERATION", "this agent has no extended card; its public card is all there is", {
      metadata: { capability: "extendedAgentCard" },
    });
  }
  if (principal.owner === "") {
    const schemes = Object.keys(options.securitySchemes ?? {}).join(", ");
    throw new A2AError(
      "UNAUTHENTICATED",
      `the extended card needs credentials${schemes === "" ? "" : `; schemes: ${schemes}`}`,
    );
  }
  const extended = await options.extendedCard(principal, card);
  if (extended === undefined) {
    throw new A2AError(
      "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
      "there is no extended card for this caller; use the public one",
    );
  }
  try {
    return parseAgentCard(JSON.parse(JSON.stringify(extended)));
  } catch (thrown) {
    throw new LocalError("CONFIGURATION", `extendedCard of agent ${options.name} gave no valid card`, {
      cause: thrown,
    });
  }
}

/** The value of WWW-Authenticate that the schemes of an agent make (§3.3.2); `Bearer` where they name none. */
export function challengeOf(options: AgentOptions): string {
  const challenges = Object.values(options.securitySchemes ?? {}).flatMap((scheme): string[] => {
    if (scheme.httpAuthSecurityScheme !== undefined) return [scheme.httpAuthSecurityScheme.scheme];
    if (scheme.apiKeySecurityScheme !== undefined) return ["ApiKey"];
    return scheme.mtlsSecurityScheme === undefined ? ["Bearer"] : [];
  });
  const realm = `realm="${options.name.replaceAll(/[^\x20-\x7e]|["\\]/g, "")}"`;
  return [...new Set(challenges.length === 0 ? ["Bearer"] : challenges)].map((name) => `${name} ${realm}`).join(", ");
}
