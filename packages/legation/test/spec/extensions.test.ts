// §4.6: extensions as plug-ins, declared, activated, echoed, read and written, on every binding.
import assert from "node:assert/strict";
import test from "node:test";
import { connect } from "../../src/client/connect.ts";
import { callExtension } from "../../src/extensions/call-extension.ts";
import { TIMESTAMP_EXTENSION, timestamp } from "../../src/extensions/timestamp.ts";
import { type ResponseTrace, TRACEABILITY_EXTENSION, traceability } from "../../src/extensions/traceability.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import { plainCall } from "../../src/operations/call.ts";
import { A2AError, isA2AError, isLocalError } from "../../src/operations/errors.ts";
import { defineExtension } from "../../src/operations/extension.ts";
import { type Agent, createAgent } from "../../src/server/agent.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";
import { pair } from "../../src/testing/pair.ts";
import { WebhookServer } from "../push/webhook-server.ts";
import { onEveryBinding, request } from "./on-every-binding.ts";

const GEO = "https://example.com/extensions/geo/v1";
const geo = defineExtension<{ lat: number; lon: number }>({
  uri: GEO,
  description: "Where a message comes from.",
  params: { datum: "WGS84" },
  check: (value) =>
    typeof value === "object" && value !== null && "lat" in value && "lon" in value
      ? undefined
      : "must have lat and lon",
  onEvent: ({ statusUpdate }) => (statusUpdate === undefined ? undefined : { lat: 1, lon: 2 }),
});
const NEEDED = "https://example.com/extensions/needed/v1";

function agentWith(more: Partial<AgentOptions>): Agent {
  return createAgent({ name: "Planner", description: "Plans.", version: "1.0.0", ...more });
}

const placed: Partial<AgentOptions> = {
  extensions: [geo],
  onTask: async (task, message) => {
    const place = geo.read(message);
    await task.working(place === undefined ? "somewhere" : `at ${place.lat}`);
  },
};

onEveryBinding(
  "§4.6 a plug-in is declared, and reads what messages carry",
  placed,
  async ({ pair: { client }, service }) => {
    assert.deepEqual(client.card.capabilities.extensions?.[0], {
      uri: GEO,
      description: "Where a message comes from.",
      params: { datum: "WGS84" },
    });
    const call = plainCall({ extensions: [GEO, "https://example.com/unheard-of/v1"] });
    const metadata = geo.write({ lat: -35, lon: 118 });
    const { value } = await service.sendMessage(request("hello", { metadata, extensions: [GEO] }), call);
    assert.deepEqual(call.activeExtensions, [GEO]);
    assert.equal(value.task?.history?.at(-1)?.parts[0]?.text, "at -35");
  },
);

onEveryBinding("§4.6 what a plug-in refuses is stored nowhere", placed, async ({ service }) => {
  const message = request("hello", { metadata: { [GEO]: "here" }, contextId: "c-refused" });
  await assert.rejects(service.sendMessage(message, plainCall({ extensions: [GEO] })), (thrown) => {
    assert.ok(isA2AError(thrown, "INVALID_PARAMS"));
    assert.match(thrown.message, /message\.metadata\["https:.*geo\/v1"\].*must have lat and lon/);
    return true;
  });
  const { value } = await service.listTasks({ contextId: "c-refused" }, plainCall());
  assert.deepEqual(value.tasks, []);
  const unasked = await service.sendMessage(request("hello", { metadata: { [GEO]: "here" } }), plainCall());
  assert.ok(unasked.value.task);
});

onEveryBinding(
  "§4.6 the active set is echoed on streams, and events carry metadata for who asked",
  placed,
  async ({ service }) => {
    const events = async (extensions: readonly string[]): Promise<{ active: readonly string[]; geo: unknown[] }> => {
      const call = plainCall({ extensions });
      const seen: unknown[] = [];
      for await (const batch of await service.sendStreamingMessage(request("hello"), call)) {
        for (const { value } of batch) if (value.statusUpdate !== undefined) seen.push(geo.read(value.statusUpdate));
      }
      return { active: call.activeExtensions ?? [], geo: seen };
    };
    const asked = await events([GEO]);
    assert.deepEqual(asked.active, [GEO]);
    assert.ok(asked.geo.length > 0);
    for (const place of asked.geo) assert.deepEqual(place, { lat: 1, lon: 2 });
    const plain = await events([]);
    assert.deepEqual(plain.active, []);
    assert.ok(plain.geo.length > 0 && plain.geo.every((place) => place === undefined));
  },
);

