// What the public compatibility kit asks an agent for, on the card that can everything and on those that cannot, over
// every binding. Ids come again, as the kit sends them.
import assert from "node:assert/strict";
import test from "node:test";
import { globalFetch } from "../../src/bindings/http/transport.ts";
import { openWire, type Wire } from "../../src/conformance/wire.ts";
import type { Message, StreamResponse, Task } from "../../src/model/gen/types.ts";
import type { JsonObject } from "../../src/model/json.ts";
import { plainCall } from "../../src/operations/call.ts";
import type { Service } from "../../src/operations/service.ts";
import { pair } from "../../src/testing/pair.ts";
import { createRehearsalAgent } from "../../src/testing/rehearsal-agent.ts";
import { type Setup, withAgent } from "./conformance-agents.ts";
import { collect, shapes } from "./on-every-binding.ts";
import { openOracleWire } from "./oracle-wire.ts";

const BINDINGS = ["jsonrpc", "rest", "grpc"] as const;

function message(messageId: string, more: Partial<Message> = {}): { message: Message } {
  return { message: { messageId, role: "ROLE_USER", parts: [{ text: "kit" }], ...more } };
}

const FILE = { filename: "output.txt", mediaType: "text/plain" };

/** Prefix → state, parts of the one artifact, text of the status. */
const ANSWERS: Readonly<
  Record<string, readonly [state: string, parts?: readonly object[] | undefined, text?: string]>
> = {
  "tck-complete-task": ["COMPLETED", undefined, "Hello from TCK"],
  "tck-artifact-text": ["COMPLETED", [{ text: "Generated text content" }]],
  "tck-artifact-file": ["COMPLETED", [{ raw: "dGNr", ...FILE }]],
  "tck-artifact-file-url": ["COMPLETED", [{ url: "https://example.com/output.txt", ...FILE }]],
  "tck-artifact-data": ["COMPLETED", [{ data: { key: "value", count: 42 } }]],
  "tck-input-required": ["INPUT_REQUIRED"],
  "tck-auth-required": ["AUTH_REQUIRED"],
  "tck-reject-task": ["REJECTED"],
  "another-id": ["COMPLETED"],
};

/** Prefix → the shapes of the stream, and the parts of its artifact updates. */
const STREAMS: Readonly<Record<string, readonly [shapes: string, parts: readonly object[]]>> = {
  "tck-stream-001": ["task WORKING artifact COMPLETED", [{ text: "Stream hello from TCK" }]],
  "tck-stream-003": ["task WORKING artifact COMPLETED", [{ text: "Stream task lifecycle" }]],
  "tck-stream-ordering-001": ["task WORKING artifact COMPLETED", [{ text: "Ordered output" }]],
  "tck-stream-002": ["task COMPLETED", []],
  "tck-stream-artifact-text": ["task WORKING artifact COMPLETED", [{ text: "Streamed text content" }]],
  "tck-stream-artifact-file": ["task WORKING artifact COMPLETED", [{ raw: "dGNr", ...FILE }]],
  "tck-stream-artifact-chunked": [
    "task WORKING artifact artifact COMPLETED",
    [{ text: "chunk-1 " }, { text: "chunk-2" }],
  ],
};

async function stateOf(service: Service, prefix: string): Promise<Task> {
  const { value } = await service.sendMessage(message(`${prefix}-1`), plainCall());
  assert.ok(value.task, prefix);
  return value.task;
}

/** Each of several states once: the engine says WORKING when a turn begins, the script may say it again. */
function outline(events: readonly StreamResponse[]): string {
  const names = shapes(events).map((name) => (name.startsWith("artifact") ? "artifact" : name));
  return names.filter((name, index) => name !== "WORKING" || names[index - 1] !== "WORKING").join(" ");
}

