// What a handler can do with its task, and what survives a crash.
import assert from "node:assert/strict";
import { z } from "zod";
import { plainCall } from "../../src/operations/call.ts";
import { isA2AError } from "../../src/operations/errors.ts";
import { onEveryBinding, request, sendForTask, texts } from "./on-every-binding.ts";

const immediately = { configuration: { returnImmediately: true } };

onEveryBinding(
  "task.ask › asks again with the reason until the answer fits the schema, whose JSON Schema travels with the question",
  {
    onTask: async (task) => {
      const { days } = await task.ask("How many days?", z.object({ days: z.coerce.number().int().min(1) }));
      return { nights: days - 1 };
    },
  },
  async ({ service }) => {
    const asked = await sendForTask(service, request("a trip"));
    const extension = "urn:legation:extension:skill-schemas:v1";
    const metadata = asked.status.message?.metadata?.[extension] as { schema?: { properties: object } } | undefined;
    assert.deepEqual(Object.keys(metadata?.schema?.properties ?? {}), ["days"]);
    assert.deepEqual(asked.status.message?.extensions, [extension]);
    const again = await sendForTask(service, request("some", { taskId: asked.id }));
    assert.equal(again.status.state, "TASK_STATE_INPUT_REQUIRED");
    assert.match(again.status.message?.parts[0]?.text ?? "", /^How many days\?\ndays: /);
    const done = await sendForTask(service, request("3", { taskId: asked.id }));
    assert.equal(done.status.state, "TASK_STATE_COMPLETED");
    assert.deepEqual(done.artifacts?.[0]?.parts[0]?.data, { nights: 2 });
  },
);

const steps: string[] = [];
onEveryBinding(
  "crash › a parked task goes on after the process died, and no recorded step runs again",
  {
    onTask: async (task, message) => {
      const booked = await task.step("book", ({ key, attempt }) => {
        steps.push(`${key === "" ? "no key" : "key"} ${attempt}`);
        return { seat: 12 };
      });
      const { text } = await task.ask("window or aisle?");
      return `${message.text}: seat ${booked.seat}, ${text}`;
    },
  },
  async ({ service, pair }) => {
    steps.length = 0;
    const asked = await sendForTask(service, request("flight"));
    await pair.crash();
    const done = await sendForTask(service, request("aisle", { taskId: asked.id }));
    assert.equal(done.status.message?.parts[0]?.text, "flight: seat 12, aisle");
    assert.deepEqual(steps, ["key 1"]);
  },
);

onEveryBinding(
  "crash › a running task is taken up again by itself",
  {
    onTask: async (task) => {
      await task.sleep(60_000);
      return `at ${await task.now()}`;
    },
  },
  async ({ service, pair }) => {
    const task = await sendForTask(service, request("wait", {}, immediately));
    await pair.clock.advance(30_000);
    await pair.crash();
    await pair.clock.advance(29_000);
    const still = await service.getTask({ id: task.id }, plainCall());
    assert.equal(still.value.status.state, "TASK_STATE_WORKING");
    await pair.clock.advance(2_000);
    const done = await service.getTask({ id: task.id }, plainCall());
    assert.equal(done.value.status.state, "TASK_STATE_COMPLETED");
  },
);

onEveryBinding(
  "task.pause › ends the turn, the next message begins onTask anew",
  { onTask: (task, message) => (message.text === "yes" ? "done" : task.pause("sure?")) },
  async ({ service }) => {
    const asked = await sendForTask(service, request("go"));
    assert.equal(asked.status.state, "TASK_STATE_INPUT_REQUIRED");
    const done = await sendForTask(service, request("yes", { taskId: asked.id }));
    assert.equal(done.status.message?.parts[0]?.text, "done");
    assert.deepEqual(texts(done.history), ["go", "sure?", "yes"]);
  },
);

onEveryBinding(
  "task.reject › REJECTED with the reason, returned or thrown",
  {
    onTask: (task, message) => {
      if (message.text === "throw") throw task.reject("not mine");
      return task.reject("not mine");
    },
  },
  async ({ service }) => {
    for (const text of ["return", "throw"]) {
      const task = await sendForTask(service, request(text));
      assert.equal(task.status.state, "TASK_STATE_REJECTED");
      assert.equal(task.status.message?.parts[0]?.text, "not mine");
    }
  },
);

onEveryBinding(
  "task.chooseOutputMode › gives what the caller can read, and rejects when there is nothing",
  { onTask: (task) => task.chooseOutputMode(["text/markdown", "application/json"]) },
  async ({ service }) => {
    const of = (...acceptedOutputModes: string[]) => request("hi", {}, { configuration: { acceptedOutputModes } });
    assert.equal((await sendForTask(service, request("hi"))).status.message?.parts[0]?.text, "text/markdown");
    const chosen = await sendForTask(service, of("image/png", "application/*"));
    assert.equal(chosen.status.message?.parts[0]?.text, "application/json");
    const refused = await sendForTask(service, of("image/png"));
    assert.equal(refused.status.state, "TASK_STATE_REJECTED");
    assert.match(refused.status.message?.parts[0]?.text ?? "", /image\/png/);
  },
);

