/** §7.6: a task that needs an authorisation. */
import { getTask, idOf, kindOf, rehearseTask, script, sendParams, stateOf } from "../act.ts";
import type { Check } from "../check.ts";
import { expect, expectEqual, expectResult } from "../expect.ts";
import { textAt } from "../json-path.ts";
import { pictureOf } from "../stream-picture.ts";
import type { Frame } from "../wire-stream.ts";

const NEEDS_AUTHORISATION = [{ state: "WORKING" }, { requestAuth: "may I book it?" }, { end: "COMPLETED" }];

/** Checks of §7.6. */
export const IN_TASK_AUTHORIZATION: readonly Check[] = [
  {
    id: "7.6.1/auth-required",
    title: "MUST track the work as a task in AUTH_REQUIRED and explain what is needed",
    verifies: ["7.6.1/uses-task", "7.6.1/auth-required", "7.6.1/explains", "3.2.2/waits-for-interruption"],
    needs: ["rehearsal"],
    async run(probe) {
      const task = await rehearseTask(probe, NEEDS_AUTHORISATION);
      expectEqual("the state", stateOf(task), "TASK_STATE_AUTH_REQUIRED");
      expectEqual("the explanation", textAt(task, "status.message.parts.0.text"), "may I book it?");
      await probe.wire.call("CancelTask", { id: idOf(task) });
    },
  },
  {
    id: "7.6.1/stream",
    title: "SHOULD keep streams open while the task waits for an authorisation",
    verifies: ["7.6.1/keeps-stream"],
    needs: ["rehearsal", "streaming"],
    async run(probe) {
      const params = sendParams(probe, [script(NEEDS_AUTHORISATION)]);
      const stream = await probe.wire.stream("SendStreamingMessage", params);
      const frames: Frame[] = [];
      while (pictureOf(frames).state !== "AUTH_REQUIRED") {
        const frame = await stream.next();
        expect(frame !== undefined, "AUTH_REQUIRED", "the end of the stream");
        frames.push(frame);
      }
      const taskId = textAt(frames[0]?.payload, "task.id") ?? "";
      // A stream that was closed has no more events; one that was kept shows what becomes of the task.
      await probe.wire.call("CancelTask", { id: taskId });
      const rest = await stream.rest();
      expect(rest.map(kindOf).includes("CANCELED"), "the next status on the same stream", rest.map(kindOf));
    },
  },
  {
    id: "7.6.1/messages",
    title: "SHOULD take messages while the task waits for an authorisation",
    verifies: ["7.6.1/takes-messages"],
    needs: ["rehearsal"],
    async run(probe) {
      const task = await rehearseTask(probe, NEEDS_AUTHORISATION);
      const params = sendParams(probe, [{ text: "what for?" }], {
        message: { taskId: idOf(task) },
        configuration: { returnImmediately: true },
      });
      expectResult(await probe.wire.call("SendMessage", params));
      const after = await getTask(probe, idOf(task));
      expectEqual("the state: a message authorises nothing", stateOf(after), "TASK_STATE_AUTH_REQUIRED");
      await probe.wire.call("CancelTask", { id: idOf(task) });
    },
  },
];
