/**
 * What hangs delays its own alone. None of these tests measures a time: everything that hangs is still hanging when the
 * others have everything, so nothing that they needed can have been in its hands.
 */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { describe, it } from "node:test";
import type { HttpRequest } from "../../src/bindings/http/exchange.ts";
import { type Client, connect } from "../../src/client/index.ts";
import { PushHealth } from "../../src/engine/push-health.ts";
import type { PushSettings } from "../../src/engine/push-options.ts";
import { PushSlots } from "../../src/engine/push-slots.ts";
import { type PushingHost, pushingHost, WORK_EVENTS } from "../push/pushing-host.ts";
import { shortOf, WebhookServer } from "../push/webhook-server.ts";

/** A webhook that takes requests and never answers; `open` are those that still wait. */
async function hangingServer(): Promise<{ readonly server: WebhookServer; readonly open: Set<ServerResponse> }> {
  const open = new Set<ServerResponse>();
  const server = await WebhookServer.start((_received, response) => {
    open.add(response);
    response.on("close", () => open.delete(response));
    return "taken";
  });
  return { server, open };
}

/** A host whose requests take longer than any of these tests, with callers by name. */
async function slowHost(
  push: Partial<PushSettings> = {},
): Promise<PushingHost & { connectAs(owner: string): Promise<Client> }> {
  const settings = { timeoutMs: 300_000, retryMs: 200, leaseMs: 600_000, ...push };
  const authenticate = async (request: HttpRequest): Promise<{ owner: string }> => ({
    owner: request.header("authorization")?.replace("Bearer ", "") ?? "",
  });
  const pushing = await pushingHost(undefined, { settings }, { authenticate });
  const connectAs = (owner: string): Promise<Client> =>
    connect(pushing.host.url, { headers: { authorization: `Bearer ${owner}` } });
  return { ...pushing, connectAs };
}

/** Sends so many tasks that push to a URL, a few at a time. */
async function sendMany(client: Client, tasks: number, urlOf: (task: number) => string): Promise<void> {
  for (let from = 0; from < tasks; from += 50) {
    const batch = Array.from({ length: Math.min(50, tasks - from) }, (_, n) =>
      client.send("go", { push: { url: urlOf(from + n) }, returnImmediately: true }),
    );
    await Promise.all(batch);
  }
}

const endsAt = ({ received }: WebhookServer): number => received.filter((one) => shortOf(one) === "COMPLETED").length;

describe("push-fair: webhooks that hang", () => {
  it("healthy webhooks get everything while ten others of the same owner hang", async (t) => {
    await using healthy = await WebhookServer.start();
    const { server: hanging, open } = await hangingServer();
    await using _hanging = hanging;
    await using pushing = await slowHost();
    const { client } = pushing;
    const delays = { alone: [] as number[], beside: [] as number[] };
    let into = delays.alone;
    healthy.behave = ({ event }) => {
      const timestamp = event.statusUpdate?.status.timestamp;
      if (timestamp !== undefined) into.push(Date.now() - Date.parse(timestamp));
      return 204;
    };
    const TASKS = 60;
    for (const phase of ["warm", "alone", "beside"] as const) {
      if (phase === "beside") {
        await sendMany(client, 10, (n) => hanging.url(`/${n}`));
        await hanging.until(() => open.size === 10);
      }
      into = phase === "warm" ? [] : delays[phase];
      for (let task = 0; task < TASKS; task += 1) {
        const before = healthy.received.length;
        await client.send("go", { push: { url: healthy.url(`/${task % 10}`) } });
        await healthy.until(({ received }) => received.length >= before + WORK_EVENTS.length);
      }
    }
    assert.equal(open.size, 10, "none of the ten has been answered or given up");
    assert.equal(hanging.received.length, 10, "and none was tried a second time");
    assert.equal(endsAt(healthy), 3 * TASKS);
    const p99 = (of: number[]): number => of.sort((a, b) => a - b)[Math.floor(of.length * 0.99)] ?? Number.NaN;
    t.diagnostic(`p99 of a delivery: ${p99(delays.alone)} ms alone, ${p99(delays.beside)} ms beside ten that hang`);
  });

  it("one owner with more than there is room for does not keep another waiting", async () => {
    await using healthy = await WebhookServer.start();
    const { server: hanging, open } = await hangingServer();
    await using _hanging = hanging;
    await using pushing = await slowHost({ maxDeliveries: 8, maxHeld: 32 });
    await sendMany(await pushing.connectAs("many"), 400, (n) => hanging.url(`/${n}`));
    await hanging.until(() => open.size > 0);
    await sendMany(await pushing.connectAs("few"), 40, (n) => healthy.url(`/${n}`));
    await healthy.until((server) => endsAt(server) === 40, 30_000);
    assert.equal(open.size, hanging.received.length, "nothing that hangs was let go of");
    assert.ok(open.size < 8, `${open.size} of 8 requests hang`);
  });

  it("nor does one webhook keep another of the same owner waiting", async () => {
    await using healthy = await WebhookServer.start();
    const { server: hanging, open } = await hangingServer();
    await using _hanging = hanging;
    await using pushing = await slowHost({ maxDeliveries: 8, maxHeld: 32 });
    const client = await pushing.connectAs("one");
    await sendMany(client, 200, () => hanging.url());
    await hanging.until(() => open.size > 0);
    await sendMany(client, 20, (n) => healthy.url(`/${n}`));
    await healthy.until((server) => endsAt(server) === 20, 30_000);
    assert.equal(open.size, hanging.received.length, "nothing that hangs was let go of");
  });

  it("a webhook that never answers is asked by one task for all, and everything comes once it is back", async () => {
    const { server: hook, open } = await hangingServer();
    await using _hook = hook;
    await using pushing = await slowHost({ timeoutMs: 150, retryMs: 50, maxAttempts: 100 });
    await sendMany(pushing.client, 30, () => hook.url());
    await hook.until(({ received }) => received.length > 30);
    const wave = hook.received.length;
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    // Thirty tasks that each ask for themselves would have done so five times as often.
    assert.ok(hook.received.length - wave < 30, `${hook.received.length - wave} more requests`);
    assert.ok(open.size < 5, `${open.size} at once`);
    hook.behave = () => 204;
    await hook.until((server) => new Set(server.received.map(({ id }) => id)).size === 30 * WORK_EVENTS.length, 60_000);
  });
});

