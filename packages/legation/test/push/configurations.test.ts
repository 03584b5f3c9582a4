// §3.1.7 to §3.1.10 over every binding and store: what is kept of a webhook, who sees it, what of it is shown.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it, type TestContext } from "node:test";
import type { HttpRequest } from "../../src/bindings/http/exchange.ts";
import type { Client } from "../../src/client/client.ts";
import { createPushSealer } from "../../src/engine/push-seal.ts";
import { connect } from "../../src/hosts/node/connect.ts";
import { isA2AError } from "../../src/operations/errors.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { startPostgres } from "../stores/postgres-server.ts";
import { type PushingHost, pushingHost, WORK_EVENTS } from "./pushing-host.ts";
import { shortOf, WebhookServer } from "./webhook-server.ts";

const URL_OF_HOOK = "https://example.com/hook";
const BINDINGS = ["JSONRPC", "HTTP+JSON", "GRPC"] as const;

const server = await startPostgres();
after(async () => server?.stop());
const STORES = ["memory", "sqlite", ...(server === undefined ? [] : (["postgres"] as const))] as const;
let schemas = 0;

/** Whoever a header says. */
const byHeader = async (request: HttpRequest): Promise<{ owner: string }> => ({
  owner: request.header("authorization")?.replace("Bearer ", "") ?? "",
});

function storeOf(t: TestContext, store: (typeof STORES)[number]): string {
  if (store === "postgres") return `${server?.dsn}?schema=push_configurations_${++schemas}`;
  return store === "memory" ? "memory:" : `sqlite:${path.join(temporaryFolder(t), "push.db")}`;
}

async function taskOf(client: Client): Promise<string> {
  const done = await client.send("go");
  assert.ok(done.kind === "task");
  return done.id;
}

const notFound = (thrown: unknown): boolean => isA2AError(thrown, "TASK_NOT_FOUND");

for (const binding of BINDINGS) {
  for (const store of STORES) {
    describe(`push configurations [${binding} × ${store}]`, () => {
      async function pushing(t: TestContext): Promise<PushingHost & { connectAs(owner: string): Promise<Client> }> {
        const host = await pushingHost(
          () => "done",
          {},
          { store: storeOf(t, store), grpc: true, authenticate: byHeader },
        );
        const connectAs = (owner: string): Promise<Client> =>
          connect(host.host.url, { prefer: [binding], headers: async () => ({ authorization: `Bearer ${owner}` }) });
        return { ...host, client: await connectAs("alice"), connectAs };
      }

      it("an id is made where there is none, the same id is an update, and secrets are never shown", async (t) => {
        await using agent = await pushing(t);
        const { client } = agent;
        const taskId = await taskOf(client);
        const secrets = {
          token: "secret-token",
          authentication: { scheme: "Bearer", credentials: "secret-credentials" },
        };
        const first = await client.createPushConfig(taskId, { url: URL_OF_HOOK, ...secrets });
        const second = await client.createPushConfig(taskId, { url: URL_OF_HOOK });
        assert.notEqual(first.id, second.id);
        const shown = { taskId, url: URL_OF_HOOK, authentication: { scheme: "Bearer" } };
        assert.deepEqual(first, { id: first.id, ...shown });
        assert.deepEqual(await client.pushConfig(taskId, first.id ?? ""), { id: first.id, ...shown });
        const url = "https://example.com/other";
        await client.createPushConfig(taskId, { id: first.id ?? "", url });
        const all = await client.pushConfigs(taskId);
        assert.deepEqual(
          new Map(all.map((one) => [one.id, one.url])),
          new Map([
            [first.id, url],
            [second.id, URL_OF_HOOK],
          ]),
        );
        assert.doesNotMatch(JSON.stringify(all), /secret/);
      });

      it("deletes as often as asked, and knows no task and no configuration of others", async (t) => {
        await using agent = await pushing(t);
        const { client } = agent;
        const taskId = await taskOf(client);
        const { id = "" } = await client.createPushConfig(taskId, { url: URL_OF_HOOK });
        const mallory = await agent.connectAs("mallory");
        for (const [who, task] of [
          [mallory, taskId],
          [client, "no-such-task"],
        ] as const) {
          await assert.rejects(who.createPushConfig(task, { url: URL_OF_HOOK }), notFound);
          await assert.rejects(who.pushConfig(task, id), notFound);
          await assert.rejects(who.pushConfigs(task), notFound);
          await assert.rejects(who.deletePushConfig(task, id), notFound);
        }
        await assert.rejects(client.pushConfig(taskId, "no-such-config"), notFound);
        assert.equal((await client.pushConfigs(taskId)).length, 1);
        await client.deletePushConfig(taskId, id);
        await client.deletePushConfig(taskId, id);
        await assert.rejects(client.pushConfig(taskId, id), notFound);
      });

      it("a task has ten, and no more", async (t) => {
        await using agent = await pushing(t);
        const { client } = agent;
        const taskId = await taskOf(client);
        for (let n = 0; n < 10; n += 1) await client.createPushConfig(taskId, { id: `c-${n}`, url: URL_OF_HOOK });
        await assert.rejects(client.createPushConfig(taskId, { url: URL_OF_HOOK }), (thrown) => {
          return isA2AError(thrown, "INVALID_PARAMS") && /has 10 push notification configs/.test(thrown.message);
        });
        await client.createPushConfig(taskId, { id: "c-3", url: "https://example.com/changed" });
        assert.equal((await client.pushConfigs(taskId)).length, 10);
      });
    });
  }
}

