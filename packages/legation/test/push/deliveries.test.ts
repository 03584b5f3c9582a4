// §4.3.3 and §13.2: what is sent to webhooks, in which order, and what comes of webhooks that fail.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { connect } from "../../src/client/connect.ts";
import { type Host, type ServeOptions, serve } from "../../src/hosts/node/serve.ts";
import { createAgent } from "../../src/server/agent.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";
import { shortOf, WebhookServer } from "./webhook-server.ts";

const LOOPBACK = { allow: ["127.0.0.0/8"] } as const;

async function host(
  onTask: NonNullable<AgentOptions["onTask"]>,
  push: ServeOptions["push"] = LOOPBACK,
  options: ServeOptions = {},
): Promise<Host> {
  const agent = createAgent({ name: "pusher", description: "For tests of webhooks.", version: "1.0.0", onTask });
  return serve(agent, { log: false, grpc: false, push, ...options });
}

const WORK: NonNullable<AgentOptions["onTask"]> = async (task) => {
  await task.artifact("a.txt", { text: "one" });
  await task.working("half");
  await task.artifact("b.txt", { text: "two" });
  return "done";
};
const ALL = ["task:SUBMITTED", "WORKING", "a.txt", "WORKING", "b.txt", "COMPLETED"];

describe("push notifications: what is sent", () => {
  it("every event of the task, in order, once, with the headers of the configuration", async () => {
    await using hook = await WebhookServer.start();
    await using agent = await host(WORK);
    const client = await connect(agent.url);
    const push = { url: hook.url(), token: "t-1", authentication: { scheme: "Bearer", credentials: "secret" } };
    const done = await client.send("go", { push });
    assert.ok(done.kind === "task" && done.state === "COMPLETED");
    await hook.until(({ received }) => received.some((one) => shortOf(one) === "COMPLETED"));
    assert.deepEqual(hook.received.map(shortOf), ALL);
    const seqs = hook.received.map(({ id }) => Number(id.split(":")[1]));
    assert.deepEqual(
      seqs,
      [...seqs].sort((a, b) => a - b),
    );
    for (const { headers, id } of hook.received) {
      assert.equal(headers["content-type"], "application/a2a+json");
      assert.equal(headers["authorization"], "Bearer secret");
      assert.equal(headers["x-a2a-notification-token"], "t-1");
      assert.equal(headers["a2a-notification-token"], "t-1");
      assert.equal(id.split(":")[0], done.id);
    }
  });
});
