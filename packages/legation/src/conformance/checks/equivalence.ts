/** §5.1: the bindings of one agent give the same. */
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { anyTask, endedTask, idOf, sendParams } from "../act.ts";
import type { Check, Probe } from "../check.ts";
import { expect, expectEqual, expectResult } from "../expect.ts";
import { textAt } from "../json-path.ts";
import type { Reply, Wire } from "../wire.ts";

/** Checks of §5.1. They run over one binding and compare it with the others. */
export const EQUIVALENCE: readonly Check[] = [
  {
    id: "5.1/results",
    title: "MUST show a task alike on every binding",
    verifies: ["5.1/same-results", "4/equivalent", "5.1/same-operations"],
    needs: ["several-bindings"],
    once: true,
    async run(probe) {
      const id = idOf(await endedTask(probe));
      const tasks = await Promise.all(
        probe.wires.map(async (wire) => expectResult(await wire.call("GetTask", { id }))),
      );
      for (const task of tasks) expectEqual("the same task", sorted(task), sorted(tasks[0]));
    },
  },
  {
    id: "5.1/lists",
    title: "MUST list the same tasks on every binding",
    verifies: ["5.1/same-results", "5.1/same-operations"],
    needs: ["several-bindings"],
    once: true,
    async run(probe) {
      const contextId = textAt(await anyTask(probe), "contextId") ?? "";
      const pages = await Promise.all(
        probe.wires.map(async (wire) => expectResult(await wire.call("ListTasks", { contextId }))),
      );
      for (const page of pages) expectEqual("the same page", sorted(page["tasks"]), sorted(pages[0]?.["tasks"]));
    },
  },
  {
    id: "5.1/errors",
    title: "MUST answer the same failure by the same error on every binding",
    verifies: ["5.1/same-errors"],
    needs: ["several-bindings"],
    once: true,
    async run(probe) {
      const id = idOf(await endedTask(probe));
      const failures: readonly ((wire: Wire) => Promise<Reply>)[] = [
        (wire) => wire.call("GetTask", { id: "no-such-task" }),
        (wire) => wire.call("CancelTask", { id }),
        (wire) => wire.call("SendMessage", sendParams(probe, [{ text: "more" }], { message: { taskId: id } })),
        (wire) => wire.call("SendMessage", sendParams(probe, [])),
        (wire) => wire.call("ListTasks", { pageSize: 101 }),
      ];
      for (const fail of failures) await expectAlike(probe, fail);
    },
  },
  {
    id: "5.1/authentication",
    title: "MUST ask for the same authentication on every binding",
    verifies: ["5.1/same-authentication"],
    needs: ["several-bindings"],
    once: true,
    async run(probe) {
      const answers = await Promise.all(
        probe.wires.map((wire) => wire.call("GetTask", { id: "no-such-task" }, { caller: "nobody" })),
      );
      const refused = answers.map(({ status }) => status === 401 || status === 403);
      expect(new Set(refused).size === 1, "the same on every binding", refused);
    },
  },
];

/** What tells errors apart on any binding: the violated fields, and the reason where there is one. */
async function expectAlike({ wires }: Probe, fail: (wire: Wire) => Promise<Reply>): Promise<void> {
  const seen = await Promise.all(
    wires.map(async (wire) => {
      const { error, text } = await fail(wire);
      expect(error !== undefined, `an error on ${wire.binding}`, text);
      return JSON.stringify([error.reason, error.violations.map(({ field }) => field)]);
    }),
  );
  expect(new Set(seen).size === 1, "one error on all bindings", seen);
}

/** A value with the keys of every object in one order, to be compared as JSON. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const object: JsonObject = value;
  return Object.fromEntries(
    Object.keys(object)
      .sort()
      .map((key) => [key, sorted(object[key])]),
  );
}
