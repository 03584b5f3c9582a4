/** §3.3.2 and §13.4: what a failing request is told. */
import type { JsonObject } from "../../model/json.ts";
import { anyTask, sendParams } from "../act.ts";
import type { Check, Probe } from "../check.ts";
import { expect, expectEqual, expectError, Inapplicable, Mismatch } from "../expect.ts";
import { valueAt } from "../json-path.ts";
import { tenantPath } from "../rest-route.ts";
import type { Reply, Wire } from "../wire.ts";

/** Bodies that no agent may carry out, and the field that each is wrong in. */
const BAD_MESSAGES: readonly {
  readonly what: string;
  readonly field: string;
  readonly params: (id: string) => JsonObject;
}[] = [
  { what: "no message", field: "message", params: () => ({}) },
  {
    what: "no messageId",
    field: "messageId",
    params: () => ({ message: { role: "ROLE_USER", parts: [{ text: "hello" }] } }),
  },
  {
    what: "no role",
    field: "role",
    params: (messageId) => ({ message: { messageId, parts: [{ text: "hello" }] } }),
  },
  {
    what: "no parts",
    field: "parts",
    params: (messageId) => ({ message: { messageId, role: "ROLE_USER" } }),
  },
  {
    what: "empty parts",
    field: "parts",
    params: (messageId) => ({ message: { messageId, role: "ROLE_USER", parts: [] } }),
  },
  {
    what: "a part without content",
    field: "parts[0]",
    params: (messageId) => ({ message: { messageId, role: "ROLE_USER", parts: [{ mediaType: "text/plain" }] } }),
  },
  {
    what: "a part with two contents",
    field: "parts[0]",
    params: (messageId) => ({
      message: { messageId, role: "ROLE_USER", parts: [{ text: "a", url: "https://example.com/a" }] },
    }),
  },
  {
    what: "an unknown role",
    field: "role",
    params: (messageId) => ({ message: { messageId, role: "user", parts: [{ text: "hello" }] } }),
  },
  {
    what: "parts that are no list",
    field: "parts",
    params: (messageId) => ({ message: { messageId, role: "ROLE_USER", parts: "hello" } }),
  },
  {
    what: "raw that is no base64",
    field: "raw",
    params: (messageId) => ({ message: { messageId, role: "ROLE_USER", parts: [{ raw: "!!!" }] } }),
  },
];

