// Semantics of SendMessage: kinds of agent, execution mode, ids, admission, idempotency.
import assert from "node:assert/strict";
import { plainCall } from "../../src/operations/call.ts";
import { A2AError, isA2AError } from "../../src/operations/errors.ts";
import type { TaskContext } from "../../src/server/task-context.ts";
import { onEveryBinding, request, sendForTask, texts } from "./on-every-binding.ts";

const echo = { onTask: async (task: TaskContext, message: { text: string }) => task.complete(`done: ${message.text}`) };
const gate = (): { open: () => void; passed: Promise<void> } => {
  const { resolve, promise } = Promise.withResolvers<void>();
  return { open: resolve, passed: promise };
};

onEveryBinding(
  "§3.1.1 Send Message › an agent with onTask answers with a Task that has server-made ids",
  echo,
  async ({ service }) => {
    const task = await sendForTask(service, request("hi"));
    assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    assert.equal(task.status.message?.parts[0]?.text, "done: hi");
    assert.equal(task.status.message?.role, "ROLE_AGENT");
    assert.match(task.id, /^[0-9a-f-]{36}$/);
    assert.ok((task.contextId ?? "").length > 0);
    assert.equal(task.history?.[0]?.taskId, task.id);
    assert.equal(task.history?.[0]?.contextId, task.contextId);
  },
);

onEveryBinding(
  "§3.1.1 Send Message › an agent with onMessage answers with a Message in a context, and no task",
  { onMessage: (message) => `you said ${message.text}` },
  async ({ service }) => {
    const made = await service.sendMessage(request("hi"), plainCall());
    assert.equal(made.value.message?.parts[0]?.text, "you said hi");
    assert.equal(made.value.message?.role, "ROLE_AGENT");
    assert.ok(made.value.message?.contextId);
    const kept = await service.sendMessage(request("hi", { contextId: "c-1" }), plainCall());
    assert.equal(kept.value.message?.contextId, "c-1");
    const list = await service.listTasks({}, plainCall());
    assert.equal(list.value.totalSize, 0);
    await assert.rejects(service.sendMessage(request("hi", { taskId: "t-1" }), plainCall()), (thrown) =>
      isA2AError(thrown, "TASK_NOT_FOUND"),
    );
  },
);

onEveryBinding(
  "§3.1.1 Send Message › a hybrid negotiates with messages, and only the Task answers once it is started",
  {
    onMessage: async (message, turn) => {
      if (message.text !== "agreed") return "What budget?";
      const started = await turn.startTask();
      assert.equal((await turn.startTask()).taskId, started.taskId);
      if (turn.requestMetadata["fail"] === true) throw new Error("after the start");
      return started;
    },
    onTask: () => "booked",
  },
  async ({ service }) => {
    const first = await service.sendMessage(request("a trip"), plainCall());
    assert.equal(first.value.message?.parts[0]?.text, "What budget?");
    const contextId = first.value.message?.contextId ?? "";
    for (const metadata of [{}, { fail: true }]) {
      const task = await sendForTask(service, request("agreed", { contextId }, { metadata }));
      assert.equal(task.contextId, contextId);
      assert.equal(task.status.message?.parts[0]?.text, "booked");
    }
  },
);

onEveryBinding(
  "§3.3.2 Errors › an A2AError of onMessage is answered as itself, anything else as INTERNAL that reveals nothing",
  {
    onMessage: (message) => {
      if (message.text === "known") throw new A2AError("UNSUPPORTED_OPERATION", "not today");
      throw new Error("password is hunter2");
    },
  },
  async ({ service }) => {
    await assert.rejects(service.sendMessage(request("known"), plainCall()), {
      code: "UNSUPPORTED_OPERATION",
      message: "not today",
    });
    await assert.rejects(service.sendMessage(request("unknown"), plainCall()), (thrown) => {
      assert.ok(isA2AError(thrown, "INTERNAL"));
      assert.doesNotMatch(thrown.message, /hunter2/);
      assert.ok(thrown.metadata["correlationId"]);
      return true;
    });
  },
);

onEveryBinding(
  "§3.2.2 Execution Mode › a handler that throws makes the task FAILED, a blocking caller gets it without the detail",
  {
    onTask: () => {
      throw new Error("password is hunter2");
    },
  },
  async ({ service }) => {
    const task = await sendForTask(service, request("hi"));
    assert.equal(task.status.state, "TASK_STATE_FAILED");
    assert.doesNotMatch(JSON.stringify(task), /hunter2/);
  },
);

let held = gate();
onEveryBinding(
  "§3.2.2 Execution Mode › returnImmediately answers while the handler works, blocking waits for its end",
  { onTask: () => held.passed },
  async ({ service }) => {
    held = gate();
    const at = await sendForTask(service, request("hi", {}, { configuration: { returnImmediately: true } }));
    assert.ok(["TASK_STATE_SUBMITTED", "TASK_STATE_WORKING"].includes(at.status.state));
    const waiting = sendForTask(service, request("again"));
    held.open();
    assert.equal((await waiting).status.state, "TASK_STATE_COMPLETED");
  },
);

