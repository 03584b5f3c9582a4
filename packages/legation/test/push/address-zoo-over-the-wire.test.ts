// §13.2, end to end: whatever a stranger registers over whichever binding, and whatever its name resolves to when it is
// called, no listener inside hears of it. Port and http are open, so that only the address can be what stops it.
import assert from "node:assert/strict";
import dns from "node:dns/promises";
import { syncBuiltinESMExports } from "node:module";
import { after, before, describe, it } from "node:test";
import type { Client } from "../../src/client/client.ts";
import { connect } from "../../src/hosts/node/connect.ts";
import type { ServePush } from "../../src/hosts/node/serve-push.ts";
import { isA2AError } from "../../src/operations/errors.ts";
import { LITERALS, NAMES } from "./address-zoo.ts";
import { type PushingHost, pushingHost, WORK_EVENTS } from "./pushing-host.ts";
import { shortOf, WebhookServer } from "./webhook-server.ts";

/** What names resolve to, by the system of this process, as far as a test says. */
const answers = new Map<string, () => readonly string[]>();
const systemLookup = dns.lookup;

async function lookup(...args: unknown[]): Promise<unknown> {
  const addresses = answers.get(String(args[0]))?.();
  if (addresses === undefined) return Reflect.apply(systemLookup, dns, args);
  return addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
}

before(() => {
  Object.assign(dns, { lookup });
  syncBuiltinESMExports();
});
after(() => {
  Object.assign(dns, { lookup: systemLookup });
  syncBuiltinESMExports();
});

/** A host on which nothing but the address can stop a call to `port`. */
async function strictHost(port: number, push: ServePush = {}): Promise<PushingHost> {
  return pushingHost(undefined, { allow: [], http: true, ports: [port], ...push }, { grpc: true });
}

const outboxOf = ({ host }: PushingHost) => host.outbox ?? assert.fail("no webhooks are wired");

/** The errors of the webhooks that were given up, once `count` were. */
async function deadErrors(pushing: PushingHost, count: number): Promise<readonly string[]> {
  for (;;) {
    const { entries } = await outboxOf(pushing).list({ status: "dead", limit: 1_000 });
    if (entries.length >= count) return entries.map(({ error }) => error ?? "");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("the address zoo, over the wire", () => {
  for (const binding of ["JSONRPC", "HTTP+JSON", "GRPC"]) {
    it(`is refused at registration, alone and with a message [${binding}]`, async () => {
      await using inside = await WebhookServer.start(() => 204, "0.0.0.0");
      await using pushing = await strictHost(inside.port);
      const client: Client = await connect(pushing.host.url, { prefer: [binding] });
      const done = await client.send("go");
      assert.ok(done.kind === "task");
      const refused = (field: string) => (thrown: unknown) =>
        isA2AError(thrown, "INVALID_PARAMS") && thrown.violations[0]?.field === field;
      for (const host of [...LITERALS, ...NAMES]) {
        const url = `http://${host}:${inside.port}/`;
        await assert.rejects(client.createPushConfig(done.id, { url }), refused("url"), url);
        await assert.rejects(
          client.send("go", { push: { url } }),
          refused("configuration.taskPushNotificationConfig.url"),
          url,
        );
      }
      for (const url of [
        `http://example.com@127.0.0.1:${inside.port}/`,
        `http://127.0.0.1:${inside.port}\\@example.com/`,
        `http://127.0.0.1:${inside.port}#@example.com/`,
        `http:127.0.0.1:${inside.port}`,
        `//127.0.0.1:${inside.port}/`,
        `ftp://example.com/`,
        `HTTP://127.0.0.1:${inside.port}/`,
        `http://[fe80::1%25lo]:${inside.port}/`,
      ]) {
        await assert.rejects(client.createPushConfig(done.id, { url }), refused("url"), url);
      }
      let tasks = 0;
      for await (const _task of client.tasks()) tasks += 1;
      assert.equal(tasks, 1, "a refused webhook leaves no task");
      assert.deepEqual(await client.pushConfigs(done.id), []);
      assert.equal(inside.connections, 0);
      await client.close();
    });
  }

  it("is not called by a name that resolves to it at the time of the delivery", { timeout: 60_000 }, async () => {
    await using inside = await WebhookServer.start(() => 204, "0.0.0.0");
    await using pushing = await strictHost(inside.port, { settings: { maxAttempts: 1 } });
    for (const [n, host] of LITERALS.entries()) {
      const address = new URL(`http://${host}/`).hostname.replace(/^\[|\]$/g, "");
      // Alone, behind a public one, in front of one.
      const mixed = [[address], ["93.184.215.14", address], [address, "2606:4700::1111"]][n % 3] ?? [];
      answers.set(`hook-${n}.example.com`, () => mixed);
      const push = { url: `http://hook-${n}.example.com:${inside.port}/` };
      await pushing.client.send("go", { push, returnImmediately: true });
    }
    const errors = await deadErrors(pushing, LITERALS.length);
    for (const error of errors) assert.match(error, /^hook-\d+\.example\.com is not called: address .* is not public$/);
    assert.equal(inside.connections, 0);
  });

  it("is not reached by an answer that changes: between attempts, and under a connection that is kept", async () => {
    await using outside = await WebhookServer.start();
    await using inside = await WebhookServer.start(() => 204, "127.0.0.2", outside.port);
    let asked = 0;
    answers.set("flips.example.com", () => {
      asked += 1;
      return asked === 1 ? ["127.0.0.1"] : ["127.0.0.2"];
    });
    const url = `http://flips.example.com:${outside.port}/`;
    await using pushing = await pushingHost(undefined, { allow: ["127.0.0.1/32"], settings: { maxAttempts: 8 } });
    await pushing.client.send("go", { push: { url } });
    await outside.until(({ received }) => received.length === WORK_EVENTS.length);
    assert.equal(outside.connections, 1, "one connection, to the address that was looked at, and kept");
    outside.behave = (_received, response) => {
      response.destroy();
      return "taken";
    };
    const cut = await pushing.client.send("go", { push: { url } });
    assert.ok(cut.kind === "task");
    await deadErrors(pushing, 1);
    const [entry] = await outboxOf(pushing).show(cut.id);
    assert.match(entry?.error ?? "", /127\.0\.0\.2 is not public/);
    assert.ok(asked > 1);
    assert.equal(inside.connections, 0);
  });

  for (const status of [301, 302, 303, 307, 308]) {
    it(`is not reached by a redirect ${status}, and what redirects to itself is a failure like another`, async () => {
      await using inside = await WebhookServer.start(() => 204, "127.0.0.2");
      let redirects = 0;
      await using front = await WebhookServer.start(({ path }, response) => {
        redirects += 1;
        if (redirects > 4) return undefined;
        const location = redirects % 2 === 0 ? path : `http://127.0.0.2:${inside.port}/`;
        response.writeHead(status, { location }).end();
        return "taken";
      });
      await using pushing = await pushingHost(undefined, { allow: ["127.0.0.1/32"] });
      await pushing.client.send("go", { push: { url: front.url() } });
      await front.until(({ received }) => received.some((one) => shortOf(one) === "COMPLETED"));
      const sent = front.received.map(({ id }) => id);
      assert.equal(new Set(sent.slice(0, 5)).size, 1, "the same event until it is taken");
      assert.equal(sent.length, 4 + WORK_EVENTS.length);
      assert.equal(inside.connections, 0);
    });
  }
});
