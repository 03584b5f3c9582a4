/** gRPC on a port of its own. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { LocalError } from "../../operations/errors.ts";
import type { Service } from "../../operations/service.ts";
import { createGrpcHandler, type GrpcBindingOptions } from "./handler.ts";
import { createGrpcSessions } from "./sessions.ts";

/** Options of {@link createGrpcServer}. */
export interface GrpcServerOptions extends GrpcBindingOptions {
  /** 0 takes a free one, which is the default. */
  readonly port?: number | undefined;
  /** Address or name to bind; 127.0.0.1 by default, which only this machine can reach. */
  readonly host?: string | undefined;
  /** PEM texts; absent: cleartext, for use behind a proxy that ends TLS (§10.1 demands TLS towards callers). */
  readonly tls?: { readonly key: string | Buffer; readonly cert: string | Buffer } | undefined;
}

/** A port that answers gRPC. */
export interface GrpcServer extends AsyncDisposable {
  readonly port: number;
  /** `127.0.0.1:50051`, as a card has it. */
  readonly address: string;
  /**
   * Stops: streams are told UNAVAILABLE, calls in flight have `graceMs` (default 10,000), then connections are cut.
   */
  close(options?: { readonly graceMs?: number | undefined }): Promise<void>;
}

const DEFAULT_GRACE_MS = 10_000;

/**
 * Serves the operations of an agent over gRPC on a port of its own, with grpc.health.v1 and grpc.reflection.v1. On a
 * shared port `serve` offers the same beside JSON-RPC and HTTP+JSON.
 *
 * @param service carries the operations out, such as `host.agents[0].service`
 * @param options port, TLS, who may call, limits
 * @throws LocalError PORT_IN_USE, CONFIGURATION for an address that cannot be had
 * @see specification §10
 */
export async function createGrpcServer(service: Service, options: GrpcServerOptions = {}): Promise<GrpcServer> {
  const { port = 0, host = "127.0.0.1", tls } = options;
  const handler = createGrpcHandler(service, options);
  const sessions = createGrpcSessions(handler);
  const sockets = new Set<Socket>();
  const accept = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    sessions.accept(socket);
  };
  const server: Server =
    tls === undefined ? createServer(accept) : createTlsServer({ ...tls, ALPNProtocols: ["h2"] }, accept);
  await bind(server, port, host);
  const bound = (server.address() as AddressInfo).port;
  let closing: Promise<void> | undefined;
  const close: GrpcServer["close"] = ({ graceMs = DEFAULT_GRACE_MS } = {}) => {
    closing ??= shutDown(server, graceMs, {
      stop: () => sessions.stop(),
      idle: () => sessions.idle(),
      destroy() {
        sessions.destroy();
        for (const socket of sockets) socket.destroy();
      },
    });
    return closing;
  };
  return {
    port: bound,
    address: `${host.includes(":") ? `[${host}]` : host}:${bound}`,
    close,
    [Symbol.asyncDispose]: () => close(),
  };
}

function bind(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === "EADDRINUSE";
      reject(
        new LocalError(
          isTaken ? "PORT_IN_USE" : "CONFIGURATION",
          isTaken
            ? `port ${port} on ${host} is in use; stop what listens there, or choose another port (0 takes a free one)`
            : `cannot listen on ${host} port ${port}: ${error.message}`,
          { metadata: { port: String(port), host }, cause: error },
        ),
      );
    });
    server.listen(port, host, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });
}

async function shutDown(
  server: Server,
  graceMs: number,
  parts: { stop(): void; idle(): Promise<void>; destroy(): void },
): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  parts.stop();
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, graceMs);
  });
  await Promise.race([parts.idle(), grace]);
  clearTimeout(timer);
  parts.destroy();
  await closed;
}
