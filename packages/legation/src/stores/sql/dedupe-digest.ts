import { hash } from "node:crypto";
import type { DedupeKey } from "../../engine/store.ts";

/**
 * Gives the 16 bytes by which a row of dedupe is found. The lengths make the hashed text unambiguous. Only the owner of
 * a task can look for texts that collide, and would find nothing but own tasks.
 */
export function dedupeDigest({ tenant, owner, messageId, hash: request }: DedupeKey): Uint8Array {
  const text = `${tenant.length}:${owner.length}:${messageId.length}:${tenant}${owner}${messageId}${request}`;
  return hash("sha256", text, "buffer").subarray(0, 16);
}
