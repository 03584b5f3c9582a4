/** A proxy in front of replicas: every request goes to the next one that takes it. */
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** The proxy. */
export interface RoundRobin {
  readonly url: string;
  /** Where the requests went, in order, by index. */
  readonly taken: readonly number[];
  close(): Promise<void>;
}

/** Starts a proxy over ports of this machine. */
export async function startRoundRobin(ports: readonly number[]): Promise<RoundRobin> {
  const taken: number[] = [];
  let next = 0;
  const server = createServer(async (incoming, outgoing) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces);
    const attempt = (left: number): void => {
      const index = next % ports.length;
      next += 1;
      const onward = request(
        {
          port: ports[index],
          host: "127.0.0.1",
          method: incoming.method,
          path: incoming.url,
          headers: { ...incoming.headers, "content-length": body.length },
        },
        (answer) => {
          taken.push(index);
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
          answer.on("error", () => outgoing.destroy());
        },
      );
      // A replica that is gone takes no connection: the next one has it.
      onward.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED" && left > 1) attempt(left - 1);
        else outgoing.destroy();
      });
      outgoing.on("close", () => onward.destroy());
      onward.end(body);
    };
    attempt(ports.length);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    taken,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