describe("push configurations", () => {
  it("one that comes with a message is there before the handler runs, and a repeated send makes no second one", async (t) => {
    await using hook = await WebhookServer.start();
    let seen = -1;
    const holder: { client?: Client } = {};
    await using agent = await pushingHost(
      async (task) => {
        seen = (await holder.client?.pushConfigs(task.id))?.length ?? -1;
        await task.ask("ready?");
      },
      {},
      { store: storeOf(t, "sqlite") },
    );
    const { client } = agent;
    holder.client = client;
    const message = { messageId: "m-1", parts: [{ text: "go" }] };
    const push = { url: hook.url(), taskId: "another-task" };
    const asked = await client.send(message, { push });
    assert.ok(asked.kind === "task");
    assert.equal(seen, 1);
    const again = await client.send(message, { push });
    assert.equal(again.kind === "task" && again.id, asked.id);
    const [config, second] = await client.pushConfigs(asked.id);
    assert.equal(second, undefined);
    assert.deepEqual([config?.taskId, config?.url], [asked.id, hook.url()]);
    await asked.reply("yes", { push: { url: hook.url("/follow-up") } });
    await hook.until(({ received }) => received.filter((one) => shortOf(one) === "COMPLETED").length === 2);
    assert.deepEqual(hook.at("/hook").map(shortOf), [
      "task:SUBMITTED",
      "WORKING",
      "INPUT_REQUIRED",
      "WORKING",
      "COMPLETED",
    ]);
    assert.deepEqual(hook.at("/follow-up").map(shortOf), ["WORKING", "COMPLETED"]);
  });

  it("without the capability every operation and an inline configuration is refused, and no task comes of it", async () => {
    await using agent = await pushingHost(() => "done", {}, { push: false });
    const { service } = agent.client;
    const call = { version: "1.0", extensions: [], principal: { owner: "" } };
    const refused = (thrown: unknown): boolean => isA2AError(thrown, "PUSH_NOTIFICATION_NOT_SUPPORTED");
    const config = { taskId: "t", url: URL_OF_HOOK };
    await assert.rejects(service.createTaskPushNotificationConfig(config, call), refused);
    await assert.rejects(service.listTaskPushNotificationConfigs({ taskId: "t" }, call), refused);
    const message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "go" }] } as const;
    const request = {
      message: { ...message, parts: [...message.parts] },
      configuration: { taskPushNotificationConfig: config },
    };
    await assert.rejects(service.sendMessage(request, call), refused);
    for await (const _task of agent.client.tasks()) assert.fail("a task came of it");
  });

  it("secrets are encrypted in the file when there is a key, good for their webhook alone, and still delivered", async (t) => {
    const folder = temporaryFolder(t);
    const file = path.join(folder, "push.db");
    await using hook = await WebhookServer.start();
    const keys = ["the first key of this test", "the second key of this test"] as const;
    const authentication = { scheme: "Bearer", credentials: "very-secret-credentials" };
    {
      await using agent = await pushingHost(undefined, { encryptionKeys: keys }, { store: `sqlite:${file}` });
      await agent.client.send("go", { push: { url: hook.url(), token: "very-secret-token", authentication } });
      await hook.until(({ received }) => received.length === WORK_EVENTS.length);
      assert.equal(hook.received[0]?.headers["authorization"], "Bearer very-secret-credentials");
      assert.equal(hook.received[0]?.headers["a2a-notification-token"], "very-secret-token");
    }
    assert.ok(!readFileSync(file).includes("very-secret"), "a secret is in the file");
    const sealer = createPushSealer(keys);
    const sealed = await sealer.seal("x", "webhook 1");
    assert.equal(await createPushSealer([...keys].reverse()).open(sealed, "webhook 1"), "x");
    await assert.rejects(sealer.open(sealed, "webhook 2"), /was not sealed for it/);
    await assert.rejects(createPushSealer(["another key of this test"]).open(sealed, "webhook 1"), /not configured/);
  });
});
