/** §3.1.1 and §3.2.2: sending a message and waiting for its answer. */
import { endedTask, idOf, rehearse, rehearseTask, say, script, sendParams, stateOf, TERMINAL_STATES } from "../act.ts";
import type { Check } from "../check.ts";
import { expect, expectEqual, expectError, Inapplicable } from "../expect.ts";
import { objectsAt, textAt, valueAt } from "../json-path.ts";
import { pictureOf } from "../stream-picture.ts";

/** Something that takes long enough for everything else to happen first. */
const LONG = [{ state: "WORKING" }, { wait: 30_000 }, { end: "COMPLETED" }];

/** Checks of §3.1.1 and §3.2.2. */
export const SEND_MESSAGE: readonly Check[] = [
  {
    id: "3.1.1/task-or-message",
    title: "MUST answer with exactly one of a Task and a Message",
    verifies: ["3.1.1/task-or-message"],
    async run(probe) {
      const answer = await say(probe);
      const arms = ["task", "message"].filter((arm) => valueAt(answer, arm) !== undefined);
      expect(arms.length === 1, "one of task and message", answer);
    },
  },
  {
    id: "3.1.1/message",
    title: "MUST answer with a Message where there is no task",
    verifies: ["3.1.1/task-or-message", "4.1.5/agent-role", "3.2.2/immediately-not-for-messages"],
    needs: ["rehearsal"],
    async run(probe) {
      const answer = await rehearse(probe, [{ reply: "hello" }], { configuration: { returnImmediately: true } });
      expect(valueAt(answer, "task") === undefined, "a message and no task", answer);
      expectEqual("message.role", valueAt(answer, "message.role"), "ROLE_AGENT");
      expectEqual("the text", textAt(answer, "message.parts.0.text"), "hello");
    },
  },
  {
    id: "3.1.1/content-type",
    title: "MUST refuse a media type that the card does not name",
    verifies: ["3.1.1/content-type", "5.4/content-type", "13.4/media-types"],
    async run(probe) {
      const modes = [probe.card, ...objectsAt(probe.card, "skills")].flatMap((one) => [
        ...(listAt(one, "defaultInputModes") ?? []),
        ...(listAt(one, "inputModes") ?? []),
      ]);
      if (modes.some((mode) => mode.startsWith("*/") || mode.startsWith("application/*"))) {
        throw new Inapplicable("the card takes every media type");
      }
      const part = { raw: "AAAA", mediaType: "application/x-legation-unheard-of" };
      const reply = await probe.wire.call("SendMessage", sendParams(probe, [part]));
      expectError(probe.wire.binding, reply, "CONTENT_TYPE_NOT_SUPPORTED");
    },
  },
  {
    id: "3.1.1/terminal-task",
    title: "MUST refuse a message to a terminal task",
    verifies: ["3.1.1/terminal-task", "5.4/unsupported-operation"],
    async run(probe) {
      const task = await endedTask(probe);
      const reply = await probe.wire.call(
        "SendMessage",
        sendParams(probe, [{ text: "more" }], { message: { taskId: idOf(task) } }),
      );
      expectError(probe.wire.binding, reply, "UNSUPPORTED_OPERATION");
    },
  },
  {
    id: "3.1.1/unknown-task",
    title: "MUST refuse a message to an unknown task",
    verifies: ["3.1.1/unknown-task", "3.4.2/unknown-task-id", "5.4/task-not-found"],
    async run(probe) {
      const params = sendParams(probe, [{ text: "hello" }], { message: { taskId: probe.newId() } });
      expectError(probe.wire.binding, await probe.wire.call("SendMessage", params), "TASK_NOT_FOUND");
    },
  },
  {
    id: "3.2.2/waits-for-end",
    title: "MUST wait for the terminal state and answer with the latest state and all artifacts",
    verifies: ["3.2.2/waits-for-end", "3.2.2/latest-state"],
    needs: ["rehearsal"],
    async run(probe) {
      const task = await rehearseTask(probe, [
        { state: "WORKING" },
        { wait: 150 },
        { artifact: { name: "a.txt", text: "one" } },
        { artifact: { name: "b.txt", text: "two" } },
        { end: "COMPLETED", text: "done" },
      ]);
      expectEqual("the state", stateOf(task), "TASK_STATE_COMPLETED");
      expectEqual("the names of the artifacts", namesOf(task), ["a.txt", "b.txt"]);
      expectEqual("the status message", textAt(task, "status.message.parts.0.text"), "done");
    },
  },
  {
    id: "3.2.2/waits-for-interruption",
    title: "MUST return when the task waits for input",
    verifies: ["3.2.2/waits-for-interruption"],
    needs: ["rehearsal"],
    async run(probe) {
      const task = await rehearseTask(probe, [{ state: "WORKING" }, { wait: 100 }, { ask: "which one?" }]);
      expectEqual("the state", stateOf(task), "TASK_STATE_INPUT_REQUIRED");
      expectEqual("the question", textAt(task, "status.message.parts.0.text"), "which one?");
    },
  },
  {
    id: "3.2.2/returns-immediately",
    title: "MUST return at once with returnImmediately while the task goes on",
    verifies: ["3.2.2/returns-immediately"],
    needs: ["rehearsal"],
    async run(probe) {
      const task = await rehearseTask(probe, LONG, { configuration: { returnImmediately: true } });
      expect(!TERMINAL_STATES.includes(stateOf(task)), "a task that is not terminal", stateOf(task));
      const read = await probe.wire.call("GetTask", { id: idOf(task) });
      expectEqual("the id of the task, read again", textAt(read.result, "id"), idOf(task));
      await probe.wire.call("CancelTask", { id: idOf(task) });
    },
  },
  {
    id: "3.2.2/immediately-on-stream",
    title: "MUST stream to the end, returnImmediately or not",
    verifies: ["3.2.2/immediately-not-for-streams"],
    needs: ["rehearsal", "streaming"],
    async run(probe) {
      const params = sendParams(probe, [script([{ state: "WORKING" }, { wait: 100 }, { end: "COMPLETED" }])], {
        configuration: { returnImmediately: true },
      });
      const frames = await (await probe.wire.stream("SendStreamingMessage", params)).rest();
      expectEqual("the last state", pictureOf(frames).state, "COMPLETED");
    },
  },
];

function namesOf(task: unknown): readonly unknown[] {
  return objectsAt(task, "artifacts").map((artifact) => artifact["name"]);
}

function listAt(value: unknown, path: string): readonly string[] | undefined {
  const list = valueAt(value, path);
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : undefined;
}
