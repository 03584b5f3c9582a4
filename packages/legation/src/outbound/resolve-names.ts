/**
 * Looks names up. The system's own look-up knows what is special about this machine, but it works on a few threads that
 * all of the process shares, and a name server that does not answer holds one for as long as it likes. So only some may
 * be under way at once; while they are, other names are asked for directly, which holds nothing but a socket.
 */
import { Resolver, lookup as systemLookup } from "node:dns/promises";

/** Gives all addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Half of the threads that Node has unless it is told otherwise. */
const SYSTEM_LOOKUPS = 2;
const QUERY = { timeout: 2_000, tries: 2 };

/** The two ways to look a name up. */
export interface NameSources {
  readonly bySystem: Resolve;
  readonly byQuery: Resolve;
}

const OF_THIS_MACHINE: NameSources = {
  bySystem: async (hostname) =>
    (await systemLookup(hostname, { all: true, verbatim: true })).map(({ address }) => address),
  async byQuery(hostname) {
    const resolver = new Resolver(QUERY);
    const found = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = found.flatMap((each) => (each.status === "fulfilled" ? each.value : []));
    const [first] = found;
    if (addresses.length === 0 && first.status === "rejected") throw first.reason;
    return addresses;
  },
};

/** Makes the look-up of a process. */
export function createResolve({ bySystem, byQuery }: NameSources = OF_THIS_MACHINE): Resolve {
  const waiting: (() => void)[] = [];
  let free = SYSTEM_LOOKUPS;

  async function askSystem(hostname: string): Promise<readonly string[]> {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await bySystem(hostname);
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  }

  return async (hostname) => {
    if (free > 0) return askSystem(hostname);
    try {
      return await byQuery(hostname);
    } catch (failed) {
      // No server knows the name: the system may, from a file of its own. A server that is silent is believed to stay so.
      if (!isUnknownName(failed)) throw failed;
      return askSystem(hostname);
    }
  };
}

function isUnknownName(failed: unknown): boolean {
  const { code } = failed as NodeJS.ErrnoException;
  return code === "ENOTFOUND" || code === "ENODATA" || code === "EREFUSED" || code === "ECONNREFUSED";
}