onEveryBinding(
  "task.artifact › what JSON cannot carry fails the task, with nothing of it sent",
  { onTask: (task) => task.artifact("a", { data: { when: new Date(0) } }) },
  async ({ service }) => {
    const task = await sendForTask(service, request("hi"));
    assert.equal(task.status.state, "TASK_STATE_FAILED");
    assert.match(JSON.stringify(task.status), /INVALID_AGENT_RESPONSE/);
    assert.equal(task.artifacts, undefined);
  },
);

onEveryBinding(
  "task.referenced › finds the artifact that is meant, by reference, by name in a part, or as the only one",
  {
    onTask: async (task, message) => {
      const { artifact, candidates } = await task.referenced();
      if (message.text.startsWith("draw") || artifact !== undefined) {
        return void (await task.artifact(message.text.split(" ")[1] ?? artifact?.artifact.name ?? "x", {
          text: message.text,
        }));
      }
      return task.complete(
        `which of ${candidates
          .map((one) => one.artifact.name)
          .sort()
          .join(", ")}?`,
      );
    },
  },
  async ({ service }) => {
    const contextId = "boats";
    const one = await sendForTask(service, request("draw one.svg", { contextId }));
    const red = await sendForTask(service, request("red", { contextId }));
    assert.equal(red.artifacts?.[0]?.name, "one.svg");
    assert.notEqual(red.artifacts?.[0]?.artifactId, one.artifacts?.[0]?.artifactId);
    const two = await sendForTask(service, request("draw two.svg", { contextId: "pair" }));
    const three = await sendForTask(service, request("draw three.svg", { contextId: "pair" }));
    const unclear = await sendForTask(service, request("red", { contextId: "pair" }));
    assert.equal(unclear.status.message?.parts[0]?.text, "which of three.svg, two.svg?");
    const byTask = await sendForTask(service, request("red", { contextId: "pair", referenceTaskIds: [two.id] }));
    assert.equal(byTask.artifacts?.[0]?.name, "two.svg");
    const artifactId = three.artifacts?.[0]?.artifactId ?? "";
    const byPart = await sendForTask(
      service,
      request([{ text: "red", metadata: { artifactId } }], { contextId: "pair" }),
    );
    assert.equal(byPart.artifacts?.[0]?.name, "three.svg");
  },
);

onEveryBinding(
  "whileWorking › a message to a WORKING task is handled after, one handler at a time; reject refuses it",
  { onTask: async (task) => `${(await task.receive()).text}` },
  async ({ service }) => {
    const task = await sendForTask(service, request("hi", {}, immediately));
    const done = await sendForTask(service, request("more", { taskId: task.id }));
    assert.equal(done.status.message?.parts[0]?.text, "more");
  },
);

onEveryBinding(
  "whileWorking: reject › refuses a message to a WORKING task and keeps nothing of it",
  {
    onTask: (task) => new Promise((resolve) => task.signal.addEventListener("abort", resolve)),
    whileWorking: "reject",
  },
  async ({ service }) => {
    const task = await sendForTask(service, request("hi", {}, immediately));
    await assert.rejects(service.sendMessage(request("more", { taskId: task.id }), plainCall()), (thrown) =>
      isA2AError(thrown),
    );
    assert.deepEqual(texts((await service.getTask({ id: task.id }, plainCall())).value.history), ["hi"]);
  },
);

onEveryBinding(
  "task.write › takes a text, parts, an iterable or a promise of one, and fails the task for what is no part",
  {
    onTask: async (task, message) => {
      await task.write("text", () => "a");
      await task.write("part", () => ({ text: "b" }));
      await task.write("iterable", () => ["c", [{ text: "d" }]]);
      await task.write("promise", async () => ["e", "f"]);
      if (message.text === "wrong") await task.write("wrong", () => [{ txt: "x" } as never]);
    },
  },
  async ({ service }) => {
    const task = await sendForTask(service, request("right"));
    const written = task.artifacts?.map(({ name, parts }) => `${name} ${parts.map((part) => part.text).join("")}`);
    assert.deepEqual(written, ["text a", "part b", "iterable cd", "promise ef"]);
    const failed = await sendForTask(service, request("wrong"));
    assert.equal(failed.status.state, "TASK_STATE_FAILED");
    assert.equal(failed.artifacts?.length, 4);
  },
);

onEveryBinding(
  "onTask › a returned text is said with the end, and messages that wait get their turn before it",
  {
    onTask: async (task, message) => {
      if (message.text === "first") await task.sleep(1_000);
      return `heard ${message.text}`;
    },
  },
  async ({ service, pair }) => {
    const task = await sendForTask(service, request("first", {}, immediately));
    const second = sendForTask(service, request("second", { taskId: task.id }));
    await pair.clock.advance(2_000);
    const done = await second;
    assert.equal(done.status.message?.parts[0]?.text, "heard second");
    assert.deepEqual(texts(done.history), ["first", "second", "heard first"]);
  },
);