onEveryBinding(
  "§3.2.2 Execution Mode › blocking returns at INPUT_REQUIRED, an answer waits for what comes after it",
  {
    onTask: async (task) => {
      const one = await task.ask("first?");
      const two = await task.ask("second?");
      return `${one.text}, ${two.text}`;
    },
  },
  async ({ service }) => {
    const asked = await sendForTask(service, request("hi"));
    assert.equal(asked.status.state, "TASK_STATE_INPUT_REQUIRED");
    assert.equal(asked.status.message?.parts[0]?.text, "first?");
    const again = await sendForTask(service, request("a", { taskId: asked.id }));
    assert.equal(again.status.message?.parts[0]?.text, "second?");
    const done = await sendForTask(service, request("b", { taskId: asked.id }));
    assert.equal(done.status.message?.parts[0]?.text, "a, b");
    assert.deepEqual(texts(done.history), ["hi", "first?", "a", "second?", "b"]);
  },
);

onEveryBinding(
  "§3.4.1 Context › a contextId from the client is kept, and shared by its tasks",
  echo,
  async ({ service }) => {
    const one = await sendForTask(service, request("a", { contextId: "trip" }));
    const two = await sendForTask(service, request("b", { contextId: "trip" }));
    assert.equal(one.contextId, "trip");
    assert.equal(two.contextId, "trip");
    assert.notEqual(one.id, two.id);
  },
);

onEveryBinding(
  "§3.4.3 Multi-Turn › infers the context from the task, MUST refuse a mismatch and leave nothing behind",
  { onTask: async (task) => task.complete((await task.ask("?")).text) },
  async ({ service }) => {
    const asked = await sendForTask(service, request("hi"));
    await assert.rejects(
      service.sendMessage(request("no", { taskId: asked.id, contextId: "other" }), plainCall()),
      (thrown) => {
        assert.ok(isA2AError(thrown, "INVALID_PARAMS"));
        assert.equal(thrown.violations[0]?.field, "message.contextId");
        return true;
      },
    );
    const still = await service.getTask({ id: asked.id }, plainCall());
    assert.deepEqual(texts(still.value.history), ["hi"]);
    const done = await sendForTask(service, request("yes", { taskId: asked.id }));
    assert.equal(done.contextId, asked.contextId);
    assert.equal(done.status.message?.parts[0]?.text, "yes");
  },
);

onEveryBinding(
  "§3.4.2 Task Identifier › MUST refuse an unknown taskId with TASK_NOT_FOUND and create nothing",
  echo,
  async ({ service }) => {
    await assert.rejects(service.sendMessage(request("hi", { taskId: "nope" }), plainCall()), (thrown) =>
      isA2AError(thrown, "TASK_NOT_FOUND"),
    );
    assert.equal((await service.listTasks({}, plainCall())).value.totalSize, 0);
  },
);

onEveryBinding(
  "§3.1.1 Send Message › MUST refuse a message to a terminal task with UNSUPPORTED_OPERATION",
  echo,
  async ({ service }) => {
    const done = await sendForTask(service, request("hi"));
    await assert.rejects(service.sendMessage(request("more", { taskId: done.id }), plainCall()), (thrown) =>
      isA2AError(thrown, "UNSUPPORTED_OPERATION"),
    );
  },
);

onEveryBinding("§4.1.5 Role › refuses ROLE_AGENT from a client", echo, async ({ service }) => {
  await assert.rejects(service.sendMessage(request("hi", { role: "ROLE_AGENT" }), plainCall()), (thrown) => {
    assert.ok(isA2AError(thrown, "INVALID_PARAMS"));
    assert.equal(thrown.violations[0]?.field, "message.role");
    return true;
  });
});

onEveryBinding(
  "§3.2.4 History Length › refuses a negative one, leaves history out at 0, gives the most recent",
  echo,
  async ({ service }) => {
    const of = (historyLength: number) => request("hi", {}, { configuration: { historyLength } });
    await assert.rejects(service.sendMessage(of(-1), plainCall()), (thrown) => {
      assert.ok(isA2AError(thrown, "INVALID_PARAMS"));
      assert.equal(thrown.violations[0]?.field, "configuration.historyLength");
      return true;
    });
    assert.equal("history" in (await sendForTask(service, of(0))), false);
    assert.equal((await sendForTask(service, of(1))).history?.length, 1);
  },
);

onEveryBinding(
  "§3.1.1 Send Message › refuses parts outside the input modes with CONTENT_TYPE_NOT_SUPPORTED, by skill where one is named",
  {
    ...echo,
    modes: { input: ["text/plain"] },
    skills: [{ id: "draw", name: "Draw", description: "Draws.", tags: ["draw"], inputModes: ["image/*"] }],
  },
  async ({ service }) => {
    const image = { raw: "aGk=", mediaType: "image/png" };
    const named = { metadata: { "urn:legation:extension:skill:v1": { skillId: "draw" } } };
    await sendForTask(service, request([image]));
    await sendForTask(service, request([image], named));
    await sendForTask(service, request([{ url: "https://a.test/x" }]));
    for (const refused of [request([{ data: { a: 1 } }]), request("text", named), request([{ raw: "aGk=" }])]) {
      await assert.rejects(service.sendMessage(refused, plainCall()), (thrown) =>
        isA2AError(thrown, "CONTENT_TYPE_NOT_SUPPORTED"),
      );
    }
    const unknown = { metadata: { "urn:legation:extension:skill:v1": { skillId: "sing" } } };
    await assert.rejects(service.sendMessage(request("a", unknown), plainCall()), (thrown) =>
      isA2AError(thrown, "INVALID_PARAMS"),
    );
    assert.equal((await service.listTasks({}, plainCall())).value.totalSize, 3);
  },
);

