/** Which node is needed, and what is said on an older one. */
import { LocalError } from "../../operations/errors.ts";

/** The first release whose node:sqlite has SQLite 3.51.3; older ones can corrupt a WAL database on a checkpoint. */
const NEEDED = [22, 23, 3] as const;

/**
 * Refuses a node that is too old.
 *
 * @param version `process.versions.node` by default
 * @throws LocalError CONFIGURATION that names both versions
 */
export function assertNodeVersion(version: string = process.versions.node): void {
  const found = version.split(".").map(Number);
  for (const [place, needed] of NEEDED.entries()) {
    const part = found[place] ?? 0;
    if (part > needed) return;
    if (part < needed) {
      throw new LocalError(
        "CONFIGURATION",
        `node ${version} is too old: legation needs ${NEEDED.join(".")} or newer; install it from nodejs.org`,
        { metadata: { found: version, needed: NEEDED.join(".") } },
      );
    }
  }
}
