/** What the interop tests need of an SDK: its client in the scenarios, and a server that carries out their scripts. */
import type { Binding, Report, Scenario } from "./scenario.ts";

/** A server that is up. */
export interface PeerServer {
  /** Base URL of the agent, below which its card is. */
  readonly url: string;
  close(): Promise<void>;
}

/** An SDK of somebody else. */
export interface Peer {
  /** As `known-faults.ts` and the matrix name it. */
  readonly name: string;
  /** Packages with their versions, as installed. */
  readonly packages: () => readonly string[];
  /** The bindings that its client speaks, and those that its server offers. */
  /** Set for one that speaks v0.3 alone: ours then speaks it too, and these are the scenarios that v0.3 has. */
  readonly old?: readonly Scenario[];
  readonly bindings: { readonly client: readonly Binding[]; readonly server: readonly Binding[] };
  /** Its client against a server. */
  readonly drive: (url: string, binding: Binding) => Promise<Report>;
  readonly startServer: () => Promise<PeerServer>;
}
