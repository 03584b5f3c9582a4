// Floods at a receiver (§13.2): who has no key uses up nobody's allowance, who has one uses up its own.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPushSigner, createPushVerifier, generateSigningKey } from "../../src/auth/index.ts";
import {
  createPushReceiver,
  type NodeRequestLike,
  type PushReceiver,
  type PushReceiverOptions,
  type PushVerification,
} from "../../src/client/push/index.ts";

const URL_OF_HOOK = "https://client.test/hook";
const FLOOD = 1_000;

/** A receiver by a clock that stands still; how often it read a body, and how often it looked a secret up. */
interface Bench {
  readonly receiver: PushReceiver;
  readonly clock: { now: number };
  bodies: number;
  lookups: number;
  /** Posts what happened to a task from an address; gives the status. */
  post(from: string, headers: Readonly<Record<string, string>>, options?: PostOptions): Promise<number>;
}

interface PostOptions {
  readonly taskId?: string;
  readonly body?: string;
  /** A body that does not come to its end before this does. */
  readonly slow?: Promise<void>;
}

const bodyFor = (taskId: string): string =>
  JSON.stringify({ statusUpdate: { taskId, contextId: "c-1", status: { state: "TASK_STATE_WORKING" } } });

function bench(verify: PushVerification, options: Partial<PushReceiverOptions> = {}): Bench {
  const clock = { now: 0 };
  const made: Bench = {
    receiver: createPushReceiver({ verify, now: () => clock.now, ...options }),
    clock,
    bodies: 0,
    lookups: 0,
    async post(from, headers, { taskId = "t-1", body = bodyFor(taskId), slow } = {}) {
      const request: NodeRequestLike = {
        method: "POST",
        headers: { "content-type": "application/a2a+json", ...headers },
        socket: { remoteAddress: from },
        async *[Symbol.asyncIterator]() {
          made.bodies += 1;
          await slow;
          yield new TextEncoder().encode(body);
        },
      };
      let answered = 0;
      const writeHead = (status: number): void => {
        answered = status;
      };
      await made.receiver.node(request, { writeHead, end: () => undefined });
      return answered;
    },
  };
  return made;
}

/** As many requests as make a flood; how many got which answer. */
async function flood(count: number, post: (n: number) => Promise<number>): Promise<Readonly<Record<number, number>>> {
  const statuses = await Promise.all(Array.from({ length: count }, (_, n) => post(n)));
  return Object.fromEntries(
    Object.entries(Object.groupBy(statuses, String)).map(([key, all]) => [key, all?.length ?? 0]),
  );
}

const token = (value: string): Record<string, string> => ({ "a2a-notification-token": value });

/** A way to be known, with which the headers alone tell who it is. */
async function byHeaders(): Promise<
  readonly (readonly [string, PushVerification, () => Promise<Record<string, string>>])[]
> {
  const issuer = "https://agent.test";
  const signer = await createPushSigner({ issuer, keys: [await generateSigningKey()] });
  const jwt = createPushVerifier({ keys: await signer.keySet(), issuer, audience: URL_OF_HOOK });
  const event = { url: URL_OF_HOOK, taskId: "t-1", eventId: "t-1:1", body: bodyFor("t-1") };
  const basic = `Basic ${Buffer.from("user:pass").toString("base64")}`;
  return [
    ["a token", { token: "right" }, async () => token("right")],
    ["a bearer token", { bearer: "right" }, async () => ({ authorization: "Bearer right" })],
    ["user and password", { basic: "user:pass" }, async () => ({ authorization: basic })],
    [
      "a signature",
      { jwt },
      async () => ({ "a2a-event-id": "t-1:1", "a2a-event-signature": await signer.sign(event) }),
    ],
  ];
}

/** Secrets by task: `t-7` has `secret-7`. */
function byTask(made: () => Bench): PushVerification {
  return {
    token: async (taskId) => {
      made().lookups += 1;
      return taskId.replace("t-", "secret-");
    },
  };
}

