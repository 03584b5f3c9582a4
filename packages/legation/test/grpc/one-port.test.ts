// All bindings on one port, cleartext and TLS, with callers of every kind at once.
import assert from "node:assert/strict";
import { get as httpGet } from "node:http";
import { connect as connectHttp2 } from "node:http2";
import { get as httpsGet } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { test } from "node:test";
import { connect as connectTls } from "node:tls";
import { grpcTransport } from "../../src/bindings/grpc/grpc-transport.ts";
import type { Client } from "../../src/client/client.ts";
import { connect } from "../../src/hosts/node/connect.ts";
import { type Host, type ServeOptions, serve } from "../../src/hosts/node/serve.ts";
import type { AgentCard } from "../../src/model/gen/types.ts";
import { createAgent } from "../../src/server/agent.ts";
import { LOCALHOST } from "./localhost-certificate.ts";
import { exchange, frameOf } from "./raw-call.ts";

const tls = LOCALHOST;

const agent = createAgent({
  name: "Planner",
  description: "Plans.",
  version: "1.0.0",
  async onTask(task, message) {
    await task.artifact("echo.txt", { text: message.text });
  },
});

async function hosted(options: ServeOptions, body: (host: Host) => Promise<void>): Promise<void> {
  const host = await serve(agent, { log: false, ...options });
  try {
    await body(host);
  } finally {
    await host.close({ graceMs: 2_000 });
  }
}

/** A request of HTTP/1.1, as a browser or curl makes it. */
function fetchCard(host: Host): Promise<AgentCard> {
  const url = `${host.url.replace("127.0.0.1", "localhost")}/.well-known/agent-card.json`;
  return new Promise((resolve, reject) => {
    const get = url.startsWith("https") ? httpsGet : httpGet;
    const ca = url.startsWith("https") ? { ca: tls.cert } : {};
    const request = get(url, ca, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        text += chunk;
      });
      response.on("end", () => resolve(JSON.parse(text) as AgentCard));
    });
    request.on("error", reject);
  });
}

async function callOver(binding: string, card: AgentCard, fetch: typeof globalThis.fetch): Promise<void> {
  const client: Client = await connect(card, {
    prefer: [binding],
    fetch,
    transports: { GRPC: grpcTransport({ ca: Buffer.from(tls.cert) }) },
  });
  try {
    assert.equal(client.interface.protocolBinding, binding);
    const reply = await client.send(`over ${binding}`);
    assert.equal(reply.kind, "task");
    const run = client.stream(`again over ${binding}`);
    let events = 0;
    for await (const _ of run) events++;
    assert.ok(events > 1);
  } finally {
    await client.close();
  }
}

for (const secure of [false, true]) {
  test(`JSON-RPC, HTTP+JSON and gRPC at once on one port [${secure ? "TLS" : "cleartext"}]`, async () => {
    await hosted(secure ? { tls } : {}, async (host) => {
      const card = await fetchCard(host);
      assert.deepEqual(
        card.supportedInterfaces.map(({ protocolBinding, url }) => [protocolBinding, url]),
        [
          ["JSONRPC", host.url.replace("127.0.0.1", "localhost")],
          ["HTTP+JSON", host.url.replace("127.0.0.1", "localhost")],
          ["GRPC", `${secure ? "https://" : ""}localhost:${host.port}`],
        ],
      );
      const { Agent, fetch } = await import("undici");
      const dispatcher = new Agent(secure ? { connect: { ca: tls.cert } } : {});
      const trusting = ((url: string, init: object) =>
        fetch(url, { ...init, dispatcher })) as unknown as typeof globalThis.fetch;
      await Promise.all(["JSONRPC", "HTTP+JSON", "GRPC"].map((binding) => callOver(binding, card, trusting)));
      await dispatcher.close();
    });
  });
}

