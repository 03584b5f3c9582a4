/**
 * A connection that breaks at any byte of a stream, one after the other: the client goes on by itself, and what its user
 * has in the end is what the log holds, every append once. In one process, so that every byte has its turn.
 */
import assert from "node:assert/strict";
import { type AddressInfo, connect as connectTo, createServer, type Socket } from "node:net";
import { it } from "node:test";
import { createFetchHandler } from "../../src/bindings/http/fetch.ts";
import { connect } from "../../src/client/connect.ts";
import type { ClientFetch } from "../../src/client/fetch-card.ts";
import { connect as connectNode } from "../../src/hosts/node/connect.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import { createAgent } from "../../src/server/agent.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";
import { mountAgents } from "../../src/server/mount.ts";
import { createMemoryStore } from "../../src/stores/memory/store.ts";
import { instantClock, Screen } from "../client/fake-peer.ts";

const URL_OF_HOST = "http://agent.test";
const TEXT = "Zü🚗!";

const onTask: AgentOptions["onTask"] = async (task) => {
  await task.working("on it");
  for (const [index, letter] of [...TEXT].entries()) {
    await task.artifact("x", { text: letter, ...(index === 0 ? {} : { append: true }) });
    // Every other chunk comes in a write of its own.
    if (index % 2 === 1) await new Promise((resolve) => setImmediate(resolve));
  }
  return task.complete("done");
};

/** One agent, and a `fetch` that breaks the first stream after so many bytes; the rest of its streams are whole. */
async function createSite() {
  const agent = createAgent({
    name: "a",
    description: "d",
    version: "1",
    onTask,
  });
  let ids = 0;
  const mount = mountAgents([agent.options], { store: createMemoryStore(), newId: () => `${++ids}`.padStart(6, "0") });
  await mount.start();
  const handle = createFetchHandler(mount.handler);
  const site = {
    cut: Number.POSITIVE_INFINITY,
    how: "breaks" as "breaks" | "ends",
    /** Bytes of the first stream, which was whole, up to where its first event and all of it end. */
    first: 0,
    whole: 0,
    isMeasured: false,
    async fetch(url: string, init: object): Promise<Response> {
      const response = (await handle(new Request(url, init as RequestInit))) ?? new Response(null, { status: 404 });
      const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
      if (!isStream || response.body === null) return response;
      const { cut, how } = site;
      site.cut = Number.POSITIVE_INFINITY;
      return new Response(cutBody(response.body, cut, how), response);
    },
    close: () => mount.stop({ graceMs: 0 }),
  };
  return site;

  function measure(piece: Uint8Array): void {
    if (site.isMeasured) return;
    const text = new TextDecoder().decode(piece);
    const end = text.indexOf("\n\n", text.indexOf("data:"));
    if (site.first === 0 && text.includes("data:")) site.first = site.whole + end + 2;
    site.whole += piece.length;
  }

  function cutBody(body: ReadableStream<Uint8Array>, cut: number, how: "breaks" | "ends"): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    let left = cut;
    return new ReadableStream({
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        if (value.length <= left) {
          left -= value.length;
          if (cut === Number.POSITIVE_INFINITY) measure(value);
          return controller.enqueue(value);
        }
        if (left > 0) controller.enqueue(value.subarray(0, left));
        await reader.cancel();
        if (how === "ends") controller.close();
        else controller.error(new TypeError("terminated"));
      },
      cancel: (reason) => reader.cancel(reason),
    });
  }
}

for (const binding of ["JSONRPC", "HTTP+JSON"]) {
  it(`resumes-exactly: a stream that breaks at every byte in turn [${binding}]`, async (t) => {
    const site = await createSite();
    t.after(() => site.close());
    const client = await connect(URL_OF_HOST, {
      fetch: site.fetch as unknown as ClientFetch,
      prefer: [binding],
      clock: instantClock(),
    });
    const follow = async () => {
      const run = client.stream("go");
      const screen = new Screen();
      for await (const event of run) screen.show(event);
      return { run, screen, result: await run.result };
    };
    await follow();
    site.isMeasured = true;
    const { first, whole } = site;
    assert.ok(first > 100 && whole > 2 * first, `${whole} bytes`);
    for (let cut = 0; cut < whole; cut++) {
      // A body that just ends tells no more than one that breaks.
      Object.assign(site, { cut, how: cut % 2 === 0 ? "breaks" : "ends" });
      const { run, screen, result } = await follow();
      const note = `cut after ${cut} of ${whole} bytes`;
      assert.equal(screen.texts.get("x"), TEXT, note);
      assert.ok(result.kind === "task" && result.state === "COMPLETED", note);
      assert.equal(result.artifacts[0]?.parts.map((part) => part.text).join(""), TEXT, note);
      // Before its first event a stream is simply sent for again: the message is known by its id. Ids of calls grow.
      if (cut > first + 8) assert.equal(run.delivery, "resumed", note);
    }
    t.diagnostic(`${whole} bytes`);
  });
}

/** Passes bytes on, and cuts one connection after so many of the server's. */
async function startProxy(target: () => number) {
  const sockets = new Set<Socket>();
  const site = { cut: Number.POSITIVE_INFINITY, bytes: 0, port: 0, close: async () => {} };
  const server = createServer((client) => {
    const upstream = connectTo(target(), "127.0.0.1");
    let left = site.cut;
    site.cut = Number.POSITIVE_INFINITY;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on("data", (piece: Buffer) => {
      site.bytes += piece.length;
      client.write(piece.subarray(0, left), () => left <= 0 && client.destroy());
      left -= piece.length;
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  site.port = (server.address() as AddressInfo).port;
  site.close = async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return site;
}

it("resumes-exactly: a stream that breaks at bytes all along it [GRPC]", async (t) => {
  const proxy = await startProxy(() => host.port);
  const agent = createAgent({ name: "a", description: "d", version: "1", onTask });
  const host = await serve(agent, { log: false, push: false, grpc: { url: `127.0.0.1:${proxy.port}` } });
  t.after(() => proxy.close());
  t.after(() => host.close({ graceMs: 0 }));
  const follow = async () => {
    // Each over a connection of its own, so that a cut strikes where it is meant to.
    const client = await connectNode(host.url, { prefer: ["GRPC"], clock: instantClock() });
    const run = client.stream("go");
    const screen = new Screen();
    for await (const event of run) screen.show(event);
    const result = await run.result;
    await client.close();
    return { screen, result };
  };
  await follow();
  const whole = proxy.bytes;
  assert.ok(whole > 500, `${whole} bytes`);
  for (let cut = 1; cut < whole; cut += 13) {
    proxy.cut = cut;
    const { screen, result } = await follow();
    const note = `cut after ${cut} of ${whole} bytes`;
    assert.equal(screen.texts.get("x"), TEXT, note);
    assert.ok(result.kind === "task" && result.state === "COMPLETED", note);
  }
  t.diagnostic(`${whole} bytes`);
});
