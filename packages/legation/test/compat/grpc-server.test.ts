// An agent that serves the gRPC of v0.3 beside 1.0 on one port, seen over the raw wire: every method, and what is around them.
import assert from "node:assert/strict";
import test from "node:test";
import { OLD_RPC } from "../../src/compat/v0_3/gen/old-rpc.ts";
import { v0_3 } from "../../src/compat/v0_3/v0-3.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import type { Loose } from "../../src/model/notes.ts";
import { createAgent } from "../../src/server/agent.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";
import { callRaw } from "../grpc/raw-call.ts";
import { WebhookServer } from "../push/webhook-server.ts";
import { agentWith, call, finish, onOld, send, stateOf } from "./old-rpc-calls.ts";

test("a blocking send gives the task as a2a.v1 writes it; without blocking it returns at once", async () => {
  await onOld(agentWith(finish), async ({ good }) => {
    const { task } = await good("SendMessage", send("hi"));
    const { id, contextId, artifacts, history } = task as Loose;
    assert.equal(stateOf(task), "TASK_STATE_COMPLETED");
    assert.deepEqual((artifacts as Loose[])[0]?.["parts"], [{ text: "one" }]);
    assert.deepEqual((history as Loose[])[0]?.["content"], [{ text: "hi" }]);
    assert.equal((history as Loose[])[0]?.["contextId"], contextId);
    const again = await good("GetTask", { name: `tasks/${String(id)}` });
    assert.deepEqual(again, task);
    const short = await good("GetTask", { name: `tasks/${String(id)}`, historyLength: 1 });
    assert.equal((short["history"] as Loose[]).length, 1);
  });
  const slow = agentWith(async (task) => {
    await task.sleep(60_000);
  });
  await onOld(slow, async ({ good }) => {
    const { task } = await good("SendMessage", send("hi", {}));
    const name = `tasks/${String((task as Loose)["id"])}`;
    assert.equal(stateOf(await good("CancelTask", { name })), "TASK_STATE_CANCELLED");
  });
});

test("a stream is Task, updates and the one that is final; a subscription to a task that has ended gives the task", async () => {
  await onOld(agentWith(finish), async ({ call: callHere }) => {
    const { status, messages } = await callHere("SendStreamingMessage", send("hi", {}));
    assert.equal(status, 0);
    const [first, ...rest] = messages;
    assert.equal(stateOf(first?.["task"]), "TASK_STATE_SUBMITTED");
    assert.ok(rest.some((event) => event["artifactUpdate"] !== undefined));
    const updates = rest.flatMap((event) =>
      event["statusUpdate"] === undefined ? [] : [event["statusUpdate"] as Loose],
    );
    assert.deepEqual(
      updates.map((update) => [stateOf(update), update["final"]]),
      [
        ["TASK_STATE_WORKING", undefined],
        ["TASK_STATE_COMPLETED", true],
      ],
    );
    const name = `tasks/${String((first?.["task"] as Loose | undefined)?.["id"])}`;
    const late = await callHere("TaskSubscription", { name });
    assert.deepEqual(
      late.messages.map((event) => [Object.keys(event), stateOf(event["task"])]),
      [[["task"], "TASK_STATE_COMPLETED"]],
    );
  });
});

