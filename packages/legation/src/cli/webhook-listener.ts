/** Receives the webhooks of an agent under test on a port of this process. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { ReceivedWebhook, WebhookReceiver } from "../conformance/webhook-receiver.ts";

/** A receiver that listens. */
export interface WebhookListener extends WebhookReceiver {
  close(): Promise<void>;
}

/** Longest notification that is read: what comes here comes from the agent under test, or from anybody. */
const MAX_BODY_BYTES = 16 * 1024 * 1024;

interface Mailbox {
  readonly received: ReceivedWebhook[];
  wake: () => void;
}

/**
 * Listens, on the loopback address unless a public one is named.
 *
 * @param publicUrl where the agent reaches this process: its port is listened to on all addresses; absent for agents of
 *   this machine, a free port then
 */
export async function listenForWebhooks(publicUrl?: string): Promise<WebhookListener> {
  const boxes = new Map<string, Mailbox>();
  const server = createServer((request, response) => {
    const box = boxes.get((request.url ?? "").split("/").at(-1) ?? "");
    receive(request).then(
      (body) => {
        response.writeHead(box === undefined ? 404 : body === undefined ? 413 : 200).end();
        if (box === undefined || body === undefined) return;
        box.received.push({ headers: headersOf(request), body });
        box.wake();
      },
      () => response.destroy(),
    );
  });
  const base = await listen(server, publicUrl);
  return {
    async open() {
      const id = randomUUID();
      const box: Mailbox = { received: [], wake: () => undefined };
      boxes.set(id, box);
      return {
        url: `${base}/${id}`,
        next: (timeoutMs) => nextOf(box, timeoutMs),
        close: async () => void boxes.delete(id),
      };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listen(server: Server, publicUrl: string | undefined): Promise<string> {
  const url = publicUrl === undefined ? undefined : new URL(publicUrl);
  const port = url === undefined ? 0 : Number(url.port || (url.protocol === "https:" ? 443 : 80));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, url === undefined ? "127.0.0.1" : undefined, resolve);
  });
  return url?.href.replace(/\/$/, "") ?? `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function receive(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  const one: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) one[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return one;
}

async function nextOf(box: Mailbox, timeoutMs: number): Promise<ReceivedWebhook | undefined> {
  if (box.received.length === 0) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      box.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    box.wake = () => undefined;
  }
  return box.received.shift();
}
