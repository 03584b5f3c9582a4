// Our client against agents that speak the gRPC of v0.3 as its SDKs do: without details, with the names of classes in
// messages, with states that they do not know.
import assert from "node:assert/strict";
import test from "node:test";
import { promisify } from "node:util";
import { Server, ServerCredentials, type ServerUnaryCall, type ServerWritableStream, status } from "@grpc/grpc-js";
import { createTableCodec } from "../../src/bindings/grpc/table-codec.ts";
import { connect as connectAnywhere, isA2AError, isLocalError } from "../../src/client/index.ts";
import { OLD_RPC } from "../../src/compat/v0_3/gen/old-rpc.ts";
import { v0_3 } from "../../src/compat/v0_3/v0-3.ts";
import { connect } from "../../src/hosts/node/connect.ts";
import type { AgentCard } from "../../src/model/gen/types.ts";
import type { Loose } from "../../src/model/notes.ts";
import { plainCall } from "../../src/operations/call.ts";
import type { Service } from "../../src/operations/service.ts";

const codec = createTableCodec(OLD_RPC);

/** What an agent answers: one message, several on a stream, or a status. */
type Reply = object | readonly object[] | { readonly code: number; readonly details: string };

interface Asked {
  readonly rpc: string;
  readonly request: Loose;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** An agent of 0.3 that has gRPC alone. */
async function withAgent(
  reply: (rpc: string) => Reply,
  body: (agent: { readonly card: AgentCard; readonly asked: Asked[] }) => Promise<void>,
): Promise<void> {
  const asked: Asked[] = [];
  const server = new Server();
  const rows = Object.entries(OLD_RPC.methods);
  const definition = rows.map(([rpc, { request, answer, kind }]) => [
    rpc,
    {
      path: `/${OLD_RPC.service}/${rpc}`,
      requestStream: false,
      responseStream: kind === "stream",
      requestDeserialize: (bytes: Buffer) => codec.read(request, bytes),
      requestSerialize: () => Buffer.alloc(0),
      responseSerialize: (value: object) => codec.write(answer, value, false),
      responseDeserialize: () => ({}),
    },
  ]);
  const handlers = rows.map(([rpc, { kind }]) => {
    const note = ({ request, metadata }: { request: Loose; metadata: { getMap(): object } }): Reply => {
      asked.push({ rpc, request, metadata: metadata.getMap() as Asked["metadata"] });
      return reply(rpc);
    };
    const unary = (
      call: ServerUnaryCall<Loose, object>,
      done: (error: object | null, value?: object) => void,
    ): void => {
      const answer = note(call);
      if ("code" in answer) done(answer);
      else done(null, answer);
    };
    const stream = (call: ServerWritableStream<Loose, object>): void => {
      const answer = note(call);
      if (!Array.isArray(answer)) call.emit("error", answer);
      else {
        for (const each of answer) call.write(each);
        call.end();
      }
    };
    return [rpc, kind === "stream" ? stream : unary];
  });
  server.addService(Object.fromEntries(definition), Object.fromEntries(handlers));
  const port = await promisify(server.bindAsync.bind(server))("127.0.0.1:0", ServerCredentials.createInsecure());
  const card = {
    protocolVersion: "0.3.0",
    name: "Old",
    description: "d",
    version: "1",
    url: `127.0.0.1:${port}`,
    preferredTransport: "GRPC",
    capabilities: { streaming: true, pushNotifications: true },
    supportsAuthenticatedExtendedCard: true,
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
  try {
    await body({ card: card as unknown as AgentCard, asked });
  } finally {
    server.forceShutdown();
  }
}

async function withClient(
  reply: (rpc: string) => Reply,
  body: (service: Service, asked: Asked[]) => Promise<void>,
): Promise<void> {
  await withAgent(reply, async ({ card, asked }) => {
    const client = await connect(card, { compat: v0_3(), retry: false, resume: false });
    try {
      await body(client.service, asked);
    } finally {
      await client.close();
    }
  });
}

const TASK = { id: "t", contextId: "c", status: { state: "TASK_STATE_COMPLETED" } };
const SEND = { message: { messageId: "m", role: "ROLE_USER" as const, parts: [{ text: "a" }] } };

test("§3.6.3 an agent that has the gRPC of 0.3 alone is called when that is allowed, and not otherwise", async () => {
  await withAgent(
    () => TASK,
    async ({ card, asked }) => {
      await assert.rejects(connect(card), (thrown) => {
        assert.ok(isLocalError(thrown, "NO_COMMON_INTERFACE"));
        assert.match(thrown.message, /pass compat: v0_3\(\)/);
        return true;
      });
      // Where there is no gRPC for 1.0, there is none for 0.3: the plug-in makes no connection itself.
      await assert.rejects(connectAnywhere(card, { compat: v0_3() }), (thrown) => {
        assert.ok(isLocalError(thrown, "NO_COMMON_INTERFACE"));
        assert.match(thrown.message, /for GRPC, npm install @grpc\/grpc-js/);
        return true;
      });
      assert.equal(asked.length, 0);
      const client = await connect(card, { compat: v0_3() });
      assert.deepEqual([client.interface.protocolBinding, client.interface.protocolVersion], ["GRPC", "0.3.0"]);
      assert.equal((await client.task("t")).state, "COMPLETED");
      await client.close();
    },
  );
});

test("requests go out as a2a.v1 has them, with the version and the extensions under both names", async () => {
  const config = { name: "tasks/t/pushNotificationConfigs/w", pushNotificationConfig: { id: "w", url: "https://h/" } };
  const replies: Readonly<Record<string, Reply>> = {
    SendMessage: { task: TASK },
    GetTask: TASK,
    CancelTask: TASK,
    CreateTaskPushNotificationConfig: config,
    GetTaskPushNotificationConfig: config,
    ListTaskPushNotificationConfig: { configs: [config] },
    DeleteTaskPushNotificationConfig: {},
    GetAgentCard: { name: "Old" },
    SendStreamingMessage: [{ task: TASK }],
    TaskSubscription: [{ task: TASK }],
  };
  await withClient(
    (rpc) => replies[rpc] ?? {},
    async (service, asked) => {
      const call = plainCall({ extensions: ["urn:x"] });
      await service.sendMessage({ ...SEND, configuration: { historyLength: 0 } }, call);
      await service.getTask({ id: "t" }, plainCall());
      await service.cancelTask({ id: "t", metadata: { why: "x" } }, plainCall());
      const hook = { taskId: "t", id: "w", url: "https://h/", authentication: { scheme: "Bearer", credentials: "s" } };
      const { value } = await service.createTaskPushNotificationConfig(hook, plainCall());
      assert.deepEqual(value, { taskId: "t", id: "w", url: "https://h/" });
      await service.getTaskPushNotificationConfig({ taskId: "t", id: "w" }, plainCall());
      assert.equal(
        (await service.listTaskPushNotificationConfigs({ taskId: "t" }, plainCall())).value.configs?.length,
        1,
      );
      await service.deleteTaskPushNotificationConfig({ taskId: "t", id: "w" }, plainCall());
      await service.getExtendedAgentCard({}, plainCall());
      for await (const _ of await service.sendStreamingMessage(SEND, plainCall()));
      for await (const _ of await service.subscribeToTask({ id: "t" }, plainCall()));
      const name = "tasks/t/pushNotificationConfigs/w";
      const pushNotificationConfig = {
        id: "w",
        url: "https://h/",
        authentication: { schemes: ["Bearer"], credentials: "s" },
      };
      const message = { messageId: "m", role: "ROLE_USER", content: [{ text: "a" }] };
      assert.deepEqual(
        asked.map(({ rpc, request }) => [rpc, request]),
        [
          ["SendMessage", { message, configuration: { blocking: true } }],
          ["GetTask", { name: "tasks/t", historyLength: 2_147_483_647 }],
          ["CancelTask", { name: "tasks/t" }],
          [
            "CreateTaskPushNotificationConfig",
            { parent: "tasks/t", configId: "w", config: { name, pushNotificationConfig } },
          ],
          ["GetTaskPushNotificationConfig", { name }],
          ["ListTaskPushNotificationConfig", { parent: "tasks/t" }],
          ["DeleteTaskPushNotificationConfig", { name }],
          ["GetAgentCard", {}],
          ["SendStreamingMessage", { message, configuration: { blocking: true } }],
          ["TaskSubscription", { name: "tasks/t" }],
        ],
      );
      const { metadata } = asked[0] ?? assert.fail("nothing was asked");
      assert.equal(metadata["a2a-version"], "0.3");
      assert.equal(metadata["a2a-extensions"], "urn:x");
      assert.equal(metadata["x-a2a-extensions"], "urn:x");
    },
  );
});

test("errors without details are told by the class in their message, by their status and by what was asked", async () => {
  const cases: readonly (readonly [rpc: string, code: number, details: string, reason: string])[] = [
    ["GetTask", status.NOT_FOUND, "no", "TASK_NOT_FOUND"],
    ["GetTask", status.NOT_FOUND, "TaskNotFoundError: no", "TASK_NOT_FOUND"],
    ["GetTask", status.INVALID_ARGUMENT, "InvalidParamsError: no", "INVALID_PARAMS"],
    ["GetTask", status.INTERNAL, "InvalidAgentResponseError: no", "INVALID_AGENT_RESPONSE"],
    ["GetTask", status.INTERNAL, "boom", "INTERNAL"],
    ["GetTask", status.UNKNOWN, "Unknown error type: x", "INTERNAL"],
    ["GetTask", status.UNIMPLEMENTED, "no", "UNSUPPORTED_OPERATION"],
    ["GetTask", status.UNAUTHENTICATED, "who?", "UNAUTHENTICATED"],
    ["CancelTask", status.UNIMPLEMENTED, "TaskNotCancelableError: over", "TASK_NOT_CANCELABLE"],
    ["CancelTask", status.FAILED_PRECONDITION, "over", "TASK_NOT_CANCELABLE"],
    ["GetAgentCard", status.FAILED_PRECONDITION, "none", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"],
    ["GetAgentCard", status.NOT_FOUND, "none", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"],
    ["ListTaskPushNotificationConfig", status.UNIMPLEMENTED, "no", "PUSH_NOTIFICATION_NOT_SUPPORTED"],
    ["TaskSubscription", status.UNIMPLEMENTED, "UnsupportedOperationError: no", "UNSUPPORTED_OPERATION"],
  ];
  let current: Reply = {};
  await withClient(
    () => current,
    async (service) => {
      const calls: Readonly<Record<string, () => Promise<unknown>>> = {
        GetTask: () => service.getTask({ id: "t" }, plainCall()),
        CancelTask: () => service.cancelTask({ id: "t" }, plainCall()),
        GetAgentCard: () => service.getExtendedAgentCard({}, plainCall()),
        ListTaskPushNotificationConfig: () => service.listTaskPushNotificationConfigs({ taskId: "t" }, plainCall()),
        TaskSubscription: () => service.subscribeToTask({ id: "t" }, plainCall()),
      };
      for (const [rpc, code, details, reason] of cases) {
        current = { code, details };
        await assert.rejects(calls[rpc]?.() ?? Promise.resolve(), (thrown) => {
          assert.ok(isA2AError(thrown), String(thrown));
          assert.equal(thrown.code, reason, `${rpc} ${code} ${details}`);
          assert.match(thrown.message, new RegExp(details));
          return true;
        });
      }
    },
  );
});

test("a state that is unknown to the agent arrives as unspecified, and what is no answer is told as such", async () => {
  let current: Reply = { ...TASK, status: {} };
  await withClient(
    () => current,
    async (service) => {
      const { value } = await service.getTask({ id: "t" }, plainCall());
      assert.equal(value.status.state, "TASK_STATE_UNSPECIFIED");
      current = {};
      for (const call of [service.getTask({ id: "t" }, plainCall()), service.sendMessage(SEND, plainCall())]) {
        await assert.rejects(call, (thrown) => isA2AError(thrown, "INVALID_AGENT_RESPONSE"));
      }
      current = [{}];
      await assert.rejects(service.sendStreamingMessage(SEND, plainCall()), (thrown) =>
        isA2AError(thrown, "INVALID_AGENT_RESPONSE"),
      );
    },
  );
});

test("a stream that ends before its task did is truncated, never a success", async () => {
  const working = { ...TASK, status: { state: "TASK_STATE_WORKING" } };
  await withClient(
    () => [{ task: working }],
    async (service) => {
      const events = await service.sendStreamingMessage(SEND, plainCall());
      await assert.rejects(
        async () => {
          for await (const _ of events);
        },
        (thrown) => isLocalError(thrown, "STREAM_TRUNCATED"),
      );
    },
  );
});

test("what 0.3 does not have, and requests that are wrong, are refused before anything is sent", async () => {
  await withClient(
    () => TASK,
    async (service, asked) => {
      await assert.rejects(service.listTasks({}, plainCall()), (thrown) => isA2AError(thrown, "UNSUPPORTED_OPERATION"));
      await assert.rejects(service.getTask({ id: "t", historyLength: -1 }, plainCall()), (thrown) =>
        isA2AError(thrown, "INVALID_PARAMS"),
      );
      assert.equal(asked.length, 0);
    },
  );
});
