/** What the interop tests need of an SDK: its client in the scenarios, and a server that carries out their scripts. */
import type { Binding, Report } from "./scenario.ts";

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
  readonly bindings: { readonly client: readonly Binding[]; readonly server: readonly Binding[] };
  /** Its client against a server. */
  readonly drive: (url: string, binding: Binding) => Promise<Report>;
  readonly startServer: () => Promise<PeerServer>;
}
