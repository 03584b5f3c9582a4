/** What a card says of its agent, as far as checks depend on it; read without correcting anything. */
import type { JsonObject } from "../model/json.ts";
import { objectsAt, textAt, valueAt } from "./json-path.ts";
import type { BindingName } from "./raw-reply.ts";

/** The extension by which an agent says that it carries out scripts, and can be brought into every state. */
const REHEARSAL = "urn:legation:extension:rehearsal:v1";

/** Facts of one agent. */
export interface AgentFacts {
  /** It carries out `{"rehearse":[…]}`. */
  readonly rehearsal: boolean;
  readonly streaming: boolean;
  readonly push: boolean;
  readonly extendedCard: boolean;
  /** It asks every caller for credentials. */
  readonly authenticates: boolean;
  /** URIs of the extensions that callers must ask for. */
  readonly requiredExtensions: readonly string[];
}

/** Reads the facts of a card. */
export function factsOf(card: JsonObject): AgentFacts {
  const extensions = objectsAt(card, "capabilities.extensions");
  const requirements = objectsAt(card, "securityRequirements");
  return {
    rehearsal: extensions.some((extension) => textAt(extension, "uri") === REHEARSAL),
    streaming: valueAt(card, "capabilities.streaming") === true,
    push: valueAt(card, "capabilities.pushNotifications") === true,
    extendedCard: valueAt(card, "capabilities.extendedAgentCard") === true,
    // An empty requirement among several is the permission to come without credentials.
    authenticates:
      requirements.length > 0 &&
      requirements.every((requirement) => Object.keys(Object(valueAt(requirement, "schemes"))).length > 0),
    requiredExtensions: extensions
      .filter((extension) => extension["required"] === true)
      .flatMap((extension) => textAt(extension, "uri") ?? []),
  };
}

/** One interface of a card that can be probed. */
export interface DeclaredInterface {
  readonly binding: BindingName;
  readonly url: string;
  readonly tenant: string;
}

const BINDINGS: Readonly<Record<string, BindingName>> = { JSONRPC: "jsonrpc", "HTTP+JSON": "rest", GRPC: "grpc" };

/** The first interface of each binding in version 1.0, in the order of the card, gRPC last. */
export function probeableInterfaces(card: JsonObject): readonly DeclaredInterface[] {
  const found = new Map<BindingName, DeclaredInterface>();
  for (const one of objectsAt(card, "supportedInterfaces")) {
    const binding = BINDINGS[textAt(one, "protocolBinding") ?? ""];
    const url = textAt(one, "url");
    const version = textAt(one, "protocolVersion") ?? "";
    if (binding === undefined || url === undefined || !/^1\.0(\.|$)/.test(version) || found.has(binding)) continue;
    found.set(binding, { binding, url, tenant: textAt(one, "tenant") ?? "" });
  }
  const grpc = (one: DeclaredInterface): number => Number(one.binding === "grpc");
  return [...found.values()].sort((one, other) => grpc(one) - grpc(other));
}
