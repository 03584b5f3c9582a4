// §13.2: what a server calls on behalf of a stranger is as guarded as its webhooks: cards, the interfaces that they name,
// key sets. Each refusal is held against listeners that count connections.
import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createPushSigner, createPushVerifier, generateSigningKey } from "../../src/auth/index.ts";
import { createOutbound, type Host, serve } from "../../src/hosts/node/index.ts";
import { isLocalError } from "../../src/operations/errors.ts";
import { createAgent } from "../../src/server/agent.ts";
import { LITERALS } from "./address-zoo.ts";
import { type Behaviour, WebhookServer } from "./webhook-server.ts";

const LOOPBACK = { allow: ["127.0.0.0/8"] };

async function echo(t: TestContext): Promise<Host> {
  const agent = createAgent({
    name: "echo",
    description: "Says what it hears.",
    version: "1.0.0",
    async onTask(task, message) {
      await task.artifact("echo.txt", { text: message.text });
    },
  });
  const host = await serve(agent, { log: false });
  t.after(() => host.close({ graceMs: 0 }));
  return host;
}

/** A listener that counts; asked for a card it gives one that names `url`. */
async function listener(t: TestContext, url: string = "", host: string = "127.0.0.1"): Promise<WebhookServer> {
  const card = {
    name: "Inside",
    description: "Is reached from inside only.",
    version: "1.0.0",
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities: {},
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
  const behave: Behaviour = (_received, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(card));
    return "taken";
  };
  const server = await WebhookServer.start(behave, host);
  t.after(() => server.close());
  return server;
}

const refused = (thrown: unknown): boolean =>
  isLocalError(thrown, "UNREACHABLE") &&
  /is not called: (?:address .* is not public|.* inside of a network)/.test(thrown.message);

describe("outbound: agents that strangers name", () => {
  it("nothing inside is asked for a card, in whatever form it is written", async (t) => {
    const inside = await listener(t);
    await using outbound = createOutbound({ http: true, ports: [inside.port] });
    for (const host of [...LITERALS, "localhost", "a.localhost"]) {
      await assert.rejects(outbound.connect(`http://${host}:${inside.port}`), refused, host);
      await assert.rejects(outbound.fetch(`http://${host}:${inside.port}/keys.json`), refused, host);
    }
    assert.equal(inside.connections, 0);
  });

  it("an interface inside is not called, though its card may be read", async (t) => {
    const inside = await listener(t, "", "127.0.0.2");
    const open = await listener(t, `http://127.0.0.2:${inside.port}/`);
    await using outbound = createOutbound({ allow: ["127.0.0.1/32"] });
    const client = await outbound.connect(open.url("/card.json"), { retry: false, resume: false });
    await assert.rejects(client.send("hello"), refused);
    await assert.rejects(client.stream("hello").result, refused);
    assert.equal(inside.connections, 0);
  });

  it("a card that is elsewhere is not followed there", async (t) => {
    const inside = await listener(t, "", "127.0.0.2");
    const front = await WebhookServer.start((_received, response) => {
      response.writeHead(302, { location: `http://127.0.0.2:${inside.port}/` }).end();
      return "taken";
    });
    t.after(() => front.close());
    await using outbound = createOutbound(LOOPBACK);
    await assert.rejects(outbound.connect(front.url("/card.json")), /is not followed/);
    assert.equal(inside.connections, 0);
  });

  it("what is allowed works, streams too, and gRPC is none of its bindings", async (t) => {
    const host = await echo(t);
    await using outbound = createOutbound(LOOPBACK);
    const client = await outbound.connect(host.url);
    const done = await client.send("over JSON-RPC");
    assert.ok(done.kind === "task" && done.state === "COMPLETED");
    const kinds: string[] = [];
    for await (const event of client.stream("over a stream")) kinds.push(event.kind);
    assert.ok(kinds.includes("artifact"));
    const rest = await outbound.connect(host.url, { prefer: ["HTTP+JSON"] });
    assert.equal((await rest.task(done.id)).state, "COMPLETED");
    const card = structuredClone(client.card);
    card.supportedInterfaces = card.supportedInterfaces.filter(({ protocolBinding }) => protocolBinding === "GRPC");
    assert.equal(card.supportedInterfaces.length, 1);
    await assert.rejects(outbound.connect(card), (thrown) => isLocalError(thrown, "NO_COMMON_INTERFACE"));
  });

  it("a host is strict unless it is told otherwise, whatever its webhooks may reach", async (t) => {
    const peer = await echo(t);
    const inside = await listener(t);
    let host: Host | undefined;
    const broker = createAgent({
      name: "broker",
      description: "Asks the agent that a message names.",
      version: "1.0.0",
      async onMessage(message) {
        const asked = await host?.outbound.connect(message.text);
        const answer = await asked?.send("hello");
        return answer?.kind === "task" ? answer.state : "nothing";
      },
    });
    host = await serve(broker, { log: false, grpc: false, push: LOOPBACK });
    t.after(() => host?.close({ graceMs: 0 }));
    const outside = createOutbound(LOOPBACK);
    t.after(() => outside.close());
    const client = await outside.connect(host.url);
    await assert.rejects(client.send(inside.url()));
    assert.equal(inside.connections, 0);
    await host.close({ graceMs: 0 });
    host = await serve(broker, { log: false, grpc: false, outbound: LOOPBACK });
    const again = await (await outside.connect(host.url)).send(peer.url);
    assert.equal(again.kind === "message" && again.text, "COMPLETED");
  });
});

