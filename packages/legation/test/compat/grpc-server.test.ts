// An agent that serves the gRPC of v0.3 beside 1.0 on one port, seen over the raw wire: every method, the statuses, what
// should not be sent, and what is taught.
import assert from "node:assert/strict";
import test from "node:test";
import { createTableCodec } from "../../src/bindings/grpc/table-codec.ts";
import { OLD_RPC } from "../../src/compat/v0_3/gen/old-rpc.ts";
import { v0_3 } from "../../src/compat/v0_3/v0-3.ts";
import { type Host, type ServeOptions, serve } from "../../src/hosts/node/serve.ts";
import type { Loose } from "../../src/model/notes.ts";
import { plainCall } from "../../src/operations/call.ts";
import { A2AError } from "../../src/operations/errors.ts";
import { type Agent, createAgent } from "../../src/server/agent.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";
import { callRaw, frameOf, type RawAnswer, type RawOptions } from "../grpc/raw-call.ts";
import { WebhookServer } from "../push/webhook-server.ts";

type Handler = NonNullable<AgentOptions["onTask"]>;

const codec = createTableCodec(OLD_RPC);
const PATH = "/a2a.v1.A2AService/";

/** What a call ended with, its messages in the form of ProtoJSON. */
interface Answer {
  readonly status: number;
  readonly message: string;
  readonly reason: unknown;
  readonly messages: readonly Loose[];
  readonly raw: RawAnswer;
}

interface Old {
  readonly host: Host;
  call(rpc: string, request: object, options?: RawOptions): Promise<Answer>;
  /** The one message of a call that must go well. */
  good(rpc: string, request: object): Promise<Loose>;
}

async function call(url: string, rpc: string, request: object | Buffer, options: RawOptions = {}): Promise<Answer> {
  const row = OLD_RPC.methods[rpc];
  const bytes = Buffer.isBuffer(request) ? request : codec.write(row?.request ?? "Empty", request, false);
  const headers = { "a2a-version": "", ...options.headers };
  const raw = await callRaw(url, PATH + rpc, bytes, { ...options, headers });
  const { details } = (raw.details ?? { details: [] }) as { details: { reason?: unknown }[] };
  return {
    status: raw.status,
    message: raw.message,
    reason: details[0]?.reason,
    messages: raw.messages.map((each) => codec.read(row?.answer ?? "Empty", each)),
    raw,
  };
}

function agentWith(onTask: Handler, more: Partial<AgentOptions> = {}): Agent {
  return createAgent({ name: "Old", description: "d", version: "1.0.0", onTask, ...more });
}

const finish: Handler = async (task) => {
  await task.artifact("a.txt", { text: "one" });
  return "done";
};

async function onOld(agent: Agent, body: (old: Old) => Promise<void>, options: ServeOptions = {}): Promise<void> {
  const push = { allow: ["127.0.0.0/8"] };
  await using host = await serve(agent, { log: false, compat: v0_3(), push, ...options });
  const callHere: Old["call"] = (rpc, request, rest) => call(host.url, rpc, request, rest);
  await body({
    host,
    call: callHere,
    async good(rpc, request) {
      const { status, message, messages } = await callHere(rpc, request);
      assert.equal(status, 0, message);
      assert.equal(messages.length, 1);
      return messages[0] ?? {};
    },
  });
}

let sent = 0;

function send(text: string, configuration: object = { blocking: true }, more: object = {}): object {
  sent += 1;
  const message = { messageId: `g-${sent}`, role: "ROLE_USER", content: [{ text }], ...more };
  return { message, configuration };
}

const stateOf = (holder: unknown): unknown => ((holder as Loose)["status"] as Loose)["state"];

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

async function isRefused(answer: Promise<Answer>, status: number, reason: string, message: RegExp): Promise<void> {
  const found = await answer;
  assert.deepEqual([found.raw.http, found.status, found.reason], [200, status, reason], found.message);
  assert.match(found.message, message);
  // The status in the details is the one of the trailers.
  assert.equal((found.raw.details as { code: number }).code, status);
}

