/** A webhook that does what a test says, on a port of its own: it counts connections and keeps what it gets. */
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { StreamResponse } from "../../src/model/gen/types.ts";

/** One request as it arrived. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly event: StreamResponse;
  /** Value of A2A-Event-Id. */
  readonly id: string;
  readonly at: number;
}

/** Answers one request; a number is a status. Undefined: 204. */
export type Behaviour = (received: Received, response: ServerResponse) => number | undefined | "taken";

export class WebhookServer implements AsyncDisposable {
  readonly received: Received[] = [];
  /** Connections that came in, whatever they carried. */
  connections = 0;
  behave: Behaviour;
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const event = (body.startsWith("{") ? JSON.parse(body) : {}) as StreamResponse;
      const id = String(request.headers["a2a-event-id"] ?? "");
      const received = { path: request.url ?? "", headers: request.headers, body, event, id, at: performance.now() };
      this.received.push(received);
      const status = this.behave(received, response);
      if (status !== "taken") response.writeHead(status ?? 204).end();
      for (const waiter of [...this.#waiters]) waiter();
    });
  });
  readonly #waiters = new Set<() => void>();
  readonly #sockets = new Set<Socket>();

  private constructor(behave: Behaviour) {
    this.behave = behave;
    this.#server.on("connection", (socket: Socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
      socket.on("error", () => {});
    });
  }

  static async start(
    behave: Behaviour = () => undefined,
    host: string = "127.0.0.1",
    port: number = 0,
  ): Promise<WebhookServer> {
    const server = new WebhookServer(behave);
    server.#server.listen(port, host);
    await once(server.#server, "listening");
    return server;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path: string = "/hook"): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** What came to a path. */
  at(path: string): Received[] {
    return this.received.filter((one) => one.path === path);
  }

  /** Resolves when `condition` holds, looked at after every request; rejects after a time. */
  async until(condition: (server: this) => boolean, timeoutMs: number = 10_000): Promise<void> {
    if (condition(this)) return;
    const done = Promise.withResolvers<void>();
    const look = (): void => {
      if (condition(this)) done.resolve();
    };
    this.#waiters.add(look);
    const timer = setTimeout(() => {
      done.reject(new Error(`the webhook waited in vain; it got ${this.received.map(({ id }) => id).join(" ")}`));
    }, timeoutMs);
    try {
      await done.promise;
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(look);
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** The states and artifacts of events in short: `task:SUBMITTED`, `WORKING`, `a.txt`. */
export function shortOf({ event }: Received): string {
  const { task, statusUpdate, artifactUpdate } = event;
  if (task !== undefined) return `task:${short(task.status.state)}`;
  if (statusUpdate !== undefined) return short(statusUpdate.status.state);
  return artifactUpdate?.artifact.name ?? "?";
}

function short(state: string): string {
  return state.replace("TASK_STATE_", "");
}
