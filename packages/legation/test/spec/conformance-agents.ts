// The agents that the conformance checks are run against.
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import type { HttpRequest } from "../../src/bindings/http/exchange.ts";
import type { ConformanceOptions } from "../../src/conformance/run-conformance.ts";
import { type Host, type ServeOptions, serve } from "../../src/hosts/node/serve.ts";
import type { Principal } from "../../src/operations/call.ts";
import { A2AError } from "../../src/operations/errors.ts";
import { type Agent, createAgent } from "../../src/server/agent.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";
import { createRehearsalAgent, type RehearsalOptions } from "../../src/testing/rehearsal-agent.ts";

/** The stores over which the checks run. */
export const STORES = ["memory", "sqlite"] as const;

/** How an agent is put up. */
export interface Setup {
  readonly store?: (typeof STORES)[number];
  /** URL of another store than those. */
  readonly storeUrl?: string;
  /** Switches of the rehearsal agent. */
  readonly rehearsal?: RehearsalOptions;
  /** Options that take the place of the rehearsal agent's. */
  readonly agent?: Partial<AgentOptions>;
  readonly authenticate?: (request: HttpRequest) => Promise<Principal>;
  readonly push?: ServeOptions["push"];
  readonly wrap?: ServeOptions["wrap"];
}

/** Serves the rehearsal agent, with changes, for as long as `body` runs. */
export async function withAgent<T>(setup: Setup, body: (host: Host) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "legation-conformance-"));
  const own = setup.store === "sqlite" ? `sqlite:${path.join(folder, "agent.db")}` : "memory:";
  const store = setup.storeUrl ?? own;
  const rehearsal = createRehearsalAgent(setup.rehearsal);
  const agent: Agent = createAgent({ ...rehearsal.agent.options, ...setup.agent });
  const { authenticate, push, wrap } = setup;
  const host = await serve(agent, { store, log: false, authenticate, push, wrap });
  const [mounted] = host.agents;
  if (mounted !== undefined) rehearsal.attach(mounted.service);
  try {
    return await body(host);
  } finally {
    await host.close({ graceMs: 0 });
    await rm(folder, { recursive: true, force: true });
  }
}

const CALLERS: Readonly<Record<string, string>> = { "Bearer of-alice": "alice", "Bearer of-bob": "bob" };

/** An agent that knows two callers, one of whom has an extended card. */
export const LOCKED: Setup = {
  agent: {
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    extendedCard: ({ owner }, card) => (owner === "alice" ? { ...card, description: "For Alice." } : undefined),
  },
  async authenticate(request) {
    const owner = CALLERS[request.header("authorization") ?? ""];
    if (owner === undefined) throw new A2AError("UNAUTHENTICATED", "send Authorization: Bearer with a token of yours");
    return { owner, scheme: "bearer" };
  },
};

/** The credentials of the two callers of {@link LOCKED}. */
export const CREDENTIALS: Required<Pick<ConformanceOptions, "credentials" | "otherCredentials">> = {
  credentials: async () => ({ authorization: "Bearer of-alice" }),
  otherCredentials: async () => ({ authorization: "Bearer of-bob" }),
};