describe("push-fair: the room", () => {
  const idle = (): PromiseWithResolvers<void> => Promise.withResolvers<void>();

  it("nobody has more under way than is free for others, and turns go round", async () => {
    const slots = new PushSlots(16);
    const begun: string[] = [];
    const ends = new Map<string, PromiseWithResolvers<void>>();
    const ask = (owner: string, host: string, url: string, n: number): void => {
      for (let at = 0; at < n; at += 1) {
        const name = `${owner}${host}${url}${at}`;
        const end = idle();
        ends.set(name, end);
        void slots.use([owner, host, url], async () => {
          begun.push(name);
          await end.promise;
        });
      }
    };
    ask("a", "h", "u", 20);
    const first = begun.length;
    assert.ok(first >= 4 && first <= 5, `${first} to one webhook`);
    assert.equal(slots.waitingFor(["a", "h", "u"]), 20 - first);
    ask("a", "h", "v", 20);
    ask("a", "g", "w", 20);
    assert.ok(begun.includes("ahv0") && begun.includes("agw0"), begun.join(" "));
    assert.ok(begun.length <= 8, "an owner has no more than half");
    for (const owner of ["b", "c", "d"]) ask(owner, "h", "u", 1);
    for (const owner of ["b", "c", "d"]) assert.ok(begun.includes(`${owner}hu0`), owner);
    for (const end of ends.values()) end.resolve();
    for (let turn = 0; turn < 200 && begun.length < ends.size; turn += 1) await new Promise(setImmediate);
    assert.equal(begun.length, ends.size, "everybody's turn comes");
  });

  it("one slot is enough for everybody, one after the other", async () => {
    const slots = new PushSlots(1);
    const done = await Promise.all(["a", "b", "a"].map((owner, n) => slots.use([owner, "h", "u"], async () => n)));
    assert.deepEqual(done, [0, 1, 2]);
  });

  it("work that fails gives its slot back", async () => {
    const slots = new PushSlots(1);
    await assert.rejects(
      slots.use(["a", "h", "u"], () => Promise.reject(new Error("no"))),
      /no/,
    );
    assert.equal(await slots.use(["a", "h", "u"], async () => "yes"), "yes");
  });
});

describe("push-fair: silence", () => {
  it("begins with the fifth attempt in a row, pauses longer each time, and ends with any answer", () => {
    const health = new PushHealth(1_000);
    for (let n = 0; n < 5; n += 1) {
      assert.equal(health.putOff("u", 0), undefined);
      health.silent("u", 0);
    }
    assert.equal(health.putOff("u", 0), 1_000);
    assert.equal(health.putOff("v", 0), undefined);
    assert.equal(health.putOff("u", 1_000), undefined, "one asks");
    assert.equal(health.putOff("u", 1_000), 2_000, "the others do not");
    health.silent("u", 16_000);
    assert.equal(health.putOff("u", 16_000), 18_000);
    assert.equal(health.putOff("u", 18_000), undefined);
    health.unknown("u");
    assert.equal(health.putOff("u", 18_000), undefined, "another one asks when the first was given up");
    health.answered("u");
    for (let n = 0; n < 9; n += 1) assert.equal(health.putOff("u", 18_000), undefined);
  });

  it("pauses no longer than fifteen times the first pause, and forgets what is long past", () => {
    const health = new PushHealth(1_000);
    let now = 0;
    for (let n = 0; n < 20; n += 1) {
      health.silent("u", now);
      now = Math.max(now, health.putOff("u", now) ?? now);
    }
    health.silent("u", now);
    assert.equal(health.putOff("u", now), now + 15_000);
    for (let n = 0; n < 10_001; n += 1) health.silent(`other ${n}`, now);
    assert.equal(health.putOff("u", now), undefined);
  });
});
