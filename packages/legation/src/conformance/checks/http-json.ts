/** §11: the HTTP+JSON binding, looked at without any client. */
import { endedTask, idOf, rehearseStream, rehearseTask, sendParams, waitingTask } from "../act.ts";
import type { Check, Probe } from "../check.ts";
import { expect, expectEqual, expectError } from "../expect.ts";
import { objectsAt, textAt, valueAt } from "../json-path.ts";
import type { RawReply } from "../raw-reply.ts";
import { tenantPath } from "../rest-route.ts";
import { pictureOf } from "../stream-picture.ts";
import type { RawRequest } from "../wire.ts";

/** Checks of §11. */
export const HTTP_JSON: readonly Check[] = [
  {
    id: "11.1/content-type",
    title: "SHOULD answer application/a2a+json",
    verifies: ["11.1/content-type"],
    needs: ["rest"],
    async run(probe) {
      const options = { headers: { accept: "application/a2a+json" } };
      for (const params of [{ pageSize: 1 }, { pageSize: 0 }]) {
        const type = (await probe.wire.call("ListTasks", params, options)).header("content-type") ?? "";
        expect(/^application\/a2a\+json\b/i.test(type), "application/a2a+json", type);
      }
    },
  },
  {
    id: "11.3/paths",
    title: "MUST serve every operation at its path",
    verifies: ["11.3.1/send", "11.3.2/get", "11.3.2/list", "11.3.2/cancel", "11.4/json"],
    needs: ["rest"],
    async run(probe) {
      const body = JSON.stringify(sendParams(probe, [{ text: "hello" }]));
      const sent = await atPath(probe, { path: "/message:send", body });
      expectEqual("the status of POST /message:send", sent.status, 200);
      const isAnswer = valueAt(sent.json, "task") !== undefined || valueAt(sent.json, "message") !== undefined;
      expect(isAnswer, "task or message, with no envelope", sent.text);
      const id = idOf(await endedTask(probe));
      const read = await atPath(probe, { method: "GET", path: `/tasks/${id}` });
      expectEqual("id of GET /tasks/{id}", textAt(read.json, "id"), id);
      const listed = await atPath(probe, { method: "GET", path: "/tasks?pageSize=1" });
      expect(Array.isArray(valueAt(listed.json, "tasks")), "tasks of GET /tasks", listed.text);
      const canceled = await atPath(probe, { path: `/tasks/${id}:cancel`, body: "{}" });
      expectEqual("the status of POST /tasks/{id}:cancel", canceled.status, 400);
      expectEqual("its reason", textAt(canceled.json, "error.details.0.reason"), "TASK_NOT_CANCELABLE");
    },
  },
  {
    id: "11.3/stream-paths",
    title: "MUST stream at /message:stream and /tasks/{id}:subscribe",
    verifies: ["11.3.1/stream", "11.3.2/subscribe", "11.1/sse", "11.7/data-events"],
    needs: ["rest", "streaming", "rehearsal"],
    async run(probe) {
      const stream = await probe.wire.stream("SendStreamingMessage", sendParams(probe, [{ text: "hello" }]));
      expectEqual("the status", stream.status, 200);
      const type = stream.header("content-type") ?? "";
      expect(/^text\/event-stream\b/i.test(type), "text/event-stream", type);
      for (const { json, data } of await stream.rest()) {
        const arms = ["task", "message", "statusUpdate", "artifactUpdate"].filter(
          (arm) => valueAt(json, arm) !== undefined,
        );
        expect(arms.length === 1, "exactly one member of StreamResponse", data);
      }
      const id = idOf(await waitingTask(probe));
      const subscribed = await probe.wire.stream("SubscribeToTask", { id });
      const first = await subscribed.next();
      await subscribed.close();
      expectEqual("the task of POST /tasks/{id}:subscribe", textAt(first?.payload, "task.id"), id);
    },
  },
  {
    id: "11.3/push-paths",
    title: "MUST know the paths of push configurations and of the extended card",
    verifies: ["11.3.3/push", "11.3.4/extended-card"],
    needs: ["rest"],
    async run(probe) {
      const base = `/tasks/${probe.newId()}/pushNotificationConfigs`;
      const replies = [
        await atPath(probe, { path: base, body: '{"url":"https://example.com/hook"}' }),
        await atPath(probe, { method: "GET", path: base }),
        await atPath(probe, { method: "GET", path: `${base}/c-1` }),
        await atPath(probe, { method: "DELETE", path: `${base}/c-1` }),
        await atPath(probe, { method: "GET", path: "/extendedAgentCard" }),
      ];
      for (const { status, json, text } of replies) {
        const isError = typeof valueAt(json, "error.code") === "number" && status !== 405;
        const isKnown = isError && textAt(json, "error.details.0.reason") !== "METHOD_NOT_FOUND";
        expect(status < 300 || isKnown, "a path that is known", `${status} ${text}`);
      }
    },
  },
  {
    id: "11.5/query",
    title: "MUST read path and query parameters: camelCase, numbers, booleans, enum names, times, percent-encoding",
    verifies: ["11.5/query-parameters", "11.5/camel-case", "11.5/types", "11.5/url-encoding"],
    needs: ["rest", "rehearsal"],
    async run(probe) {
      const steps = [{ artifact: { name: "a.txt", text: "one" } }, { end: "COMPLETED" }];
      const contextId = `${probe.newId()} ä/&=?`;
      const task = await rehearseTask(probe, steps, { message: { contextId } });
      const since = textAt(task, "status.timestamp") ?? "";
      const query = new URLSearchParams({
        contextId,
        status: "TASK_STATE_COMPLETED",
        pageSize: "1",
        historyLength: "0",
        includeArtifacts: "true",
        statusTimestampAfter: since,
      });
      const { json, text } = await atPath(probe, { method: "GET", path: `/tasks?${query}` });
      const [listed] = objectsAt(json, "tasks");
      expectEqual("the task", textAt(listed, "id"), idOf(task));
      expectEqual("its artifact", textAt(listed, "artifacts.0.parts.0.text"), "one");
      expect(!Object.hasOwn(listed ?? {}, "history"), "no history", text);
      const other = await atPath(probe, { method: "GET", path: "/tasks?status=TASK_STATE_FAILED&pageSize=1" });
      expect(!other.text.includes(idOf(task)), "no completed task among the failed", other.text);
    },
  },
  {
    id: "11.5/invalid-query",
    title: "MUST refuse values of a query that are not of their type",
    verifies: ["11.5/types"],
    needs: ["rest"],
    async run(probe) {
      for (const query of [
        "pageSize=many",
        "includeArtifacts=maybe",
        "statusTimestampAfter=yesterday",
        "status=working",
      ]) {
        const { status, json, text } = await atPath(probe, { method: "GET", path: `/tasks?${query}` });
        expectEqual(`the status for ${query}`, status, 400);
        expectEqual("error.code", valueAt(json, "error.code"), 400);
        expect(text.includes(query.slice(0, query.indexOf("="))), "the name of the parameter", text);
      }
    },
  },
  {
    id: "11.6/shape",
    title: "MUST send errors as google.rpc.Status with ErrorInfo",
    verifies: ["11.6/status-object", "11.6/code-is-status", "11.6/error-info", "11.6/typed-details"],
    needs: ["rest"],
    async run(probe) {
      const reply = await probe.wire.call("GetTask", { id: probe.newId() });
      const error = expectError("rest", reply, "TASK_NOT_FOUND");
      expectEqual("error.code", error.code, 404);
      expectEqual("error.status", error.status, "NOT_FOUND");
      expect((error.message ?? "") !== "", "error.message", reply.text);
      expectEqual("the domain", error.domain, "a2a-protocol.org");
      for (const detail of error.details) expect(typeof detail["@type"] === "string", "@type", detail);
    },
  },
  {
    id: "11.6/bad-request",
    title: "SHOULD carry a BadRequest with validation errors",
    verifies: ["11.6/well-known-types", "11.6/code-is-status"],
    needs: ["rest"],
    async run(probe) {
      const reply = await probe.wire.call("SendMessage", { message: { messageId: "m" } });
      expectEqual("the status", reply.status, 400);
      expectEqual("error.code", reply.error?.code, 400);
      expectEqual("error.status", reply.error?.status, "INVALID_ARGUMENT");
      expect((reply.error?.violations.length ?? 0) > 0, "fieldViolations", reply.text);
    },
  },
  {
    id: "11.7/stream",
    title: "MUST stream a Task, its updates in order, and close at the end or at a question",
    verifies: ["11.7/task-first", "11.7/closes", "11.7/no-reorder"],
    needs: ["rest", "streaming", "rehearsal"],
    async run(probe) {
      const frames = await rehearseStream(probe, [
        { artifact: { name: "a.txt", text: "1" } },
        { artifact: { name: "b.txt", text: "2" } },
        { ask: "which one?" },
      ]);
      expect(valueAt(frames[0]?.payload, "task") !== undefined, "a Task first", frames[0]?.data);
      const whole = { state: "INPUT_REQUIRED", artifacts: { "a.txt": "1", "b.txt": "2" } };
      expectEqual("the whole", pictureOf(frames), whole);
    },
  },
];

/** Sends a request that is written by hand to a path, behind the tenant of the interface. */
function atPath({ wire }: Probe, request: RawRequest & { readonly path: string }): Promise<RawReply> {
  return wire.raw({ ...request, path: tenantPath(wire.tenant, request.path) });
}
