/**
 * Reads cards that are not correct ones of 1.0: of older versions, of two versions at once, with things missing,
 * misspelt or unknown. Each liberty that is taken is a warning.
 *
 * @see specification §4.4, §8, appendix A.2
 */
import type { AgentCapabilities, AgentCard, AgentExtension, AgentInterface, AgentSkill } from "../model/gen/types.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import { LocalError } from "../operations/errors.ts";
import { parseVersion } from "../operations/version.ts";
import { CardReader } from "./card-reader.ts";
import { readRequirements, readSecuritySchemes } from "./normalise-security.ts";
import type { CardGeneration, NormalisedCard } from "./normalised-card.ts";

/**
 * Makes the canonical card of any JSON that is recognisably a card; see `normaliseCard`, which loads this file for
 * cards that are not correct ones of 1.0.
 *
 * @param json parsed JSON
 * @param baseUrl resolves relative interface URLs; the address of the card
 * @throws LocalError NOT_AN_AGENT, CARD_INVALID
 */
export function normaliseOddCard(json: unknown, baseUrl?: string): NormalisedCard {
  const where = baseUrl === undefined ? "" : ` at ${baseUrl}`;
  if (!isJsonObject(json) || !looksLikeCard(json)) {
    throw new LocalError(
      "NOT_AN_AGENT",
      `document${where} is not an agent card: it has no supportedInterfaces and no url; check the path`,
      { metadata: baseUrl === undefined ? {} : { url: baseUrl } },
    );
  }
  const reader = new CardReader(json);
  const generation = generationOf(reader);
  const name = reader.text("name");
  if (name === undefined) throw invalid(`card${where} has no name`, baseUrl);
  const card: AgentCard = {
    name,
    description: reader.requiredText("description"),
    supportedInterfaces: readInterfaces(reader, generation, baseUrl),
    version: reader.requiredText("version"),
    capabilities: readCapabilities(reader),
    defaultInputModes: reader.requiredTexts("defaultInputModes"),
    defaultOutputModes: reader.requiredTexts("defaultOutputModes"),
    skills: readSkills(reader),
  };
  if (card.supportedInterfaces.length === 0) throw invalid(`card${where} names no interface that can be read`, baseUrl);
  readOptional(reader, card);
  const schemes = readSecuritySchemes(reader);
  if (schemes !== undefined) card.securitySchemes = schemes;
  const requirements = readRequirements(reader, true);
  if (requirements !== undefined) card.securityRequirements = requirements;
  return { card, generation, warnings: reader.warnings };
}

function invalid(message: string, url: string | undefined): LocalError {
  return new LocalError("CARD_INVALID", message, { metadata: url === undefined ? {} : { url } });
}

function looksLikeCard(json: JsonObject): boolean {
  const reader = new CardReader(json);
  if (Array.isArray(reader.get("supportedInterfaces"))) return true;
  return typeof reader.get("url") === "string" && (reader.has("name") || reader.has("skills"));
}

function generationOf(reader: CardReader): CardGeneration {
  const isNew = Array.isArray(reader.get("supportedInterfaces"));
  const isOld = typeof reader.get("url") === "string";
  if (isNew) return isOld ? "hybrid" : "1.0";
  return isJsonObject(reader.get("authentication")) && !reader.has("preferredTransport") ? "0.2" : "0.3";
}

function readInterfaces(reader: CardReader, generation: CardGeneration, baseUrl: string | undefined): AgentInterface[] {
  const found: AgentInterface[] = [];
  for (const item of reader.objects("supportedInterfaces")) addInterface(found, item, "1.0", baseUrl);
  const url = reader.text("url");
  if (url === undefined) return found;
  const declared = reader.text("protocolVersion");
  const version = declared ?? (generation === "0.2" ? "0.2" : "0.3");
  if (generation !== "hybrid") {
    reader.warn(`card is of version ${version}: its address is in url, where 1.0 has supportedInterfaces`);
  }
  // A hybrid card says 1.0 in its interfaces; its old fields address the older protocol.
  const oldVersion = generation === "hybrid" && version.startsWith("1") ? "0.3" : version;
  const preferred = foldBinding(reader.text("preferredTransport") ?? "JSONRPC");
  const old: AgentInterface[] = [
    { url: resolveUrl(reader, url, baseUrl), protocolBinding: preferred, protocolVersion: oldVersion },
  ];
  for (const item of reader.objects("additionalInterfaces")) addInterface(old, item, oldVersion, baseUrl);
  for (const candidate of old) if (!found.some((known) => isSame(known, candidate))) found.push(candidate);
  return found;
}

// The old fields of a hybrid card mostly name again an endpoint that speaks both versions.
function isSame(a: AgentInterface, b: AgentInterface): boolean {
  const isSameVersion = parseVersion(a.protocolVersion) === parseVersion(b.protocolVersion);
  return a.url === b.url && a.protocolBinding === b.protocolBinding && isSameVersion;
}