test("by ALPN who offers both gets HTTP/1.1, who offers h2 gets gRPC, who offers nothing is looked at", async () => {
  await hosted({ tls }, async ({ port }) => {
    const negotiated = (ALPNProtocols: string[] | undefined): Promise<string | false | null> =>
      new Promise((resolve, reject) => {
        const options = { port, ca: tls.cert, servername: "localhost", ...(ALPNProtocols && { ALPNProtocols }) };
        const socket = connectTls(options, () => {
          resolve(socket.alpnProtocol);
          socket.destroy();
        });
        socket.on("error", reject);
      });
    assert.equal(await negotiated(["h2", "http/1.1"]), "http/1.1");
    assert.equal(await negotiated(["h2"]), "h2");
    assert.equal(await negotiated(undefined), false);
    const socket = connectTls({ port, ca: tls.cert, servername: "localhost" });
    assert.match(
      await said(socket, "GET /.well-known/agent-card.json HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n"),
      /^HTTP\/1\.1 200/,
    );
  });
});

/** Sends a text, whole or byte by byte, and gives all that comes. */
function said(socket: Socket, text: string, byByte = false): Promise<string> {
  return new Promise((resolve, reject) => {
    let all = "";
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      all += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(all));
    if (!byByte) socket.write(text);
    else {
      let at = 0;
      const next = (): void => {
        if (at < text.length) socket.write(text.charAt(at++), () => setImmediate(next));
      };
      next();
    }
  });
}

test("the first bytes may come one at a time, also where a method of HTTP/1.1 begins like the preface", async () => {
  await hosted({}, async ({ port }) => {
    const open = (): Socket => connectTcp(port, "127.0.0.1").setNoDelay(true);
    const rest = " / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
    assert.match(await said(open(), `PROPFIND${rest}`, true), /^HTTP\/1\.1 40[45]/);
    assert.match(await said(open(), `PUT${rest}`, true), /^HTTP\/1\.1 40[45]/);
    const slow = connectHttp2(`http://127.0.0.1:${port}`, { createConnection: () => slowly(open()) });
    const answer = await exchange(slow, "ListTasks", frameOf(Buffer.alloc(0)), {});
    assert.equal(answer.status, 0);
    slow.destroy();
  });
});

/** A socket whose first write goes out in two pieces. */
function slowly(socket: Socket): Socket {
  const write = socket.write.bind(socket) as (data: Buffer, ...rest: unknown[]) => boolean;
  let first = true;
  const cut = (data: Buffer, ...rest: unknown[]): boolean => {
    if (!first) return write(data, ...rest);
    first = false;
    write(data.subarray(0, 2));
    return write(data.subarray(2), ...rest);
  };
  socket.write = cut as unknown as Socket["write"];
  return socket;
}

test("a connection that says nothing, or ends, holds nothing up", async () => {
  const host = await serve(agent, { log: false });
  const silent = connectTcp(host.port, "127.0.0.1");
  silent.on("error", () => undefined);
  const half = connectTcp(host.port, "127.0.0.1");
  half.on("error", () => undefined);
  half.end("PR");
  await new Promise((resolve) => half.once("close", resolve));
  const startedAt = performance.now();
  await host.close({ graceMs: 5_000 });
  assert.ok(performance.now() - startedAt < 1_000);
});

test("grpc: false keeps HTTP/2 out of port and card; a public url wants a public gRPC address", async () => {
  await hosted({ grpc: false }, async (host) => {
    const card = await fetchCard(host);
    assert.ok(card.supportedInterfaces.every(({ protocolBinding }) => protocolBinding !== "GRPC"));
    assert.match(await said(connectTcp(host.port, "127.0.0.1"), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), /^HTTP\/1\.1 400/);
  });
  const behind = createAgent({ ...agent.options, url: "https://agents.example.com" });
  for (const [grpc, expected] of [
    [undefined, []],
    [{ url: "grpc.example.com:443" }, ["grpc.example.com:443"]],
  ] as const) {
    const host = await serve(behind, { log: false, grpc });
    const card = await fetchCard(host);
    await host.close();
    const found = card.supportedInterfaces.filter(({ protocolBinding }) => protocolBinding === "GRPC");
    assert.deepEqual(
      found.map(({ url }) => url),
      expected,
    );
  }
});
