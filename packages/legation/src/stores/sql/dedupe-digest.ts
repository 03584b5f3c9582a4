import { hash } from "node:crypto";
import type { DedupeKey } from "../../engine/store.ts";

/**
 * Gives the 128 bits by which a row of dedupe is found, as text: SQLite and Node hand over text more cheaply than
 * bytes. The lengths make the hashed text unambiguous. Only the owner of a task can look for texts that collide, and
 * would find nothing but own tasks.
 */
export function dedupeDigest({ tenant, owner, messageId, hash: request }: DedupeKey): string {
  const text = `${tenant.length}:${owner.length}:${messageId.length}:${tenant}${owner}${messageId}${request}`;
  return hash("sha256", text, "base64").slice(0, 22);
}
