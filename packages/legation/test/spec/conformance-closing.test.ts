// An agent that refuses a large request while it is still on its way, and closes: what its judge hears of that.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import test from "node:test";
import { runConformance } from "../../src/conformance/run-conformance.ts";

type Refuse = (request: IncomingMessage, response: ServerResponse, server: Server) => void;

const TOO_LARGE = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "too large" } });

/** What the check of large requests finds at an agent that refuses them in this way. */
async function judged(refuse: Refuse): Promise<string | undefined> {
  const server = createServer((request, response) => {
    if (Number(request.headers["content-length"]) > 1_000_000) return refuse(request, response, server);
    const error = { code: -32001, message: "task not found" };
    response.end(JSON.stringify({ jsonrpc: "2.0", id: 1, error }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    const supportedInterfaces = [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }];
    const results = await runConformance({ card: { name: "Closing", supportedInterfaces }, only: ["13.4/size"] });
    assert.equal(results.length, 1);
    return results[0]?.outcome;
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

test("an answer that comes early, before an orderly close, is read", async () => {
  const outcome = await judged((_, response) => {
    response.writeHead(413, { connection: "close" }).end(TOO_LARGE);
  });
  assert.equal(outcome, "pass");
});

test("an answer that is lost with its connection is a refusal", async () => {
  const outcome = await judged((request, response) => {
    response.writeHead(413, { connection: "close" }).end(TOO_LARGE, () => request.socket.resetAndDestroy());
  });
  assert.equal(outcome, "pass");
});

test("to close without a word is a refusal, of an agent that goes on answering", async () => {
  assert.equal(await judged((request) => void request.socket.resetAndDestroy()), "pass");
});

test("an agent that falls has refused nothing", async () => {
  const outcome = await judged((request, _, server) => {
    server.close();
    request.socket.resetAndDestroy();
  });
  assert.equal(outcome, "fail");
});
