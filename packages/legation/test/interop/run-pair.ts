/** Runs the scenarios between an SDK and ours, and holds what was seen against what should have been. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { findFault, type Role } from "./known-faults.ts";
import { driveWithOurs } from "./our-client.ts";
import { startOurServer } from "./our-server.ts";
import type { Peer } from "./peer.ts";
import {
  assertSighting,
  BINDINGS,
  type Binding,
  type Report,
  SCENARIOS,
  type Scenario,
  type Sighting,
} from "./scenario.ts";

/** The bindings that both sides of ours have. */
export const OUR_BINDINGS: readonly Binding[] = BINDINGS;

/** A binding that one side of a peer has, and we too. */
export interface Pairing {
  readonly role: Role;
  readonly binding: Binding;
}

/** All pairs of a peer's client with our server, and of our client with a peer's server. */
export function pairingsOf(peer: Peer): Pairing[] {
  const roles: readonly Role[] = ["client", "server"];
  return roles.flatMap((role) =>
    OUR_BINDINGS.filter((binding) => peer.bindings[role].includes(binding)).map((binding) => ({ role, binding })),
  );
}

/** Carries out all scenarios between a peer and ours. */
export async function runPair(peer: Peer, { role, binding }: Pairing): Promise<Report> {
  const old = peer.old !== undefined;
  const server = role === "client" ? await startOurServer({ old }) : await peer.startServer();
  try {
    return await (role === "client" ? peer.drive(server.url, binding) : driveWithOurs(server.url, binding, old));
  } finally {
    await server.close();
  }
}

/** How a scenario came out, against what is known of the peer. */
export type Verdict =
  | { readonly kind: "pass" }
  | { readonly kind: "known"; readonly fault: string }
  | { readonly kind: "failed" | "stale"; readonly why: string };

/** Judges one scenario: a known fault must show as described, everything else must be right. */
export function judge(peer: Peer, pairing: Pairing, scenario: Scenario, sighting: Sighting | undefined): Verdict {
  const known = findFault(peer.name, pairing.role, pairing.binding, scenario);
  let why: string | undefined;
  try {
    assertSighting(scenario, sighting, { old: peer.old !== undefined });
  } catch (thrown) {
    why = thrown instanceof Error ? thrown.message : String(thrown);
  }
  if (known === undefined) return why === undefined ? { kind: "pass" } : { kind: "failed", why };
  if (why === undefined) return { kind: "stale", why: `works now; remove it from known-faults.ts: ${known.fault}` };
  return known.shows.test(why) ? { kind: "known", fault: known.fault } : { kind: "failed", why };
}

/** One test per scenario and pair. */
export function testPeer(peer: Peer): void {
  for (const pairing of pairingsOf(peer)) {
    const { role, binding } = pairing;
    const title = role === "client" ? `${peer.name}'s client → our server` : `our client → ${peer.name}'s server`;
    test(`${title} [${binding}]`, { timeout: 120_000 }, async (t) => {
      const seen = await runPair(peer, pairing);
      for (const scenario of peer.old ?? SCENARIOS) {
        await t.test(`${scenario} › ${title} [${binding}]`, () => {
          const verdict = judge(peer, pairing, scenario, seen[scenario]);
          if (verdict.kind === "failed" || verdict.kind === "stale") assert.fail(verdict.why);
        });
      }
    });
  }
}
