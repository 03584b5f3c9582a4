import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import fastify, { type FastifyInstance } from "fastify";
import { connect } from "../../client/connect.ts";
import { v0_3 } from "../../compat/v0_3/v0-3.ts";
import { isA2AError } from "../../operations/errors.ts";
import { createAgent } from "../../server/agent.ts";
import { createFastifyPlugin, type FastifyRequest } from "./fastify-plugin.ts";

const about = { name: "Planner", description: "Plans.", version: "1.0.0" };

async function listening(t: TestContext, app: FastifyInstance): Promise<string> {
  t.after(() => app.close());
  return app.listen({ port: 0, host: "127.0.0.1" });
}

const asking = createAgent({
  ...about,
  async onTask(task, message) {
    const { text } = await task.ask("how many days?");
    await task.artifact("route.md", { text: `${message.text} in ${text} days` });
  },
});

test("an agent is a plugin of a Fastify application, beside routes of its own", async (t) => {
  const app = fastify();
  app.register(createFastifyPlugin(asking, { log: false }), { prefix: "/planner" });
  app.post("/other", async (request) => ({ got: request.body }));
  const url = await listening(t, app);
  const client = await connect(`${url}/planner`);
  assert.equal(client.interface.url, `${url}/planner`);
  const asked = await client.send("Perth to Albany");
  assert.ok(asked.kind === "task");
  const run = client.stream("3", { taskId: asked.id });
  for await (const event of run) assert.ok(event.kind !== "message");
  const done = await run.result;
  assert.ok(done.kind === "task" && done.state === "COMPLETED");
  assert.equal(await done.artifact("route.md")?.text(), "Perth to Albany in 3 days");
  const headers = { "content-type": "application/json" };
  const other = await fetch(`${url}/other`, { method: "POST", headers, body: '{"a":1}' });
  assert.deepEqual(await other.json(), { got: { a: 1 } });
});

test("JSON-RPC stands at the prefix itself, REST below it, and what is wrong with a body is said in their shapes", async (t) => {
  const app = fastify();
  app.register(createFastifyPlugin(asking, { log: false, maxBodyBytes: 200 }), { prefix: "/planner" });
  const url = await listening(t, app);
  const post = (path: string, body: string): Promise<Response> =>
    fetch(`${url}/planner${path}?A2A-Version=1.0`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
  const bad = await post("", "{");
  assert.deepEqual([bad.status, ((await bad.json()) as { error: { code: number } }).error.code], [200, -32700]);
  const large = await post("/message:send", `{"a":"${"x".repeat(500)}"}`);
  assert.deepEqual([large.status, ((await large.json()) as { error: { code: number } }).error.code], [413, 413]);
  assert.equal((await fetch(`${url}/planner/nothing`)).status, 404);
  assert.equal((await fetch(`${url}/planner/tasks/t-1`, { method: "PUT" })).status, 405);
});

test("a hook in front tells who calls, and nobody else gets into a locked agent", async (t) => {
  const agent = createAgent({
    ...about,
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    onMessage: (_message, { principal }) => `hello ${principal.owner}`,
  });
  const principal = ({ raw }: FastifyRequest): { owner: string } | undefined =>
    raw.headers.authorization === "Bearer of-alice" ? { owner: "alice" } : undefined;
  const app = fastify();
  app.register(createFastifyPlugin(agent, { log: false, principal }));
  const url = await listening(t, app);
  const known = await connect(url, { headers: { authorization: "Bearer of-alice" } });
  const answer = await known.send("hi");
  assert.ok(answer.kind === "message" && answer.text === "hello alice");
  const unknown = await connect(url);
  await assert.rejects(unknown.send("hi"), (thrown) => isA2AError(thrown, "UNAUTHENTICATED"));
  const careless = fastify();
  careless.register(createFastifyPlugin(agent, { log: false }));
  await assert.rejects(async () => careless.ready(), /nothing tells who calls; give createFastifyPlugin a principal/);
});

test("closing the application ends open streams and the store; the tasks go on at the next start", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "legation-fastify-"));
  const store = `sqlite:${path.join(folder, "agent.db")}`;
  try {
    const first = fastify();
    first.register(createFastifyPlugin(asking, { log: false, store, graceMs: 0 }));
    const url = await first.listen({ port: 0, host: "127.0.0.1" });
    const asked = await (await connect(url)).send("Perth");
    assert.ok(asked.kind === "task");
    const stream = await fetch(`${url}/tasks/${asked.id}:subscribe`, { headers: { "a2a-version": "1.0" } });
    const rest = stream.text();
    await first.close();
    assert.match(await rest, /UNAVAILABLE/);
    const second = fastify();
    second.register(createFastifyPlugin(asking, { log: false, store }));
    const again = await connect(await second.listen({ port: 0, host: "127.0.0.1" }));
    const done = await again.send("3", { taskId: asked.id });
    assert.ok(done.kind === "task" && done.state === "COMPLETED");
    await second.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test("webhooks are called, and tenants are kept apart", async (t) => {
  const bodies: string[] = [];
  const hooks = fastify();
  hooks.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body));
  hooks.post("/hook", async ({ body }) => {
    bodies.push(typeof body === "string" ? body : JSON.stringify(body));
    return {};
  });
  const hookUrl = await listening(t, hooks);
  const app = fastify();
  const push = { allow: ["127.0.0.0/8"] };
  app.register(createFastifyPlugin(asking, { log: false, push, tenants: ["", "acme"] }), { prefix: "/planner" });
  const url = await listening(t, app);
  const client = await connect(`${url}/planner/acme`);
  const asked = await client.send("Perth", { push: { url: `${hookUrl}/hook` } });
  assert.ok(asked.kind === "task");
  for (let waited = 0; bodies.length === 0 && waited < 5_000; waited += 20) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.match(bodies.join("\n"), new RegExp(asked.id));
  const unknown = await fetch(`${url}/planner/nobody/tasks`, { headers: { "a2a-version": "1.0" } });
  assert.equal(unknown.status, 400);
});

test("several agents stand below the prefix, each with its card", async (t) => {
  const app = fastify();
  const other = createAgent({ ...about, name: "Other", onMessage: () => "other" });
  app.register(createFastifyPlugin([asking, other], { log: false }), { prefix: "/agents" });
  const url = await listening(t, app);
  const client = await connect(`${url}/agents/other`);
  assert.equal(client.card.name, "Other");
  const answer = await client.send("hi");
  assert.ok(answer.kind === "message" && answer.text === "other");
});

test("a client of 0.3 is served beside those of 1.0, when that is wanted", async (t) => {
  const app = fastify();
  app.register(createFastifyPlugin(asking, { log: false, compat: v0_3() }), { prefix: "/planner" });
  const url = await listening(t, app);
  const message = { kind: "message", messageId: "m-1", role: "user", parts: [{ kind: "text", text: "Perth" }] };
  const params = { message, configuration: { blocking: true } };
  const answer = await fetch(`${url}/planner`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params }),
  });
  const { result } = (await answer.json()) as { result: { kind: string; status: { state: string } } };
  assert.deepEqual([result.kind, result.status.state], ["task", "input-required"]);
});
