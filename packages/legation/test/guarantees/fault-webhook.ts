/** The webhook of the fault table: it may kill whoever calls it, and what it got is held against the log. */
import assert from "node:assert/strict";
import { type Received, WebhookServer } from "../push/webhook-server.ts";
import type { WholeLog } from "./fault-checks.ts";
import type { Fault } from "./fault-store.ts";

/** Seq of the event at whose sending a process dies. */
export const KILLED_AT = 6;

const seqOf = ({ id }: Received): number => Number(id.split(":")[1]);

/** A webhook that takes everything; where the fault is that a request was sent, it kills once in place of its answer. */
export async function killingHook({ point, when }: Fault, kill: () => void): Promise<WebhookServer> {
  let isLoaded = point === "webhook sent" && when === "after";
  return WebhookServer.start((received) => {
    if (!isLoaded || seqOf(received) < KILLED_AT) return undefined;
    isLoaded = false;
    kill();
    return "taken";
  });
}

/**
 * What came is what the log holds for subscribers, all of it, in order, and what came again is what came before.
 *
 * @returns what came again, by seq
 */
export function assertToldAll(received: readonly Received[], { entries }: WholeLog): ReadonlySet<number> {
  const first = new Map<number, Received>();
  const again = new Set<number>();
  for (const one of received) {
    const before = first.get(seqOf(one));
    if (before === undefined) first.set(seqOf(one), one);
    else {
      assert.equal(one.body, before.body);
      again.add(seqOf(one));
    }
  }
  const told = entries.filter(({ kind }) => kind === "created" || kind === "status" || kind === "artifact");
  assert.deepEqual(
    [...first.keys()],
    told.map(({ seq }) => seq),
  );
  for (const { seq, kind, payload } of told) {
    assert.equal(first.get(seq)?.body, kind === "created" ? `{"task":${payload}}` : payload);
  }
  return again;
}
