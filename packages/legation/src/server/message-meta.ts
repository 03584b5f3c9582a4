/** What the server keeps beside an accepted message, for the handler that takes it, in this process or a later one. */
import type { SendMessageRequest } from "../model/gen/types.ts";
import { isJsonObject, type JsonObject, type JsonValue, whyNotJson } from "../model/json.ts";
import { ANONYMOUS, type Principal } from "../operations/call.ts";

/** Read form of the JSON beside a message. */
export interface MessageMeta {
  readonly principal: Principal;
  /** Media types that the caller can read; empty when it did not say. */
  readonly acceptedOutputModes: readonly string[];
  /** URIs of the extensions that are active for the call. */
  readonly extensions: readonly string[];
  /** Metadata of the request (not of the message). */
  readonly requestMetadata: JsonObject;
}

/** The JSON to keep. What is empty is left out, as most of it mostly is. */
export function encodeMessageMeta(
  request: SendMessageRequest,
  principal: Principal,
  extensions: readonly string[],
): JsonObject {
  const meta: JsonObject = {};
  if (principal !== ANONYMOUS) meta["principal"] = encodePrincipal(principal);
  const modes = request.configuration?.acceptedOutputModes;
  if (modes !== undefined && modes.length > 0) meta["acceptedOutputModes"] = modes;
  if (extensions.length > 0) meta["extensions"] = [...extensions];
  if (request.metadata !== undefined) meta["metadata"] = request.metadata;
  return meta;
}

/** Reads what {@link encodeMessageMeta} made, of this version or an older one. */
export function decodeMessageMeta(meta: JsonObject): MessageMeta {
  return {
    principal: decodePrincipal(meta["principal"]),
    acceptedOutputModes: strings(meta["acceptedOutputModes"]),
    extensions: strings(meta["extensions"]),
    requestMetadata: isJsonObject(meta["metadata"]) ? meta["metadata"] : {},
  };
}

function encodePrincipal({ owner, scheme, scopes, claims }: Principal): JsonObject {
  return {
    owner,
    ...(scheme === undefined ? {} : { scheme }),
    ...(scopes === undefined ? {} : { scopes: [...scopes] }),
    // Claims come from a verifier and may hold what JSON cannot; then the handler does without them.
    ...(claims === undefined || whyNotJson(claims) !== undefined ? {} : { claims: claims as JsonObject }),
  };
}

function decodePrincipal(value: JsonValue | undefined): Principal {
  if (!isJsonObject(value)) return ANONYMOUS;
  const { owner, scheme, scopes, claims } = value;
  return {
    owner: typeof owner === "string" ? owner : "",
    scheme: typeof scheme === "string" ? scheme : undefined,
    scopes: scopes === undefined ? undefined : strings(scopes),
    claims: isJsonObject(claims) ? claims : undefined,
  };
}

function strings(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
