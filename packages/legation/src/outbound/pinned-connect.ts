/**
 * Opens connections only to addresses that were looked at. The name is resolved here and once; every address that it has
 * is checked, and the connection goes to one of those, so that a name cannot mean something else a moment later. (A
 * `lookup` function would not do: it is never called for an address in the place of a name.)
 */
import { isIP, connect as netConnect, type Socket } from "node:net";
import { connect as tlsConnect } from "node:tls";
import type { buildConnector } from "undici";
import type { AddressGuard } from "./address-rules.ts";
import type { Resolve } from "./resolve-names.ts";

/** The dialler refuses to call. The message may be shown to an operator. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

/** One address of several is not waited for longer; the last one has what is left. */
const NEXT_ADDRESS_MS = 3_000;
/** For all addresses together, under the limit of an attempt: what takes that long is not going to be a connection. */
const CONNECT_MS = 10_000;

/** Makes the `connect` of an undici Agent. */
export function createPinnedConnect(guard: AddressGuard, resolve: Resolve): buildConnector.connector {
  return (options, callback) => {
    open(guard, resolve, options).then(
      (socket) => callback(null, socket),
      (failed: unknown) => callback(failed instanceof Error ? failed : new Error(String(failed)), null),
    );
  };
}

async function open(guard: AddressGuard, resolve: Resolve, options: buildConnector.Options): Promise<Socket> {
  const hostname = options.hostname.replace(/^\[|\]$/g, "").replace(/\.+$/, "");
  const port = options.port === "" ? (options.protocol === "https:" ? 443 : 80) : Number(options.port);
  const addresses = isIP(hostname) === 0 ? await resolveName(resolve, hostname) : [hostname];
  for (const address of addresses) {
    const why = guard.refuseAddress(address, options.protocol, port);
    if (why !== undefined) throw new AddressRefused(`${hostname} is not called: ${why}`);
  }
  let failure: unknown;
  const until = performance.now() + CONNECT_MS;
  for (const [at, address] of addresses.entries()) {
    const leftMs = until - performance.now();
    if (leftMs <= 0) break;
    try {
      const timeoutMs = at === addresses.length - 1 ? leftMs : Math.min(leftMs, NEXT_ADDRESS_MS);
      return await dial(address, { hostname, port, isTls: options.protocol === "https:", timeoutMs });
    } catch (failed) {
      failure = failed;
    }
  }
  throw failure;
}

async function resolveName(resolve: Resolve, hostname: string): Promise<readonly string[]> {
  let addresses: readonly string[];
  try {
    addresses = await resolve(hostname);
  } catch (cause) {
    const { code = "unknown" } = cause as NodeJS.ErrnoException;
    throw new Error(`${hostname} does not resolve (${code})`, { cause });
  }
  if (addresses.length === 0) throw new Error(`${hostname} has no address`);
  return addresses;
}

function dial(
  address: string,
  to: { readonly hostname: string; readonly port: number; readonly isTls: boolean; readonly timeoutMs: number },
): Promise<Socket> {
  const { hostname, port, isTls } = to;
  const servername = isIP(hostname) === 0 ? hostname : "";
  return new Promise((resolve, reject) => {
    const socket = isTls
      ? tlsConnect({ host: address, port, servername, ALPNProtocols: ["http/1.1"] })
      : netConnect({ host: address, port });
    socket.setNoDelay(true);
    const timer = setTimeout(() => socket.destroy(new Error(`${hostname} port ${port} does not answer`)), to.timeoutMs);
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
    };
    socket.once("error", fail);
    socket.once(isTls ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      socket.off("error", fail);
      resolve(socket);
    });
  });
}
