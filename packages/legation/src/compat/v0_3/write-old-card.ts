/**
 * Cards for readers of 0.3: by themselves, or as one card with the fields of both versions side by side.
 *
 * @see specification of 0.3, §5.5, §5.6; specification of 1.0, §4.4, appendix A.2
 */
import type {
  AgentCard,
  AgentInterface,
  AgentSkill,
  OAuth2SecurityScheme,
  SecurityRequirement,
  SecurityScheme,
} from "../../model/gen/types.ts";
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { OLD_CARD_VERSION, OLD_VERSION, type OldForm } from "./old-words.ts";
import { fill } from "./write-old.ts";

/** The card as 0.3 writes it. Signatures are left out: they are of another document. */
export function writeOldCard(card: AgentCard, bindings: readonly string[], form: OldForm = "kind"): JsonObject {
  const { name, description, provider, iconUrl, version, documentationUrl } = card;
  const { defaultInputModes, defaultOutputModes } = card;
  const { extendedAgentCard: _, ...capabilities } = card.capabilities;
  return fill({
    name,
    description,
    provider: json(provider),
    iconUrl,
    version,
    documentationUrl,
    capabilities: json(capabilities),
    defaultInputModes,
    defaultOutputModes,
    skills: card.skills.map((skill) => writeSkill(skill, form)),
    ...oldFields(card, bindings, form),
    securitySchemes: form === "kind" ? writeSchemes(card, writeScheme) : json(card.securitySchemes),
  });
}

/**
 * One card that both versions read: what 0.3 calls otherwise stands beside what 1.0 says, and the interfaces are listed
 * for both. A card in which nothing can be called in 0.3 (a tenant's, for 0.3 has none) is given back as it is.
 *
 * @param card a card of 1.0; not changed
 * @param bindings those that are served in 0.3, by their name in a card
 */
export function hybridCard(card: AgentCard, bindings: readonly string[]): AgentCard {
  const old = callableInOld(card, bindings);
  if (old.length === 0) return card;
  const hybrid = {
    ...card,
    supportedInterfaces: [
      ...card.supportedInterfaces,
      ...old.map(({ url, protocolBinding }) => ({ url, protocolBinding, protocolVersion: OLD_VERSION })),
    ],
    skills: card.skills.map((skill) => ({ ...skill, ...fill({ security: writeSecurity(skill, "kind") }) })),
    ...oldFields(card, bindings, "kind"),
    ...fill({
      securitySchemes: writeSchemes(card, (scheme) => ({ ...(json(scheme) as JsonObject), ...writeScheme(scheme) })),
    }),
  };
  // The fields of 0.3 are none of the model's, which is why they are added here and nowhere else.
  return hybrid as AgentCard;
}

function oldFields(card: AgentCard, bindings: readonly string[], form: OldForm): JsonObject {
  const old = callableInOld(card, bindings);
  return fill({
    protocolVersion: OLD_CARD_VERSION,
    url: old[0]?.url ?? "",
    preferredTransport: old[0]?.protocolBinding ?? "JSONRPC",
    additionalInterfaces: old.map(({ url, protocolBinding: transport }) => ({ url, transport })),
    security: writeSecurity(card, form),
    supportsAuthenticatedExtendedCard: card.capabilities.extendedAgentCard === true,
  });
}

/** What of a card 0.3 can call: the interfaces that are served in both versions, each once. */
function callableInOld(card: AgentCard, bindings: readonly string[]): readonly AgentInterface[] {
  const served = card.supportedInterfaces.filter(
    ({ protocolBinding, tenant = "" }) => bindings.includes(protocolBinding) && tenant === "",
  );
  return [...new Map(served.map((entry) => [`${entry.protocolBinding} ${entry.url}`, entry])).values()];
}

function writeSkill(skill: AgentSkill, form: OldForm): JsonObject {
  const { securityRequirements: _, ...rest } = skill;
  return { ...(json(rest) as JsonObject), ...fill({ security: writeSecurity(skill, form) }) };
}

function writeSecurity(
  { securityRequirements }: { readonly securityRequirements?: readonly SecurityRequirement[] },
  form: OldForm,
): JsonValue | undefined {
  if (securityRequirements === undefined) return undefined;
  if (form === "proto") return json(securityRequirements);
  return securityRequirements.map(({ schemes = {} }) =>
    Object.fromEntries(Object.entries(schemes).map(([name, { list = [] }]) => [name, [...list]])),
  );
}

function writeSchemes(
  { securitySchemes }: AgentCard,
  write: (scheme: SecurityScheme) => JsonObject,
): JsonObject | undefined {
  if (securitySchemes === undefined) return undefined;
  return Object.fromEntries(Object.entries(securitySchemes).map(([name, scheme]) => [name, write(scheme)]));
}

function writeScheme(scheme: SecurityScheme): JsonObject {
  const { apiKeySecurityScheme, httpAuthSecurityScheme, oauth2SecurityScheme, openIdConnectSecurityScheme } = scheme;
  if (apiKeySecurityScheme !== undefined) {
    const { location, name, description } = apiKeySecurityScheme;
    return fill({ type: "apiKey", in: location, name, description });
  }
  if (httpAuthSecurityScheme !== undefined) {
    const { scheme: name, bearerFormat, description } = httpAuthSecurityScheme;
    return fill({ type: "http", scheme: name, bearerFormat, description });
  }
  if (oauth2SecurityScheme !== undefined) return writeOAuth2(oauth2SecurityScheme);
  if (openIdConnectSecurityScheme !== undefined) {
    const { openIdConnectUrl, description } = openIdConnectSecurityScheme;
    return fill({ type: "openIdConnect", openIdConnectUrl, description });
  }
  return fill({ type: "mutualTLS", description: scheme.mtlsSecurityScheme?.description });
}

/** The device code flow is new in 1.0; a reader of 0.3 sees a scheme without a flow that it knows. */
function writeOAuth2({ flows, oauth2MetadataUrl, description }: OAuth2SecurityScheme): JsonObject {
  const { deviceCode: _, ...known } = flows;
  return fill({ type: "oauth2", flows: json(known), oauth2MetadataUrl, description });
}

/** A message of the model as JSON, which it is; absent stays absent. */
function json<T extends object | undefined>(value: T): JsonValue | undefined {
  return value as JsonValue | undefined;
}
