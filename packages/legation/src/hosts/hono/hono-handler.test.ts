import assert from "node:assert/strict";
import { test } from "node:test";
import { Hono } from "hono";
import { connect } from "../../client/connect.ts";
import { v0_3 } from "../../compat/v0_3/v0-3.ts";
import type { Principal } from "../../operations/call.ts";
import { isA2AError } from "../../operations/errors.ts";
import { createAgent } from "../../server/agent.ts";
import { createMemoryStore } from "../../stores/memory/store.ts";
import { createHonoHandler } from "./hono-handler.ts";

const about = { name: "Planner", description: "Plans.", version: "1.0.0" };

/** An application as a `fetch`, without a socket. */
function fetchOf(app: Hono<{ Variables: { user: string } }>): (url: string, init: RequestInit) => Promise<Response> {
  return async (url, init) => app.request(new Request(url, init));
}

test("an agent is a route of a Hono application", async () => {
  const agent = createAgent({
    ...about,
    async onTask(task, message) {
      const { text } = await task.ask("how many days?");
      await task.artifact("route.md", { text: `${message.text} in ${text} days` });
    },
  });
  const app = new Hono<{ Variables: { user: string } }>();
  app.all("/planner/*", createHonoHandler(agent));
  app.get("/other", (context) => context.text("other"));
  const client = await connect("https://app.test/planner", { fetch: fetchOf(app) });
  assert.equal(client.interface.url, "https://app.test/planner");
  const asked = await client.send("Perth to Albany");
  assert.ok(asked.kind === "task");
  assert.equal(asked.question, "how many days?");
  const run = client.stream("3", { taskId: asked.id });
  for await (const event of run) assert.ok(event.kind !== "message");
  const done = await run.result;
  assert.ok(done.kind === "task" && done.state === "COMPLETED");
  assert.equal(await done.artifact("route.md")?.text(), "Perth to Albany in 3 days");
  assert.equal(await (await app.request("https://app.test/other")).text(), "other");
});

test("a middleware in front of the route tells who calls, and nobody else gets into a locked agent", async () => {
  const callers: Principal[] = [];
  const agent = createAgent({
    ...about,
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    onMessage: (_message, { principal }) => {
      callers.push(principal);
      return "hello";
    },
  });
  const app = new Hono<{ Variables: { user: string } }>();
  app.use(async (context, next) => {
    if (context.req.header("authorization") === "Bearer of-alice") context.set("user", "alice");
    await next();
  });
  const store = createMemoryStore();
  app.all(
    "/planner/*",
    createHonoHandler(agent, {
      store: () => store,
      principal: (context: { req: { raw: Request; routePath: string }; get(key: "user"): string | undefined }) => {
        const owner = context.get("user");
        return owner === undefined ? undefined : { owner };
      },
    }),
  );
  const known = await connect("https://app.test/planner", {
    fetch: fetchOf(app),
    headers: { authorization: "Bearer of-alice" },
  });
  assert.ok((await known.send("hi")).kind === "message");
  const unknown = await connect("https://app.test/planner", { fetch: fetchOf(app) });
  await assert.rejects(unknown.send("hi"), (thrown) => isA2AError(thrown, "UNAUTHENTICATED"));
  assert.deepEqual(
    callers.map(({ owner }) => owner),
    ["alice"],
  );
});

test("a runtime that must be kept alive is given the work that goes on", async () => {
  const agent = createAgent({ ...about, onTask: (task) => task.sleep(20).then(() => task.complete("done")) });
  const app = new Hono<{ Variables: { user: string } }>();
  app.all("/*", createHonoHandler(agent));
  const work: Promise<unknown>[] = [];
  const runtime = {
    waitUntil: (promise: Promise<unknown>) => work.push(promise),
    passThroughOnException() {},
    props: {},
  };
  const client = await connect("https://app.test", {
    fetch: async (url, init) => app.fetch(new Request(url, init as RequestInit), {}, runtime as never),
  });
  const sent = await client.send("hi", { returnImmediately: true });
  assert.ok(sent.kind === "task" && work.length > 0);
  await Promise.all(work);
  assert.equal((await client.task(sent.id)).state, "COMPLETED");
});

test("a client of 0.3 is served beside those of 1.0, when that is wanted", async () => {
  const app = new Hono<{ Variables: { user: string } }>();
  const agent = createAgent({ ...about, onMessage: (message) => `you said ${message.text}` });
  app.all("/planner/*", createHonoHandler(agent, { compat: v0_3() }));
  const message = { kind: "message", messageId: "m-1", role: "user", parts: [{ kind: "text", text: "hi" }] };
  const answer = await app.request("https://app.test/planner/", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "message/send", params: { message } }),
  });
  const { result } = (await answer.json()) as { result: { kind: string; role: string } };
  assert.deepEqual([result.kind, result.role], ["message", "agent"]);
});
