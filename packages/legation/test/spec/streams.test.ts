// Semantics of SendStreamingMessage and SubscribeToTask.
import assert from "node:assert/strict";
import { plainCall } from "../../src/operations/call.ts";
import { isA2AError } from "../../src/operations/errors.ts";
import { collect, onEveryBinding, request, sendForTask, shapes } from "./on-every-binding.ts";

const immediately = { configuration: { returnImmediately: true } };

onEveryBinding(
  "§3.1.2 Send Streaming Message › MUST begin with the Task and close at the terminal state",
  {
    onTask: async (task) => {
      await task.working("on it");
      await task.write("a.txt", () => ["one ", "two"]);
      return "done";
    },
  },
  async ({ service }) => {
    const events = await collect(await service.sendStreamingMessage(request("hi"), plainCall()));
    const seen = shapes(events);
    assert.equal(seen[0], "task");
    assert.equal(seen.at(-1), "COMPLETED");
    assert.deepEqual(
      seen.filter((shape) => shape.startsWith("artifact")),
      ["artifact a.txt", "artifact a.txt"],
    );
    const chunks = events.flatMap(({ artifactUpdate }) => (artifactUpdate === undefined ? [] : [artifactUpdate]));
    assert.equal(chunks.map(({ artifact }) => artifact.parts[0]?.text).join(""), "one two");
    assert.deepEqual(
      chunks.map(({ append }) => append ?? false),
      [false, true],
    );
  },
);

onEveryBinding(
  "§3.1.2 Send Streaming Message › MUST be exactly one Message for an agent that answers with messages",
  { onMessage: () => "hello" },
  async ({ service }) => {
    const events = await collect(await service.sendStreamingMessage(request("hi"), plainCall()));
    assert.deepEqual(shapes(events), ["message"]);
    assert.equal(events[0]?.message?.parts[0]?.text, "hello");
  },
);

onEveryBinding(
  "§3.1.2 Send Streaming Message › closes at INPUT_REQUIRED, and a follow-up begins with the Task again",
  { onTask: async (task) => task.complete((await task.ask("which?")).text) },
  async ({ service }) => {
    const first = await collect(await service.sendStreamingMessage(request("hi"), plainCall()));
    assert.equal(shapes(first).at(-1), "INPUT_REQUIRED");
    const taskId = first[0]?.task?.id ?? "";
    const second = await collect(await service.sendStreamingMessage(request("this", { taskId }), plainCall()));
    assert.equal(shapes(second)[0], "task");
    assert.equal(shapes(second).at(-1), "COMPLETED");
    assert.ok(!shapes(second).includes("INPUT_REQUIRED"));
  },
);

onEveryBinding(
  "§7.6.1 In-Task Authorization › the stream stays open at AUTH_REQUIRED and goes on when the operator authorises",
  {
    onTask: async (task) => {
      await task.requestAuth("may I pay?");
      return "paid";
    },
  },
  async ({ service, pair }) => {
    const seen: string[] = [];
    for await (const batch of await service.sendStreamingMessage(request("hi"), plainCall())) {
      for (const { value } of batch) {
        seen.push(...shapes([value]));
        if (value.statusUpdate?.status.state !== "TASK_STATE_AUTH_REQUIRED") continue;
        assert.equal(value.statusUpdate.status.message?.parts[0]?.text, "may I pay?");
        await pair.authorize(value.statusUpdate.taskId);
      }
    }
    assert.ok(seen.includes("AUTH_REQUIRED"));
    assert.equal(seen.at(-1), "COMPLETED");
  },
);

onEveryBinding(
  "§3.1.2 Send Streaming Message › an early error is a plain error",
  { onTask: () => undefined },
  async ({ service }) => {
    await assert.rejects(service.sendStreamingMessage(request("hi", { taskId: "nope" }), plainCall()), (thrown) =>
      isA2AError(thrown, "TASK_NOT_FOUND"),
    );
    const done = await sendForTask(service, request("hi"));
    await assert.rejects(service.sendStreamingMessage(request("hi", { taskId: done.id }), plainCall()), (thrown) =>
      isA2AError(thrown, "UNSUPPORTED_OPERATION"),
    );
  },
);

onEveryBinding(
  "§3.3.4 Capabilities › MUST refuse both streaming operations without the capability",
  { onTask: async (task) => void (await task.ask("?")), capabilities: { streaming: false } },
  async ({ service }) => {
    const isRefused = (thrown: unknown): boolean => isA2AError(thrown, "UNSUPPORTED_OPERATION");
    await assert.rejects(service.sendStreamingMessage(request("hi"), plainCall()), isRefused);
    const { id } = await sendForTask(service, request("hi"));
    await assert.rejects(service.subscribeToTask({ id }, plainCall()), isRefused);
    assert.equal((await service.listTasks({}, plainCall())).value.totalSize, 1);
  },
);

onEveryBinding(
  "§3.1.6 Subscribe › MUST refuse a terminal task directly, and an unknown one",
  { onTask: () => undefined },
  async ({ service }) => {
    const { id } = await sendForTask(service, request("hi"));
    await assert.rejects(service.subscribeToTask({ id }, plainCall()), (thrown) =>
      isA2AError(thrown, "UNSUPPORTED_OPERATION"),
    );
    await assert.rejects(service.subscribeToTask({ id: "nope" }, plainCall()), (thrown) =>
      isA2AError(thrown, "TASK_NOT_FOUND"),
    );
  },
);

onEveryBinding(
  "§3.5.2 Streams › a parked task can be subscribed to by several, all see the same events until the terminal state",
  { onTask: async (task) => task.complete((await task.ask("which?")).text) },
  async ({ service }) => {
    const { id } = await sendForTask(service, request("hi"));
    const streams = await Promise.all([
      service.subscribeToTask({ id }, plainCall()),
      service.subscribeToTask({ id }, plainCall()),
    ]);
    const collected = Promise.all(streams.map(collect));
    await sendForTask(service, request("this", { taskId: id }, immediately));
    const [one = [], two = []] = await collected;
    assert.deepEqual(one, two);
    assert.equal(one[0]?.task?.status.state, "TASK_STATE_INPUT_REQUIRED");
    assert.equal(shapes(one).at(-1), "COMPLETED");
  },
);

onEveryBinding(
  "§3.2.4 History Length › a streamed Task carries as much history as was asked for",
  { onTask: () => undefined },
  async ({ service }) => {
    const none = request("hi", {}, { configuration: { historyLength: 0 } });
    const [first] = await collect(await service.sendStreamingMessage(none, plainCall()));
    assert.equal("history" in (first?.task ?? {}), false);
  },
);
