/**
 * Names of processes in leases, so that a restart after `kill -9` takes over at once what the dead process held, and
 * does not wait for its leases to run out.
 */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

/** Holders of this process. In a container every start has the same pid: only this tells our own from a dead one's. */
const own = new Set<string>();

/** A name for one more engine of this process. */
export function createHolder(): string {
  const holder = `${hostname()} ${process.pid} ${randomUUID()}`;
  own.add(holder);
  return holder;
}

/**
 * True when a holder is a process of this machine that is there no more. Of another machine, and of a pid that runs
 * something, nothing is known: then the lease has to run out.
 */
export function isDeadHolder(holder: string): boolean {
  const [machine, pid] = holder.split(" ");
  if (own.has(holder) || machine !== hostname() || pid === undefined || !/^[1-9]\d*$/.test(pid)) return false;
  if (Number(pid) === process.pid) return true;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (thrown) {
    // EPERM: it runs and is somebody else's.
    return (thrown as NodeJS.ErrnoException).code === "ESRCH";
  }
}
