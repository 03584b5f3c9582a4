// §4.3.3 and §13.2: what is sent to webhooks, in which order, and what comes of webhooks that fail.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPushSigner, createPushVerifier, generateSigningKey } from "../../src/auth/index.ts";
import { createPushReceiver } from "../../src/client/push/index.ts";
import { pushingHost, WORK, WORK_EVENTS } from "./pushing-host.ts";
import { type Received, shortOf, WebhookServer } from "./webhook-server.ts";

const isEnd = (received: readonly Received[]): boolean => received.some((one) => shortOf(one) === "COMPLETED");

/** What came, without what came again. */
function once(received: readonly Received[]): string[] {
  const ids = new Set<string>();
  return received.filter(({ id }) => ids.size < ids.add(id).size).map(shortOf);
}

describe("push notifications: what is sent", () => {
  it("every event of the task, in order, once, with the headers of the configuration", async () => {
    await using hook = await WebhookServer.start();
    await using pushing = await pushingHost();
    const authentication = { scheme: "Basic", credentials: "dXNlcjpwYXNz" };
    const done = await pushing.client.send("go", { push: { url: hook.url(), token: "t-1", authentication } });
    await hook.until(({ received }) => isEnd(received));
    assert.deepEqual(hook.received.map(shortOf), WORK_EVENTS);
    const seqs = hook.received.map(({ id }) => Number(id.split(":")[1]));
    assert.deepEqual(
      seqs,
      [...new Set(seqs)].sort((a, b) => a - b),
    );
    assert.ok(done.kind === "task");
    for (const { headers, id } of hook.received) {
      assert.equal(headers["content-type"], "application/a2a+json");
      assert.equal(headers["authorization"], "Basic dXNlcjpwYXNz");
      assert.equal(headers["x-a2a-notification-token"], "t-1");
      assert.equal(headers["a2a-notification-token"], "t-1");
      assert.equal(id.split(":")[0], done.id);
    }
  });

  it("a webhook registered for a task that waits gets what follows, and one that is removed gets nothing more", async () => {
    await using hook = await WebhookServer.start();
    await using pushing = await pushingHost(async (task) => {
      await task.ask("go on?");
      await task.artifact("late.txt", { text: "x" });
    });
    const { client } = pushing;
    const asked = await client.send("go");
    assert.ok(asked.kind === "task");
    const kept = await client.createPushConfig(asked.id, { url: hook.url("/kept") });
    const gone = await client.createPushConfig(asked.id, { url: hook.url("/gone") });
    await client.deletePushConfig(asked.id, gone.id ?? "");
    await asked.reply("yes");
    await hook.until(({ received }) => isEnd(received));
    assert.deepEqual(hook.at("/kept").map(shortOf), ["WORKING", "late.txt", "COMPLETED"]);
    assert.deepEqual(hook.at("/gone"), []);
    assert.deepEqual(await client.pushConfigs(asked.id), [{ id: kept.id, taskId: asked.id, url: hook.url("/kept") }]);
  });

  it("several webhooks of one task each get everything", async () => {
    await using hook = await WebhookServer.start();
    await using pushing = await pushingHost(async (task) => {
      await task.ask("ready?");
      return WORK(task, undefined as never);
    });
    const asked = await pushing.client.send("go");
    assert.ok(asked.kind === "task");
    for (const path of ["/1", "/2", "/3"]) await pushing.client.createPushConfig(asked.id, { url: hook.url(path) });
    await asked.reply("yes");
    const ends = (server: WebhookServer): number =>
      server.received.filter((one) => shortOf(one) === "COMPLETED").length;
    await hook.until((server) => ends(server) === 3);
    for (const path of ["/1", "/2", "/3"]) {
      assert.deepEqual(hook.at(path).map(shortOf), ["WORKING", ...WORK_EVENTS.slice(2)], path);
    }
  });

  it("is signed by a key of the well-known key set, which a receiver of ours believes and nobody can forge", async () => {
    const signer = await createPushSigner({ issuer: "https://agent.example.com", keys: [await generateSigningKey()] });
    await using hook = await WebhookServer.start();
    await using pushing = await pushingHost(WORK, { signer });
    await pushing.client.send("go", { push: { url: hook.url(), authentication: { scheme: "Bearer" } } });
    await hook.until(({ received }) => isEnd(received));
    const keys = `${pushing.host.url}/.well-known/jwks.json`;
    const verifier = { keys, issuer: "https://agent.example.com", audience: hook.url() };
    const answers = async (one: Received, options: Partial<typeof verifier> = {}, body = one.body): Promise<number> => {
      const jwt = createPushVerifier({ ...verifier, ...options });
      const receiver = createPushReceiver({ verify: { jwt } });
      const headers = Object.entries(one.headers).map(([name, value]): [string, string] => [name, String(value)]);
      return (await receiver.fetch(new Request("http://hook/", { method: "POST", headers, body }))).status;
    };
    const [first] = hook.received as [Received];
    assert.match(first.headers["authorization"] ?? "", /^Bearer eyJ/);
    assert.equal(await answers(first), 204);
    assert.equal(await answers(first, {}, first.body.replace("SUBMITTED", "COMPLETED")), 401);
    assert.equal(await answers(first, { issuer: "https://another.example.com" }), 401);
    assert.equal(await answers(first, { audience: "http://another.example.com/hook" }), 401);
    assert.equal(await answers({ ...first, headers: { ...first.headers, "a2a-event-id": "other:1" } }), 401);
    const keySet = (await (await fetch(keys)).json()) as { keys: Record<string, string>[] };
    assert.deepEqual(Object.keys(keySet.keys[0] ?? {}).sort(), ["alg", "crv", "kid", "kty", "use", "x", "y"]);
  });
});

