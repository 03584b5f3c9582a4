// `legation outbox …` and `legation webhook listen`: what an operator and a developer see of push notifications.
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import path from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../../src/client/connect.ts";
import { pushingHost } from "../push/pushing-host.ts";
import { WebhookServer } from "../push/webhook-server.ts";
import { BIN, startRehearsal, startServer, temporaryFolder } from "./rehearsal-process.ts";
import { runCli } from "./run-cli.ts";

interface Entry {
  readonly taskId: string;
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly url: string;
}

describe("legation outbox", () => {
  it("lists and shows what was given up, and tries it again", async (t) => {
    let isDown = true;
    const early: ServerResponse[] = [];
    await using hook = await WebhookServer.start((_received, response) => {
      early.push(response);
      return "taken";
    });
    const store = `sqlite:${path.join(temporaryFolder(t), "push.db")}`;
    await using pushing = await pushingHost(
      () => "done",
      { settings: { maxAttempts: 2, timeoutMs: 60_000 } },
      { store },
    );
    const authentication = { scheme: "Bearer", credentials: "secret-credentials" };
    const done = await pushing.client.send("go", { push: { url: hook.url(), token: "secret-token", authentication } });
    assert.ok(done.kind === "task");
    await pushing.client.send("go", { push: { url: hook.url("/other") } });
    // Nothing fails before the tasks have ended: what is dead by then would get one more probe.
    await hook.until(() => early.length === 2);
    hook.behave = ({ path: at }) => (isDown || at === "/other" ? 500 : undefined);
    for (const response of early) response.writeHead(500).end();
    const list = async (...args: string[]): Promise<readonly Entry[]> => {
      const result = await runCli(["outbox", "list", "--store", store, "-o", "json", ...args]);
      assert.equal(result.code, 0, result.stdout);
      assert.doesNotMatch(result.stdout, /secret/);
      return (result.json() as { entries: Entry[] }).entries;
    };
    while ((await list("--outbox-status", "dead")).length < 2) await sleep(10);
    const [first] = (await list()).filter((entry) => entry.taskId === done.id);
    assert.deepEqual([first?.status, first?.error, first?.url], ["dead", "answered 500", hook.url()]);
    assert.deepEqual(await list("--outbox-status", "pending"), []);
    const text = await runCli(["outbox", "show", "--store", store, done.id]);
    assert.equal(text.field("Status"), "dead");
    assert.equal(text.field("Failures"), "2");
    const page = await runCli(["outbox", "list", "--store", store, "-o", "json", "--page-size", "1"]);
    const { nextPageToken } = page.json() as { nextPageToken: string };
    assert.equal((await list("--page-token", nextPageToken)).length, 1);
    isDown = false;
    const redriven = await runCli(["outbox", "redrive", "--store", store, done.id]);
    assert.equal(redriven.field("Redriven"), "1");
    await hook.until(({ received }) => received.some(({ body }) => body.includes("TASK_STATE_COMPLETED")));
    while ((await list("--outbox-status", "dead")).length !== 1) await sleep(10);
  });

  it("knows no other task, and needs a database", async (t) => {
    const store = `sqlite:${path.join(temporaryFolder(t), "push.db")}`;
    await using _pushing = await pushingHost(() => "done", {}, { store });
    const unknown = await runCli(["outbox", "show", "--store", store, "no-such-task", "-o", "json"]);
    assert.equal(unknown.error().code, "TaskNotFoundError");
    assert.notEqual((await runCli(["outbox", "list"])).code, 0);
  });
});

describe("legation webhook listen", () => {
  it("prints what the rehearsal agent pushes to it, and refuses what carries another token", async (t) => {
    const cwd = temporaryFolder(t);
    const listener = await startServer(t, BIN, ["webhook", "listen", "--port", "0", "--token", "t-1"], cwd);
    const agent = await startRehearsal(t, { cwd, flags: ["--allow-webhooks", "127.0.0.0/8"] });
    const client = await connect(agent.url);
    const said = async (text: string): Promise<void> => {
      while (!listener.stdout().includes(text)) await sleep(10);
    };
    const done = await client.send("hello there", { push: { url: listener.url, token: "t-1" } });
    assert.ok(done.kind === "task");
    await said("TASK_STATE_COMPLETED");
    assert.match(listener.stdout(), new RegExp(`^Event: ${done.id}:1$`, "m"));
    assert.match(listener.stdout(), /^Artifact echo.txt:\n {2}hello there$/m);
    const wrong = await client.send("other words", { push: { url: listener.url, token: "t-2" } });
    assert.equal(wrong.kind, "task");
    await sleep(300);
    assert.doesNotMatch(listener.stdout(), /other words/);
    assert.equal(await listener.stop(), 0);
  });

  it("every command that serves is strict without being told otherwise", async (t) => {
    const agent = await startRehearsal(t, { cwd: temporaryFolder(t) });
    const client = await connect(agent.url);
    await assert.rejects(client.send("hello", { push: { url: "http://127.0.0.1:1/" } }), /not public/);
    const silent = await startRehearsal(t, { cwd: temporaryFolder(t), flags: ["--no-push"] });
    const card = (await connect(silent.url)).card;
    assert.equal(card.capabilities.pushNotifications, false);
  });
});
