/** When the events of a stream arrive, to the moment of the read. */
import { request } from "node:http";
import { hostMs } from "../servers/counted-store.ts";

/** A subscriber. */
export interface Arrivals {
  /** By seq, in ms of the clock that all processes share. */
  readonly at: ReadonlyMap<number, number>;
  /** Resolves with its first event. */
  readonly first: Promise<void>;
  readonly ended: Promise<void>;
}

/** Subscribes to a task. */
export function noteArrivals(port: number, taskId: string): Arrivals {
  const at = new Map<number, number>();
  const first = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SubscribeToTask", params: { id: taskId } });
  const headers = { "content-type": "application/json", "a2a-version": "1.0", "content-length": body.length };
  const call = request({ port, host: "127.0.0.1", method: "POST", headers, agent: false }, (response) => {
    let rest = "";
    response.setEncoding("utf8").on("data", (piece: string) => {
      const now = hostMs();
      const lines = (rest + piece).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) if (line.startsWith("id:")) at.set(Number(line.slice(3)), now);
      first.resolve();
    });
    response.on("end", () => ended.resolve());
    response.on("error", (error) => ended.reject(error));
  });
  call.on("error", (error) => {
    first.reject(error);
    ended.reject(error);
  });
  call.end(body);
  return { at, first: first.promise, ended: ended.promise };
}
