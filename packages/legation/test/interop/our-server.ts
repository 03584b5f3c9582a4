/** Our server in the scenarios: the rehearsal agent on a free port. */
import { serve } from "../../src/hosts/node/serve.ts";
import { createRehearsalAgent } from "../../src/testing/rehearsal-agent.ts";
import type { PeerServer } from "./peer.ts";

/** Starts it. It offers every binding that this version wires. */
export async function startOurServer(): Promise<PeerServer> {
  const { agent, attach } = createRehearsalAgent();
  const host = await serve(agent, { log: false });
  const [mounted] = host.agents;
  if (mounted === undefined) throw new Error("no agent is mounted");
  attach(mounted.service);
  return { url: host.url, close: () => host.close({ graceMs: 0 }) };
}
