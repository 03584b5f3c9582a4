/** Our outbox and its webhooks in one process, which tells how long an event takes from a handler to a webhook. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { connect, serve } from "legation/node";
import { createAgent } from "legation/server";
import { quantile } from "../measure/statistics.ts";
import { serveControls } from "./control.ts";

const saidAt = new Map<string, number>();
const arrived = new Map<string, (delayMs: number) => void>();
const held: ServerResponse[] = [];

const agent = createAgent({
  name: "Bench",
  description: "Pushes.",
  version: "1.0.0",
  async onTask(task) {
    saidAt.set(task.id, performance.now());
    await task.artifact("a.txt", { text: "x" });
  },
});
const host = await serve(agent, { log: false, grpc: false, push: { allow: ["127.0.0.0/8"] } });
const client = await connect(host.url);

const webhooks = createServer((request, response) => {
  if (request.url?.startsWith("/hangs") === true) {
    held.push(response);
    return;
  }
  let body = "";
  request.setEncoding("utf8").on("data", (chunk: string) => {
    body += chunk;
  });
  request.on("end", () => {
    response.writeHead(204).end();
    if (!body.includes('"artifactUpdate"')) return;
    const taskId = String(request.headers["a2a-event-id"]).split(":")[0] ?? "";
    arrived.get("next")?.(performance.now() - (saidAt.get(taskId) ?? Number.NaN));
    saidAt.delete(taskId);
  });
}).listen(0, "127.0.0.1");
await once(webhooks, "listening");
const base = `http://127.0.0.1:${(webhooks.address() as AddressInfo).port}`;

serveControls(0, {
  /** Sends tasks one after the other. @returns the 99th percentile of their delays, in µs */
  delays: async (tasks) => {
    const delays: number[] = [];
    for (let task = 0; task < Number(tasks); task += 1) {
      const delay = new Promise<number>((resolve) => arrived.set("next", resolve));
      await client.send("go", { push: { url: `${base}/healthy/${task % 10}` } });
      delays.push(await delay);
    }
    return 1_000 * quantile(delays, 0.99);
  },
  /** Makes so many webhooks hang. */
  hang: async (count) => {
    for (let n = 0; n < Number(count); n += 1) await client.send("go", { push: { url: `${base}/hangs/${n}` } });
    while (held.length < Number(count)) await new Promise((resolve) => setTimeout(resolve, 5));
  },
  /** Lets go of them; what else their tasks have to say is not said. */
  release: () => {
    for (const response of held.splice(0)) response.writeHead(410).end();
  },
});
