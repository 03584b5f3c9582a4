import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fetchOf } from "../../src/bindings/http/fetch.ts";
import type { Fetch } from "../../src/bindings/http/outgoing.ts";
import { createJsonRpcHandler } from "../../src/bindings/jsonrpc/handler.ts";
import { createJsonRpcTransport } from "../../src/bindings/jsonrpc/transport.ts";
import { createRestHandler } from "../../src/bindings/rest/handler.ts";
import { createRestTransport } from "../../src/bindings/rest/transport.ts";
import { type Listening, listen } from "../../src/hosts/node/listen.ts";
import { plainCall } from "../../src/operations/call.ts";
import type { MethodName } from "../../src/operations/methods.ts";
import type { Service } from "../../src/operations/service.ts";
import { collect, createFakeService, SEND, task } from "./fake-service.ts";

const BINDINGS = {
  jsonrpc: { createHandler: createJsonRpcHandler, createTransport: createJsonRpcTransport },
  rest: { createHandler: createRestHandler, createTransport: createRestTransport },
};

/** Each unary method, a request with every kind of field in it, and what must arrive. */
const UNARY: readonly [MethodName, keyof Service, Record<string, unknown>][] = [
  ["SendMessage", "sendMessage", { ...SEND, configuration: { returnImmediately: true, historyLength: 0 } }],
  ["GetTask", "getTask", { id: "t/1:cancel ü", historyLength: 0 }],
  [
    "ListTasks",
    "listTasks",
    {
      contextId: "c &=+1",
      status: "TASK_STATE_WORKING",
      pageSize: 7,
      pageToken: "a+b/c==",
      historyLength: 3,
      statusTimestampAfter: "2026-01-02T03:04:05.006Z",
      includeArtifacts: true,
    },
  ],
  ["CancelTask", "cancelTask", { id: "t-1", metadata: { why: "tired" } }],
  [
    "CreateTaskPushNotificationConfig",
    "createTaskPushNotificationConfig",
    { taskId: "t-1", url: "https://h.example/" },
  ],
  ["GetTaskPushNotificationConfig", "getTaskPushNotificationConfig", { taskId: "t-1", id: "p:1" }],
  [
    "ListTaskPushNotificationConfigs",
    "listTaskPushNotificationConfigs",
    { taskId: "t-1", pageSize: 3, pageToken: "x" },
  ],
  ["DeleteTaskPushNotificationConfig", "deleteTaskPushNotificationConfig", { taskId: "t-1", id: "p-1" }],
  ["GetExtendedAgentCard", "getExtendedAgentCard", {}],
];

for (const [binding, { createHandler, createTransport }] of Object.entries(BINDINGS)) {
  for (const reach of ["socket", "in-process"] as const) {
    describe(`§5.1 transport and handler agree [${binding} × ${reach}]`, () => {
      const fake = createFakeService();
      const handler = createHandler(fake, {});
      let host: Listening | undefined;
      let fetch: Fetch | undefined;
      let url = "http://agent.example";

      before(async () => {
        if (reach === "in-process") fetch = fetchOf(handler);
        else {
          host = await listen(handler);
          url = host.url;
        }
      });
      after(async () => host?.close());

      function client(tenant?: string): Service {
        return createTransport({ url, tenant, fetch });
      }

      for (const [method, operation, request] of UNARY) {
        it(`${method} carries its request and its answer`, async () => {
          const run = client()[operation] as (
            request: unknown,
            call: unknown,
          ) => Promise<{ value: unknown } | undefined>;
          const answer = await run(structuredClone(request), plainCall());
          assert.equal(fake.last().method, method);
          assert.deepEqual(fake.last().request, request);
          assert.deepEqual(answer?.value, fake.answers[method]);
        });

        it(`${method} carries the tenant of the interface`, async () => {
          const run = client("acme eu")[operation] as (request: unknown, call: unknown) => Promise<unknown>;
          await run(structuredClone(request), plainCall());
          assert.deepEqual(fake.last().request, { ...request, tenant: "acme eu" });
        });
      }

      it("SendStreamingMessage carries its events in order with their ids", async () => {
        const stream = await client().sendStreamingMessage(structuredClone(SEND), plainCall());
        const events = [];
        for await (const batch of stream)
          for (const event of batch) events.push([event.seq, Object.keys(event.value)[0]]);
        assert.deepEqual(events, [
          [1, "task"],
          [2, "statusUpdate"],
          [3, "statusUpdate"],
        ]);
        assert.deepEqual(fake.last().request, SEND);
      });

      it("SubscribeToTask carries the id after which to go on", async () => {
        const stream = await client("acme").subscribeToTask({ id: "t-1" }, plainCall({ lastEventId: 41 }));
        assert.deepEqual((await collect(stream))[0], { task: task() });
        assert.deepEqual(fake.last().request, { id: "t-1", tenant: "acme" });
        assert.equal(fake.last().call.lastEventId, 41);
      });

      it("the service parameters arrive, and the active extensions come back, on unary and stream", async () => {
        fake.active = ["urn:x"];
        const unary = plainCall({ extensions: ["urn:x", "urn:y"], headers: { traceparent: "00-a-b-01" } });
        await client().getTask({ id: "t-1" }, unary);
        assert.equal(fake.last().call.version, "1.0");
        assert.deepEqual(fake.last().call.extensions, ["urn:x", "urn:y"]);
        assert.equal(fake.last().call.headers?.["traceparent"], "00-a-b-01");
        assert.deepEqual(unary.activeExtensions, ["urn:x"]);
        const streaming = plainCall({ extensions: ["urn:x"] });
        await collect(await client().sendStreamingMessage(structuredClone(SEND), streaming));
        assert.deepEqual(streaming.activeExtensions, ["urn:x"]);
        fake.active = undefined;
      });

      it("an abort by the caller is ABORTED here, and seen there", async () => {
        const controller = new AbortController();
        fake.events = () => ({
          async *[Symbol.asyncIterator]() {
            yield* [[{ json: JSON.stringify({ task: task() }), value: { task: task() } }]];
            await new Promise(() => undefined);
          },
        });
        const stream = await client().subscribeToTask({ id: "t-1" }, plainCall({ signal: controller.signal }));
        const batches = stream[Symbol.asyncIterator]();
        await batches.next();
        controller.abort();
        await assert.rejects(batches.next(), { code: "ABORTED" });
        const seen = fake.last().call.signal;
        if (seen?.aborted === false) await new Promise((resolve) => seen.addEventListener("abort", resolve));
        assert.equal(seen?.aborted, true);
      });
    });
  }
}
