/** Opens a port for a handler, and closes it in good order. */
import { createServer, type Server } from "node:http";
import { createServer as createHttpsServer, type Server as HttpsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type { HttpHandler } from "../../bindings/http/exchange.ts";
import { LocalError } from "../../operations/errors.ts";
import { answerBadRequests } from "./bad-request.ts";
import { muxConnections } from "./mux.ts";
import { createNodeListener, type NodeListenerOptions } from "./node-listener.ts";

/** What answers connections of HTTP/2 on the same port. */
export interface Http2Door {
  accept(socket: Socket): void;
  /** No new call; open streams are told that the host stops. */
  stop(): void;
  /** Resolves when nothing is being answered. */
  idle(): Promise<void>;
  destroy(): void;
}

/** Certificate and key as PEM texts. */
export interface TlsOptions {
  readonly key: string | Buffer;
  readonly cert: string | Buffer;
}

/** Where to listen. */
export interface ListenOptions extends NodeListenerOptions {
  /** 0 takes a free one; default 0. */
  readonly port?: number | undefined;
  /** Address or name to bind; default 127.0.0.1, which only this machine can reach. */
  readonly host?: string | undefined;
  /** Absent: cleartext. */
  readonly tls?: TlsOptions | undefined;
  /** Takes connections of HTTP/2; absent: none are taken. */
  readonly http2?: Http2Door | undefined;
  /** How long an idle connection is kept, default 65,000: longer than the 60 s of common load balancers. */
  readonly keepAliveMs?: number | undefined;
  /** How long a request may take to arrive, default 300,000; 0 is as long as it takes. */
  readonly requestMs?: number | undefined;
}

/** A port that is open. */
export interface Listening {
  /** `http://127.0.0.1:4000`, without a trailing slash. */
  readonly url: string;
  readonly port: number;
  /** The server of node:http or node:https, for what frameworks attach to it. */
  readonly server: Server | HttpsServer;
  /**
   * Stops: no new connection, open streams are told UNAVAILABLE, requests in flight have `graceMs` (default 10,000),
   * then every connection is cut. Resolves when the port is free; called again, it gives the same promise.
   */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>;
}

const DEFAULT_GRACE_MS = 10_000;

/** Above the idle timeout, or a proxy's reused connection could be cut between two requests. */
const HEADERS_MS = 66_000;

/**
 * Listens on a port.
 *
 * @param handler answers every request
 * @param options port, host, timeouts
 * @throws LocalError PORT_IN_USE, CONFIGURATION for an address or port that cannot be had
 */
export async function listen(handler: HttpHandler, options: ListenOptions = {}): Promise<Listening> {
  const { port = 0, host = "127.0.0.1", tls, http2, requestMs = 300_000 } = options;
  const carrier = createNodeListener(handler, options);
  const timeouts = {
    keepAliveTimeout: options.keepAliveMs ?? 65_000,
    requestTimeout: requestMs,
    // The headers are a part of the request.
    headersTimeout: requestMs === 0 ? HEADERS_MS : Math.min(HEADERS_MS, requestMs),
    // Refused by our listener, which says why.
    requireHostHeader: false,
  };
  const server =
    tls === undefined
      ? createServer(timeouts, carrier.listener)
      : createHttpsServer({ ...timeouts, ...tls, ALPNProtocols: protocolsOf(http2) }, carrier.listener);
  answerBadRequests(server);
  const mux = http2 === undefined ? undefined : muxConnections(server, (socket) => http2.accept(socket), HEADERS_MS);
  await bind(server, port, host);
  const bound = (server.address() as AddressInfo).port;
  let closing: Promise<void> | undefined;
  return {
    url: `${tls === undefined ? "http" : "https"}://${urlHost(host)}:${bound}`,
    port: bound,
    server,
    close: ({ graceMs = DEFAULT_GRACE_MS } = {}) => {
      closing ??= shutDown(server, [carrier, ...(http2 === undefined ? [] : [http2])], graceMs, () => {
        mux?.destroy();
        http2?.destroy();
      });
      return closing;
    },
  };
}

// Who offers both gets HTTP/1.1, which carries all of a browser's requests; callers over gRPC offer h2 alone.
function protocolsOf(http2: Http2Door | undefined): string[] {
  return http2 === undefined ? ["http/1.1"] : ["http/1.1", "h2"];
}

function bind(server: Server | HttpsServer, port: number, host: string): Promise<void> {
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
  server: Server | HttpsServer,
  carriers: readonly { stop(): void; idle(): Promise<void> }[],
  graceMs: number,
  cut: () => void,
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  for (const carrier of carriers) carrier.stop();
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  await Promise.race([Promise.all(carriers.map((carrier) => carrier.idle())), grace]);
  clearTimeout(timer);
  // What was in flight is answered or out of time; connections kept alive hold nothing.
  server.closeAllConnections();
  cut();
  await closed;
}
