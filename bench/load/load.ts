/** Sends many requests, a few at a time, and measures what they cost the server. */
import type { ServerProcess } from "../servers/server-process.ts";
import { Connection, type ReadOptions, type Reply } from "./connection.ts";

/** What is sent, how often, and how it is read. */
export interface Load {
  readonly operations: number;
  readonly inFlight: number;
  readonly request: (index: number) => string;
  readonly read?: ReadOptions | undefined;
  /** Called for every answer that is good. */
  readonly onReply?: ((reply: Reply, index: number) => void) | undefined;
}

/** @throws Error when an answer is none: a cost of a refusal must not be taken for a cost of the work */
export function requireGood(reply: Reply): void {
  const { status, body, head } = reply;
  if (status === 200 && !body.startsWith('{"jsonrpc":"2.0","id":1,"error"') && !body.includes('"error":{')) return;
  throw new Error(`the server refuses: ${head.slice(0, 40)} ${body.slice(0, 400)}`);
}

/** Sends it all; the connections are opened before and closed after. */
export async function runLoad(server: ServerProcess, load: Load): Promise<{ readonly cpuMicros: number }> {
  const width = Math.min(load.inFlight, load.operations);
  const connections = await Promise.all(Array.from({ length: width }, () => Connection.open(server.port)));
  let next = 0;
  async function work(connection: Connection): Promise<void> {
    while (next < load.operations) {
      const index = next++;
      const reply = await connection.exchange(load.request(index), load.read);
      requireGood(reply);
      load.onReply?.(reply, index);
    }
  }
  try {
    const before = server.cpuMicros();
    await Promise.all(connections.map(work));
    return { cpuMicros: server.cpuMicros() - before };
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** Sends one request on a connection of its own. */
export async function once(server: ServerProcess, request: string, read?: ReadOptions): Promise<Reply> {
  const connection = await Connection.open(server.port);
  try {
    const reply = await connection.exchange(request, read);
    requireGood(reply);
    return reply;
  } finally {
    connection.close();
  }
}
