import { shown } from "../bindings/http/outgoing.ts";
import type { AgentCard, AgentInterface } from "../model/gen/types.ts";
import { LocalError } from "../operations/errors.ts";
import { PROTOCOL_VERSION, parseVersion } from "../operations/version.ts";

/** What a client can speak. */
export interface InterfaceSupport {
  /** Bindings by their name in a card. */
  readonly bindings: readonly string[];
  /** True for the versions, `Major.Minor`, that it speaks on a binding. */
  readonly speaks: (binding: string, version: string) => boolean;
  /** All versions that it speaks on some binding, for the error; default 1.0. */
  readonly versions?: readonly string[] | undefined;
  /** Overrides the order of the card: bindings named here come first, in this order. */
  readonly prefer?: readonly string[] | undefined;
}

const INSTALL_HINT: Readonly<Record<string, string>> = {
  GRPC: "for GRPC, npm install @grpc/grpc-js; legation/node then uses it, elsewhere pass grpcTransport() of legation/grpc in options.transports",
};

const OLD_VERSION_HINT: Readonly<Record<string, string>> = {
  "0.2": "compat: v0_3() of legation/v0_3",
  "0.3": "compat: v0_3() of legation/v0_3",
};

/**
 * The interfaces of a card that a client can use, best first: in the order of the card, which is the agent's
 * preference. An older version is never among them unless a compatibility plug-in speaks it.
 *
 * @param card canonical
 * @param support what there is
 * @returns at least one
 * @throws LocalError NO_COMMON_INTERFACE that says what is offered, what is supported and what to do
 * @see specification §5.2, §8.3.2
 */
export function chooseInterfaces(card: AgentCard, support: InterfaceSupport): readonly AgentInterface[] {
  const usable = card.supportedInterfaces.filter((entry) => isUsable(entry, support));
  if (usable.length === 0) throw noCommonInterface(card, support);
  const { prefer } = support;
  if (prefer === undefined) return usable;
  const rank = (entry: AgentInterface): number => {
    const at = prefer.indexOf(entry.protocolBinding);
    return at < 0 ? prefer.length : at;
  };
  // The sort is stable: among equals the order of the card stays.
  return usable.toSorted((a, b) => rank(a) - rank(b));
}

function isUsable(entry: AgentInterface, { bindings, speaks }: InterfaceSupport): boolean {
  const version = parseVersion(entry.protocolVersion);
  if (version === undefined || !bindings.includes(entry.protocolBinding) || !speaks(entry.protocolBinding, version))
    return false;
  return entry.protocolBinding === "GRPC" || /^https?:\/\//i.test(entry.url);
}

function noCommonInterface(card: AgentCard, support: InterfaceSupport): LocalError {
  const { bindings, versions = [PROTOCOL_VERSION] } = support;
  const offered = card.supportedInterfaces.map(
    (entry) => `${entry.protocolBinding} ${entry.protocolVersion} at ${shown(entry.url)}`,
  );
  const missing = new Set(
    card.supportedInterfaces.map((entry) => entry.protocolBinding).filter((name) => !bindings.includes(name)),
  );
  const hints = [...missing].flatMap((name) => INSTALL_HINT[name] ?? []);
  hints.push(...versionHints(card, support));
  const supported = `${bindings.join(", ")} of version ${versions.join(", ")}`;
  const advice = hints.length === 0 ? "" : `; ${hints.join("; ")}`;
  return new LocalError(
    "NO_COMMON_INTERFACE",
    `${card.name} offers ${offered.join(", ") || "nothing"}; supported is ${supported}${advice}`,
    { metadata: { offered: offered.join(", "), supported } },
  );
}

/** What to do about interfaces that would do, were they of another version. */
function versionHints(card: AgentCard, { bindings, speaks }: InterfaceSupport): string[] {
  const unspoken = card.supportedInterfaces
    .filter(({ protocolBinding }) => bindings.includes(protocolBinding))
    .map(({ protocolBinding, protocolVersion }) => [protocolBinding, parseVersion(protocolVersion) ?? ""] as const)
    .filter(([binding, version]) => !speaks(binding, version))
    .map(([, version]) => version);
  return [...new Set(unspoken)].flatMap((version) => {
    if (version === PROTOCOL_VERSION) return "for version 1.0, leave it in options.versions";
    const plugIn = OLD_VERSION_HINT[version] ?? "a plug-in that speaks it as compat";
    return `version ${version === "" ? "that it names" : version} is only spoken when it is allowed: pass ${plugIn}`;
  });
}
