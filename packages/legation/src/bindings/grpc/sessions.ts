/**
 * The HTTP/2 connections of a gRPC handler. It listens to nothing: sockets are handed to it, by a server of its own or
 * by a host that shares one port among the bindings.
 */
import { createServer, type ServerHttp2Session } from "node:http2";
import type { Socket } from "node:net";
import type { GrpcHandler } from "./handler.ts";

/** Calls that one connection may have at a time: guards against one caller who opens streams without end. */
const MAX_CONCURRENT_STREAMS = 1_000;

/** Bytes that a caller may send on one connection and stream before it must wait for us. */
const WINDOW_BYTES = 1 << 20;

/** A connection on which nothing moves is asked by TCP after that long whether anybody is there. */
const KEEP_ALIVE_MS = 60_000;

/** Long enough for what is nearly done, and short enough that callers who die in the middle of a request cost nothing. */
const HALF_CLOSED_MS = 5_000;

/** Connections that are open. */
export interface GrpcSessions {
  /** Takes a connection whose first bytes may have been looked at and put back. */
  accept(socket: Socket): void;
  /** Tells callers to go elsewhere, and streams that they end. */
  stop(): void;
  /** Resolves when every connection is closed; after {@link stop} that is when its last call is answered. */
  idle(): Promise<void>;
  /** Cuts what is left. */
  destroy(): void;
}

/**
 * Makes the place where connections of a handler are kept.
 *
 * @param halfClosedMs how long answers may take on a connection on which the caller has said its last
 */
export function createGrpcSessions(handler: GrpcHandler, halfClosedMs: number = HALF_CLOSED_MS): GrpcSessions {
  const sessions = new Set<ServerHttp2Session>();
  /** Those whose callers will send nothing more. */
  const halfClosed = new Set<ServerHttp2Session>();
  let isStopping = false;
  let waiting: (() => void)[] = [];
  const server = createServer({
    settings: { maxConcurrentStreams: MAX_CONCURRENT_STREAMS, initialWindowSize: WINDOW_BYTES },
  });
  server.on("session", (session) => {
    sessions.add(session);
    session.setLocalWindowSize(WINDOW_BYTES);
    session.on("close", () => {
      sessions.delete(session);
      halfClosed.delete(session);
      if (sessions.size > 0) return;
      for (const resolve of waiting) resolve();
      waiting = [];
    });
    session.socket.once("end", () => {
      halfClosed.add(session);
      leave(session, isStopping ? 0 : halfClosedMs);
    });
    // A connection that breaks is told to its streams.
    session.on("error", ignore);
  });
  server.on("sessionError", ignore);
  server.on("stream", (stream, headers) => handler.handle(stream, headers));
  return {
    accept(socket) {
      socket.setNoDelay(true);
      socket.setKeepAlive(true, KEEP_ALIVE_MS);
      server.emit("connection", socket);
    },
    stop() {
      isStopping = true;
      handler.stop();
      for (const session of [...sessions]) session.close();
      // There is nobody behind them who would hold a stop up.
      for (const session of [...halfClosed]) session.destroy();
    },
    idle: () => (sessions.size === 0 ? Promise.resolve() : new Promise((resolve) => waiting.push(resolve))),
    destroy() {
      for (const session of [...sessions]) session.destroy();
    },
  };
}

/**
 * The caller will send nothing more. What it has asked for is answered; a request whose end is missing would keep the
 * connection for ever.
 */
function leave(session: ServerHttp2Session, ms: number): void {
  session.close();
  const timer = setTimeout(() => session.destroy(), ms);
  timer.unref();
  session.once("close", () => clearTimeout(timer));
}

function ignore(): void {}
