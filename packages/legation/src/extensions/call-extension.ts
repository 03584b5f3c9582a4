/** Calls a method that an extension adds to an agent. */
import { DEFAULT_MAX_RESPONSE_BYTES, type Fetch, readText, retryAfter, send } from "../bindings/http/outgoing.ts";
import { foreignResponse, globalFetch, isJson, parseBody, withChallenge } from "../bindings/http/transport.ts";
import { encodeRequest } from "../bindings/jsonrpc/codec.ts";
import { decodeErrorObject } from "../bindings/jsonrpc/errors.ts";
import type { AgentCard } from "../model/gen/types.ts";
import type { JsonObject, JsonValue } from "../model/json.ts";
import { LocalError } from "../operations/errors.ts";
import { PROTOCOL_VERSION, parseVersion } from "../operations/version.ts";

/** What a call of {@link callExtension} takes. */
export interface ExtensionCallOptions {
  /** Default none. */
  readonly params?: JsonObject | undefined;
  /** Credentials and whatever else belongs to the call, lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Default the platform's. */
  readonly fetch?: Fetch | undefined;
}

/**
 * Calls a method of an extension over JSON-RPC, the binding that calls by name. The interface of the card is used, with
 * its tenant among the params; the call asks for the extension. Nothing is retried.
 *
 * @param agent a client of `connect`, or anything else that has the card
 * @param extension whose method it is
 * @param method its JSON-RPC name
 * @returns the result as it came, unchecked
 * @throws A2AError what the agent answers; LocalError NO_COMMON_INTERFACE for a card without JSON-RPC in version 1.0,
 *   CONFIGURATION for one that does not declare the extension, UNREACHABLE, NOT_AN_AGENT, ABORTED, TIMEOUT
 * @see specification §4.6, §9.3
 */
export async function callExtension(
  agent: { readonly card: AgentCard },
  { uri, method }: { readonly uri: string; readonly method: string },
  options: ExtensionCallOptions = {},
): Promise<JsonValue> {
  const { card } = agent;
  if (card.capabilities.extensions?.some((extension) => extension.uri === uri) !== true) {
    throw new LocalError("CONFIGURATION", `${card.name} does not declare the extension ${uri}`);
  }
  const entry = card.supportedInterfaces.find(
    ({ protocolBinding, protocolVersion }) =>
      protocolBinding === "JSONRPC" && parseVersion(protocolVersion) === PROTOCOL_VERSION,
  );
  if (entry === undefined) {
    throw new LocalError(
      "NO_COMMON_INTERFACE",
      `${card.name} has no JSONRPC interface, and methods of extensions are called there`,
    );
  }
  const { tenant, url } = entry;
  const { params = {}, headers, signal, fetch = globalFetch } = options;
  const full = tenant === undefined || tenant === "" ? params : { tenant, ...params };
  const response = await send(fetch, url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json",
      "a2a-version": PROTOCOL_VERSION,
      "a2a-extensions": uri,
      ...headers,
    },
    body: encodeRequest(1, method, JSON.stringify(full)),
    redirect: "manual",
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await readText(response, url, { maxBytes: DEFAULT_MAX_RESPONSE_BYTES, signal });
  const foreign = (): Error => foreignResponse(response, url);
  if (!isJson(response)) throw foreign();
  const body = parseBody(text, foreign);
  if (typeof body !== "object" || body === null) throw foreign();
  if ("error" in body && body.error !== null && body.error !== undefined) {
    throw withChallenge(decodeErrorObject(body.error, retryAfter(response)), response);
  }
  if ("result" in body) return body.result as JsonValue;
  throw foreign();
}