/** Checks of §3.3.2 and §13.4. */
export const ERRORS: readonly Check[] = [
  ...BAD_MESSAGES.map(
    ({ what, field, params }): Check => ({
      id: `3.3.2/${what.replaceAll(" ", "-")}`,
      title: `MUST refuse a message with ${what} and name the field`,
      verifies: ["3.3.2/validates", "3.3.2/names-parameter", "5.7/validates-required", "13.4/validates"],
      async run(probe) {
        const reply = await probe.wire.call("SendMessage", params(probe.newId()));
        const error = expectError(probe.wire.binding, reply, "INVALID_PARAMS");
        const named = error.violations.some((violation) => violation.field.includes(field));
        expect(named || (error.message ?? "").includes(field), `an error that names ${field}`, reply.text);
      },
    }),
  ),
  {
    id: "3.3.2/several-fields",
    title: "SHOULD name every wrong parameter and what would be right",
    verifies: ["3.3.2/names-parameter", "3.3.2/guides", "3.3.2/actionable"],
    async run(probe) {
      const params = { pageSize: 150, historyLength: -5, status: "TASK_STATE_RUNNING" };
      const reply = await probe.wire.call("ListTasks", params);
      const error = expectError(probe.wire.binding, reply, "INVALID_PARAMS");
      expect(
        Object.keys(params).some((name) => error.violations.some(({ field }) => field.includes(name))),
        "a violation with the field's name",
        reply.text,
      );
      expect(
        error.violations.every(({ description }) => description.length > 8),
        "a description of each violation",
        error.violations,
      );
    },
  },
  {
    id: "3.3.2/unknown-state",
    title: "SHOULD list the valid names for an unknown state",
    verifies: ["3.3.2/guides"],
    async run(probe) {
      const reply = await probe.wire.call("ListTasks", { status: "TASK_STATE_RUNNING" });
      expectError(probe.wire.binding, reply, "INVALID_PARAMS");
      expect(reply.text.includes("TASK_STATE_INPUT_REQUIRED"), "the valid states", reply.text);
    },
  },
  {
    id: "3.3.2/payload",
    title: "MUST carry a code, a message and typed details in every error",
    verifies: ["3.3.2/code-and-message", "3.3.2/typed-details", "3.3.2/appropriate-error"],
    async run(probe) {
      for (const reply of await someErrors(probe)) {
        const { error } = reply;
        expect(error?.code !== undefined, "a numeric code", reply.text);
        expect((error.message ?? "") !== "", "a message", reply.text);
        if (error.rawDetails === undefined) continue;
        expect(Array.isArray(error.rawDetails), "details that are a list", error.rawDetails);
        for (const detail of error.details) expect(typeof detail["@type"] === "string", "@type in a detail", detail);
        expectEqual("the number of objects among the details", error.details.length, error.rawDetails.length);
      }
    },
  },
  {
    id: "3.3.2/well-known-details",
    title: "SHOULD use ErrorInfo and BadRequest",
    verifies: ["3.3.2/well-known-details"],
    async run(probe) {
      const missing = await probe.wire.call("GetTask", { id: probe.newId() });
      expectEqual("the reason", missing.error?.reason, "TASK_NOT_FOUND");
      expectEqual("the domain", missing.error?.domain, "a2a-protocol.org");
      const invalid = await probe.wire.call("SendMessage", {});
      expect((invalid.error?.violations.length ?? 0) > 0, "a BadRequest with violations", invalid.text);
    },
  },
  {
    id: "3.3.2/no-internals",
    title: "MUST answer nonsense in the shape of the binding, with no stack and no HTML",
    verifies: ["3.3.2/appropriate-error"],
    async run(probe) {
      for (const body of ["", "{", "null", "[]", '"text"', "\u0000", "{}", '{"message":7}']) {
        const reply = await probe.wire.raw({ path: sendPath(probe.wire), body });
        const shown = `${reply.status} ${reply.text}`;
        expect(
          valueAt(reply.json, "error") !== undefined,
          `an error object for the body ${JSON.stringify(body)}`,
          shown,
        );
        expect(!/<html|\n\s+at |node_modules|node:internal/i.test(reply.text), "no stack and no HTML", shown);
      }
    },
  },
  {
    id: "3.3.2/nothing-stored",
    title: "MUST store nothing of a refused request",
    verifies: ["3.3.2/validates", "3.4.2/unknown-task-id"],
    async run(probe) {
      const contextId = probe.newId();
      const message = { contextId, taskId: probe.newId() };
      await probe.wire.call("SendMessage", sendParams(probe, [{ text: "hello" }], { message }));
      await probe.wire.call("SendMessage", sendParams(probe, [{}], { message: { contextId } }));
      const listed = await probe.wire.call("ListTasks", { contextId });
      expectEqual("the tasks of the context", valueAt(listed.result, "tasks"), []);
    },
  },
  {
    id: "13.4/size",
    title: "SHOULD refuse messages beyond a limit of size",
    verifies: ["13.4/limits-size"],
    async run(probe) {
      const text = "x".repeat(11 * 1024 * 1024);
      const reply = await unlessClosed(probe, () => probe.wire.call("SendMessage", sendParams(probe, [{ text }])));
      if (reply === undefined) return;
      expect(reply.error !== undefined, "an error for 11 MiB", `${reply.status}`);
      expect(reply.status === 413 || reply.status === 400 || reply.status === 200, "413", reply.status);
    },
  },
  {
    id: "13.4/complexity",
    title: "SHOULD refuse requests that are nested without end",
    verifies: ["13.4/limits-complexity"],
    async run(probe) {
      const depth = 20_000;
      const data = `${"[".repeat(depth)}${"]".repeat(depth)}`;
      const params = `{"message":{"messageId":"${probe.newId()}","role":"ROLE_USER","parts":[{"data":${data}}]}}`;
      const isRest = probe.wire.binding === "rest";
      const body = isRest ? params : `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":${params}}`;
      const reply = await unlessClosed(probe, () => probe.wire.raw({ path: sendPath(probe.wire), body }));
      if (reply === undefined) return;
      expect(valueAt(reply.json, "error") !== undefined, "an error", `${reply.status} ${reply.text.slice(0, 300)}`);
    },
  },
];

async function someErrors(probe: Probe): Promise<readonly Reply[]> {
  const { wire } = probe;
  const task = await anyTask(probe).catch(() => undefined);
  return [
    await wire.call("GetTask", { id: probe.newId() }),
    await wire.call("CancelTask", { id: probe.newId() }),
    await wire.call("SendMessage", {}),
    await wire.call("ListTasks", { pageSize: 1_000 }),
    await wire.call("GetTask", { id: "x" }, { headers: { "a2a-version": "99.0" } }),
    ...(task === undefined ? [] : [await wire.call("GetTask", { id: String(task["id"]), historyLength: -1 })]),
  ];
}

/**
 * Sends what is too much. An agent may answer and close while that is still on its way; the reset that the rest of it
 * meets can take the answer along, whatever the client does (RFC 9112 §9.6). So to close is to refuse, where the agent
 * goes on answering others.
 *
 * @returns undefined where the connection was closed
 */
async function unlessClosed<T>(probe: Probe, send: () => Promise<T>): Promise<T | undefined> {
  try {
    return await send();
  } catch (closed) {
    if (closed instanceof Mismatch || closed instanceof Inapplicable) throw closed;
    await probe.wire.call("GetTask", { id: probe.newId() }).catch(() => {
      throw closed;
    });
    return undefined;
  }
}

function sendPath({ binding, tenant }: Wire): string {
  return binding === "rest" ? tenantPath(tenant, "/message:send") : "";
}
