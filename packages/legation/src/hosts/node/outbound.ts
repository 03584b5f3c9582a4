/** What a server calls on behalf of strangers: cards, interfaces and key sets whose addresses came from outside. */
import type { AgentTarget } from "../../client/card-source.ts";
import type { Client } from "../../client/client.ts";
import { type ConnectOptions, connect } from "../../client/connect.ts";
import { LocalError } from "../../operations/errors.ts";
import { AddressRefused } from "../../outbound/pinned-connect.ts";
import { createSafeDialler, type SafeFetchInit } from "../../outbound/safe-dialler.ts";

/** What may be called beside public addresses over https at the ports of the web. */
export interface OutboundRules {
  /** Networks that may be called, over http too and on any port: `10.1.0.0/16`, `127.0.0.0/8` for development. */
  readonly allow?: readonly string[] | undefined;
  /** True: http at public addresses too. */
  readonly http?: boolean | undefined;
  /** Ports at public addresses, default 80, 443, 8080 and 8443. */
  readonly ports?: readonly number[] | undefined;
}

/** Calls what strangers name, and nothing inside of the network. */
export interface Outbound extends AsyncDisposable {
  /**
   * As `connect` of `legation/client`, for an agent that somebody else named, in a message or a card. The rules hold for
   * its card, for the interface that the card names, and for each new connection to either. gRPC is not among the
   * bindings: its library resolves names by itself, so that nothing could be said about where it connects.
   *
   * @throws LocalError UNREACHABLE that says why for an address that may not be called; else as `connect` does
   */
  connect(target: AgentTarget, options?: Omit<ConnectOptions, "fetch" | "transports">): Promise<Client>;
  /**
   * A `fetch` for everything else that a stranger names: the key set of `createPushVerifier({ fetch })`, the `jku` of a
   * signature, a part that is a URL. A redirect is an answer, which nobody follows; time and size have limits.
   *
   * @throws LocalError UNREACHABLE for an address that may not be called; whatever a fetch throws
   */
  fetch(url: string | URL, init?: SafeFetchInit): Promise<Response>;
  /** Ends its connections. */
  close(): Promise<void>;
}

/** The client has limits of its own for what answers a call; how long an agent works is no business of a limit. */
const UNLIMITED: SafeFetchInit = { timeoutMs: Number.POSITIVE_INFINITY, maxBytes: Number.POSITIVE_INFINITY };

/**
 * Makes it. Every address is looked at when it is connected to, whatever name it was reached by, and the connection goes
 * to the address that was looked at. Proxies of the environment are not used.
 *
 * @param rules what is open beside the public web; a host has one of these already, `host.outbound`
 * @throws LocalError CONFIGURATION for a network that is none
 */
export function createOutbound(rules: OutboundRules = {}): Outbound {
  const { allow, http, ports } = rules;
  const dialler = createSafeDialler({ allow, http, ports });

  async function fetch(url: string | URL, init?: SafeFetchInit): Promise<Response> {
    try {
      return await dialler.fetch(url, init);
    } catch (failed) {
      throw refusalOf(failed) ?? failed;
    }
  }

  return {
    fetch,
    connect: (target, options) =>
      connect(target, {
        ...options,
        // What is no stream and starts no work is short.
        fetch: (url, init) =>
          fetch(url, isShort(init) ? { ...init, maxBytes: UNLIMITED.maxBytes } : { ...init, ...UNLIMITED }),
      }),
    close: () => dialler.close(),
    [Symbol.asyncDispose]: () => dialler.close(),
  };
}

function isShort({ method, headers }: { readonly method: string; readonly headers: Record<string, string> }): boolean {
  return method === "GET" && headers["accept"]?.includes("event-stream") !== true;
}

/** What the dialler said, however deep a fetch has put it. */
function refusalOf(failed: unknown): LocalError | undefined {
  for (let error = failed; error instanceof Error; error = error.cause) {
    if (!(error instanceof AddressRefused)) continue;
    const { message } = error;
    return new LocalError("UNREACHABLE", message, {
      metadata: { cause: "ADDRESS_REFUSED", sent: "no" },
      cause: failed,
    });
  }
  return undefined;
}
