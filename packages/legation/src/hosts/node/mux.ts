/**
 * One port for two versions of HTTP: a connection that begins with the preface of HTTP/2, or chose h2 by ALPN, goes to
 * gRPC, every other one to node:http.
 *
 * States of a connection: silent (its first bytes are awaited; the timer runs) → handed over. A connection that stays
 * silent is cut; from the moment it is handed over, its new owner's timeouts count.
 *
 * @see RFC 9113 §3.3, §3.4
 */
import type { Server as HttpServer } from "node:http";
import type { Server as HttpsServer } from "node:https";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** The first bytes of HTTP/2 with prior knowledge. The first three tell it from every method of HTTP/1.1. */
const PREFACE = Buffer.from("PRI", "latin1");

/** Connections that have not yet said what they speak. */
export interface Mux {
  /** Cuts them. */
  destroy(): void;
}

/**
 * Puts itself in front of a server that is not yet listening. The server goes on to own port, timeouts and closing.
 *
 * @param server of node:http or node:https
 * @param acceptHttp2 takes a connection of HTTP/2, with the bytes that were looked at put back
 * @param silentMs how long a connection may say nothing
 */
export function muxConnections(
  server: HttpServer | HttpsServer,
  acceptHttp2: (socket: Socket) => void,
  silentMs: number,
): Mux {
  const silent = new Set<Socket>();
  const event = "setSecureContext" in server ? "secureConnection" : "connection";
  const owners = server.listeners(event) as ((this: unknown, socket: Socket) => void)[];
  const acceptHttp1 = (socket: Socket): void => {
    for (const owner of owners) owner.call(server, socket);
  };
  server.removeAllListeners(event);
  server.on(event, (socket: Socket) => {
    const { alpnProtocol } = socket as Partial<TLSSocket>;
    if (alpnProtocol === "h2") acceptHttp2(socket);
    else if (typeof alpnProtocol === "string") acceptHttp1(socket);
    else {
      silent.add(socket);
      look(socket, silentMs, (isHttp2) => {
        silent.delete(socket);
        if (isHttp2 === true) acceptHttp2(socket);
        else if (isHttp2 === false) acceptHttp1(socket);
      });
    }
  });
  return {
    destroy() {
      for (const socket of silent) socket.destroy();
    },
  };
}

/** Looks at the first bytes and puts them back; tells undefined when none come. */
function look(socket: Socket, silentMs: number, tell: (isHttp2: boolean | undefined) => void): void {
  let seen: Buffer | undefined;
  const timer = setTimeout(() => socket.destroy(), silentMs);
  timer.unref();
  const done = (isHttp2: boolean | undefined): void => {
    clearTimeout(timer);
    socket.off("readable", onReadable);
    socket.off("end", onEnd);
    socket.off("close", onEnd);
    socket.off("error", ignore);
    if (seen !== undefined && isHttp2 !== undefined) socket.unshift(seen);
    tell(isHttp2);
  };
  const onEnd = (): void => {
    done(undefined);
    socket.destroy();
  };
  const onReadable = (): void => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    seen = seen === undefined ? chunk : Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, PREFACE.length);
    if (seen.compare(PREFACE, 0, length, 0, length) !== 0) done(false);
    else if (length === PREFACE.length) done(true);
  };
  socket.on("readable", onReadable);
  socket.on("end", onEnd);
  socket.on("close", onEnd);
  socket.on("error", ignore);
}

function ignore(): void {}
