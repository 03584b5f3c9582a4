/** §9: the JSON-RPC binding, looked at without any client. */
import type { JsonObject, JsonValue } from "../../model/json.ts";
import { endedTask, idOf, sendParams, waitingTask } from "../act.ts";
import type { Check, Probe } from "../check.ts";
import { expect, expectEqual } from "../expect.ts";
import { textAt, valueAt } from "../json-path.ts";
import type { RawReply } from "../raw-reply.ts";

/** The requirement behind each standard code. */
const REQUIREMENT_OF = {
  [-32700]: "9.5/parse-error",
  [-32600]: "9.5/invalid-request",
  [-32601]: "9.5/method-not-found",
  [-32602]: "9.5/invalid-params",
} as const;

/** Checks of §9. */
export const JSON_RPC: readonly Check[] = [
  {
    id: "9.1/content-type",
    title: "MUST answer application/json",
    verifies: ["9.1/content-type"],
    needs: ["jsonrpc"],
    async run(probe) {
      for (const params of [{ pageSize: 1 }, { pageSize: 0 }]) {
        const type = (await post(probe, { method: "ListTasks", params })).header("content-type") ?? "";
        expect(/^application\/json\b/i.test(type), "application/json", type);
      }
    },
  },
  {
    id: "9.1/method-names",
    title: "MUST know the methods of the proto by their names",
    verifies: [
      "9.1/method-names",
      "9.4.1/send",
      "9.4.3/get",
      "9.4.4/list",
      "9.4.5/cancel",
      "9.4.7/push",
      "9.4.8/extended-card",
    ],
    needs: ["jsonrpc"],
    async run(probe) {
      for (const method of [
        "SendMessage",
        "SendStreamingMessage",
        "GetTask",
        "ListTasks",
        "CancelTask",
        "SubscribeToTask",
        "CreateTaskPushNotificationConfig",
        "GetTaskPushNotificationConfig",
        "ListTaskPushNotificationConfigs",
        "DeleteTaskPushNotificationConfig",
        "GetExtendedAgentCard",
      ]) {
        const reply = await post(probe, { method, params: {} });
        expect(isKnownMethod(reply), `method ${method}`, reply.text);
      }
    },
  },
  {
    id: "9.3/id",
    title: "MUST answer with jsonrpc 2.0 and the id of the request, a string or a number",
    verifies: ["9.3/envelope"],
    needs: ["jsonrpc"],
    async run(probe) {
      for (const id of ["a-b", 0, 7, "日本"]) {
        for (const params of [{ pageSize: 1 }, { pageSize: 0 }]) {
          const { json, text } = await post(probe, { id, method: "ListTasks", params });
          expectEqual("jsonrpc", valueAt(json, "jsonrpc"), "2.0");
          expectEqual("id", valueAt(json, "id"), id);
          const arms = ["result", "error"].filter((arm) => valueAt(json, arm) !== undefined);
          expect(arms.length === 1, "one of result and error", text);
        }
      }
    },
  },
  {
    id: "9.4/send",
    title: "MUST carry the answer of SendMessage in result",
    verifies: ["9.4.1/send", "9.4.3/get", "9.4.4/list", "9.4.5/cancel"],
    needs: ["jsonrpc"],
    async run(probe) {
      const sent = await post(probe, { method: "SendMessage", params: sendParams(probe, [{ text: "hello" }]) });
      expect(
        valueAt(sent.json, "result.task") !== undefined || valueAt(sent.json, "result.message") !== undefined,
        "result.task or result.message",
        sent.text,
      );
      const id = idOf(await endedTask(probe));
      const read = await post(probe, { method: "GetTask", params: { id, historyLength: 10 } });
      expectEqual("result.id of GetTask", valueAt(read.json, "result.id"), id);
      const listed = await post(probe, { method: "ListTasks", params: { pageSize: 1 } });
      expect(Array.isArray(valueAt(listed.json, "result.tasks")), "result.tasks of ListTasks", listed.text);
      const canceled = await post(probe, { method: "CancelTask", params: { id } });
      expectEqual("error.code of CancelTask", valueAt(canceled.json, "error.code"), -32002);
    },
  },
  {
    id: "9.4/stream",
    title: "MUST stream with 200, text/event-stream and a response with the id in every event",
    verifies: ["9.1/sse", "9.4.2/stream"],
    needs: ["jsonrpc", "streaming"],
    async run(probe) {
      const stream = await probe.wire.stream("SendStreamingMessage", sendParams(probe, [{ text: "hello" }]));
      expectEqual("the status", stream.status, 200);
      const type = stream.header("content-type") ?? "";
      expect(/^text\/event-stream\b/i.test(type), "text/event-stream", type);
      const ids = new Set<unknown>();
      for (const { json, data } of await stream.rest()) {
        expectEqual("jsonrpc", valueAt(json, "jsonrpc"), "2.0");
        expect(valueAt(json, "result") !== undefined, "a result", data);
        ids.add(valueAt(json, "id"));
      }
      expectEqual("the number of different ids", ids.size, 1);
      expect(!ids.has(undefined) && !ids.has(null), "the id of the request", [...ids]);
    },
  },
  {
    id: "9.4/subscribe",
    title: "MUST stream a subscription in the form of SendStreamingMessage",
    verifies: ["9.4.6/subscribe"],
    needs: ["jsonrpc", "streaming", "rehearsal"],
    async run(probe) {
      const stream = await probe.wire.stream("SubscribeToTask", { id: idOf(await waitingTask(probe)) });
      expect(stream.isStream, "an event stream", stream.error?.message ?? stream.status);
      const first = await stream.next();
      await stream.close();
      expectEqual("jsonrpc", valueAt(first?.json, "jsonrpc"), "2.0");
      expect(valueAt(first?.json, "result.task") !== undefined, "result.task", first?.data);
    },
  },
  {
    id: "9.4/no-params",
    title: "MUST take GetExtendedAgentCard without params",
    verifies: ["9.4.8/extended-card"],
    needs: ["jsonrpc"],
    async run(probe) {
      const reply = await post(probe, { method: "GetExtendedAgentCard" });
      const code = valueAt(reply.json, "error.code");
      expect(isKnownMethod(reply) && code !== -32602 && code !== -32600, "no complaint about params", reply.text);
    },
  },
  ...(
    [
      ["9.5/parse-error", "MUST answer -32700 with id null to invalid JSON", "{", -32700],
      ["9.5/no-envelope", "MUST answer -32600 to a body that is no request", "{}", -32600],
      [
        "9.5/wrong-version",
        "MUST answer -32600 to jsonrpc 1.0",
        '{"jsonrpc":"1.0","id":1,"method":"ListTasks"}',
        -32600,
      ],
      ["9.5/no-method", "MUST answer -32600 to a request without method", '{"jsonrpc":"2.0","id":1}', -32600],
      [
        "9.5/method-type",
        "MUST answer -32600 to a method that is no string",
        '{"jsonrpc":"2.0","id":1,"method":7}',
        -32600,
      ],
      [
        "9.5/unknown-method",
        "MUST answer -32601 to an unknown method",
        '{"jsonrpc":"2.0","id":1,"method":"Dance"}',
        -32601,
      ],
      [
        "9.5/params-type",
        "MUST answer -32602 to params by position",
        '{"jsonrpc":"2.0","id":1,"method":"GetTask","params":[1]}',
        -32602,
      ],
    ] as const
  ).map(
    ([id, title, body, code]): Check => ({
      id,
      title,
      verifies: [REQUIREMENT_OF[code], "9.3/refuses-bad-envelope", "9.5/error-object"],
      needs: ["jsonrpc"],
      async run(probe) {
        const { json, text } = await probe.wire.raw({ body });
        expectEqual("jsonrpc", valueAt(json, "jsonrpc"), "2.0");
        expectEqual("error.code", valueAt(json, "error.code"), code);
        expect((textAt(json, "error.message") ?? "") !== "", "a message", text);
        if (code === -32700) expectEqual("id", valueAt(json, "id"), null);
      },
    }),
  ),
  {
    id: "9.5/invalid-params",
    title: "MUST answer -32602 to invalid parameters, with a BadRequest",
    verifies: ["9.5/invalid-params", "9.5/well-known-types", "9.5/typed-data", "9.5/error-object"],
    needs: ["jsonrpc"],
    async run(probe) {
      const reply = await probe.wire.call("SendMessage", { message: { messageId: "m" } });
      expectEqual("error.code", reply.error?.code, -32602);
      expect(Array.isArray(reply.error?.rawDetails), "error.data that is a list", reply.text);
      for (const detail of reply.error?.details ?? []) expect(typeof detail["@type"] === "string", "@type", detail);
      expect((reply.error?.violations.length ?? 0) > 0, "fieldViolations", reply.text);
    },
  },
  {
    id: "9.5/error-info",
    title: "SHOULD carry an ErrorInfo with the errors of the protocol",
    verifies: ["9.5/well-known-types", "9.5/typed-data"],
    needs: ["jsonrpc"],
    async run(probe) {
      const { error } = await probe.wire.call("GetTask", { id: probe.newId() });
      expectEqual("error.code", error?.code, -32001);
      expectEqual("the reason", error?.reason, "TASK_NOT_FOUND");
      expectEqual("the domain", error?.domain, "a2a-protocol.org");
    },
  },
];

/** An answer of the method itself, be it an error. */
function isKnownMethod({ json }: RawReply): boolean {
  const code = valueAt(json, "error.code");
  return valueAt(json, "result") !== undefined || (typeof code === "number" && code !== -32601);
}

function post(
  { wire }: Probe,
  request: { readonly id?: JsonValue; readonly method: string; readonly params?: JsonObject },
): Promise<RawReply> {
  const { params } = request;
  const own = params === undefined || wire.tenant === "" ? {} : { params: { tenant: wire.tenant, ...params } };
  return wire.raw({ body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...request, ...own }) });
}
