/** §3.1.7 to §3.1.10, §4.3.3 and §13.2: push configurations and webhooks. */
import type { JsonObject } from "../../model/json.ts";
import { endedTask, idOf, rehearseTask, script, sendParams } from "../act.ts";
import type { Check, Probe } from "../check.ts";
import { expect, expectEqual, expectError, expectResult, Inapplicable, Mismatch } from "../expect.ts";
import { objectsAt, textAt, valueAt } from "../json-path.ts";
import type { ReceivedWebhook, WebhookReceiver } from "../webhook-receiver.ts";
import type { Reply } from "../wire.ts";

const HOOK = "https://example.com/hook";
const DELIVERY_MS = 10_000;

/** Addresses that no agent should call for a stranger. */
const PRIVATE_URLS: readonly string[] = [
  "http://169.254.169.254/latest/meta-data",
  "http://10.0.0.1/hook",
  "http://[::1]:1/hook",
];

/** Checks of push notifications. */
export const PUSH: readonly Check[] = [
  {
    id: "3.1.7/creates",
    title: "MUST give the created configuration with an id, and keep it",
    verifies: ["3.1.7/creates", "3.1.7/persists", "3.1.8/returns-details", "9.4.7/push", "11.3.3/push"],
    needs: ["push"],
    async run(probe) {
      const taskId = idOf(await endedTask(probe));
      const created = await create(probe, taskId);
      const id = idOf(created);
      expect(id !== "", "an id", created);
      const read = expectResult(await probe.wire.call("GetTaskPushNotificationConfig", { taskId, id }));
      expectEqual("the url", textAt(read, "url"), HOOK);
      expectEqual("the id", idOf(read), id);
    },
  },
  {
    id: "3.1.7/unknown-task",
    title: "MUST refuse a configuration for an unknown task",
    verifies: ["3.1.7/unknown-task"],
    needs: ["push"],
    async run(probe) {
      const params = { taskId: probe.newId(), url: HOOK };
      const reply = await probe.wire.call("CreateTaskPushNotificationConfig", params);
      expectError(probe.wire.binding, reply, "TASK_NOT_FOUND");
    },
  },
  {
    id: "3.1.8/unknown-config",
    title: "MUST fail for a configuration that does not exist",
    verifies: ["3.1.8/unknown-config"],
    needs: ["push"],
    async run(probe) {
      const params = { taskId: idOf(await endedTask(probe)), id: probe.newId() };
      const reply = await probe.wire.call("GetTaskPushNotificationConfig", params);
      expectError(probe.wire.binding, reply, "TASK_NOT_FOUND");
    },
  },
  {
    id: "3.1.9/lists",
    title: "MUST list every configuration of the task",
    verifies: ["3.1.9/lists-all"],
    needs: ["push"],
    async run(probe) {
      const taskId = idOf(await endedTask(probe));
      const ids = [idOf(await create(probe, taskId)), idOf(await create(probe, taskId))];
      expectEqual("the ids", (await listed(probe, taskId)).sort(), ids.sort());
    },
  },
  {
    id: "3.1.9/unknown-task",
    title: "MUST say that an unknown task is not found",
    verifies: ["3.1.9/unknown-task"],
    needs: ["push"],
    async run(probe) {
      const reply = await probe.wire.call("ListTaskPushNotificationConfigs", { taskId: probe.newId() });
      expectError(probe.wire.binding, reply, "TASK_NOT_FOUND");
    },
  },
  {
    id: "3.1.10/deletes",
    title: "MUST remove a configuration, and do the same when asked again",
    verifies: ["3.1.10/removes", "3.1.10/idempotent"],
    needs: ["push"],
    async run(probe) {
      const taskId = idOf(await endedTask(probe));
      const id = idOf(await create(probe, taskId));
      for (const time of ["first", "second"]) {
        const reply = await probe.wire.call("DeleteTaskPushNotificationConfig", { taskId, id });
        expect(reply.error === undefined && reply.status < 300, `the ${time} delete to succeed`, reply.text);
      }
      expectEqual("the configurations afterwards", await listed(probe, taskId), []);
      const read = await probe.wire.call("GetTaskPushNotificationConfig", { taskId, id });
      expectError(probe.wire.binding, read, "TASK_NOT_FOUND");
    },
  },
  {
    id: "3.1.10/unknown-task",
    title: "MUST say that an unknown task is not found",
    verifies: ["3.1.10/unknown-task"],
    needs: ["push"],
    async run(probe) {
      const params = { taskId: probe.newId(), id: probe.newId() };
      const reply = await probe.wire.call("DeleteTaskPushNotificationConfig", params);
      expectError(probe.wire.binding, reply, "TASK_NOT_FOUND");
    },
  },
  {
    id: "4.3.3/delivers",
    title: "MUST post updates as StreamResponses with the credentials of the configuration",
    verifies: ["3.1.7/delivers", "4.3.3/payload", "4.3.3/credentials", "4.3.3/attempts-delivery", "13.2/credentials"],
    needs: ["push", "rehearsal", "webhook"],
    async run(probe) {
      await withWebhook(probe, async (hook) => {
        const authentication = { scheme: "Bearer", credentials: "secret-of-this-check" };
        const configuration = { taskPushNotificationConfig: { url: hook.url, authentication } };
        const params = sendParams(probe, [script([{ state: "WORKING" }, { end: "COMPLETED" }])], { configuration });
        taken(hook, await probe.wire.call("SendMessage", params));
        for (let isOver = false; !isOver; ) {
          const received = await hook.next(DELIVERY_MS);
          if (received === undefined) throw new Mismatch("a notification of COMPLETED", "none in time");
          expectEqual("the authorization header", received.headers["authorization"], "Bearer secret-of-this-check");
          isOver = JSON.stringify(payloadOf(received)).includes("TASK_STATE_COMPLETED");
        }
      });
    },
  },
  {
    id: "3.1.10/no-more",
    title: "MUST post nothing more after the configuration is deleted",
    verifies: ["3.1.10/removes"],
    needs: ["push", "rehearsal", "webhook"],
    async run(probe) {
      await withWebhook(probe, async (hook) => {
        const task = await rehearseTask(probe, [{ ask: "which one?" }, { end: "COMPLETED" }]);
        const taskId = idOf(task);
        const params = { taskId, url: hook.url };
        const id = idOf(taken(hook, await probe.wire.call("CreateTaskPushNotificationConfig", params)));
        await probe.wire.call("DeleteTaskPushNotificationConfig", { taskId: idOf(task), id });
        await probe.wire.call(
          "SendMessage",
          sendParams(probe, [{ text: "this" }], { message: { taskId: idOf(task) } }),
        );
        const late = await hook.next(1_000);
        expect(late === undefined, "no notification", late?.body);
      });
    },
  },
  {
    id: "13.2/private-addresses",
    title: "SHOULD refuse webhooks at private addresses",
    verifies: ["13.2/ssrf"],
    needs: ["push"],
    async run(probe) {
      const taskId = idOf(await endedTask(probe));
      for (const url of PRIVATE_URLS) {
        const reply = await probe.wire.call("CreateTaskPushNotificationConfig", { taskId, url });
        expect(reply.error !== undefined, `an error for ${url}`, reply.text);
      }
    },
  },
];

