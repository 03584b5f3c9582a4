/** An agent that does what no good agent does, for what the rehearsal agent cannot show. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { AgentCard, Task } from "../../src/model/gen/types.ts";
import type { Cleanup } from "./rehearsal-process.ts";

/** One call as it came. */
export interface FakeCall {
  readonly method: string;
  readonly params: { readonly id?: string; readonly tenant?: string; readonly message?: { readonly taskId?: string } };
  readonly headers: IncomingMessage["headers"];
  readonly url: string;
}

/** What it answers: a result, an error, or the events of a stream, which may break off. */
export type FakeAnswer =
  | { readonly result: object }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } }
  | { readonly events: readonly object[]; readonly isCut?: boolean }
  | { readonly status: number };

/** The agent and what it was asked. */
export interface FakeAgent {
  readonly url: string;
  readonly calls: readonly FakeCall[];
  /** Headers and addresses of the requests for the card. */
  readonly cardRequests: readonly { readonly url: string; readonly headers: IncomingMessage["headers"] }[];
}

/** A task in some state. */
export function fakeTask(state: string, id = "task-1"): Task {
  return { id, contextId: "context-1", status: { state: state as Task["status"]["state"] } };
}

/** Starts it; the card speaks JSON-RPC, and streams unless `card` says otherwise. */
export async function startFakeAgent(
  t: Cleanup,
  answer: (call: FakeCall, count: number) => FakeAnswer,
  card: Partial<AgentCard> = {},
): Promise<FakeAgent> {
  const calls: FakeCall[] = [];
  const cardRequests: { url: string; headers: IncomingMessage["headers"] }[] = [];
  const server = createServer((request, response) => {
    const origin = `http://${request.headers.host}`;
    const { url = "/" } = request;
    if (url.startsWith("/.well-known/agent-card.json")) {
      cardRequests.push({ url, headers: request.headers });
      sendJson(response, { ...CARD, supportedInterfaces: [{ url: `${origin}/rpc`, ...JSONRPC }], ...card });
      return;
    }
    void readBody(request).then((body) => {
      const { id, method, params } = JSON.parse(body) as FakeCall & { id: number };
      calls.push({ method, params, headers: request.headers, url });
      const count = calls.filter((call) => call.method === method).length;
      respond(response, id, answer({ method, params, headers: request.headers, url }, count));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls, cardRequests };
}

const JSONRPC = { protocolBinding: "JSONRPC", protocolVersion: "1.0" };
const CARD: AgentCard = {
  name: "Fake",
  description: "Does what no good agent does.",
  version: "1.0.0",
  supportedInterfaces: [],
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "fake", name: "Fake", description: "Fakes.", tags: ["test"] }],
};

async function readBody(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const piece of request.setEncoding("utf8")) body += piece as string;
  return body;
}

function sendJson(response: ServerResponse, value: object): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
}

function respond(response: ServerResponse, id: number, answer: FakeAnswer): void {
  if ("status" in answer) {
    response.writeHead(answer.status).end();
    return;
  }
  if (!("events" in answer)) {
    sendJson(response, { jsonrpc: "2.0", id, ...answer });
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of answer.events)
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: event })}\n\n`);
  if (answer.isCut === true) setTimeout(() => response.destroy(), 20);
  else response.end();
}