for (const binding of BINDINGS) {
  test(`the compatibility kit gets what it asks for [${binding}]`, { timeout: 30_000 }, async (t) => {
    const opened = await pair(createRehearsalAgent().agent, { binding });
    t.after(() => opened.close());
    const { service } = opened.client;
    for (let round = 0; round < 2; round++) {
      for (const [prefix, [state, parts, text]] of Object.entries(ANSWERS)) {
        const { status, artifacts } = await stateOf(service, prefix);
        assert.equal(status.state, `TASK_STATE_${state}`, prefix);
        if (parts !== undefined)
          assert.deepEqual(
            artifacts?.map((artifact) => artifact.parts),
            [parts],
            prefix,
          );
        if (text !== undefined) assert.deepEqual(status.message?.parts, [{ text }]);
      }
      const { value } = await service.sendMessage(message("tck-message-response-1"), plainCall());
      assert.deepEqual(value.message?.parts, [{ text: "Direct message response" }]);
      for (const [prefix, [expected, parts]] of Object.entries(STREAMS)) {
        const events = await collect(await service.sendStreamingMessage(message(`${prefix}-1`), plainCall()));
        assert.equal(outline(events).replace("task WORKING COMPLETED", "task COMPLETED"), expected, prefix);
        assert.deepEqual(
          events.flatMap(({ artifactUpdate }) => artifactUpdate?.artifact.parts ?? []),
          parts,
          prefix,
        );
        const last = events.findLast(({ artifactUpdate }) => artifactUpdate !== undefined)?.artifactUpdate;
        if (prefix.endsWith("chunked")) assert.deepEqual([last?.append, last?.lastChunk], [true, true]);
      }
    }
    const { id } = await stateOf(service, "tck-input-required");
    const { value } = await service.sendMessage(message("tck-complete-task-1", { taskId: id }), plainCall());
    assert.deepEqual(value.task?.status.message?.parts, [{ text: "Hello from TCK" }]);
  });

  test(`the compatibility kit can wait and come back [${binding}]`, { timeout: 30_000 }, async (t) => {
    const opened = await pair(createRehearsalAgent().agent, { binding });
    t.after(() => opened.close());
    const { client, clock } = opened;
    for (const [prefix, ms] of [
      ["tck-delayed-complete", 1_500],
      ["test-resubscribe-message-id", 4_000],
    ] as const) {
      const stream = await client.service.sendStreamingMessage(message(`${prefix}-1`), plainCall());
      const events = stream[Symbol.asyncIterator]();
      const first = await events.next();
      const id = first.value?.[0]?.value.task?.id ?? "";
      const second = await client.service.subscribeToTask({ id }, plainCall());
      const ended = collect(second);
      let isOver = false;
      ended.then(
        () => {
          isOver = true;
        },
        () => undefined,
      );
      let working: Task["status"] | undefined;
      while (working?.message === undefined) {
        await turn();
        working = (await client.service.getTask({ id }, plainCall())).value.status;
      }
      assert.equal(working.state, "TASK_STATE_WORKING", prefix);
      // The wait begins some turns of the loop after the text.
      for (let step = 0; step < 100 && !isOver; step++) {
        await clock.advance(ms / 4);
        await turn();
      }
      assert.equal(shapes(await ended).at(-1), "COMPLETED");
      let last: StreamResponse | undefined;
      for (let batch = await events.next(); batch.done !== true; batch = await events.next())
        last = batch.value.at(-1)?.value;
      assert.equal(last?.statusUpdate?.status.state, "TASK_STATE_COMPLETED");
    }
  });
}

/** Without a socket nothing else lets the engine have its turn of the loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The raw wires, for our client would not even ask. */
async function onEachWire(setup: Setup, body: (wire: Wire) => Promise<void>): Promise<void> {
  await withAgent(setup, async ({ url }) => {
    for (const binding of BINDINGS) {
      const ending = new AbortController();
      const own = { tenant: "", extensions: [], credentials: async () => ({}) };
      await body(
        binding === "grpc"
          ? openOracleWire(url)
          : openWire({ binding, url, fetch: globalFetch, signal: ending.signal, ...own }),
      );
      ending.abort();
    }
  });
}

function json(messageId: string, more: Partial<Message> = {}): JsonObject {
  return message(messageId, more) as unknown as JsonObject;
}

test("the compatibility kit is refused what a card does not declare", { timeout: 30_000 }, async () => {
  await onEachWire({ rehearsal: { streaming: false }, push: false }, async (wire) => {
    const stream = await wire.stream("SendStreamingMessage", json("tck-stream-001-1"));
    assert.deepEqual([stream.isStream, stream.error?.reason], [false, "UNSUPPORTED_OPERATION"]);
    const asked = (await wire.call("SendMessage", json("tck-input-required-1"))).result as { task: Task };
    const followed = await wire.stream("SubscribeToTask", { id: asked.task.id });
    assert.deepEqual([followed.isStream, followed.error?.reason], [false, "UNSUPPORTED_OPERATION"]);
    const hook = { taskId: asked.task.id, id: "h", url: "https://example.com/hook" };
    for (const method of [
      "CreateTaskPushNotificationConfig",
      "GetTaskPushNotificationConfig",
      "ListTaskPushNotificationConfigs",
      "DeleteTaskPushNotificationConfig",
    ] as const) {
      const { url, id, taskId } = hook;
      const params = method.startsWith("Create")
        ? { taskId, url }
        : method.startsWith("List")
          ? { taskId }
          : { taskId, id };
      assert.equal((await wire.call(method, params)).error?.reason, "PUSH_NOTIFICATION_NOT_SUPPORTED", method);
    }
    assert.equal((await wire.call("GetExtendedAgentCard", {})).error?.reason, "UNSUPPORTED_OPERATION");
  });
});

test("the compatibility kit is refused without a required extension, and nothing is stored", {
  timeout: 30_000,
}, async () => {
  const uri = "https://example.com/extensions/must/v1";
  await onEachWire({ rehearsal: { requiredExtensions: [uri] } }, async (wire) => {
    const contextId = crypto.randomUUID();
    const refused = await wire.call("SendMessage", json("tck-complete-task-1", { contextId }));
    assert.equal(refused.error?.reason, "EXTENSION_SUPPORT_REQUIRED");
    const listed = (await wire.call("ListTasks", { contextId })).result as { totalSize: number };
    assert.equal(listed.totalSize, 0);
    const headers = { "a2a-extensions": uri };
    const taken = await wire.call("SendMessage", json("tck-complete-task-1", { contextId }), { headers });
    assert.equal((taken.result as { task: Task }).task.status.state, "TASK_STATE_COMPLETED");
    assert.equal(taken.header("a2a-extensions"), uri);
  });
});