/** The result, unless the agent calls no private addresses, as it should, and the receiver stands at one. */
function taken({ url }: Hook, reply: Reply): JsonObject {
  const isPrivate = /^https?:\/\/(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|\[)/.test(url);
  if (reply.error !== undefined && isPrivate) {
    throw new Inapplicable("the agent refuses webhooks at private addresses, where the receiver of this run is");
  }
  return expectResult(reply);
}

async function create(probe: Probe, taskId: string, url: string = HOOK): Promise<JsonObject> {
  return expectResult(await probe.wire.call("CreateTaskPushNotificationConfig", { taskId, url }));
}

async function listed(probe: Probe, taskId: string): Promise<string[]> {
  const result = expectResult(await probe.wire.call("ListTaskPushNotificationConfigs", { taskId }));
  return objectsAt(result, "configs").map(idOf);
}

type Hook = Awaited<ReturnType<WebhookReceiver["open"]>>;

async function withWebhook({ webhook }: Probe, body: (hook: Hook) => Promise<void>): Promise<void> {
  if (webhook === undefined) throw new Inapplicable("the runner has no webhook receiver");
  const hook = await webhook.open();
  try {
    await body(hook);
  } finally {
    await hook.close();
  }
}

function payloadOf({ body, headers }: ReceivedWebhook): unknown {
  expect((headers["content-type"] ?? "").includes("json"), "a JSON media type", headers["content-type"]);
  const payload: unknown = JSON.parse(body);
  const arms = ["task", "message", "statusUpdate", "artifactUpdate"].filter(
    (arm) => valueAt(payload, arm) !== undefined,
  );
  expect(arms.length === 1, "exactly one member of StreamResponse", body);
  return payload;
}