onEveryBinding(
  "§3.3.4 Capabilities › MUST refuse webhooks without push, before any task exists",
  echo,
  async ({ service }) => {
    const hook = { url: "https://hook.test/" };
    const inline = request("hi", {}, { configuration: { taskPushNotificationConfig: hook } });
    const isRefused = (thrown: unknown): boolean => isA2AError(thrown, "PUSH_NOTIFICATION_NOT_SUPPORTED");
    await assert.rejects(service.sendMessage(inline, plainCall()), isRefused);
    await assert.rejects(service.createTaskPushNotificationConfig({ taskId: "t", ...hook }, plainCall()), isRefused);
    await assert.rejects(service.getTaskPushNotificationConfig({ taskId: "t", id: "c" }, plainCall()), isRefused);
    await assert.rejects(service.listTaskPushNotificationConfigs({ taskId: "t" }, plainCall()), isRefused);
    await assert.rejects(service.deleteTaskPushNotificationConfig({ taskId: "t", id: "c" }, plainCall()), isRefused);
    assert.equal((await service.listTasks({}, plainCall())).value.totalSize, 0);
  },
);

const geo = "https://example.com/ext/geo/v1";
onEveryBinding(
  "§4.6.3 Extensions › MUST refuse a call that lacks a required one, echoes the active ones, ignores unknown ones",
  { onTask: (task) => ({ extensions: task.extensions }), extensions: [{ uri: geo, required: true }] },
  async ({ service, pair }) => {
    await assert.rejects(service.sendMessage(request("hi"), plainCall()), (thrown) =>
      isA2AError(thrown, "EXTENSION_SUPPORT_REQUIRED"),
    );
    const extensions = [geo, "https://example.com/ext/other/v2"];
    const { value } = await service.sendMessage(request("hi"), plainCall({ extensions }));
    assert.deepEqual(value.task?.artifacts?.[0]?.parts[0]?.data, { extensions: [geo] });
    const response = await pair.fetch(`${pair.url}/message:send`, {
      method: "POST",
      headers: { "content-type": "application/json", "a2a-version": "1.0", "a2a-extensions": extensions.join(", ") },
      body: JSON.stringify(request("hi")),
    });
    assert.equal(response.headers.get("a2a-extensions"), geo);
    assert.equal((await service.listTasks({}, plainCall())).value.totalSize, 2);
  },
);

onEveryBinding("§3.3.1 Idempotency › twenty parallel sends of one message make one task", echo, async ({ service }) => {
  const once = request("hi");
  const ids = await Promise.all(
    Array.from({ length: 20 }, async () => (await sendForTask(service, structuredClone(once))).id),
  );
  assert.equal(new Set(ids).size, 1);
  const otherConfiguration = { ...once, configuration: { historyLength: 0 } };
  assert.equal((await sendForTask(service, otherConfiguration)).id, ids[0]);
  const otherText = { ...once, message: { ...once.message, parts: [{ text: "other" }] } };
  assert.notEqual((await sendForTask(service, otherText)).id, ids[0]);
});

let replies = 0;
onEveryBinding(
  "§3.3.1 Idempotency › parallel sends to a message agent get one stored reply, of one run",
  { onMessage: () => `reply ${++replies}` },
  async ({ service }) => {
    const before = replies;
    const once = request("hi");
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => service.sendMessage(structuredClone(once), plainCall())),
    );
    assert.equal(new Set(answers.map(({ value }) => value.message?.messageId)).size, 1);
    assert.equal(replies, before + 1);
  },
);

onEveryBinding(
  "§3.3.1 Idempotency › dedupe: strict refuses another message under a used id, false runs each",
  { ...echo, dedupe: "strict" },
  async ({ service }) => {
    const once = request("hi");
    const task = await sendForTask(service, once);
    assert.equal((await sendForTask(service, once)).id, task.id);
    const other = { message: { ...once.message, parts: [{ text: "other" }] } };
    await assert.rejects(service.sendMessage(other, plainCall()), (thrown) => {
      assert.ok(isA2AError(thrown, "INVALID_PARAMS"));
      assert.equal(thrown.violations[0]?.field, "message.messageId");
      return true;
    });
  },
);

onEveryBinding(
  "§3.3.1 Idempotency › dedupe: false runs every request",
  { ...echo, dedupe: false },
  async ({ service }) => {
    const once = request("hi");
    assert.notEqual((await sendForTask(service, once)).id, (await sendForTask(service, once)).id);
  },
);
