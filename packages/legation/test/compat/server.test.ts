// An agent that serves v0.3 beside 1.0, seen over the raw wire: the methods and paths of v0.3, its opposite defaults, what
// is taught, and that callers of 1.0 notice nothing.
import assert from "node:assert/strict";
import test from "node:test";
import { v0_3 } from "../../src/compat/v0_3/v0-3.ts";
import { type ServeOptions, serve } from "../../src/hosts/node/serve.ts";
import { isObject, type Loose } from "../../src/model/notes.ts";
import type { Agent } from "../../src/server/agent.ts";
import { createAgent } from "../../src/server/agent.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";
import { WebhookServer } from "../push/webhook-server.ts";

type Handler = NonNullable<AgentOptions["onTask"]>;

interface Old {
  readonly url: string;
  authorize(taskId: string): Promise<void>;
  /** The result of a method over JSON-RPC; throws its error object. */
  rpc(method: string, params?: object, headers?: Record<string, string>): Promise<Loose>;
  /** The results of a stream over JSON-RPC. */
  events(method: string, params: object): Promise<Loose[]>;
  rest(verb: string, path: string, body?: object): Promise<{ readonly status: number; readonly body: Loose }>;
}

function agentWith(onTask: Handler, more: Partial<AgentOptions> = {}): Agent {
  return createAgent({ name: "Old", description: "d", version: "1.0.0", onTask, ...more });
}

const headersOf = (more: Record<string, string> = {}): Record<string, string> => ({
  "content-type": "application/json",
  ...more,
});

