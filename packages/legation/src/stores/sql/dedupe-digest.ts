import { hash } from "node:crypto";
import type { DedupeKey } from "../../engine/store.ts";

/** What the digests of one owner begin with: that many characters, so that all of them can be found. */
const OWNER_LENGTH = 12;

let lastOwner = "";
let lastDigest = "";

/** Gives what the digests of an owner begin with. */
export function ownerDigest(tenant: string, owner: string): string {
  const text = `${tenant.length}:${tenant}${owner}`;
  // Most messages are of the owner of the one before.
  if (text !== lastOwner || lastDigest === "") {
    lastOwner = text;
    lastDigest = hash("sha256", text, "base64").slice(0, OWNER_LENGTH);
  }
  return lastDigest;
}

/**
 * Gives the text by which a row of dedupe is found: 72 bits of its owner and 128 of the request. SQLite and Node hand
 * over text more cheaply than bytes. The lengths make the hashed text unambiguous. Only the owner of a task can look
 * for texts that collide, and would find nothing but own tasks.
 */
export function dedupeDigest({ tenant, owner, messageId, hash: request }: DedupeKey): string {
  const text = `${tenant.length}:${owner.length}:${messageId.length}:${tenant}${owner}${messageId}${request}`;
  return ownerDigest(tenant, owner) + hash("sha256", text, "base64").slice(0, 22);
}