onEveryBinding(
  "§4.6 a subscription echoes what it asked for",
  {
    extensions: [geo],
    onTask: async (task) => {
      await task.ask("which one?");
    },
  },
  async ({ service }) => {
    const { value } = await service.sendMessage(request("hello"), plainCall());
    const call = plainCall({ extensions: [GEO] });
    const stream = await service.subscribeToTask({ id: value.task?.id ?? "" }, call);
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.return?.();
    assert.deepEqual(call.activeExtensions, [GEO]);
  },
);

const demanding: Partial<AgentOptions> = {
  extensions: [{ uri: NEEDED, required: true }],
  onTask: async (task) => {
    await task.ask("which one?");
  },
};

onEveryBinding(
  "§4.6 a required extension is asked for on every operation that runs the agent",
  demanding,
  async ({ service }) => {
    const isRefused = (thrown: unknown): boolean =>
      isA2AError(thrown, "EXTENSION_SUPPORT_REQUIRED") && thrown.metadata["requiredExtensions"] === NEEDED;
    await assert.rejects(service.sendMessage(request("hello", { contextId: "c-1" }), plainCall()), isRefused);
    await assert.rejects(service.sendStreamingMessage(request("hello", { contextId: "c-1" }), plainCall()), isRefused);
    assert.deepEqual((await service.listTasks({ contextId: "c-1" }, plainCall())).value.tasks, []);
    const asking = plainCall({ extensions: [NEEDED] });
    const { value } = await service.sendMessage(request("hello"), asking);
    const id = value.task?.id ?? "";
    await assert.rejects(service.cancelTask({ id }, plainCall()), isRefused);
    // Reading runs nothing.
    assert.equal((await service.getTask({ id }, plainCall())).value.status.state, "TASK_STATE_INPUT_REQUIRED");
    assert.equal((await service.cancelTask({ id }, asking)).value.status.state, "TASK_STATE_CANCELED");
  },
);

test("a client says what an extension says with the message that it sends", async () => {
  const opened = await pair(agentWith(placed));
  try {
    const done = await opened.client.send("hello", geo.sendOptions({ lat: -31, lon: 115 }));
    assert.ok(done.kind === "task");
    const [sent, working] = done.raw.history ?? [];
    assert.deepEqual(sent?.extensions, [GEO]);
    assert.equal(working?.parts[0]?.text, "at -31");
  } finally {
    await opened.close();
  }
});

test("timestamp › stamps messages and artifacts of callers that asked, and keeps the stamps over a crash", async () => {
  let now = Date.parse("2026-01-01T00:00:00.000Z");
  const stamp = timestamp({ now: () => (now += 1_000) });
  const agent = agentWith({
    extensions: [stamp],
    async onTask(task) {
      await task.working("begun");
      await task.artifact("a.txt", { text: "one", metadata: { own: true } });
      await task.artifact("a.txt", { text: " two", append: true });
      await task.ask("which one?");
      return "done";
    },
  });
  const opened = await pair(agent);
  try {
    const service = opened.client.service;
    const asking = plainCall({ extensions: [TIMESTAMP_EXTENSION] });
    const first = (await service.sendMessage(request("hello"), asking)).value.task;
    const [artifact] = first?.artifacts ?? [];
    assert.deepEqual(artifact?.parts.map(({ text }) => text).join(""), "one two");
    assert.deepEqual(artifact?.extensions, [TIMESTAMP_EXTENSION]);
    assert.equal(artifact?.metadata?.["own"], true);
    const at = stamp.read(artifact ?? {});
    assert.match(at ?? "", /^2026-01-01T00:00:0\d\.000Z$/);
    assert.ok(stamp.read(first?.status.message ?? {}) !== undefined);
    await opened.crash();
    const again = request("this", { taskId: first?.id ?? "" });
    const done = (await opened.client.service.sendMessage(again, asking)).value.task;
    assert.equal(done?.status.state, "TASK_STATE_COMPLETED");
    assert.equal(stamp.read(done?.artifacts?.[0] ?? {}), at);
    assert.ok(stamp.read(done?.status.message ?? {}) !== undefined);
    const plain = (await opened.client.service.sendMessage(request("hello"), plainCall())).value.task;
    assert.equal(stamp.read(plain?.artifacts?.[0] ?? {}), undefined);
    assert.equal(stamp.read({ metadata: { [stamp.key]: "yesterday" } }), undefined);
  } finally {
    await opened.close();
  }
});

