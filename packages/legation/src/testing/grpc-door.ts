/** A gRPC port of this machine for an agent under test. It stays while the agent behind it dies and comes back. */
import { type AddressInfo, createServer, type Socket } from "node:net";
import { createGrpcHandler } from "../bindings/grpc/handler.ts";
import { createGrpcSessions, type GrpcSessions } from "../bindings/grpc/sessions.ts";
import type { MountedAgent } from "../server/mount.ts";

/** The port. */
export interface GrpcDoor {
  /** `127.0.0.1:50051`. */
  readonly address: string;
  /** What lives behind it from now on. */
  open(agent: MountedAgent): void;
  /** Cuts all connections, as the death of a process does. */
  cut(): void;
  close(): Promise<void>;
}

/** Opens a free port. */
export async function openGrpcDoor(): Promise<GrpcDoor> {
  let sessions: GrpcSessions | undefined;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
    if (sessions === undefined) socket.destroy();
    else sessions.accept(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): void => {
    sessions?.destroy();
    sessions = undefined;
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    open(agent) {
      sessions = createGrpcSessions(createGrpcHandler(agent.service, agent.binding));
    },
    cut,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}
