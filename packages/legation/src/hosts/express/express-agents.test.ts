import assert from "node:assert/strict";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import express from "express";
import { connect } from "../../client/connect.ts";
import { createAgent } from "../../server/agent.ts";
import { createExpressAgents } from "./express-agents.ts";

const about = { name: "Planner", description: "Plans.", version: "1.0.0" };

const asking = createAgent({
  ...about,
  async onTask(task, message) {
    const { text } = await task.ask("how many days?");
    await task.artifact("route.md", { text: `${message.text} in ${text} days` });
  },
});

for (const parsed of [false, true]) {
  test(`an agent stands in an Express application ${parsed ? "behind" : "in front of"} express.json()`, async (t) => {
    const agents = await createExpressAgents(asking, { basePath: "/planner", log: false });
    const app = express();
    if (parsed) app.use(express.json({ type: ["application/json", "application/a2a+json"] }));
    app.use("/planner", agents.middleware);
    app.get("/other", (_request, response) => void response.json({ own: true }));
    const server: Server = app.listen(0, "127.0.0.1");
    t.after(async () => {
      await agents.close();
      server.close();
    });
    await once(server, "listening");
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

    for (const binding of ["JSONRPC", "HTTP+JSON"] as const) {
      const client = await connect(`${url}/planner`, { prefer: [binding] });
      assert.equal(client.interface.url, `${url}/planner`);
      const asked = await client.send("Perth to Albany");
      assert.ok(asked.kind === "task" && asked.state === "INPUT_REQUIRED");
      const run = client.stream("3", { taskId: asked.id });
      const done = await run.result;
      assert.ok(done.kind === "task" && done.state === "COMPLETED");
      assert.equal(await done.artifact("route.md")?.text(), "Perth to Albany in 3 days");
    }
    assert.deepEqual(await (await fetch(`${url}/other`)).json(), { own: true });
  });
}

test("an agent that declares security does not start where nothing tells who calls", async () => {
  const locked = createAgent({
    ...about,
    securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    onMessage: () => "hello",
  });
  await assert.rejects(createExpressAgents(locked, { log: false }), /give createExpressAgents a principal/);
});
