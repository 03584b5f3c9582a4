/** Opens a port for a handler, and closes it in good order. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpHandler } from "../../bindings/http/exchange.ts";
import { LocalError } from "../../operations/errors.ts";
import { createNodeListener, type NodeListenerOptions } from "./node-listener.ts";

/** Where to listen. */
export interface ListenOptions extends NodeListenerOptions {
  /** 0 takes a free one; default 0. */
  readonly port?: number | undefined;
  /** Address or name to bind; default 127.0.0.1, which only this machine can reach. */
  readonly host?: string | undefined;
  /** How long an idle connection is kept, default 65,000: longer than the 60 s of common load balancers. */
  readonly keepAliveMs?: number | undefined;
  /** How long a request may take to arrive, default 300,000. */
  readonly requestMs?: number | undefined;
}

/** A port that is open. */
export interface Listening {
  /** `http://127.0.0.1:4000`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The server of node:http, for what frameworks attach to it. */
  readonly server: Server;
  /**
   * Stops: no new connection, open streams are told UNAVAILABLE, requests in flight have `graceMs` (default 10,000),
   * then every connection is cut. Resolves when the port is free; called again, it gives the same promise.
   */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>;
}

const DEFAULT_GRACE_MS = 10_000;

/**
 * Listens on a port.
 *
 * @param handler answers every request
 * @param options port, host, timeouts
 * @throws LocalError PORT_IN_USE, CONFIGURATION for an address or port that cannot be had
 */
export async function listen(handler: HttpHandler, options: ListenOptions = {}): Promise<Listening> {
  const { port = 0, host = "127.0.0.1" } = options;
  const carrier = createNodeListener(handler, options);
  const server = createServer(
    {
      keepAliveTimeout: options.keepAliveMs ?? 65_000,
      requestTimeout: options.requestMs ?? 300_000,
      // Above the idle timeout, or a proxy's reused connection could be cut between two requests.
      headersTimeout: 66_000,
    },
    carrier.listener,
  );
  await bind(server, port, host);
  const bound = (server.address() as AddressInfo).port;
  let closing: Promise<void> | undefined;
  return {
    url: `http://${urlHost(host)}:${bound}`,
    port: bound,
    server,
    close: ({ graceMs = DEFAULT_GRACE_MS } = {}) => {
      closing ??= shutDown(server, carrier, graceMs);
      return closing;
    },
  };
}

function bind(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(bindError(error, port, host)));
    server.listen(port, host, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });
}

function bindError(error: NodeJS.ErrnoException, port: number, host: string): LocalError {
  const metadata = { port: String(port), host };
  switch (error.code) {
    case "EADDRINUSE":
      return new LocalError(
        "PORT_IN_USE",
        `port ${port} on ${host} is in use; stop what listens there, or choose another port (0 takes a free one)`,
        { metadata, cause: error },
      );
    case "EACCES":
      return new LocalError("CONFIGURATION", `port ${port} may not be opened by this user; choose one above 1023`, {
        metadata,
        cause: error,
      });
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new LocalError("CONFIGURATION", `${host} is not an address of this machine; use 127.0.0.1 or 0.0.0.0`, {
        metadata,
        cause: error,
      });
    default:
      return new LocalError("CONFIGURATION", `cannot listen on ${host} port ${port}: ${error.message}`, {
        metadata,
        cause: error,
      });
  }
}

function urlHost(host: string): string {
  if (host === "0.0.0.0" || host === "::" || host === "") return "127.0.0.1";
  return host.includes(":") ? `[${host}]` : host;
}

async function shutDown(
  server: Server,
  carrier: { stop(): void; idle(): Promise<void> },
  graceMs: number,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  carrier.stop();
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  await Promise.race([carrier.idle(), grace]);
  clearTimeout(timer);
  // What was in flight is answered or out of time; connections kept alive hold nothing.
  server.closeAllConnections();
  await closed;
}
