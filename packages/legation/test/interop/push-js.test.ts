// Webhooks and the JavaScript SDK both ways: its model reads what we push, our receiver takes what its sender pushes.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { AgentCard, StreamResponse, Task, TaskStatusUpdateEvent } from "@a2a-js/sdk";
import {
  AgentEvent,
  DefaultPushNotificationSender,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryPushNotificationStore,
  InMemoryTaskStore,
  type RequestContext,
} from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import express from "express";
import { connect } from "../../src/client/connect.ts";
import { createPushReceiver } from "../../src/client/push/index.ts";
import { pushingHost, WORK_EVENTS } from "../push/pushing-host.ts";
import { shortOf, WebhookServer } from "../push/webhook-server.ts";

test("a webhook that reads with the model of a2a-js takes every event that we push, and loses nothing of it", async () => {
  const read: unknown[] = [];
  await using hook = await WebhookServer.start(({ headers, body }) => {
    if (headers["x-a2a-notification-token"] !== "t-1" || headers["content-type"] !== "application/a2a+json") return 401;
    read.push(StreamResponse.toJSON(StreamResponse.fromJSON(JSON.parse(body))));
    return 200;
  });
  await using pushing = await pushingHost();
  await pushing.client.send("go", { push: { url: hook.url(), token: "t-1" } });
  await hook.until(() => read.length === WORK_EVENTS.length);
  assert.deepEqual(
    read.map((event) => shortOf({ event } as never)),
    WORK_EVENTS,
  );
  const timesOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value).replaceAll(/\.\d{3}Z/g, "Z"));
  assert.deepEqual(
    read.map(timesOf),
    hook.received.map(({ event }) => timesOf(event)),
  );
});

/** An agent made with the SDK that works for a moment, and pushes. */
async function startPushingSdk(): Promise<AsyncDisposable & { readonly url: string }> {
  const app = express();
  const server = createServer(app);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const card = AgentCard.fromJSON({
    name: "Pushing by a2a-js",
    description: "Pushes.",
    version: "1.0.0",
    supportedInterfaces: [{ url: `${url}/jsonrpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities: { streaming: true, pushNotifications: true },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [{ id: "push", name: "Push", description: "Pushes.", tags: ["test"] }],
  });
  const executor = {
    async execute({ taskId, contextId }: RequestContext, bus: ExecutionEventBus): Promise<void> {
      const status = (state: string): object => ({ state, timestamp: new Date().toISOString() });
      bus.publish(AgentEvent.task(Task.fromJSON({ id: taskId, contextId, status: status("TASK_STATE_SUBMITTED") })));
      for (const state of ["TASK_STATE_WORKING", "TASK_STATE_COMPLETED"]) {
        const update = TaskStatusUpdateEvent.fromJSON({ taskId, contextId, status: status(state) });
        bus.publish(AgentEvent.statusUpdate(update));
      }
      bus.finished();
    },
    async cancelTask(): Promise<void> {},
  };
  const hooks = new InMemoryPushNotificationStore();
  const sender = new DefaultPushNotificationSender(hooks);
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), executor, undefined, hooks, sender);
  app.use("/.well-known/agent-card.json", agentCardHandler({ agentCardProvider: requestHandler }));
  app.use("/jsonrpc", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  return {
    url,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

test("our receiver takes what the sender of a2a-js pushes, and reads the Task for what it does not number", async () => {
  await using agent = await startPushingSdk();
  const client = await connect(agent.url);
  const states: (string | undefined)[] = [];
  const refused: string[] = [];
  const over = Promise.withResolvers<void>();
  const token = randomUUID();
  const receiver = createPushReceiver({
    verify: { token },
    refresh: async (id) => structuredClone((await client.task(id)).raw),
    onRefused: (why) => void refused.push(why),
    onEvent: ({ event, eventId }) => {
      assert.equal(eventId, undefined);
      states.push(event.task?.status.state);
    },
  });
  let answered = 0;
  const server = createServer((request, response) => {
    void receiver.node(request, response);
    response.on("close", () => {
      answered += 1;
      // All that it sends: it would complain of a webhook that is gone.
      if (answered === 3) setTimeout(over.resolve, 100);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const sent = await client.send("go", { push: { id: "c-1", url, token } });
    assert.equal(sent.kind, "task");
    await over.promise;
    assert.deepEqual(refused, []);
    assert.equal(states.at(-1), "TASK_STATE_COMPLETED");
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