function addInterface(found: AgentInterface[], item: CardReader, version: string, baseUrl: string | undefined): void {
  const url = item.text("url");
  const binding = item.text("protocolBinding") ?? item.text("transport");
  if (url === undefined || binding === undefined) {
    item.warn(`interface without ${url === undefined ? "url" : "protocolBinding"} is ignored`);
    return;
  }
  const folded = foldBinding(binding);
  if (folded !== binding) item.warn(`binding ${binding} is read as ${folded}`);
  const protocolVersion = item.text("protocolVersion") ?? version;
  if (!item.has("protocolVersion") && version === "1.0")
    item.warn(`interface ${url} has no protocolVersion; read as 1.0`);
  const entry: AgentInterface = {
    url: resolveUrl(item, url, baseUrl, folded),
    protocolBinding: folded,
    protocolVersion,
  };
  const tenant = item.text("tenant");
  if (tenant !== undefined) entry.tenant = tenant;
  found.push(entry);
}

const BINDINGS: Readonly<Record<string, string>> = {
  JSONRPC: "JSONRPC",
  "JSON-RPC": "JSONRPC",
  "HTTP+JSON": "HTTP+JSON",
  HTTPJSON: "HTTP+JSON",
  HTTP_JSON: "HTTP+JSON",
  REST: "HTTP+JSON",
  GRPC: "GRPC",
};

function foldBinding(name: string): string {
  return BINDINGS[name.toUpperCase()] ?? name;
}

function resolveUrl(reader: CardReader, url: string, baseUrl: string | undefined, binding?: string): string {
  if (binding === "GRPC" || /^[a-z][a-z0-9+.-]*:/i.test(url) || baseUrl === undefined) return url;
  if (!URL.canParse(url, baseUrl)) return url;
  reader.warn(`interface address ${url} is relative; resolved against ${baseUrl}`);
  return new URL(url, baseUrl).href;
}

function readCapabilities(reader: CardReader): AgentCapabilities {
  const found = reader.object("capabilities");
  if (found === undefined) reader.warn("card has no capabilities; read as none");
  const capabilities: AgentCapabilities = {};
  for (const key of ["streaming", "pushNotifications", "extendedAgentCard"] as const) {
    const value = found?.flag(key);
    if (value !== undefined) capabilities[key] = value;
  }
  for (const key of ["supportsAuthenticatedExtendedCard", "supportsExtendedAgentCard"]) {
    const value = reader.flag(key);
    if (value === undefined || capabilities.extendedAgentCard !== undefined) continue;
    capabilities.extendedAgentCard = value;
    reader.warn(`${key} is read as capabilities.extendedAgentCard`);
  }
  const extensions = found?.objects("extensions").map(readExtension) ?? [];
  if (extensions.length > 0) capabilities.extensions = extensions;
  return capabilities;
}

function readExtension(item: CardReader): AgentExtension {
  const extension: AgentExtension = {};
  const uri = item.text("uri");
  if (uri !== undefined) extension.uri = uri;
  const description = item.text("description");
  if (description !== undefined) extension.description = description;
  const required = item.flag("required");
  if (required !== undefined) extension.required = required;
  const params = item.get("params");
  if (isJsonObject(params)) extension.params = params;
  return extension;
}

function readSkills(reader: CardReader): AgentSkill[] {
  if (!Array.isArray(reader.get("skills"))) reader.warn("card has no skills; read as none");
  return reader.objects("skills").flatMap((item, index) => {
    const id = item.text("id") ?? item.text("name");
    if (id === undefined) {
      item.warn(`skill ${index} has neither id nor name and is ignored`);
      return [];
    }
    const skill: AgentSkill = {
      id,
      name: item.text("name") ?? id,
      description: item.text("description") ?? "",
      tags: item.texts("tags") ?? [],
    };
    for (const key of ["examples", "inputModes", "outputModes"] as const) {
      const value = item.texts(key);
      if (value !== undefined && value.length > 0) skill[key] = value;
    }
    const requirements = readRequirements(item, false);
    if (requirements !== undefined) skill.securityRequirements = requirements;
    return [skill];
  });
}

function readOptional(reader: CardReader, card: AgentCard): void {
  const provider = reader.object("provider");
  if (provider !== undefined) {
    card.provider = { url: provider.text("url") ?? "", organization: provider.text("organization") ?? "" };
  }
  for (const key of ["documentationUrl", "iconUrl"] as const) {
    const value = reader.text(key);
    if (value !== undefined) card[key] = value;
  }
  const signatures = reader.objects("signatures").flatMap((item) => {
    const [protectedHeader, signature] = [item.text("protected"), item.text("signature")];
    if (protectedHeader === undefined || signature === undefined) return [];
    const header: JsonValue | undefined = item.get("header");
    return [{ protected: protectedHeader, signature, ...(isJsonObject(header) ? { header } : {}) }];
  });
  if (signatures.length > 0) card.signatures = signatures;
}