test("errors have the statuses of 0.3, and the details of 1.0", async () => {
  const plain = agentWith(finish);
  await onOld(plain, async ({ call: callHere, good }) => {
    const { task } = await good("SendMessage", send("a"));
    const name = `tasks/${String((task as Loose)["id"])}`;
    await isRefused(callHere("GetTask", { name: "tasks/none" }), 5, "TASK_NOT_FOUND", /none not found/);
    await isRefused(callHere("CancelTask", { name }), 9, "TASK_NOT_CANCELABLE", /COMPLETED|terminal|ended/i);
    await isRefused(
      callHere("SendMessage", send("b", {}, { taskId: name.slice(6) })),
      12,
      "UNSUPPORTED_OPERATION",
      /./,
    );
  });
  await onOld(
    plain,
    async ({ call: callHere }) => {
      const parent = "tasks/t-1";
      const config = { pushNotificationConfig: { url: "http://127.0.0.1:9/" } };
      const answer = callHere("CreateTaskPushNotificationConfig", { parent, configId: "w", config });
      await isRefused(answer, 12, "PUSH_NOTIFICATION_NOT_SUPPORTED", /./);
    },
    { push: false },
  );
});

test("what is wrong in a request is named in the words of 0.3, and nothing is stored", async () => {
  await onOld(agentWith(finish), async ({ call: callHere, host }) => {
    const refused = (rpc: string, request: object, message: RegExp): Promise<void> =>
      isRefused(callHere(rpc, request), 3, "INVALID_PARAMS", message);
    await refused("GetTask", { name: "t-1" }, /^name: "t-1" names no task; write tasks\/\{id\}/);
    await refused("GetTask", {}, /^name: is required; write tasks\/\{id\}/);
    await refused("ListTaskPushNotificationConfig", { parent: "x" }, /^parent: "x" names no task/);
    await refused("DeleteTaskPushNotificationConfig", { name: "tasks/t-1" }, /^id: is required/);
    await refused("CreateTaskPushNotificationConfig", { parent: "tasks/t" }, /pushNotificationConfig: is required/);
    await refused("GetTask", { name: "tasks/t", historyLength: -1 }, /historyLength/);
    await refused("SendMessage", {}, /message/);
    await refused("SendMessage", { message: { role: "ROLE_USER", content: [{ text: "a" }] } }, /message\.messageId/);
    await refused("SendMessage", { message: { messageId: "m", content: [{ text: "a" }] } }, /message\.role/);
    await refused("SendMessage", { message: { messageId: "m", role: "ROLE_USER" } }, /message\.parts/);
    await refused("SendMessage", send("a", {}, { role: "ROLE_AGENT" }), /message\.role/);
    await refused("SendMessage", send("a", {}, { content: [{}] }), /message\.parts\[0\]/);
    await refused("SendMessage", send("a", {}, { content: [{ file: {} }] }), /content\[0\]\.file: has neither/);
    const [mounted] = host.agents;
    assert.equal((await mounted?.service.listTasks({}, plainCall()))?.value.totalSize, 0);
  });
});

test("bytes that are no message, frames that are broken, methods that there are not", async () => {
  await onOld(
    agentWith(finish),
    async ({ call: callHere }) => {
      const raw = (hex: string): RawOptions => ({ body: frameOf(Buffer.from(hex, "hex")) });
      await isRefused(callHere("GetTask", {}, raw("0a05")), 3, "PARSE_ERROR", /no message of GetTask/);
      await isRefused(callHere("GetTask", {}, raw("0a02c328")), 3, "INVALID_PARAMS", /not UTF-8/);
      await isRefused(callHere("GetTask", {}, raw("0801")), 3, "INVALID_PARAMS", /not its type/);
      // A role that there is not: message 1, role 4, the number 9.
      await isRefused(
        callHere("SendMessage", {}, raw("0a022009")),
        3,
        "INVALID_PARAMS",
        /message\.role: unknown role 9/,
      );
      await isRefused(
        callHere("SendMessage", {}, { body: tower(2_000) }),
        3,
        "INVALID_PARAMS",
        /nested deeper than 100/,
      );
      await isRefused(callHere("GetTask", {}, { body: Buffer.from([0, 0]) }), 3, "INVALID_REQUEST", /cut off/);
      await isRefused(callHere("GetTask", {}, { body: Buffer.alloc(0) }), 3, "INVALID_REQUEST", /no message/);
      const large = { body: frameOf(Buffer.alloc(20_001)) };
      await isRefused(callHere("SendMessage", {}, large), 8, "INVALID_REQUEST", /larger than 20000 bytes/);
      await isRefused(callHere("NoSuchThing", {}), 12, "METHOD_NOT_FOUND", /see a2a\.v1\.A2AService by reflection/);
      await isRefused(callHere("SubscribeToTask", {}), 12, "METHOD_NOT_FOUND", /it is called TaskSubscription in 0\.3/);
      await isRefused(
        callHere("GetExtendedAgentCard", {}),
        12,
        "METHOD_NOT_FOUND",
        /it is called GetAgentCard in 0\.3/,
      );
      await isRefused(callHere("ListTasks", {}), 12, "METHOD_NOT_FOUND", /1\.0 is lf\.a2a\.v1\.A2AService/);
    },
    { maxBodyBytes: 20_000 },
  );
});