test("timestamp › stamps the replies of an agent that answers with messages, and endings that are thrown", async () => {
  const stamp = timestamp();
  const hybrid = agentWith({
    extensions: [stamp],
    onMessage: (message, turn) => (message.text === "task" ? turn.startTask() : "hello"),
    onTask: (task) => {
      throw task.reject("no");
    },
  });
  const opened = await pair(hybrid);
  try {
    const asking = plainCall({ extensions: [TIMESTAMP_EXTENSION] });
    const reply = await opened.client.service.sendMessage(request("hi"), asking);
    assert.ok(stamp.read(reply.value.message ?? {}) !== undefined);
    const rejected = await opened.client.service.sendMessage(request("task"), asking);
    assert.equal(rejected.value.task?.status.state, "TASK_STATE_REJECTED");
    assert.ok(stamp.read(rejected.value.task?.status.message ?? {}) !== undefined);
  } finally {
    await opened.close();
  }
});

test("traceability › tells of tools and agents, nested, to callers that asked, and of nothing to others", async () => {
  let now = 0;
  const tracing = traceability({ now: () => (now += 5), newId: () => "trace-1" });
  const inner: ResponseTrace = { trace_id: "inner", steps: [] };
  const agent = agentWith({
    extensions: [tracing],
    async onTask(task) {
      const trace = tracing.trace(task);
      await trace.tool({ name: "search", parameters: { q: "Perth" }, totalTokens: 12 }, () => "found");
      const call = { url: "https://hotels.example.com", name: "Hotels", traceOf: () => inner };
      await trace.agent(call, async () => "booked");
      await trace.tool({ name: "pay" }, () => Promise.reject(new Error("declined"))).catch(() => undefined);
      await task.artifact("trip.md", { text: "done" });
    },
  });
  const opened = await pair(agent);
  try {
    const send = async (extensions: readonly string[]): Promise<ResponseTrace | undefined> => {
      const { value } = await opened.client.service.sendMessage(request("go"), plainCall({ extensions }));
      return tracing.read(value.task?.artifacts?.[0] ?? {});
    };
    const trace = await send([TRACEABILITY_EXTENSION]);
    assert.deepEqual(
      trace?.steps.map(({ step_id, call_type, step_action, latency }) => [step_id, call_type, step_action, latency]),
      [
        ["1", "TOOL", { tool_invocation: { tool_name: "search", parameters: { q: "Perth" } } }, 5],
        [
          "2",
          "AGENT",
          {
            agent_invocation: { agent_url: "https://hotels.example.com", agent_name: "Hotels", response_trace: inner },
          },
          5,
        ],
        ["3", "TOOL", { tool_invocation: { tool_name: "pay" } }, 5],
      ],
    );
    assert.equal(trace?.steps[0]?.total_tokens, 12);
    assert.equal(await send([]), undefined);
  } finally {
    await opened.close();
  }
});

