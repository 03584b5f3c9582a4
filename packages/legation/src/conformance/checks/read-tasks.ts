/** §3.1.3, §3.1.4 and §3.2.4: reading one task, and lists of them. */

import type { JsonObject } from "../../model/json.ts";
import { anyTask, endedTask, getTask, idOf, rehearseTask, sendParams, stateOf, waitingTask } from "../act.ts";
import type { Check, Probe } from "../check.ts";
import { expect, expectEqual, expectError, expectResult, Inapplicable } from "../expect.ts";
import { objectsAt, textAt, valueAt } from "../json-path.ts";

/** Checks of §3.1.3, §3.1.4 and §3.2.4. */
export const READ_TASKS: readonly Check[] = [
  {
    id: "3.1.3/current-state",
    title: "MUST give the current state and the artifacts",
    verifies: ["3.1.3/current-state"],
    async run(probe) {
      const sent = await endedTask(probe);
      const read = await getTask(probe, idOf(sent));
      expectEqual("the id", idOf(read), idOf(sent));
      expectEqual("the state", stateOf(read), stateOf(sent));
      expectEqual("the artifacts", valueAt(read, "artifacts"), valueAt(sent, "artifacts"));
    },
  },
  {
    id: "3.1.3/unknown-task",
    title: "MUST say that an unknown task is not found",
    verifies: ["3.1.3/unknown-task", "3.3.2/not-found", "5.4/task-not-found"],
    async run(probe) {
      expectError(probe.wire.binding, await probe.wire.call("GetTask", { id: probe.newId() }), "TASK_NOT_FOUND");
    },
  },
  {
    id: "3.1.4/artifacts",
    title: "MUST leave the artifacts out unless they are asked for",
    verifies: ["3.1.4/artifacts-omitted", "3.1.4/artifacts-included"],
    needs: ["rehearsal"],
    async run(probe) {
      const contextId = await ownContext(probe, [[{ artifact: { name: "a.txt", text: "one" } }, { end: "COMPLETED" }]]);
      const bare = objectsAt(await list(probe, { contextId }), "tasks");
      expectEqual("the number of tasks", bare.length, 1);
      expect(!Object.hasOwn(bare[0] ?? {}, "artifacts"), "no artifacts field", bare[0]);
      const full = objectsAt(await list(probe, { contextId, includeArtifacts: true }), "tasks");
      expectEqual("the artifact's text", textAt(full[0], "artifacts.0.parts.0.text"), "one");
    },
  },
  {
    id: "3.1.4/fields",
    title: "MUST always give nextPageToken, empty on the last page",
    verifies: ["3.1.4/next-page-token-present", "3.1.4/next-page-token-empty", "3.1.4/total-size"],
    async run(probe) {
      const page = await list(probe, { contextId: probe.newId() });
      expectEqual("the tasks of an unknown context", valueAt(page, "tasks"), []);
      expectEqual("nextPageToken", valueAt(page, "nextPageToken"), "");
      expectEqual("totalSize", valueAt(page, "totalSize"), 0);
      expect(typeof valueAt(page, "pageSize") === "number", "pageSize", page);
    },
  },
  {
    id: "3.1.4/pages",
    title: "MUST give every task once over its pages, the newest first",
    verifies: [
      "3.1.4/cursor-pagination",
      "3.1.4/newest-first",
      "3.1.4/page-size-bounds",
      "3.1.4/total-size",
      "3.1.4/next-page-token-empty",
    ],
    needs: ["rehearsal"],
    async run(probe) {
      const contextId = await ownContext(probe, Array(5).fill([{ end: "COMPLETED" }]));
      const seen: JsonObject[] = [];
      let pageToken: string | undefined;
      for (let pages = 0; pageToken !== "" && pages < 10; pages++) {
        const page = await list(probe, { contextId, pageSize: 2, ...(pageToken === undefined ? {} : { pageToken }) });
        const tasks = objectsAt(page, "tasks");
        expect(tasks.length <= 2, "at most two tasks on a page", tasks.length);
        expectEqual("totalSize", valueAt(page, "totalSize"), 5);
        seen.push(...tasks);
        pageToken = textAt(page, "nextPageToken") ?? "";
      }
      expectEqual("the number of different tasks", new Set(seen.map(idOf)).size, 5);
      expectEqual("the number of tasks", seen.length, 5);
      const times = seen.map((task) => Date.parse(textAt(task, "status.timestamp") ?? ""));
      expect(
        times.every((time, index) => index === 0 || time <= (times[index - 1] ?? 0)),
        "the newest first",
        times,
      );
    },
  },
  {
    id: "3.1.4/page-size",
    title: "MUST refuse page sizes outside 1 to 100, and give at most 50 tasks by default",
    verifies: ["3.1.4/page-size-bounds", "3.1.4/page-size-default", "3.3.2/validates"],
    async run(probe) {
      // Over gRPC a 0 may be what an SDK writes for unset; an agent is free to take it so.
      for (const pageSize of probe.wire.binding === "grpc" ? [-1, 101] : [0, -1, 101]) {
        const reply = await probe.wire.call("ListTasks", { pageSize });
        expectError(probe.wire.binding, reply, "INVALID_PARAMS");
      }
      const page = await list(probe, {});
      const size = valueAt(page, "pageSize");
      expect(typeof size === "number" && size >= 1 && size <= 50, "a pageSize of at most 50", size);
      expect(objectsAt(page, "tasks").length <= 50, "at most 50 tasks", objectsAt(page, "tasks").length);
    },
  },
  {
    id: "3.1.4/filters",
    title: "MUST filter by context, status and time",
    verifies: ["3.1.4/filter-context", "3.1.4/filter-status", "3.1.4/filter-time"],
    needs: ["rehearsal"],
    async run(probe) {
      const contextId = await ownContext(probe, [[{ end: "COMPLETED" }], [{ end: "FAILED", text: "no" }]]);
      await ownContext(probe, [[{ end: "FAILED", text: "no" }]]);
      const statesOf = async (params: JsonObject): Promise<unknown> =>
        objectsAt(await list(probe, { contextId, ...params }), "tasks").map(stateOf);
      expectEqual("the states in the context", await statesOf({}), ["TASK_STATE_FAILED", "TASK_STATE_COMPLETED"]);
      expectEqual("with status FAILED", await statesOf({ status: "TASK_STATE_FAILED" }), ["TASK_STATE_FAILED"]);
      expectEqual("with status WORKING", await statesOf({ status: "TASK_STATE_WORKING" }), []);
      const [newest] = objectsAt(await list(probe, { contextId }), "tasks");
      const time = textAt(newest, "status.timestamp") ?? "";
      const later = new Date(Date.parse(time) + 60_000).toISOString();
      const since = (await statesOf({ statusTimestampAfter: time })) as unknown[];
      expect(since.includes("TASK_STATE_FAILED"), `the task whose status is of ${time} itself`, since);
      expectEqual("a minute later", await statesOf({ statusTimestampAfter: later }), []);
    },
  },
  {
    id: "3.1.4/bad-token",
    title: "MUST refuse a page token that is none",
    verifies: ["3.3.2/validates"],
    async run(probe) {
      const reply = await probe.wire.call("ListTasks", { pageToken: "no-token-of-yours" });
      expectError(probe.wire.binding, reply, "INVALID_PARAMS");
    },
  },
  {
    id: "3.2.4/send-and-get",
    title: "MUST return at most historyLength messages, the most recent ones, and none for 0",
    verifies: ["3.2.4/at-most", "3.2.4/zero-omits"],
    needs: ["rehearsal"],
    async run(probe) {
      const taskId = idOf(await waitingTask(probe));
      const params = sendParams(probe, [{ text: "answer" }], {
        message: { taskId },
        configuration: { historyLength: 1 },
      });
      const sent = valueAt(expectResult(await probe.wire.call("SendMessage", params)), "task");
      expect(objectsAt(sent, "history").length <= 1, "at most one message from SendMessage", valueAt(sent, "history"));
      const all = objectsAt(await getTask(probe, taskId), "history");
      if (all.length < 2) throw new Inapplicable("the agent keeps fewer than two messages");
      const one = objectsAt(await getTask(probe, taskId, { historyLength: 1 }), "history");
      expectEqual("the last message", one, all.slice(-1));
      const none = await getTask(probe, taskId, { historyLength: 0 });
      expect(!Object.hasOwn(none, "history"), "no history field for historyLength 0", none);
    },
  },
  {
    id: "3.2.4/list",
    title: "MUST apply historyLength to lists",
    verifies: ["3.2.4/at-most", "3.2.4/zero-omits"],
    needs: ["rehearsal"],
    async run(probe) {
      const contextId = await ownContext(probe, [[{ end: "COMPLETED" }]]);
      const [none] = objectsAt(await list(probe, { contextId, historyLength: 0 }), "tasks");
      expect(none !== undefined && !Object.hasOwn(none, "history"), "a task without history", none);
      const [one] = objectsAt(await list(probe, { contextId, historyLength: 1 }), "tasks");
      expect(objectsAt(one, "history").length <= 1, "at most one message", one);
    },
  },
  {
    id: "3.2.4/invalid",
    title: "MUST refuse a negative or fractional historyLength",
    verifies: ["3.3.2/validates"],
    async run(probe) {
      const id = idOf(await anyTask(probe));
      for (const historyLength of [-1, 1.5]) {
        const reply = await probe.wire.call("GetTask", { id, historyLength });
        expectError(probe.wire.binding, reply, "INVALID_PARAMS");
      }
    },
  },
];

async function list(probe: Probe, params: JsonObject): Promise<JsonObject> {
  return expectResult(await probe.wire.call("ListTasks", params));
}

/** Makes one task per script in a context of their own, one after the other, and gives its id. */
async function ownContext(probe: Probe, scripts: readonly JsonObject[][]): Promise<string> {
  let contextId: string | undefined;
  for (const steps of scripts) {
    const message: JsonObject = contextId === undefined ? {} : { contextId };
    const task = await rehearseTask(probe, steps, { message });
    contextId = textAt(task, "contextId");
  }
  return contextId ?? "";
}
