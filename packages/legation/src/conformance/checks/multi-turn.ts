/** §3.4: contexts, task ids, and conversations of several turns. */
import {
  anyTask,
  getTask,
  idOf,
  rehearse,
  rehearseTask,
  say,
  sendParams,
  stateOf,
  taskOf,
  waitingTask,
} from "../act.ts";
import type { Check } from "../check.ts";
import { expect, expectEqual, expectResult } from "../expect.ts";
import { objectsAt, textAt, valueAt } from "../json-path.ts";

/** Checks of §3.4. */
export const MULTI_TURN: readonly Check[] = [
  {
    id: "3.4.1/generated",
    title: "MUST return the contextId that it makes",
    verifies: ["3.4.1/generated-context-returned"],
    async run(probe) {
      const answer = await say(probe);
      const contextId = textAt(answer, "task.contextId") ?? textAt(answer, "message.contextId") ?? "";
      expect(contextId !== "", "a contextId", answer);
    },
  },
  {
    id: "3.4.1/generated-for-message",
    title: "MUST return the contextId that it makes for a Message",
    verifies: ["3.4.1/generated-context-returned"],
    needs: ["rehearsal"],
    async run(probe) {
      const answer = await rehearse(probe, [{ reply: "hello" }]);
      expect((textAt(answer, "message.contextId") ?? "") !== "", "message.contextId", answer);
    },
  },
  {
    id: "3.4.1/kept",
    title: "MUST keep the contextId of the client, or reject the request",
    verifies: ["3.4.1/keeps-or-rejects-context", "3.4.1/never-replaces-context"],
    async run(probe) {
      const contextId = probe.newId();
      const params = sendParams(probe, [{ text: "hello" }], { message: { contextId } });
      const reply = await probe.wire.call("SendMessage", params);
      if (reply.error !== undefined) return;
      const got = textAt(reply.result, "task.contextId") ?? textAt(reply.result, "message.contextId");
      expectEqual("the contextId", got, contextId);
    },
  },
  {
    id: "3.4.2/unique",
    title: "MUST give every new task an id of its own",
    verifies: ["3.4.2/unique-task-id", "3.4.2/task-id-returned"],
    async run(probe) {
      const first = await anyTask(probe);
      const contextId = textAt(first, "contextId") ?? "";
      const second = await anyTask(probe, contextId === "" ? {} : { message: { contextId } });
      expect(idOf(first) !== "" && idOf(second) !== "", "two ids", [first, second]);
      expect(idOf(first) !== idOf(second), "two different ids", idOf(first));
    },
  },
  {
    id: "3.4.3/continues",
    title: "MUST continue a task that waits for input, in the context of the task",
    verifies: ["3.4.3/continues-after-input", "3.4.3/infers-context"],
    needs: ["rehearsal"],
    async run(probe) {
      const task = await waitingTask(probe);
      const params = sendParams(probe, [{ text: "this one" }], { message: { taskId: idOf(task) } });
      const continued = taskOf(expectResult(await probe.wire.call("SendMessage", params)));
      expectEqual("the id", idOf(continued), idOf(task));
      expectEqual("the contextId", textAt(continued, "contextId"), textAt(task, "contextId"));
      expectEqual("the state", stateOf(continued), "TASK_STATE_COMPLETED");
      const history = objectsAt(await getTask(probe, idOf(task)), "history");
      const said = history.filter((message) => message["role"] === "ROLE_USER");
      if (said.length === 0) return;
      expect(
        said.every((message) => message["contextId"] === undefined || message["contextId"] === task["contextId"]),
        "messages in the context of the task",
        said,
      );
    },
  },
  {
    id: "3.4.3/mismatch",
    title: "MUST reject a contextId that is not that of the task, and leave the task as it is",
    verifies: ["3.4.3/rejects-mismatch"],
    needs: ["rehearsal"],
    async run(probe) {
      const task = await waitingTask(probe);
      const message = { taskId: idOf(task), contextId: probe.newId() };
      const reply = await probe.wire.call("SendMessage", sendParams(probe, [{ text: "this" }], { message }));
      expect(reply.error !== undefined, "an error", reply.text);
      const after = await getTask(probe, idOf(task));
      expectEqual("the task afterwards", valueAt(after, "status"), valueAt(task, "status"));
    },
  },
  {
    id: "3.4.3/same-context",
    title: "MUST make a new task for a contextId without taskId",
    verifies: ["3.4.2/unique-task-id", "3.4.1/never-replaces-context"],
    needs: ["rehearsal"],
    async run(probe) {
      const first = await rehearseTask(probe, [{ end: "COMPLETED" }]);
      const contextId = textAt(first, "contextId") ?? "";
      const second = await rehearseTask(probe, [{ end: "COMPLETED" }], { message: { contextId } });
      expectEqual("the contextId", textAt(second, "contextId"), contextId);
      expect(idOf(second) !== idOf(first), "another task", idOf(second));
    },
  },
];