test("an extension's method is called over JSON-RPC, behind the same authentication", async (t) => {
  const uri = "https://example.com/extensions/stats/v1";
  const stats = defineExtension({
    uri,
    description: "Counts.",
    methods: {
      "stats/count": async ({ fail }, { call, service }) => {
        if (fail === true) throw new A2AError("INVALID_PARAMS", "told to");
        const { value } = await service.listTasks({}, call);
        return { owner: call.principal.owner, tasks: value.totalSize };
      },
    },
  });
  const seen: string[] = [];
  const agent = agentWith({
    extensions: [stats],
    onTask: () => "done",
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
  });
  const host = await serve(agent, {
    log: false,
    interceptors: [
      async (invocation, next) => {
        const { method, call } = invocation;
        try {
          const result = await next(invocation);
          seen.push(`${method} for ${call.principal.owner}`);
          return result;
        } catch (thrown) {
          seen.push(`${method} failed with ${A2AError.from(thrown).code}`);
          throw thrown;
        }
      },
    ],
    async authenticate(asked) {
      const owner = /^Bearer of-(\w+)$/.exec(asked.header("authorization") ?? "")?.[1];
      if (owner === undefined) throw new A2AError("UNAUTHENTICATED", "say who you are");
      return { owner };
    },
  });
  t.after(() => host.close({ graceMs: 0 }));
  const headers = { authorization: "Bearer of-alice" };
  const client = await connect(host.url, { headers });
  await client.send("hello");
  const method = { uri, method: "stats/count" };
  assert.deepEqual(await callExtension(client, method, { headers }), { owner: "alice", tasks: 1 });
  assert.deepEqual(await callExtension(client, method, { headers: { authorization: "Bearer of-bob" } }), {
    owner: "bob",
    tasks: 0,
  });
  await assert.rejects(callExtension(client, method), (thrown) => isA2AError(thrown, "UNAUTHENTICATED"));
  const failing = callExtension(client, method, { headers, params: { fail: true } });
  await assert.rejects(failing, (thrown) => isA2AError(thrown, "INVALID_PARAMS"));
  const unknown = callExtension(client, { uri, method: "stats/none" }, { headers });
  await assert.rejects(unknown, (thrown) => isA2AError(thrown, "METHOD_NOT_FOUND"));
  const undeclared = callExtension(client, { uri: `${uri}2`, method: "stats/count" }, { headers });
  await assert.rejects(undeclared, (thrown) => isLocalError(thrown, "CONFIGURATION"));
  const unasked = await fetch(host.url, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json", "a2a-version": "1.0" },
    body: '{"jsonrpc":"2.0","id":1,"method":"stats/count"}',
  });
  assert.match(await unasked.text(), /EXTENSION_SUPPORT_REQUIRED/);
  // Interceptors stand around it as around every operation, and around the operations that it calls.
  assert.deepEqual(seen, [
    "SendMessage for alice",
    ...["alice", "bob"].flatMap((owner) => [`ListTasks for ${owner}`, `stats/count for ${owner}`]),
    "stats/count failed with INVALID_PARAMS",
    "stats/count failed with EXTENSION_SUPPORT_REQUIRED",
  ]);
});

test("what an extension says of events is in what webhooks get that were registered with it, and in no other", async (t) => {
  const hook = await WebhookServer.start();
  t.after(() => hook.close());
  const agent = agentWith({
    extensions: [geo],
    onTask: async (task) => {
      await task.working("somewhere");
      await task.artifact("map.txt", { text: "x" });
    },
  });
  const host = await serve(agent, { log: false, push: { allow: ["127.0.0.0/8"] } });
  t.after(() => host.close({ graceMs: 0 }));
  const client = await connect(host.url);
  const isOver = (path: string): boolean =>
    hook.at(path).some(({ event }) => event.statusUpdate?.status.state === "TASK_STATE_COMPLETED");
  await client.send("hello", { push: { url: hook.url("/told") }, extensions: [GEO] });
  await client.send("hello", { push: { url: hook.url("/plain") } });
  await client.send("hello", { push: { url: hook.url("/other") }, extensions: ["https://example.com/unheard-of/v1"] });
  await hook.until(() => ["/told", "/plain", "/other"].every(isOver));
  const placesAt = (path: string): unknown[] =>
    hook.at(path).flatMap(({ event }) => (event.statusUpdate === undefined ? [] : [geo.read(event.statusUpdate)]));
  // WORKING, its text, and the end.
  assert.deepEqual(placesAt("/told"), Array(3).fill({ lat: 1, lon: 2 }));
  assert.deepEqual(placesAt("/plain"), Array(3).fill(undefined));
  assert.deepEqual(placesAt("/other"), Array(3).fill(undefined));
  assert.ok(hook.at("/told").some(({ event }) => event.artifactUpdate !== undefined));
});

test("a method that the protocol has is refused before the agent starts", async () => {
  const clash = defineExtension({ uri: "urn:x:clash:v1", description: "x", methods: { GetTask: async () => 1 } });
  await assert.rejects(
    serve(agentWith({ extensions: [clash], onTask: () => "done" }), { log: false }),
    /the method GetTask of the extension urn:x:clash:v1 is taken/,
  );
});
