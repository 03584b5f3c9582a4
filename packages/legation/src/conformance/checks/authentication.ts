/** §7.4, §13.1, §13.3 and the rest of §3.3.2: who may call, and what callers see of each other. */
import type { JsonObject } from "../../model/json.ts";
import type { MethodName } from "../../operations/methods.ts";
import { anyTask, idOf, sendParams, waitingTask } from "../act.ts";
import type { Check, Probe } from "../check.ts";
import { ERROR_MAPPINGS } from "../error-mappings.ts";
import { expect, expectEqual, expectError, expectResult } from "../expect.ts";
import { objectsAt, textAt, valueAt } from "../json-path.ts";
import type { Reply } from "../wire.ts";

/** One call of each operation that needs no state. */
const CALLS: readonly [MethodName, JsonObject][] = [
  ["GetTask", { id: "no-such-task" }],
  ["ListTasks", {}],
  ["CancelTask", { id: "no-such-task" }],
  ["SubscribeToTask", { id: "no-such-task" }],
  ["SendMessage", {}],
  ["SendStreamingMessage", {}],
  ["GetTaskPushNotificationConfig", { taskId: "no-such-task", id: "c-1" }],
];

/** Checks of authentication and of what callers see of each other. */
export const AUTHENTICATION: readonly Check[] = [
  {
    id: "7.4/missing",
    title: "MUST reject every operation without credentials",
    verifies: ["7.4/authenticates-every-request", "3.3.2/rejects-missing-credentials"],
    needs: ["authentication"],
    async run(probe) {
      for (const [method, params] of CALLS) {
        const reply = await probe.wire.call(method, params, { caller: "nobody" });
        expect(isAuthenticationError(reply), `${method} to be rejected for its credentials`, shown(reply));
      }
    },
  },
  {
    id: "7.4/error-codes",
    title: "SHOULD reject with 401, in the shape of the binding",
    verifies: ["7.4/error-codes"],
    needs: ["authentication"],
    async run(probe) {
      const reply = await probe.wire.call("GetTask", { id: "no-such-task" }, { caller: "nobody" });
      expectEqual("the status", reply.status, 401);
      expect(reply.error?.code !== undefined, "an error in the shape of the binding", reply.text);
    },
  },
  {
    id: "7.4/invalid",
    title: "MUST reject invalid credentials",
    verifies: ["3.3.2/rejects-invalid-credentials"],
    needs: ["authentication"],
    async run(probe) {
      const headers = { authorization: "Bearer of-nobody", "x-api-key": "of-nobody" };
      const reply = await probe.wire.call("GetTask", { id: "no-such-task" }, { caller: "nobody", headers });
      expect(isAuthenticationError(reply), "a rejection for the credentials", shown(reply));
    },
  },
  {
    id: "7.4/challenge",
    title: "SHOULD answer with a challenge that names the scheme",
    verifies: ["7.4/challenge", "3.3.2/challenge", "3.3.2/challenge-names-scheme"],
    needs: ["authentication"],
    async run(probe) {
      const reply = await probe.wire.call("GetTask", { id: "no-such-task" }, { caller: "nobody" });
      expect(/^[A-Za-z][\w-]*/.test(reply.header("www-authenticate") ?? ""), "WWW-Authenticate", reply.status);
    },
  },
  {
    id: "13.1/get",
    title: "MUST hide the tasks of another caller, and say the same as of a task that does not exist",
    verifies: ["13.1/get", "3.3.2/hides-existence", "3.3.2/same-error", "3.3.2/not-found"],
    needs: ["second-caller"],
    async run(probe) {
      const id = idOf(await anyTask(probe));
      const foreign = await asOther(probe, "GetTask", { id });
      expectError(probe.wire.binding, foreign, "TASK_NOT_FOUND");
      const missing = await asOther(probe, "GetTask", { id: probe.newId() });
      expectEqual("the same status", foreign.status, missing.status);
      expectEqual("the same code", foreign.error?.code, missing.error?.code);
      const bare = (reply: Reply, taskId: string): string => (reply.error?.message ?? "").replaceAll(taskId, "…");
      const missingId = textAt(missing.error?.details[0], "metadata.taskId") ?? "";
      if (missingId !== "") expectEqual("the same message", bare(foreign, id), bare(missing, missingId));
    },
  },
  {
    id: "13.1/list",
    title: "MUST list only the caller's own tasks, whatever the filter",
    verifies: ["13.1/list", "13.1/scoped-results", "3.1.4/visible-tasks-only"],
    needs: ["second-caller"],
    async run(probe) {
      const task = await anyTask(probe);
      const contextId = textAt(task, "contextId") ?? "";
      for (const params of [{}, { contextId }]) {
        const page = expectResult(await asOther(probe, "ListTasks", params));
        const ids = objectsAt(page, "tasks").map(idOf);
        expect(!ids.includes(idOf(task)), "no task of the first caller", ids);
      }
      const page = expectResult(await asOther(probe, "ListTasks", { contextId }));
      expectEqual("totalSize", valueAt(page, "totalSize"), 0);
    },
  },
  {
    id: "13.1/operations",
    title: "MUST NOT let another caller cancel, subscribe to or continue a task",
    verifies: ["13.1/task-operations", "3.3.2/hides-existence"],
    needs: ["second-caller", "rehearsal", "streaming"],
    async run(probe) {
      const id = idOf(await waitingTask(probe));
      expectError(probe.wire.binding, await asOther(probe, "CancelTask", { id }), "TASK_NOT_FOUND");
      expectError(probe.wire.binding, await asOther(probe, "SubscribeToTask", { id }), "TASK_NOT_FOUND");
      const params = sendParams(probe, [{ text: "mine" }], { message: { taskId: id } });
      expectError(probe.wire.binding, await asOther(probe, "SendMessage", params), "TASK_NOT_FOUND");
      const still = await probe.wire.call("GetTask", { id });
      expectEqual("the state", textAt(still.result, "status.state"), "TASK_STATE_INPUT_REQUIRED");
    },
  },
  {
    id: "13.3/authenticates",
    title: "MUST ask for authentication before it gives the extended card",
    verifies: ["13.3/requires-authentication"],
    needs: ["extended-card"],
    async run(probe) {
      const reply = await probe.wire.call("GetExtendedAgentCard", {}, { caller: "nobody" });
      expect(isAuthenticationError(reply), "a rejection for the credentials", shown(reply));
    },
  },
  {
    id: "3.1.11/returns-card",
    title: "MUST give a complete card to an authenticated caller",
    verifies: ["3.1.11/returns-card", "13.3/declared-schemes", "9.4.8/extended-card", "11.3.4/extended-card"],
    needs: ["extended-card", "authentication"],
    async run(probe) {
      const card = expectResult(await probe.wire.call("GetExtendedAgentCard", {}));
      for (const field of ["name", "description", "version"]) expect((textAt(card, field) ?? "") !== "", field, card);
      expect(objectsAt(card, "supportedInterfaces").length > 0, "interfaces", card);
      expect(objectsAt(card, "skills").length > 0, "skills", card);
    },
  },
  {
    id: "13.3/caching",
    title: "SHOULD keep shared caches from keeping the extended card",
    verifies: ["13.3/caching"],
    needs: ["extended-card", "authentication", "rest"],
    async run(probe) {
      const reply = await probe.wire.call("GetExtendedAgentCard", {});
      const header = reply.header("cache-control") ?? "";
      expect(/private|no-store/.test(header), "Cache-Control private or no-store", header);
    },
  },
  {
    id: "3.3.4/extended-card-not-configured",
    title: "MUST say so where there is no extended card for the caller",
    verifies: ["3.3.4/extended-card-not-configured", "13.3/not-configured", "5.4/extended-card"],
    needs: ["extended-card", "second-caller"],
    async run(probe) {
      // Which callers have no card is the agent's own affair: a card for the second one is no mistake.
      const reply = await asOther(probe, "GetExtendedAgentCard", {});
      if (reply.error !== undefined) expectError(probe.wire.binding, reply, "EXTENDED_AGENT_CARD_NOT_CONFIGURED");
    },
  },
];

/** Codes that say something of the request and nothing of its credentials. */
const ORDINARY_CODES: readonly number[] = [
  ...Object.values(ERROR_MAPPINGS).map(({ jsonRpc }) => jsonRpc),
  -32006,
  -32603,
];

/** 401 or 403; on JSON-RPC, which has no code for it, also an error that is none of the protocol's. */
function isAuthenticationError({ status, error }: Reply): boolean {
  if (status === 401 || status === 403) return true;
  return status === 200 && error?.code !== undefined && !ORDINARY_CODES.includes(error.code);
}

function shown({ status, text }: Reply): string {
  return `${status} ${text}`;
}

function asOther(probe: Probe, method: MethodName, params: JsonObject): Promise<Reply> {
  return probe.wire.call(method, params, { caller: "other" });
}
