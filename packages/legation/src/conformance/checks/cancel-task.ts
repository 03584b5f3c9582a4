/** §3.1.5 and §3.3.1: cancelling, and repeating. */
import { endedTask, getTask, idOf, rehearseTask, stateOf, until, waitingTask } from "../act.ts";
import type { Check } from "../check.ts";
import { expect, expectEqual, expectError, expectResult, Mismatch } from "../expect.ts";
import { objectsAt } from "../json-path.ts";

/** Checks of §3.1.5 and §3.3.1. */
export const CANCEL_TASK: readonly Check[] = [
  {
    id: "3.1.5/cancels",
    title: "MUST give the canceled task",
    verifies: ["3.1.5/returns-task"],
    needs: ["rehearsal"],
    async run(probe) {
      const task = await rehearseTask(probe, [{ state: "WORKING" }, { wait: 30_000 }], {
        configuration: { returnImmediately: true },
      });
      const canceled = expectResult(await probe.wire.call("CancelTask", { id: idOf(task) }));
      expectEqual("the id", idOf(canceled), idOf(task));
      expectEqual("the state", stateOf(canceled), "TASK_STATE_CANCELED");
      expectEqual("the state, read again", stateOf(await getTask(probe, idOf(task))), "TASK_STATE_CANCELED");
    },
  },
  {
    id: "3.1.5/waiting-task",
    title: "MUST cancel a task that waits for input",
    verifies: ["3.1.5/returns-task"],
    needs: ["rehearsal"],
    async run(probe) {
      const canceled = expectResult(await probe.wire.call("CancelTask", { id: idOf(await waitingTask(probe)) }));
      expectEqual("the state", stateOf(canceled), "TASK_STATE_CANCELED");
    },
  },
  ...["COMPLETED", "FAILED", "REJECTED"].map(
    (state): Check => ({
      id: `3.1.5/terminal-${state.toLowerCase()}`,
      title: `MUST reject a ${state} task`,
      verifies: ["3.1.5/terminal-not-cancelable", "5.4/task-not-cancelable"],
      needs: ["rehearsal"],
      async run(probe) {
        const task = await rehearseTask(probe, [{ end: state, text: "over" }]);
        const reply = await probe.wire.call("CancelTask", { id: idOf(task) });
        expectError(probe.wire.binding, reply, "TASK_NOT_CANCELABLE");
        expectEqual("the state afterwards", stateOf(await getTask(probe, idOf(task))), `TASK_STATE_${state}`);
      },
    }),
  ),
  {
    id: "3.1.5/terminal",
    title: "MUST reject a terminal task",
    verifies: ["3.1.5/terminal-not-cancelable", "5.4/task-not-cancelable"],
    async run(probe) {
      const reply = await probe.wire.call("CancelTask", { id: idOf(await endedTask(probe)) });
      expectError(probe.wire.binding, reply, "TASK_NOT_CANCELABLE");
    },
  },
  {
    id: "3.1.5/refused",
    title: "MUST say so when the agent refuses to cancel, and leave the task as it is",
    verifies: ["3.1.5/terminal-not-cancelable"],
    needs: ["rehearsal"],
    async run(probe) {
      // A turn that runs: one that only waits is parked, and is canceled without being asked.
      const steps = [{ refuseCancel: true }, { stream: { name: "a.txt", chunks: 20, bytes: 8, everyMs: 50 } }];
      const task = await rehearseTask(probe, steps, { configuration: { returnImmediately: true } });
      await until(probe, idOf(task), (now) => objectsAt(now, "artifacts").length > 0);
      const reply = await probe.wire.call("CancelTask", { id: idOf(task) });
      expectError(probe.wire.binding, reply, "TASK_NOT_CANCELABLE");
      expectEqual("the state afterwards", stateOf(await getTask(probe, idOf(task))), "TASK_STATE_WORKING");
    },
  },
  {
    id: "3.1.5/unknown-task",
    title: "MUST say that an unknown task is not found",
    verifies: ["3.1.5/unknown-task", "5.4/task-not-found"],
    async run(probe) {
      expectError(probe.wire.binding, await probe.wire.call("CancelTask", { id: probe.newId() }), "TASK_NOT_FOUND");
    },
  },
  {
    id: "3.3.1/cancel-twice",
    title: "MUST have the same effect when a cancel is repeated",
    verifies: ["3.3.1/cancel-idempotent"],
    needs: ["rehearsal"],
    async run(probe) {
      const id = idOf(await waitingTask(probe));
      expectResult(await probe.wire.call("CancelTask", { id }));
      const again = await probe.wire.call("CancelTask", { id });
      // §3.1.5 counts canceled among the states that cannot be canceled; §3.3.1 calls the repetition harmless, and lets
      // a task that was purged meanwhile be unknown.
      const allowed = { rest: [400, 404], jsonrpc: [-32002, -32001], grpc: [9, 5] }[probe.wire.binding];
      const isRefused = again.error?.code !== undefined && allowed.includes(again.error.code);
      if (again.error !== undefined && !isRefused) throw new Mismatch("the task, or TASK_NOT_CANCELABLE", again.text);
      if (again.error === undefined) expectEqual("the state", stateOf(again.result), "TASK_STATE_CANCELED");
      expectEqual("the state afterwards", stateOf(await getTask(probe, id)), "TASK_STATE_CANCELED");
    },
  },
  {
    id: "3.3.1/get-twice",
    title: "MUST give the same answer when nothing has changed",
    verifies: ["3.3.1/get-idempotent"],
    async run(probe) {
      const id = idOf(await endedTask(probe));
      const [one, two] = [await getTask(probe, id), await getTask(probe, id)];
      expect(JSON.stringify(one) === JSON.stringify(two), JSON.stringify(one), two);
    },
  },
];
