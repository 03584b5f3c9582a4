import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createGrpcServer } from "../../src/bindings/grpc/server.ts";
import { createGrpcTransport } from "../../src/bindings/grpc/transport.ts";
import type { HttpHandler } from "../../src/bindings/http/exchange.ts";
import { fetchOf } from "../../src/bindings/http/fetch.ts";
import { createJsonRpcHandler } from "../../src/bindings/jsonrpc/handler.ts";
import { createJsonRpcTransport } from "../../src/bindings/jsonrpc/transport.ts";
import { createRestHandler } from "../../src/bindings/rest/handler.ts";
import { createRestTransport } from "../../src/bindings/rest/transport.ts";
import { listen } from "../../src/hosts/node/listen.ts";
import { plainCall } from "../../src/operations/call.ts";
import type { MethodName } from "../../src/operations/methods.ts";
import type { Service } from "../../src/operations/service.ts";
import { collect, createFakeService, SEND, task } from "./fake-service.ts";

/** How a client reaches a service, and what must be closed after. */
interface Reach {
  readonly client: (tenant?: string) => Service;
  readonly close: () => Promise<void>;
  /** False: events have no ids on this binding. */
  readonly hasIds: boolean;
}

async function reachHttp(
  handler: HttpHandler,
  createTransport: typeof createRestTransport,
  isInProcess: boolean,
): Promise<Reach> {
  if (isInProcess) {
    const fetch = fetchOf(handler);
    return {
      client: (tenant) => createTransport({ url: "http://agent.example", tenant, fetch }),
      close: async () => undefined,
      hasIds: true,
    };
  }
  const host = await listen(handler);
  return { client: (tenant) => createTransport({ url: host.url, tenant }), close: () => host.close(), hasIds: true };
}

async function reachGrpc(service: Service): Promise<Reach> {
  const server = await createGrpcServer(service);
  const clients: AsyncDisposable[] = [];
  return {
    client(tenant) {
      const client = createGrpcTransport({ url: server.address, tenant });
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) await client[Symbol.asyncDispose]();
      await server.close({ graceMs: 0 });
    },
    hasIds: false,
  };
}

const REACHES: Readonly<Record<string, (service: Service) => Promise<Reach>>> = {
  "jsonrpc × socket": (service) => reachHttp(createJsonRpcHandler(service), createJsonRpcTransport, false),
  "jsonrpc × in-process": (service) => reachHttp(createJsonRpcHandler(service), createJsonRpcTransport, true),
  "rest × socket": (service) => reachHttp(createRestHandler(service), createRestTransport, false),
  "rest × in-process": (service) => reachHttp(createRestHandler(service), createRestTransport, true),
  "grpc × socket": reachGrpc,
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

for (const [name, open] of Object.entries(REACHES)) {
  describe(`§5.1 transport and handler agree [${name}]`, () => {
    const fake = createFakeService();
    let reach: Reach;

    before(async () => {
      reach = await open(fake);
    });
    after(() => reach.close());

    function client(tenant?: string): Service {
      return reach.client(tenant);
    }

    for (const [method, operation, request] of UNARY) {
      it(`${method} carries its request and its answer`, async () => {
        const run = client()[operation] as (request: unknown, call: unknown) => Promise<{ value: unknown } | undefined>;
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
      const id = (seq: number): number | undefined => (reach.hasIds ? seq : undefined);
      assert.deepEqual(events, [
        [id(1), "task"],
        [id(2), "statusUpdate"],
        [id(3), "statusUpdate"],
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
