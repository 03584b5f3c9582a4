/** §3.3.4 and §4.6.3: what the card does not declare, and extensions. */
import type { JsonObject } from "../../model/json.ts";
import type { MethodName } from "../../operations/methods.ts";
import { anyTask, say, sendParams } from "../act.ts";
import type { Check } from "../check.ts";
import { expect, expectError, expectResult, Inapplicable, Mismatch } from "../expect.ts";
import { objectsAt, textAt, valueAt } from "../json-path.ts";

const PUSH_CALLS: readonly [MethodName, JsonObject][] = [
  ["CreateTaskPushNotificationConfig", { url: "https://example.com/hook" }],
  ["GetTaskPushNotificationConfig", { id: "c-1" }],
  ["ListTaskPushNotificationConfigs", {}],
  ["DeleteTaskPushNotificationConfig", { id: "c-1" }],
];

/** Checks of §3.3.4 and §4.6.3. */
export const CAPABILITIES: readonly Check[] = [
  ...PUSH_CALLS.map(
    ([method, params]): Check => ({
      id: `3.3.4/${method}`,
      title: `MUST refuse ${method} without the push capability`,
      verifies: ["3.3.4/push", "5.4/push-not-supported"],
      needs: ["no-push"],
      async run(probe) {
        const reply = await probe.wire.call(method, { taskId: probe.newId(), ...params });
        expectError(probe.wire.binding, reply, "PUSH_NOTIFICATION_NOT_SUPPORTED");
      },
    }),
  ),
  {
    id: "3.3.4/inline-push",
    title: "MUST refuse a message with a push configuration without the capability, and make no task",
    verifies: ["3.3.4/push"],
    needs: ["no-push"],
    async run(probe) {
      const contextId = probe.newId();
      const params = sendParams(probe, [{ text: "hello" }], {
        message: { contextId },
        configuration: { taskPushNotificationConfig: { url: "https://example.com/hook" } },
      });
      const reply = await probe.wire.call("SendMessage", params);
      expectError(probe.wire.binding, reply, "PUSH_NOTIFICATION_NOT_SUPPORTED");
      const listed = expectResult(await probe.wire.call("ListTasks", { contextId }));
      expect(objectsAt(listed, "tasks").length === 0, "no task", listed);
    },
  },
  {
    id: "3.3.4/SendStreamingMessage",
    title: "MUST refuse SendStreamingMessage without the streaming capability",
    verifies: ["3.3.4/streaming", "5.4/unsupported-operation"],
    needs: ["no-streaming"],
    async run(probe) {
      const reply = await probe.wire.call("SendStreamingMessage", sendParams(probe, [{ text: "hello" }]));
      expectError(probe.wire.binding, reply, "UNSUPPORTED_OPERATION");
    },
  },
  {
    id: "3.3.4/SubscribeToTask",
    title: "MUST refuse SubscribeToTask without the streaming capability",
    verifies: ["3.3.4/streaming"],
    needs: ["no-streaming"],
    async run(probe) {
      const id = textAt(await anyTask(probe), "id") ?? "";
      expectError(probe.wire.binding, await probe.wire.call("SubscribeToTask", { id }), "UNSUPPORTED_OPERATION");
    },
  },
  {
    id: "3.3.4/GetExtendedAgentCard",
    title: "MUST refuse GetExtendedAgentCard without the capability",
    verifies: ["3.3.4/extended-card", "13.3/not-supported", "5.4/unsupported-operation"],
    needs: ["no-extended-card"],
    async run(probe) {
      const reply = await probe.wire.call("GetExtendedAgentCard", {});
      expectError(probe.wire.binding, reply, "UNSUPPORTED_OPERATION");
    },
  },
  {
    id: "3.3.4/required-extension",
    title: "MUST refuse a caller that does not ask for a required extension, and make no task",
    verifies: ["3.3.4/required-extension", "5.4/extension-required"],
    needs: ["required-extension"],
    async run(probe) {
      const contextId = probe.newId();
      const params = sendParams(probe, [{ text: "hello" }], { message: { contextId } });
      const reply = await probe.wire.call("SendMessage", params, { headers: { "a2a-extensions": undefined } });
      expectError(probe.wire.binding, reply, "EXTENSION_SUPPORT_REQUIRED");
      const listed = expectResult(await probe.wire.call("ListTasks", { contextId }));
      expect(objectsAt(listed, "tasks").length === 0, "no task", listed);
    },
  },
  {
    id: "4.6.3/unknown-extension",
    title: "SHOULD ignore an extension that it does not know",
    verifies: ["4.6.3/ignores-unknown"],
    async run(probe) {
      const known = probe.facts.requiredExtensions;
      const header = [...known, "https://example.com/unheard-of/v1"].join(",");
      const answer = await say(probe, { options: { headers: { "a2a-extensions": header } } });
      expect(valueAt(answer, "task") !== undefined || valueAt(answer, "message") !== undefined, "an answer", answer);
    },
  },
  {
    id: "4.6.3/other-version",
    title: "MUST NOT answer an unknown version of an extension by another one",
    verifies: ["4.6.3/no-fallback"],
    async run(probe) {
      const [declared] = objectsAt(probe.card, "capabilities.extensions").filter(({ required }) => required !== true);
      const uri = textAt(declared, "uri");
      if (uri === undefined) throw new Inapplicable("the card declares no optional extension");
      const header = [...probe.facts.requiredExtensions, `${uri}999`].join(",");
      const params = sendParams(probe, [{ text: "hello" }]);
      const reply = await probe.wire.call("SendMessage", params, { headers: { "a2a-extensions": header } });
      expectResult(reply);
      const active = (reply.header("a2a-extensions") ?? "").split(",").map((item) => item.trim());
      if (active.includes(uri)) throw new Mismatch(`no ${uri} among the active extensions`, active.join(","));
    },
  },
  {
    id: "4.6.3/other-version-of-required",
    title: "MUST refuse a caller that asks for another version of a required extension",
    verifies: ["4.6.3/unknown-required", "4.6.3/no-fallback"],
    needs: ["required-extension"],
    async run(probe) {
      const header = probe.facts.requiredExtensions.map((uri) => `${uri}999`).join(",");
      const params = sendParams(probe, [{ text: "hello" }]);
      const reply = await probe.wire.call("SendMessage", params, { headers: { "a2a-extensions": header } });
      expectError(probe.wire.binding, reply, "EXTENSION_SUPPORT_REQUIRED");
    },
  },
];
