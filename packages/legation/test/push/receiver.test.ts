// §4.3.3 and §13.2, the side that receives: who is believed, what is taken once, when an agent is told that it arrived.
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { createPushReceiver, type PushNotification, type PushReceiverOptions } from "../../src/client/push/index.ts";
import type { Task } from "../../src/model/gen/types.ts";
import { pushingHost, WORK, WORK_EVENTS } from "./pushing-host.ts";
import { shortOf } from "./webhook-server.ts";

const STATUS = { statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } } };

function post(options: {
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly method?: string;
}): Request {
  const { headers = {}, body = JSON.stringify(STATUS), method = "POST" } = options;
  const init = { method, headers: { "content-type": "application/a2a+json", ...headers } };
  return new Request("http://hook.test/", method === "POST" ? { ...init, body } : init);
}

const event = (seq: number): Record<string, string> => ({ "a2a-event-id": `t-1:${seq}` });

async function answer(options: Partial<PushReceiverOptions>, request: Request): Promise<number> {
  return (await createPushReceiver({ verify: "nothing", ...options }).fetch(request)).status;
}

describe("push receiver: who is believed", () => {
  it("a token in either header, and no other", async () => {
    const options = { verify: { token: "right" } };
    for (const name of ["x-a2a-notification-token", "a2a-notification-token"]) {
      assert.equal(await answer(options, post({ headers: { [name]: "right" } })), 204);
      for (const wrong of ["wrong", "righ", "rightt", "RIGHT"]) {
        assert.equal(await answer(options, post({ headers: { [name]: wrong } })), 401, wrong);
      }
    }
    assert.equal(await answer(options, post({})), 401);
  });

  it("bearer and basic credentials, and both together with a token", async () => {
    const bearer = { verify: { bearer: "b-1" } };
    assert.equal(await answer(bearer, post({ headers: { authorization: "Bearer b-1" } })), 204);
    assert.equal(await answer(bearer, post({ headers: { authorization: "bearer b-1" } })), 204);
    assert.equal(await answer(bearer, post({ headers: { authorization: "Basic b-1" } })), 401);
    const basic = { verify: { basic: "user:päss", token: "t" } };
    const authorization = `Basic ${Buffer.from("user:päss").toString("base64")}`;
    assert.equal(await answer(basic, post({ headers: { authorization, "a2a-notification-token": "t" } })), 204);
    assert.equal(await answer(basic, post({ headers: { authorization } })), 401);
  });

  it("a secret of its own per task, and nobody where there is none", async () => {
    const verify = { token: (taskId: string) => ({ "t-1": "one", "t-2": "" })[taskId] };
    assert.equal(await answer({ verify }, post({ headers: { "a2a-notification-token": "one" } })), 204);
    for (const taskId of ["t-2", "t-3"]) {
      const body = JSON.stringify({ statusUpdate: { ...STATUS.statusUpdate, taskId } });
      assert.equal(await answer({ verify }, post({ body, headers: { "a2a-notification-token": "" } })), 401, taskId);
    }
  });

  it("only tasks that are expected, and why something was refused is told without secrets", async () => {
    const why: string[] = [];
    const options = { expects: (taskId: string) => taskId === "t-2", onRefused: (text: string) => void why.push(text) };
    assert.equal(await answer(options, post({})), 404);
    assert.deepEqual(why, ["task t-1 is not expected"]);
  });

  it("no other method, no other media type, nothing too long, nothing that is no event", async () => {
    assert.equal(await answer({}, post({ method: "GET" })), 405);
    assert.equal(await answer({}, post({ headers: { "content-type": "text/plain" } })), 415);
    assert.equal(
      await answer({ maxBytes: 100 }, post({ body: JSON.stringify({ ...STATUS, pad: "x".repeat(200) }) })),
      413,
    );
    for (const body of ["", "no json", "[]", "{}", '{"statusUpdate":{}}', '"text"', "null"]) {
      assert.equal(await answer({}, post({ body })), 400, body);
    }
  });

  it("no flood: what comes too fast is asked to wait", async () => {
    let now = 0;
    const receiver = createPushReceiver({ verify: "nothing", perMinute: 3, now: () => now });
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await receiver.fetch(post({}))).status);
    assert.deepEqual(statuses, [204, 204, 204, 429, 429]);
    assert.equal((await receiver.fetch(post({}))).headers.get("retry-after"), "10");
    now = 20_000;
    assert.equal((await receiver.fetch(post({}))).status, 204);
  });
});

