/**
 * Credentials of the caller, put where the card of the agent says that they belong.
 *
 * @see a2a-cli specification §12.1, A2A §4.5, §7.3
 */
import type { AgentCard, APIKeySecurityScheme } from "../model/gen/types.ts";
import { usageError } from "./cli-error.ts";
import type { Messages } from "./messages/en.ts";
import type { Settings } from "./settings.ts";

/** What is added to every request of an operation, and to no request for a card. */
export interface RequestExtras {
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Strings that must never be shown. */
  readonly secrets: readonly string[];
  /** True when there is a credential among them. */
  readonly hasCredential: boolean;
  /** What the caller should know, such as a scheme that the card does not declare. */
  readonly warnings: readonly string[];
}

/**
 * Reads `--bearer`, `--api-key` and `--svc-param`.
 *
 * @throws A usage error for a service parameter that has no colon.
 */
export function readExtras(card: AgentCard, settings: Settings, messages: Messages): RequestExtras {
  const headers: Record<string, string> = {};
  const query: Record<string, string> = {};
  const warnings: string[] = [];
  const parameters = settings.list("svc-param").map((entry) => splitParameter(entry, messages));
  for (const [key, value] of parameters) headers[key] = value;
  const bearer = settings.text("bearer");
  if (bearer !== undefined) {
    headers["authorization"] = `Bearer ${bearer}`;
    if (!declaresBearer(card)) warnings.push(messages.undeclaredScheme("--bearer"));
  }
  const apiKey = settings.text("api-key");
  if (apiKey !== undefined) {
    const scheme = apiKeyScheme(card);
    if (scheme === undefined) warnings.push(messages.undeclaredScheme("--api-key"));
    placeKey(scheme ?? { location: "header", name: "x-api-key" }, apiKey, headers, query);
  }
  const secrets = [bearer, apiKey, ...parameters.map(([, value]) => value)].filter((text) => text !== undefined);
  const isCredential = ([key]: readonly [string, string]): boolean =>
    /^(authorization|cookie)$|key|token|secret/.test(key);
  return {
    headers,
    query,
    secrets,
    hasCredential: bearer !== undefined || apiKey !== undefined || parameters.some(isCredential),
    warnings,
  };
}

function splitParameter(entry: string, messages: Messages): readonly [string, string] {
  const at = entry.indexOf(":");
  const key = entry.slice(0, at).trim().toLowerCase();
  // The value is left out of the message: it may be a secret.
  if (at < 1 || !/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(key)) throw usageError(messages.badParameter);
  return [key, entry.slice(at + 1).trim()];
}

function placeKey(
  { location, name }: APIKeySecurityScheme,
  key: string,
  headers: Record<string, string>,
  query: Record<string, string>,
): void {
  if (location === "query") query[name] = key;
  else if (location === "cookie") {
    const cookie = `${name}=${encodeURIComponent(key)}`;
    headers["cookie"] = headers["cookie"] === undefined ? cookie : `${headers["cookie"]}; ${cookie}`;
  } else headers[name.toLowerCase()] = key;
}

function apiKeyScheme(card: AgentCard): APIKeySecurityScheme | undefined {
  for (const scheme of Object.values(card.securitySchemes ?? {})) {
    if (scheme.apiKeySecurityScheme !== undefined) return scheme.apiKeySecurityScheme;
  }
  return undefined;
}

function declaresBearer(card: AgentCard): boolean {
  return Object.values(card.securitySchemes ?? {}).some(
    (scheme) =>
      scheme.oauth2SecurityScheme !== undefined ||
      scheme.openIdConnectSecurityScheme !== undefined ||
      scheme.httpAuthSecurityScheme?.scheme.toLowerCase() === "bearer",
  );
}

/** What to pass so that the agent lets the caller in, from the schemes of its card. */
export function credentialHint(card: AgentCard, messages: Messages): string {
  const flags: string[] = [];
  if (declaresBearer(card)) flags.push("--bearer <token> (A2ACLI_BEARER)");
  if (apiKeyScheme(card) !== undefined) flags.push("--api-key <key> (A2ACLI_API_KEY)");
  const names = Object.keys(card.securitySchemes ?? {});
  return messages.passCredential(names, flags);
}