/** A send with metadata that is so many levels deep. */
function tower(levels: number): Buffer {
  const field = (number: number, content: Buffer): Buffer => {
    const head = [number * 8 + 2];
    let rest = content.length;
    for (; rest > 127; rest >>>= 7) head.push((rest & 127) | 128);
    return Buffer.concat([Buffer.from([...head, rest]), content]);
  };
  let value = Buffer.from([32, 1]);
  // A Value of a list of one Value.
  for (let level = 0; level < levels; level++) value = Buffer.from(field(6, field(1, value)));
  const struct = field(1, Buffer.concat([field(1, Buffer.from("k")), field(2, value)]));
  return frameOf(field(3, struct));
}

test("§3.6 each of the two services tells callers of the other version where to go", async () => {
  await onOld(agentWith(finish), async ({ call: callHere, host }) => {
    const get = (version: string): Promise<Answer> =>
      callHere("GetTask", { name: "tasks/none" }, { headers: { "a2a-version": version } });
    await isRefused(get("1.0"), 9, "VERSION_NOT_SUPPORTED", /is the service of 0\.3, that of 1\.0 is lf\.a2a\.v1/);
    await isRefused(get("new"), 9, "VERSION_NOT_SUPPORTED", /not of the form/);
    for (const version of ["", "0.3", "0.3.0"]) assert.equal((await get(version)).status, 5, version);
    const current = await callRaw(host.url, "GetTask", Buffer.alloc(0), { headers: { "a2a-version": "" } });
    assert.equal(current.status, 9);
    assert.match(current.message, /0\.3 is served as a2a\.v1\.A2AService; send A2A-Version: 1\.0/);
  });
});

test("without the plug-in the service of 0.3 is not there, and callers are told what is", async () => {
  await using host = await serve(agentWith(finish), { log: false });
  const answer = await call(host.url, "GetTask", { name: "tasks/t" });
  assert.deepEqual([answer.status, answer.reason], [12, "METHOD_NOT_FOUND"]);
  assert.match(
    answer.message,
    /that is the service of 0\.3; use lf\.a2a\.v1\.A2AService\/GetTask with a2a-version: 1\.0/,
  );
});

test("several agents of one port have no gRPC of 0.3, which cannot name one of them, and no card says so", async () => {
  const other = createAgent({ name: "Other", description: "d", version: "1.0.0", onTask: finish });
  await using host = await serve([agentWith(finish), other], { log: false, compat: v0_3() });
  const answer = await call(host.url, "GetTask", { name: "tasks/t" });
  assert.deepEqual([answer.status, answer.reason], [12, "METHOD_NOT_FOUND"]);
  const card = (await (await fetch(`${host.url}/old/.well-known/agent-card.json`)).json()) as Loose;
  assert.deepEqual(
    (card["additionalInterfaces"] as Loose[]).map(({ transport }) => transport),
    ["JSONRPC", "HTTP+JSON"],
  );
});

test("who may not call is told so whatever was sent; nobody is served in a tenant that there is not", async () => {
  const authenticate = async (): Promise<never> => {
    throw new A2AError("UNAUTHENTICATED", "say who you are");
  };
  await onOld(
    agentWith(finish),
    async ({ call: callHere }) => {
      const answer = await callHere("SendMessage", Buffer.from("0a05", "hex"));
      assert.deepEqual([answer.status, answer.reason], [16, "UNAUTHENTICATED"]);
      assert.equal(answer.raw.trailers["www-authenticate"], 'Bearer realm="Old"');
    },
    { authenticate },
  );
  const tenants = { tenants: ["acme"] };
  await onOld(
    agentWith(finish),
    async ({ call: callHere }) => isRefused(callHere("GetTask", { name: "tasks/t" }), 3, "INVALID_PARAMS", /tenant/),
    tenants,
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