describe("push receiver: what is taken", () => {
  it("an event once, however often it comes, also at once", async () => {
    const taken: PushNotification[] = [];
    const duplicates: PushNotification[] = [];
    const receiver = createPushReceiver({
      verify: "nothing",
      onEvent: async (one) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        taken.push(one);
      },
      onDuplicate: (one) => void duplicates.push(one),
    });
    const sends = [1, 1, 1, 2].map((seq) => receiver.fetch(post({ headers: event(seq) })));
    for (const response of await Promise.all(sends)) assert.equal(response.status, 204);
    assert.equal((await receiver.fetch(post({ headers: event(1) }))).status, 204);
    assert.deepEqual(
      taken.map(({ eventId, seq, taskId }) => [eventId, seq, taskId]),
      [
        ["t-1:1", 1, "t-1"],
        ["t-1:2", 2, "t-1"],
      ],
    );
    assert.equal(duplicates.length, 3);
  });

  it("2xx only when the application has taken it: a failure is answered with 500, and the event may come again", async () => {
    let attempts = 0;
    const receiver = createPushReceiver({
      verify: "nothing",
      onEvent: () => {
        attempts += 1;
        if (attempts === 1) throw new Error("the database is away");
      },
    });
    assert.equal((await receiver.fetch(post({ headers: event(1) }))).status, 500);
    assert.equal((await receiver.fetch(post({ headers: event(1) }))).status, 204);
    assert.equal((await receiver.fetch(post({ headers: event(1) }))).status, 204);
    assert.equal(attempts, 2);
  });

  it("what was taken is remembered where the application says", async () => {
    const seen = new Set(["t-1:1"]);
    let taken = 0;
    const onEvent = (): void => {
      taken += 1;
    };
    const options: Partial<PushReceiverOptions> = {
      seen: { has: (id) => seen.has(id), add: (id) => void seen.add(id) },
      onEvent,
    };
    assert.equal(await answer(options, post({ headers: event(1) })), 204);
    assert.equal(await answer(options, post({ headers: event(2) })), 204);
    assert.deepEqual([taken, [...seen]], [1, ["t-1:1", "t-1:2"]]);
  });

  it("the id of an event belongs to its task: one task cannot take the place of another's events", async () => {
    const taken: (string | undefined)[] = [];
    const secrets: Readonly<Record<string, string>> = { "t-1": "one", "t-2": "two" };
    const receiver = createPushReceiver({
      verify: { token: (taskId) => secrets[taskId] },
      onEvent: ({ eventId }) => void taken.push(eventId),
    });
    const other = JSON.stringify({ statusUpdate: { ...STATUS.statusUpdate, taskId: "t-2" } });
    const forged = post({ body: other, headers: { ...event(1), "a2a-notification-token": "two" } });
    assert.equal((await receiver.fetch(forged)).status, 204);
    assert.equal(
      (await receiver.fetch(post({ headers: { ...event(1), "a2a-notification-token": "one" } }))).status,
      204,
    );
    assert.deepEqual(taken, ["t-2:t-1:1", "t-1:1"]);
  });

  it("a signature once, where the agent numbers nothing: what was listened to on its way is no news", async () => {
    const taken: PushNotification[] = [];
    const duplicates: PushNotification[] = [];
    const receiver = createPushReceiver({
      verify: { jwt: async (jwt) => ({ jwtId: jwt }) },
      onEvent: (one) => void taken.push(one),
      onDuplicate: (one) => void duplicates.push(one),
    });
    for (const jwt of ["one", "one", "two", "one"]) {
      const { status } = await receiver.fetch(post({ headers: { authorization: `Bearer ${jwt}` } }));
      assert.equal(status, 204);
    }
    assert.deepEqual([taken.length, duplicates.length], [2, 2]);
  });

  it("for an agent that numbers nothing, the Task as it stands", async () => {
    const task: Task = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_COMPLETED" } };
    const taken: PushNotification[] = [];
    const options = { refresh: async () => task, onEvent: (one: PushNotification) => void taken.push(one) };
    assert.equal(await answer(options, post({})), 204);
    assert.equal(await answer(options, post({ body: JSON.stringify(task) })), 204);
    assert.deepEqual(
      taken.map((one) => [one.event.task?.status.state, one.eventId, one.seq]),
      [
        ["TASK_STATE_COMPLETED", undefined, undefined],
        ["TASK_STATE_COMPLETED", undefined, undefined],
      ],
    );
  });
});