describe("push notifications: where the signature stands", () => {
  const authentications = {
    "no scheme": undefined,
    "a scheme without credentials": { scheme: "Basic" },
    "Bearer with credentials": { scheme: "Bearer", credentials: "abc" },
    "another scheme with credentials": { scheme: "Basic", credentials: "dXNlcjpwYXNz" },
  };
  for (const [what, authentication] of Object.entries(authentications)) {
    it(`${what}: in a header of its own, and Authorization is what was registered`, async () => {
      const issuer = "https://agent.example.com";
      const signer = await createPushSigner({ issuer, keys: [await generateSigningKey()] });
      await using hook = await WebhookServer.start();
      await using pushing = await pushingHost(() => "done", { signer });
      const push = { url: hook.url(), ...(authentication === undefined ? {} : { authentication }) };
      const done = await pushing.client.send("go", { push });
      await hook.until(({ received }) => isEnd(received));
      assert.ok(done.kind === "task");
      const verify = createPushVerifier({ keys: await signer.keySet(), issuer, audience: hook.url() });
      for (const { headers, body, id } of hook.received) {
        const claims = await verify(String(headers["a2a-event-signature"]), body);
        assert.deepEqual([claims.taskId, claims.eventId], [done.id, id]);
        const isSent = authentication !== undefined && "credentials" in authentication;
        const expected = isSent ? `${authentication.scheme} ${authentication.credentials}` : undefined;
        assert.equal(headers["authorization"], expected);
      }
    });
  }
});

describe("push notifications: webhooks that fail", () => {
  for (const [what, behave] of Object.entries({
    "answers 500": () => 500,
    "answers 404": () => 404,
    redirects: (_one: Received, response: import("node:http").ServerResponse): "taken" => {
      response.writeHead(307, { location: "/elsewhere" }).end();
      return "taken";
    },
    "cuts the connection": (_one: Received, response: import("node:http").ServerResponse): "taken" => {
      response.destroy();
      return "taken";
    },
    "never answers": (): "taken" => "taken",
  })) {
    it(`one that ${what} three times gets everything afterwards, in order`, { timeout: 20_000 }, async () => {
      let failures = 0;
      await using hook = await WebhookServer.start((received, response) => {
        failures += 1;
        return failures <= 3 ? behave(received, response) : undefined;
      });
      await using pushing = await pushingHost();
      await pushing.client.send("go", { push: { url: hook.url() } });
      await hook.until(({ received }) => isEnd(received.slice(3)));
      assert.deepEqual(once(hook.received), WORK_EVENTS);
      assert.equal(hook.received[0]?.id, hook.received[3]?.id);
      assert.deepEqual(hook.at("/elsewhere"), []);
    });
  }

  it("one that was down and comes back gets everything", async () => {
    const gone = await WebhookServer.start();
    const { port } = gone;
    await gone.close();
    await using pushing = await pushingHost();
    await pushing.client.send("go", { push: { url: `http://127.0.0.1:${port}/hook` } });
    await using back = await WebhookServer.start(() => undefined, "127.0.0.1", port);
    await back.until(({ received }) => isEnd(received));
    assert.deepEqual(once(back.received), WORK_EVENTS);
  });

  it("an answer without end is no failure and holds nobody up", async () => {
    await using hook = await WebhookServer.start((_received, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write("x".repeat(4_096)), 1);
      response.on("close", () => clearInterval(drip));
      return "taken";
    });
    await using pushing = await pushingHost();
    await pushing.client.send("go", { push: { url: hook.url() } });
    await hook.until(({ received }) => isEnd(received));
    assert.deepEqual(hook.received.map(shortOf), WORK_EVENTS);
  });

  it("after so many failures it is dead, gets one probe at the end of the task, and goes on when redriven", async () => {
    let isDown = true;
    await using hook = await WebhookServer.start(() => (isDown ? 503 : undefined));
    await using pushing = await pushingHost(
      async (task) => {
        await task.ask("ready?");
      },
      { settings: { maxAttempts: 3 } },
    );
    const outbox = pushing.host.outbox ?? assert.fail("no webhooks are wired");
    const asked = await pushing.client.send("go", { push: { url: hook.url() } });
    assert.ok(asked.kind === "task");
    const status = async (): Promise<string | undefined> => (await outbox.show(asked.id))[0]?.status;
    await hook.until(({ received }) => received.length === 3);
    while ((await status()) !== "dead") await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal((await outbox.list({ status: "dead" })).entries[0]?.error, "answered 503");
    const done = await asked.reply("yes");
    assert.equal(done.kind === "task" && done.state, "COMPLETED");
    await hook.until(({ received }) => received.length === 4);
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(hook.received.length, 4);
    assert.equal(new Set(hook.received.map(({ id }) => id)).size, 1, "the head blocks");
    isDown = false;
    assert.equal(await outbox.redrive(asked.id), 1);
    await hook.until(({ received }) => isEnd(received));
    assert.deepEqual(once(hook.received), ["task:SUBMITTED", "WORKING", "INPUT_REQUIRED", "WORKING", "COMPLETED"]);
    while ((await status()) !== "delivered") await new Promise((resolve) => setTimeout(resolve, 5));
  });

  it("one that says 410 is dead at once", async () => {
    await using hook = await WebhookServer.start(() => 410);
    await using pushing = await pushingHost();
    const outbox = pushing.host.outbox ?? assert.fail("no webhooks are wired");
    const done = await pushing.client.send("go", { push: { url: hook.url() } });
    assert.ok(done.kind === "task");
    while ((await outbox.show(done.id))[0]?.status !== "dead") await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(hook.received.length, 1);
  });
});
