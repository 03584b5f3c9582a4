/** The security part of a card, from the forms of 0.2, 0.3 and 1.0. */
import type { OAuthFlows, SecurityRequirement, SecurityScheme, StringList } from "../model/gen/types.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../model/json.ts";
import type { CardReader } from "./card-reader.ts";

const SCHEME_ARMS = [
  "apiKeySecurityScheme",
  "httpAuthSecurityScheme",
  "oauth2SecurityScheme",
  "openIdConnectSecurityScheme",
  "mtlsSecurityScheme",
] as const;

/** The name under which a demand for authentication is kept that cannot be read; no credential answers to it. */
const UNREADABLE_SCHEME = "unreadable";

/** The schemes of a card by name; those that cannot be read are left out with a warning. */
export function readSecuritySchemes(card: CardReader): Record<string, SecurityScheme> | undefined {
  const schemes = new Map<string, SecurityScheme>();
  for (const [name, item] of card.object("securitySchemes")?.entries() ?? []) {
    const scheme = readScheme(item);
    if (scheme === undefined) card.warn(`security scheme ${name} cannot be read and is left out`);
    else schemes.set(name, scheme);
  }
  for (const name of card.object("authentication")?.texts("schemes") ?? []) {
    card.warn(`authentication.schemes is the form of 0.2; ${name} is read as an HTTP scheme`);
    if (!schemes.has(name)) schemes.set(name, { httpAuthSecurityScheme: { scheme: name.toLowerCase() } });
  }
  return schemes.size === 0 ? undefined : Object.fromEntries(schemes);
}

function readScheme(item: CardReader): SecurityScheme | undefined {
  for (const arm of SCHEME_ARMS) {
    const inner = item.get(arm);
    // The arms hold plain strings and flows: the canonical form, but for the spelling of their keys.
    if (isJsonObject(inner)) return { [arm]: camelKeys(inner) } as unknown as SecurityScheme;
  }
  const description = item.text("description");
  const base = description === undefined ? {} : { description };
  switch (item.text("type")?.toLowerCase()) {
    case "apikey":
      return {
        apiKeySecurityScheme: { ...base, location: item.text("in") ?? "header", name: item.text("name") ?? "" },
      };
    case "http": {
      const bearerFormat = item.text("bearerFormat");
      const extra = bearerFormat === undefined ? {} : { bearerFormat };
      return { httpAuthSecurityScheme: { ...base, scheme: item.text("scheme") ?? "bearer", ...extra } };
    }
    case "oauth2":
      return readOAuth2(item, base);
    case "openidconnect":
      return { openIdConnectSecurityScheme: { ...base, openIdConnectUrl: item.text("openIdConnectUrl") ?? "" } };
    case "mutualtls":
      return { mtlsSecurityScheme: base };
    default:
      return undefined;
  }
}

const FLOWS = ["authorizationCode", "clientCredentials", "deviceCode", "implicit", "password"] as const;

function readOAuth2(item: CardReader, base: { description?: string }): SecurityScheme | undefined {
  const flows = item.object("flows");
  const present = FLOWS.filter((flow) => flows?.object(flow) !== undefined);
  const [first] = present;
  if (first === undefined) return undefined;
  if (present.length > 1)
    item.warn(`oauth2 scheme has the flows ${present.join(", ")}; 1.0 knows one, ${first} is taken`);
  const flow = flows?.get(first);
  if (!isJsonObject(flow)) return undefined;
  const chosen = { [first]: { scopes: {}, ...camelKeys(flow) } } as unknown as OAuthFlows;
  const metadataUrl = item.text("oauth2MetadataUrl");
  const extra = metadataUrl === undefined ? {} : { oauth2MetadataUrl: metadataUrl };
  return { oauth2SecurityScheme: { ...base, flows: chosen, ...extra } };
}

/** Members whose keys are names of the author, not of the protocol. */
const FREE_KEYS = new Set(["scopes"]);

function camelKeys(json: JsonObject): JsonObject {
  const camel = Object.entries(json).map(([key, value]): [string, JsonValue] => {
    const name = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return [name, isJsonObject(value) && !FREE_KEYS.has(name) ? camelKeys(value) : value];
  });
  return Object.fromEntries(camel);
}

/**
 * What a card or skill demands of its callers, read in the new and in the old form together: a card that carries both
 * is never concluded to need no authentication because one of them is empty, nor because one cannot be read.
 *
 * @param item the card or a skill
 * @param isCard also looks at the `authentication` of 0.2
 */
export function readRequirements(item: CardReader, isCard: boolean): SecurityRequirement[] | undefined {
  const found = [
    ...readList(item, "securityRequirements", readNewRequirement),
    ...readOldRequirements(item, "security"),
  ];
  const names = isCard ? item.object("authentication")?.texts("schemes") : undefined;
  for (const name of names ?? []) found.push({ schemes: { [name]: {} } });
  const unique = new Map(found.map((requirement) => [JSON.stringify(requirement), requirement]));
  return unique.size === 0 ? undefined : [...unique.values()];
}

function readOldRequirements(item: CardReader, key: string): SecurityRequirement[] {
  const found = readList(item, key, readOldRequirement);
  if (found.length > 0) item.warn("security is the form of 0.3; read as securityRequirements");
  return found;
}

function readList(
  item: CardReader,
  key: string,
  read: (entry: JsonObject) => SecurityRequirement | undefined,
): SecurityRequirement[] {
  const list = item.get(key);
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [unreadable(item, key)];
  return list.map((entry) => (isJsonObject(entry) ? read(entry) : undefined) ?? unreadable(item, key));
}

function unreadable(item: CardReader, key: string): SecurityRequirement {
  item.warn(`${key} holds something that cannot be read; taken as a demand for authentication`);
  return { schemes: { [UNREADABLE_SCHEME]: {} } };
}

function readNewRequirement(entry: JsonObject): SecurityRequirement | undefined {
  const schemes = entry["schemes"];
  // Some write the 0.3 map under the new name.
  if (schemes === undefined) return readOldRequirement(entry);
  if (!isJsonObject(schemes)) return undefined;
  return readOldRequirement(schemes);
}

function readOldRequirement(entry: JsonObject): SecurityRequirement | undefined {
  const schemes: [string, StringList][] = [];
  for (const [name, scopes] of Object.entries(entry)) {
    const list = scopesOf(scopes);
    if (list === undefined) return undefined;
    schemes.push([name, list.length === 0 ? {} : { list }]);
  }
  // By entries: an assignment to the name __proto__ would lose the demand.
  return { schemes: Object.fromEntries(schemes) };
}

function scopesOf(value: JsonValue): string[] | undefined {
  const list = isJsonObject(value) ? (value["list"] ?? []) : value;
  if (!Array.isArray(list)) return undefined;
  return list.filter((scope): scope is string => typeof scope === "string");
}