/** A receiver on a port, by its node handler. */
async function listening(options: Partial<PushReceiverOptions> = {}) {
  const receiver = createPushReceiver({ verify: { token: "t" }, ...options });
  const server = createServer((request, response) => void receiver.node(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    receiver,
    push: { url: `http://127.0.0.1:${port}/hook`, token: "t" },
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

describe("push receiver: over node:http", () => {
  it("a body that is too long is answered with 413, and so is one that never ends", async () => {
    await using hook = await listening({ verify: "nothing", maxBytes: 1_000 });
    const headers = { "content-type": "application/json" };
    const long = await fetch(hook.push.url, { method: "POST", headers, body: "x".repeat(100_000) });
    assert.equal(long.status, 413);
    const endless = new ReadableStream({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        controller.enqueue(new Uint8Array(600));
      },
    });
    const init = { method: "POST", headers, body: endless, duplex: "half" };
    assert.equal((await fetch(hook.push.url, init as RequestInit)).status, 413);
    const good = await fetch(hook.push.url, { method: "POST", headers, body: JSON.stringify(STATUS) });
    assert.equal(good.status, 204);
  });

  it("what a body parser has read already is taken, signed or not as it allows", async () => {
    const receiver = createPushReceiver({ verify: "nothing" });
    const statuses: number[] = [];
    const response = { writeHead: (status: number) => statuses.push(status), end: () => undefined };
    const request = {
      method: "POST",
      headers: { "content-type": "application/json", "a2a-event-id": ["t-1:1"] },
      async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {},
    };
    await receiver.node({ ...request, body: STATUS }, response);
    await receiver.node({ ...request, rawBody: new TextEncoder().encode(JSON.stringify(STATUS)) }, response);
    await receiver.node({ ...request, rawBody: JSON.stringify(STATUS), body: {} }, response);
    assert.deepEqual(statuses, [204, 204, 204]);
  });
});

describe("push receiver: with an agent of ours", () => {
  it("takes every event in order over node:http, though the application fails now and then", async () => {
    const taken: string[] = [];
    let calls = 0;
    const over = Promise.withResolvers<void>();
    await using hook = await listening({
      onEvent: ({ event: one }) => {
        calls += 1;
        if (calls % 3 === 2) throw new Error("not now");
        taken.push(shortOf({ event: one } as never));
        if (taken.at(-1) === "COMPLETED") over.resolve();
      },
    });
    await using pushing = await pushingHost();
    await pushing.client.send("go", { push: hook.push });
    await over.promise;
    assert.deepEqual(taken, WORK_EVENTS);
  });

  it("a run that is fed from pushes reads like one over a stream", async () => {
    await using hook = await listening();
    await using pushing = await pushingHost();
    const { client } = pushing;
    const sent = await client.send("go", { push: hook.push, returnImmediately: true });
    assert.ok(sent.kind === "task");
    const run = client.subscribe(sent.id, { from: hook.receiver });
    const seen: string[] = [];
    for await (const one of run)
      seen.push(one.kind === "artifact" ? one.name : one.kind === "status" ? one.state : one.kind);
    assert.deepEqual(
      seen.filter((one) => one !== "task"),
      ["WORKING", "a.txt", "WORKING", "b.txt", "COMPLETED"],
    );
    const result = await run.result;
    assert.ok(result.kind === "task" && result.state === "COMPLETED");
    assert.equal(await result.artifact("b.txt")?.text(), "two");
  });

  it("a run that is fed from the middle on reads the Task first, and gets every artifact whole", async () => {
    await using hook = await listening();
    await using pushing = await pushingHost(async (task, message) => {
      await task.artifact("log.txt", { text: "1" });
      await task.ask("go on?");
      for (const text of ["2", "3", "4"]) await task.artifact("log.txt", { text, append: true });
      return WORK(task, message);
    });
    const { client } = pushing;
    const asked = await client.send("go");
    assert.ok(asked.kind === "task");
    await client.createPushConfig(asked.id, hook.push);
    const run = client.subscribe(asked.id, { from: hook.receiver, until: "terminal" });
    await asked.reply("yes", { returnImmediately: true });
    let log = "";
    for await (const one of run) {
      if (one.kind === "artifact" && one.name === "log.txt") log = one.append ? log + one.text : one.text;
    }
    assert.equal(log, "1234");
    const result = await run.result;
    assert.ok(result.kind === "task" && result.state === "COMPLETED");
  });
});
