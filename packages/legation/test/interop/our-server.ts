/** Our server in the scenarios: the rehearsal agent on a free port. */
import { v0_3 } from "../../src/compat/v0_3/v0-3.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import { createRehearsalAgent } from "../../src/testing/rehearsal-agent.ts";
import type { PeerServer } from "./peer.ts";

/**
 * Starts it. It offers every binding that this version wires.
 *
 * @param options `old` speaks v0.3, too
 */
export async function startOurServer(options: { readonly old?: boolean } = {}): Promise<PeerServer> {
  const { agent, attach } = createRehearsalAgent();
  const host = await serve(agent, { log: false, ...(options.old === true ? { compat: v0_3() } : {}) });
  const [mounted] = host.agents;
  if (mounted === undefined) throw new Error("no agent is mounted");
  attach(mounted.service);
  return { url: host.url, close: () => host.close({ graceMs: 0 }) };
}
