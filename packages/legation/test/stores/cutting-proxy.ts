import { connect, createServer, type Socket } from "node:net";

/** Stands between a client and a server, and can lose what the server says. */
export interface CuttingProxy {
  readonly port: number;
  /** From now on requests get through, and the connection dies with the first answer. */
  cutAnswers(on: boolean): void;
  close(): Promise<void>;
}

/** Starts a proxy in front of a port of this machine. */
export async function startCuttingProxy(targetPort: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let cutting = false;
  const server = createServer((client) => {
    const target = connect(targetPort, "127.0.0.1");
    for (const socket of [client, target]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        client.destroy();
        // The server must get to the end of what it was given.
        target.end();
      });
    }
    client.on("data", (data) => target.write(data));
    target.on("data", (data) => {
      if (cutting) client.destroy();
      else client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    cutAnswers: (on) => {
      cutting = on;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
