import { shown } from "../bindings/http/outgoing.ts";
import type { AgentCard, AgentInterface } from "../model/gen/types.ts";
import { LocalError } from "../operations/errors.ts";
import { parseVersion } from "../operations/version.ts";

/** What a client can speak. */
export interface InterfaceSupport {
  /** Bindings by their name in a card. */
  readonly bindings: readonly string[];
  /** True for the versions, `Major.Minor`, that it speaks on a binding. */
  readonly speaks: (binding: string, version: string) => boolean;
  /** Overrides the order of the card: bindings named here come first, in this order. */
  readonly prefer?: readonly string[] | undefined;
}

const INSTALL_HINT: Readonly<Record<string, string>> = {
  GRPC: "for GRPC, npm install @grpc/grpc-js; legation/node then uses it, elsewhere pass grpcTransport() of legation/grpc in options.transports",
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

function noCommonInterface(card: AgentCard, { bindings, speaks }: InterfaceSupport): LocalError {
  const offered = card.supportedInterfaces.map(
    (entry) => `${entry.protocolBinding} ${entry.protocolVersion} at ${shown(entry.url)}`,
  );
  const missing = new Set(
    card.supportedInterfaces.map((entry) => entry.protocolBinding).filter((name) => !bindings.includes(name)),
  );
  const hints = [...missing].flatMap((name) => INSTALL_HINT[name] ?? []);
  const isOld = card.supportedInterfaces.some(
    (entry) =>
      bindings.includes(entry.protocolBinding) &&
      !speaks(entry.protocolBinding, parseVersion(entry.protocolVersion) ?? ""),
  );
  if (isOld) hints.push("for versions other than 1.0, pass a compatibility plug-in in options.compat");
  const supported = `${bindings.join(", ")} of version 1.0`;
  const advice = hints.length === 0 ? "" : `; ${hints.join("; ")}`;
  return new LocalError(
    "NO_COMMON_INTERFACE",
    `${card.name} offers ${offered.join(", ") || "nothing"}; supported is ${supported}${advice}`,
    { metadata: { offered: offered.join(", "), supported } },
  );
}