describe("outbound: key sets that strangers name", () => {
  it("are not fetched from inside, nor followed there, and are where that is allowed", async (t) => {
    const signer = await createPushSigner({ issuer: "https://agent.example.com", keys: [await generateSigningKey()] });
    const keySet = JSON.stringify(await signer.keySet());
    const keys = await WebhookServer.start(({ path }, response) => {
      if (path === "/moved") response.writeHead(302, { location: "/jwks.json" }).end();
      else response.writeHead(200, { "content-type": "application/json" }).end(keySet);
      return "taken";
    });
    t.after(() => keys.close());
    const signed = { url: "https://client.example.com/hook", taskId: "t-1", eventId: "t-1:4", body: "{}" };
    const jwt = await signer.sign(signed);
    await using strict = createOutbound();
    await using open = createOutbound(LOOPBACK);
    const verify = (path: string, { fetch }: typeof strict) =>
      createPushVerifier({ keys: keys.url(path), issuer: "https://agent.example.com", audience: signed.url, fetch });
    await assert.rejects(verify("/jwks.json", strict)(jwt, signed.body), refused);
    assert.equal(keys.connections, 0);
    assert.equal((await verify("/jwks.json", open)(jwt, signed.body)).taskId, "t-1");
    await assert.rejects(verify("/moved", open)(jwt, signed.body));
    assert.deepEqual(
      keys.received.map(({ path }) => path),
      ["/jwks.json", "/moved"],
    );
  });

  it("are not taken over http from elsewhere", () => {
    const options = { issuer: "https://agent.example.com", audience: "https://client.example.com/hook" };
    assert.throws(
      () => createPushVerifier({ ...options, keys: "http://agent.example.com/.well-known/jwks.json" }),
      (thrown) => isLocalError(thrown, "CONFIGURATION"),
    );
    for (const keys of [
      "https://agent.example.com/jwks.json",
      "http://127.0.0.1:4000/jwks.json",
      "http://localhost/k",
    ]) {
      assert.equal(typeof createPushVerifier({ ...options, keys }), "function");
    }
  });

  it("end at a megabyte and in time", async (t) => {
    const endless = await WebhookServer.start((_received, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const drip = setInterval(() => response.write(" ".repeat(65_536)), 1);
      response.on("close", () => clearInterval(drip));
      return "taken";
    });
    t.after(() => endless.close());
    await using outbound = createOutbound(LOOPBACK);
    const answer = await outbound.fetch(endless.url());
    await assert.rejects(answer.text(), /longer than 1048576 bytes/);
    const late = await outbound.fetch(endless.url(), { timeoutMs: 50, maxBytes: Number.POSITIVE_INFINITY });
    await assert.rejects(late.text(), (thrown) => thrown instanceof Error && thrown.name === "TimeoutError");
  });
});