describe("push receiver: a flood without a key", () => {
  it("costs no body and nobody's allowance where the headers tell who it is", async () => {
    const forged = Buffer.from('{"alg":"ES256","kid":"x"}').toString("base64url");
    const wrong = { ...token("wrong"), authorization: "Bearer wrong", "a2a-event-signature": `${forged}.e30.AAAA` };
    for (const [name, verify, right] of await byHeaders()) {
      const hook = bench(verify, { perMinute: 5, unverifiedPerMinute: 5 });
      assert.deepEqual(await flood(FLOOD, () => hook.post("10.0.0.1", wrong)), { 401: FLOOD }, name);
      assert.deepEqual(await flood(FLOOD, () => hook.post("10.0.0.1", {})), { 401: FLOOD }, name);
      assert.equal(hook.bodies, 0, name);
      assert.equal(await hook.post("10.0.0.1", await right()), 204, `${name}: the honest sender, at the same address`);
    }
  });

  it("costs so many bodies and look-ups and no more where only the body tells by what to judge", async () => {
    const hook: Bench = bench(byTask(() => hook));
    assert.equal(await hook.post("10.0.0.1", token("secret-1")), 204);
    const answers = await flood(FLOOD, (n) => hook.post("10.0.0.1", token("wrong"), { taskId: `t-${n}` }));
    assert.deepEqual(answers, { 401: 300, 429: FLOOD - 300 });
    assert.deepEqual([hook.bodies, hook.lookups], [301, 301]);
    for (let n = 0; n < 50; n += 1) {
      assert.equal(await hook.post("10.0.0.1", token("secret-1")), 204, "who was right before, at the same address");
      assert.equal(
        await hook.post(`10.0.1.${n}`, token(`secret-${n}`), { taskId: `t-${n}` }),
        204,
        "a new one elsewhere",
      );
    }
    assert.equal(await hook.post("10.0.0.1", token("secret-2"), { taskId: "t-2" }), 204, "it was right elsewhere");
    assert.equal(
      await hook.post("10.0.0.1", token("secret-99"), { taskId: "t-99" }),
      429,
      "a new one beside the flood",
    );
    hook.clock.now = 1_000;
    assert.equal(await hook.post("10.0.0.1", token("secret-99"), { taskId: "t-99" }), 204, "has to wait");
  });

  it("cannot have more bodies under way than that, though none comes to its end", async () => {
    const hook: Bench = bench(byTask(() => hook));
    const end = Promise.withResolvers<void>();
    const slow = flood(FLOOD, () => hook.post("10.0.0.1", token("wrong"), { slow: end.promise }));
    while (hook.bodies < 300) await new Promise(setImmediate);
    assert.equal(await hook.post("10.0.0.2", token("secret-1")), 204);
    end.resolve();
    assert.deepEqual(await slow, { 401: 300, 429: FLOOD - 300 });
    assert.equal(hook.bodies, 301);
  });

  it("is one flood from one network of IPv6, and from many addresses has a bound in all", async () => {
    const six: Bench = bench(
      byTask(() => six),
      { unverifiedPerMinute: 10 },
    );
    const hex = (n: number): string => n.toString(16);
    await flood(100, (n) => six.post(`2001:db8:0:1::${hex(n)}`, token("wrong")));
    await flood(100, (n) => six.post(`2001:DB8::1:${hex(n)}:0:0:1`, token("wrong")));
    assert.equal(six.bodies, 10);
    assert.equal(await six.post("2001:db8:0:2::1", token("secret-1")), 204);
    const four: Bench = bench(
      byTask(() => four),
      { unverifiedPerMinute: 10 },
    );
    await flood(20, (n) => four.post(n % 2 === 0 ? "10.0.0.1" : "::ffff:10.0.0.1", token("wrong")));
    assert.equal(four.bodies, 10);
    await flood(FLOOD, (n) => four.post(`10.1.${n % 250}.${n >> 4}`, token("wrong")));
    assert.equal(four.bodies, 200);
  });

  it("behind a proxy is told apart by what the proxy says", async () => {
    const addressOf: PushReceiverOptions["addressOf"] = (header) => header("x-forwarded-for")?.split(",").at(-1);
    const hook: Bench = bench(
      byTask(() => hook),
      { addressOf, unverifiedPerMinute: 10 },
    );
    const from = (address: string) => ({ "x-forwarded-for": `10.9.9.9, ${address}` });
    await flood(100, () => hook.post("127.0.0.1", { ...token("wrong"), ...from("10.0.0.1") }));
    assert.equal(hook.bodies, 10);
    assert.equal(await hook.post("127.0.0.1", { ...token("secret-1"), ...from("10.0.0.2") }), 204);
    const request = new Request(URL_OF_HOOK, {
      method: "POST",
      headers: { "content-type": "application/json", ...token("secret-1"), ...from("10.0.0.1") },
      body: bodyFor("t-1"),
    });
    assert.equal((await hook.receiver.fetch(request)).status, 204, "known, over fetch too");
  });

  it("cannot use a secret that is right no more", async () => {
    let isKnown = true;
    const hook = bench({ token: () => (isKnown ? "secret" : undefined) }, { unverifiedPerMinute: 3 });
    assert.equal(await hook.post("10.0.0.1", token("secret")), 204);
    isKnown = false;
    assert.equal(await hook.post("10.0.0.1", token("secret")), 401);
    assert.deepEqual(await flood(100, () => hook.post("10.0.0.1", token("secret"))), { 401: 3, 429: 97 });
  });
});

describe("push receiver: a flood of a sender who is known", () => {
  it("uses up its own allowance, and nobody else's", async () => {
    const hook: Bench = bench(
      byTask(() => hook),
      { perMinute: 20, unverifiedPerMinute: 20 },
    );
    assert.equal(await hook.post("10.0.0.1", token("secret-1")), 204);
    assert.deepEqual(await flood(FLOOD, () => hook.post("10.0.0.1", token("secret-1"))), { 204: 19, 429: FLOOD - 19 });
    for (let n = 2; n < 50; n += 1) {
      assert.equal(await hook.post("10.0.0.1", token(`secret-${n}`), { taskId: `t-${n}` }), 204);
    }
    hook.clock.now = 3_000;
    assert.deepEqual(await flood(2, () => hook.post("10.0.0.1", token("secret-1"))), { 204: 1, 429: 1 });
  });

  it("is as bounded where headers alone tell who it is, and then costs no body", async () => {
    for (const [name, verify, right] of await byHeaders()) {
      const hook = bench(verify, { perMinute: 20, unverifiedPerMinute: 1 });
      const headers = await right();
      assert.deepEqual(await flood(200, () => hook.post("10.0.0.1", headers)), { 204: 20, 429: 180 }, name);
      assert.equal(hook.bodies, 20, name);
    }
  });

  it("is not mended by setting the clock back", async () => {
    const hook = bench({ token: "right" }, { perMinute: 2 });
    hook.clock.now = 60_000;
    assert.deepEqual(await flood(3, () => hook.post("10.0.0.1", token("right"))), { 204: 2, 429: 1 });
    hook.clock.now = 0;
    assert.equal(await hook.post("10.0.0.1", token("right")), 429);
    hook.clock.now = 30_000;
    assert.equal(await hook.post("10.0.0.1", token("right")), 204);
  });
});