test("AUTH_REQUIRED does not interrupt: a blocking send waits for what comes after it", async () => {
  const begun: string[] = [];
  const agent = agentWith(async (task) => {
    begun.push(task.id);
    await task.requestAuth("sign in");
    return "in";
  });
  await onOld(agent, async ({ host, call: callHere, good }) => {
    const answer = callHere("SendMessage", send("a"));
    for (let tries = 0; ; tries++) {
      assert.ok(tries < 400, "the task never came to wait for its authorisation");
      const [id] = begun;
      if (id !== undefined && stateOf(await good("GetTask", { name: `tasks/${id}` })) === "TASK_STATE_AUTH_REQUIRED")
        break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await host.authorize(begun[0] ?? "");
    const [reply] = (await answer).messages;
    assert.equal(stateOf(reply?.["task"]), "TASK_STATE_COMPLETED");
  });
});

test("the webhooks of a task: create, get, list and delete by the names of resources", async () => {
  await using hook = await WebhookServer.start();
  await onOld(agentWith(finish), async ({ good, call: callHere }) => {
    const pushNotification = { url: hook.url(), token: "t-1" };
    const { task } = await good("SendMessage", send("a", { blocking: true, pushNotification }));
    const parent = `tasks/${String((task as Loose)["id"])}`;
    await hook.until(({ received }) => received.some(({ body }) => stateOf(JSON.parse(body)) === "completed"));
    for (const { headers } of hook.received) assert.equal(headers["x-a2a-notification-token"], "t-1");
    const name = `${parent}/pushNotificationConfigs/w-2`;
    const authentication = { schemes: ["Bearer"], credentials: "secret" };
    const config = { pushNotificationConfig: { url: "http://127.0.0.1:9/two", authentication } };
    const made = await good("CreateTaskPushNotificationConfig", { parent, configId: "w-2", config });
    assert.equal(made["name"], name);
    const found = await good("GetTaskPushNotificationConfig", { name });
    const shown = { id: "w-2", url: "http://127.0.0.1:9/two", authentication: { schemes: ["Bearer"] } };
    assert.deepEqual(found, { name, pushNotificationConfig: shown });
    const { configs } = await good("ListTaskPushNotificationConfig", { parent });
    assert.equal((configs as Loose[]).length, 2);
    assert.deepEqual(await good("DeleteTaskPushNotificationConfig", { name }), {});
    const gone = await callHere("GetTaskPushNotificationConfig", { name });
    assert.deepEqual([gone.status, gone.reason], [5, "TASK_NOT_FOUND"]);
  });
});

test("GetAgentCard gives the public card, and the extended one of an agent that has one", async () => {
  const securitySchemes = { key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } } };
  await onOld(agentWith(finish, { securitySchemes }), async ({ good, host }) => {
    const card = await good("GetAgentCard", {});
    assert.deepEqual([card["name"], card["url"], card["protocolVersion"]], ["Old", host.url, "0.3.0"]);
    assert.deepEqual(card["securitySchemes"], securitySchemes);
    assert.deepEqual((card["additionalInterfaces"] as Loose[]).at(-1), {
      url: `127.0.0.1:${host.port}`,
      transport: "GRPC",
    });
  });
  const extendedCard: AgentOptions["extendedCard"] = async (_, card) => ({ ...card, description: "more" });
  const authenticate = async () => ({ owner: "ann" });
  await onOld(
    agentWith(finish, { securitySchemes, extendedCard }),
    async ({ good }) => assert.equal((await good("GetAgentCard", {}))["description"], "more"),
    { authenticate },
  );
});

test("several agents of one port have no gRPC of 0.3, which cannot name one of them: its callers are told, no card says so", async () => {
  const other = createAgent({ name: "Other", description: "d", version: "1.0.0", onTask: finish });
  await using host = await serve([agentWith(finish), other], { log: false, compat: v0_3() });
  const answer = await call(host.url, "GetTask", { name: "tasks/t" });
  assert.deepEqual([answer.status, answer.reason], [12, "METHOD_NOT_FOUND"]);
  assert.equal(
    answer.message,
    "no method at /a2a.v1.A2AService/GetTask; several agents share this port, and 0.3 over gRPC cannot name one of them; " +
      "call 0.3 over JSON-RPC or HTTP+JSON at the path of the agent, or lf.a2a.v1.A2AService with a2a-version: 1.0 and " +
      "the tenant that the agent card names",
  );
  const card = (await (await fetch(`${host.url}/old/.well-known/agent-card.json`)).json()) as Loose;
  assert.deepEqual(
    (card["additionalInterfaces"] as Loose[]).map(({ transport }) => transport),
    ["JSONRPC", "HTTP+JSON"],
  );
});

test("extensions are asked for and told under the name of 0.3", async () => {
  const uri = "urn:example:extension:must:v1";
  const agent = agentWith(finish, { extensions: [{ uri, description: "d", required: true }] });
  await onOld(agent, async ({ call: callHere }) => {
    const refused = await callHere("SendMessage", send("a"));
    assert.deepEqual([refused.status, refused.reason], [9, "EXTENSION_SUPPORT_REQUIRED"]);
    const { status, raw } = await callHere("SendMessage", send("b"), { headers: { "x-a2a-extensions": uri } });
    assert.deepEqual([status, raw.headers["x-a2a-extensions"]], [0, uri]);
  });
});

test("health and reflection know both services", async () => {
  await onOld(agentWith(finish), async ({ host }) => {
    const names = ["lf.a2a.v1.A2AService", "a2a.v1.A2AService"];
    const field = (number: number, text: string): Buffer =>
      Buffer.concat([Buffer.from([number * 8 + 2, text.length]), Buffer.from(text)]);
    for (const name of names) {
      const health = await callRaw(host.url, "/grpc.health.v1.Health/Check", field(1, name));
      assert.deepEqual([health.status, health.messages[0]?.toString("hex")], [0, "0801"]);
    }
    const ask = async (request: Buffer): Promise<string> => {
      const path = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";
      const { messages } = await callRaw(host.url, path, request);
      return messages[0]?.toString("latin1") ?? "";
    };
    const list = await ask(field(7, "*"));
    for (const name of names) assert.ok(list.includes(name), name);
    const own = Buffer.from(OLD_RPC.descriptor, "base64").toString("latin1");
    for (const symbol of ["a2a.v1.A2AService", "a2a.v1.Task"]) assert.ok((await ask(field(4, symbol))).includes(own));
    assert.ok((await ask(field(3, OLD_RPC.file))).includes(own));
    assert.ok(!(await ask(field(4, "lf.a2a.v1.Task"))).includes(own));
  });
});