async function onOld(agent: Agent, body: (old: Old) => Promise<void>, more: ServeOptions = {}): Promise<void> {
  const push = { allow: ["127.0.0.0/8"] };
  await using host = await serve(agent, { log: false, compat: v0_3(), push, ...more });
  const post = (method: string, params?: object, headers?: Record<string, string>): Promise<Response> =>
    fetch(host.url, {
      method: "POST",
      headers: headersOf(headers),
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
  await body({
    url: host.url,
    authorize: (taskId) => host.authorize(taskId),
    async rpc(method, params, headers) {
      const answer = (await (await post(method, params, headers)).json()) as Loose;
      if (answer["error"] !== undefined) throw answer["error"];
      return answer["result"] as Loose;
    },
    async events(method, params) {
      const text = await (await post(method, params)).text();
      const frames = text.split("\n").filter((line) => line.startsWith("data: "));
      return frames.map((line) => (JSON.parse(line.slice(6)) as { result: Loose }).result);
    },
    async rest(verb, path, payload) {
      const response = await fetch(host.url + path, {
        method: verb,
        headers: headersOf(),
        ...(payload === undefined ? {} : { body: JSON.stringify(payload) }),
      });
      return { status: response.status, body: (await response.json()) as Loose };
    },
  });
}

let sent = 0;

function params(text: string, more: Loose = {}, configuration?: Loose): object {
  sent += 1;
  const message = { kind: "message", messageId: `m-${sent}`, role: "user", parts: [{ kind: "text", text }], ...more };
  return configuration === undefined ? { message } : { message, configuration };
}

const stateOf = (task: Loose): unknown => (task["status"] as Loose)["state"];

const finish: Handler = async (task) => {
  await task.artifact("a.txt", { text: "one" });
  return "done";
};

test("a send that does not say blocking: true returns at once, one that does waits", async () => {
  const gate = Promise.withResolvers<void>();
  const agent = agentWith(async () => {
    await gate.promise;
    return "done";
  });
  await onOld(agent, async ({ rpc }) => {
    for (const configuration of [undefined, {}, { blocking: false }]) {
      const task = await rpc("message/send", params("a", {}, configuration));
      assert.equal(task["kind"], "task");
      assert.match(String(stateOf(task)), /^(submitted|working)$/);
    }
    const waiting = rpc("message/send", params("b", {}, { blocking: true }));
    gate.resolve();
    assert.equal(stateOf(await waiting), "completed");
  });
});

test("a history of length 0 is the whole one, n is the last n", async () => {
  await onOld(agentWith(finish), async ({ rpc, rest }) => {
    const { id } = await rpc("message/send", params("a", {}, { blocking: true, historyLength: 0 }));
    const lengthOf = (task: Loose): number => (task["history"] as unknown[] | undefined)?.length ?? 0;
    assert.equal(lengthOf(await rpc("tasks/get", { id, historyLength: 0 })), 1);
    assert.equal(lengthOf((await rest("GET", `/v1/tasks/${id}?history_length=0`)).body), 1);
    assert.equal(lengthOf((await rest("GET", `/v1/tasks/${id}?historyLength=1`)).body), 1);
  });
});

test("a stream is Task, updates with final on the last, and ends; resubscribing to an ended task gives it", async () => {
  await onOld(agentWith(finish), async ({ events, rpc, rest, url }) => {
    const seen = await events("message/stream", params("a"));
    assert.deepEqual(
      seen.map(({ kind, final }) => (final === undefined ? kind : `${kind} ${final}`)),
      ["task", "status-update false", "artifact-update", "status-update true"],
    );
    const id = seen[0]?.["id"];
    const again = await events("tasks/resubscribe", { id });
    assert.deepEqual(
      again.map(({ kind }) => kind),
      ["task"],
    );
    assert.equal(stateOf(again[0] ?? {}), "completed");
    const text = await (await fetch(`${url}/v1/tasks/${id}:subscribe`, { method: "POST" })).text();
    assert.match(text, /^data: \{"task":/m);
    await assert.rejects(rpc("tasks/resubscribe", { id: "no-such-task" }), { code: -32001 });
    assert.equal((await rest("POST", "/v1/tasks/none:subscribe")).body["code"], -32001);
  });
});

test("a stream ends at a question, with final, and goes on where it is answered", async () => {
  const agent = agentWith(async (task) => {
    const answer = await task.ask("which?");
    return `took ${answer.text}`;
  });
  await onOld(agent, async ({ events, rpc }) => {
    const seen = await events("message/stream", params("a"));
    const last = seen.at(-1) ?? {};
    assert.deepEqual([stateOf(last), last["final"]], ["input-required", true]);
    const taskId = last["taskId"];
    const done = await rpc("message/send", params("red", { taskId }, { blocking: true }));
    assert.equal(stateOf(done), "completed");
  });
});

test("AUTH_REQUIRED does not interrupt: a blocking send waits for what comes after it, and no event is final", async () => {
  const begun: string[] = [];
  const agent = agentWith(async (task) => {
    begun.push(task.id);
    await task.requestAuth("sign in");
    return "in";
  });
  await onOld(agent, async ({ rpc, events, authorize }) => {
    let isAnswered = false;
    const waiting = rpc("message/send", params("a", {}, { blocking: true })).finally(() => {
      isAnswered = true;
    });
    const watching = events("message/stream", params("b"));
    for (const index of [0, 1]) await isWaiting(rpc, () => begun[index]);
    assert.equal(isAnswered, false);
    for (const id of begun) await authorize(id);
    assert.equal(stateOf(await waiting), "completed");
    const seen = (await watching).filter(({ kind }) => kind === "status-update");
    assert.ok(seen.some((event) => stateOf(event) === "auth-required" && event["final"] === false));
    assert.deepEqual(seen.filter((event) => event["final"] === true).map(stateOf), ["completed"]);
  });
});

test("the operator's bound on a blocking send holds through AUTH_REQUIRED: the caller gets the task as it stands", async () => {
  const agent = agentWith(async (task) => void (await task.requestAuth("sign in")));
  const asking = async ({ rpc, rest }: Old): Promise<void> => {
    const task = await rpc("message/send", params("a", {}, { blocking: true }));
    assert.equal(stateOf(task), "auth-required");
    const message = { message_id: "m-r", role: "ROLE_USER", content: [{ text: "b" }] };
    const { body } = await rest("POST", "/v1/message:send", { request: message, configuration: { blocking: true } });
    assert.match(JSON.stringify(body), /TASK_STATE_AUTH_REQUIRED/);
  };
  await onOld(agent, asking, { blockingMs: 150 });
});

/** Resolves when a task waits for its authorisation. */
async function isWaiting(rpc: Old["rpc"], idOf: () => string | undefined): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    const id = idOf();
    if (id !== undefined && stateOf(await rpc("tasks/get", { id })) === "auth-required") return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail("the task never came to wait for its authorisation");
}

test("HTTP+JSON answers in the spelling that the message was sent in", async () => {
  await onOld(agentWith(finish), async ({ rest }) => {
    const proto = { messageId: "p-1", role: "ROLE_USER", content: [{ text: "a" }] };
    const sentProto = await rest("POST", "/v1/message:send", { message: proto, configuration: { blocking: true } });
    assert.equal(sentProto.status, 200);
    const { status, history } = sentProto.body["task"] as Loose;
    assert.equal((status as Loose)["state"], "TASK_STATE_COMPLETED");
    assert.deepEqual((history as Loose[])[0]?.["content"], [{ text: "a" }]);
    const { body } = await rest("POST", "/v1/message:send", params("a", {}, { blocking: true }));
    assert.equal((body["task"] as Loose)["kind"], "task");
  });
});

test("cancel, errors by their number, and what 0.3 does not have", async () => {
  const agent = agentWith(async (task) => {
    await task.sleep(60_000);
  });
  await onOld(agent, async ({ rpc, rest }) => {
    const { id } = await rpc("message/send", params("a"));
    assert.equal(stateOf(await rpc("tasks/cancel", { id })), "canceled");
    const wrong = params("b", { role: "human" });
    await assert.rejects(rpc("message/send", wrong), { code: -32602, message: /^message\.role: "human" is no role/ });
    await assert.rejects(rpc("tasks/list", {}), { code: -32601 });
    const lost = await rest("GET", "/v1/tasks/no-such-task");
    assert.deepEqual([lost.status, lost.body["code"]], [404, -32001]);
    assert.equal((await rest("GET", "/v1/nothing")).status, 404);
    assert.equal((await rest("DELETE", "/v1/message:send")).status, 405);
  });
});

test("a compressed body is told to come as it is, and the verb resubscribe of JSON-RPC is understood in a path", async () => {
  await onOld(
    agentWith(() => "done"),
    async ({ url, rpc, rest }) => {
      for (const path of ["", "/v1/message:send"]) {
        const headers = headersOf({ "content-encoding": "gzip" });
        const answer = await fetch(url + path, { method: "POST", headers, body: "{}" });
        assert.match(await answer.text(), /-32005.*Content-Encoding gzip is not read here/, path);
      }
      const task = await rpc("message/send", params("go", {}, { blocking: true }));
      const followed = await fetch(`${url}/v1/tasks/${String(task["id"])}:resubscribe`, { method: "POST" });
      assert.match(await followed.text(), /data: \{"task":/);
      assert.equal((await rest("PUT", `/v1/tasks/${String(task["id"])}:resubscribe`)).status, 405);
    },
  );
});

test("the details of an error are one object, but for callers who may well mean 1.0", async () => {
  await onOld(agentWith(finish), async ({ rpc, rest }) => {
    const data = { reason: "TASK_NOT_FOUND", domain: "a2a-protocol.org", metadata: { taskId: "none" } };
    await assert.rejects(rpc("tasks/get", { id: "none" }), { code: -32001, data });
    assert.deepEqual((await rest("GET", "/v1/tasks/none")).body["data"], data);
    await assert.rejects(rpc("message/send", params("a", { role: "human" })), (error: Loose) => {
      const { fieldViolations } = error["data"] as { fieldViolations: Loose[] };
      return fieldViolations[0]?.["field"] === "message.role";
    });
    await assert.rejects(rpc("GetTask", { id: "none" }), (error: Loose) => Array.isArray(error["data"]));
  });
});

test("§3.6 a method of 1.0 without its version is told what to send; one of 0.3 under 1.0 is told its name", async () => {
  await onOld(agentWith(finish), async ({ rpc, rest }) => {
    await assert.rejects(rpc("SendMessage", {}), {
      code: -32009,
      message: /send A2A-Version: 1\.0 \(supported: 1\.0, 0\.3\)/,
    });
    await assert.rejects(rpc("message/send", params("a"), { "a2a-version": "1.0" }), { message: /call SendMessage/ });
    await assert.rejects(rpc("message/send", params("a"), { "a2a-version": "0.9" }), { code: -32009 });
    await assert.rejects(rpc("message/send", params("a"), { "a2a-version": "new" }), { code: -32009 });
    assert.equal((await rest("POST", "/message:send", params("a"))).status, 400);
    const named = await rpc("message/send", params("a"), { "a2a-version": "0.3.0" });
    assert.equal(named["kind"], "task");
  });
});

test("a caller of 1.0 is answered in 1.0 at the same address", async () => {
  await onOld(agentWith(finish), async ({ rpc }) => {
    const message = { messageId: "n-1", role: "ROLE_USER", parts: [{ text: "a" }] };
    const { task } = await rpc("SendMessage", { message }, { "a2a-version": "1.0" });
    assert.ok(isObject(task));
    assert.equal(stateOf(task), "TASK_STATE_COMPLETED");
  });
});

test("a webhook that was registered in 0.3 gets the bare Task, at each change of its status", async () => {
  await using hook = await WebhookServer.start();
  await onOld(agentWith(finish), async ({ rpc }) => {
    const pushNotificationConfig = { url: hook.url(), token: "t-1" };
    const { id } = await rpc("message/send", params("a", {}, { pushNotificationConfig }));
    await hook.until(({ received }) => received.some(({ body }) => stateOf(JSON.parse(body)) === "completed"));
    for (const { headers, body } of hook.received) {
      const task = JSON.parse(body) as Loose;
      assert.equal(headers["content-type"], "application/json");
      assert.equal(headers["x-a2a-notification-token"], "t-1");
      assert.deepEqual([task["kind"], task["id"]], ["task", id]);
    }
  });
});

test("the webhooks of a task: set replaces the one without an id, get finds it, list and delete", async () => {
  await onOld(agentWith(finish), async ({ rpc, rest }) => {
    const { id: taskId } = await rpc("message/send", params("a", {}, { blocking: true }));
    const set = (url: string): Promise<Loose> =>
      rpc("tasks/pushNotificationConfig/set", {
        taskId,
        pushNotificationConfig: { url, authentication: { schemes: ["Bearer"], credentials: "secret" } },
      });
    await set("http://127.0.0.1:9/one");
    await set("http://127.0.0.1:9/two");
    const config = { id: taskId, url: "http://127.0.0.1:9/two", authentication: { schemes: ["Bearer"] } };
    assert.deepEqual(await rpc("tasks/pushNotificationConfig/get", { id: taskId }), {
      taskId,
      pushNotificationConfig: config,
    });
    const path = `/v1/tasks/${taskId}/pushNotificationConfigs`;
    const registration = { configId: "w-2", config: { pushNotificationConfig: { url: "http://127.0.0.1:9/three" } } };
    assert.equal((await rest("POST", path, registration)).body["name"], `tasks/${taskId}/pushNotificationConfigs/w-2`);
    const list = (await rpc("tasks/pushNotificationConfig/list", { id: taskId })) as unknown as Loose[];
    assert.equal(list.length, 2);
    for (const id of [taskId, "w-2"]) {
      const gone = await rpc("tasks/pushNotificationConfig/delete", { id: taskId, pushNotificationConfigId: id });
      assert.equal(gone, null);
    }
    await assert.rejects(rpc("tasks/pushNotificationConfig/get", { id: taskId }), { code: -32001 });
  });
});

test("the extended card is given in the form of the caller", async () => {
  const key = { apiKeySecurityScheme: { location: "header", name: "X-Key" } };
  const agent = agentWith(finish, {
    securitySchemes: { key },
    extendedCard: async (_, card) => ({ ...card, description: "more" }),
  });
  const authenticate = async () => ({ owner: "ann" });
  await using host = await serve(agent, { log: false, compat: v0_3(), authenticate });
  const asked = { jsonrpc: "2.0", id: 1, method: "agent/getAuthenticatedExtendedCard" };
  const answer = await fetch(host.url, { method: "POST", headers: headersOf(), body: JSON.stringify(asked) });
  const { result } = (await answer.json()) as { result: Loose };
  assert.deepEqual([result["description"], result["url"], result["protocolVersion"]], ["more", host.url, "0.3.0"]);
  assert.deepEqual(result["securitySchemes"], { key: { type: "apiKey", in: "header", name: "X-Key" } });
  const card = (await (await fetch(`${host.url}/v1/card`)).json()) as Loose;
  assert.deepEqual(card["securitySchemes"], { key });
});
