// The gRPC of v0.3: its statuses, what should not be sent, and what is taught.
import assert from "node:assert/strict";
import test from "node:test";
import { serve } from "../../src/hosts/node/serve.ts";
import type { Loose } from "../../src/model/notes.ts";
import { plainCall } from "../../src/operations/call.ts";
import { A2AError } from "../../src/operations/errors.ts";
import { callRaw, frameOf, type RawOptions } from "../grpc/raw-call.ts";
import { type Answer, agentWith, call, finish, onOld, send } from "./old-rpc-calls.ts";

async function isRefused(answer: Promise<Answer>, status: number, reason: string, message: RegExp): Promise<void> {
  const found = await answer;
  assert.deepEqual([found.raw.http, found.status, found.reason], [200, status, reason], found.message);
  assert.match(found.message, message);
  // The status in the details is the one of the trailers.
  assert.equal((found.raw.details as { code: number }).code, status);
}

test("errors have the statuses of 0.3, and the details of 1.0", async () => {
  const plain = agentWith(finish);
  await onOld(plain, async ({ call: callHere, good }) => {
    const { task } = await good("SendMessage", send("a"));
    const name = `tasks/${String((task as Loose)["id"])}`;
    await isRefused(callHere("GetTask", { name: "tasks/none" }), 5, "TASK_NOT_FOUND", /none not found/);
    await isRefused(callHere("CancelTask", { name }), 9, "TASK_NOT_CANCELABLE", /COMPLETED|terminal|ended/i);
    await isRefused(
      callHere("SendMessage", send("b", {}, { taskId: name.slice(6) })),
      12,
      "UNSUPPORTED_OPERATION",
      /./,
    );
  });
  await onOld(
    plain,
    async ({ call: callHere }) => {
      const parent = "tasks/t-1";
      const config = { pushNotificationConfig: { url: "http://127.0.0.1:9/" } };
      const answer = callHere("CreateTaskPushNotificationConfig", { parent, configId: "w", config });
      await isRefused(answer, 12, "PUSH_NOTIFICATION_NOT_SUPPORTED", /./);
    },
    { push: false },
  );
});

test("what is wrong in a request is named in the words of 0.3, and nothing is stored", async () => {
  await onOld(agentWith(finish), async ({ call: callHere, host }) => {
    const refused = (rpc: string, request: object, message: RegExp): Promise<void> =>
      isRefused(callHere(rpc, request), 3, "INVALID_PARAMS", message);
    await refused("GetTask", { name: "t-1" }, /^name: "t-1" names no task; write tasks\/\{id\}/);
    await refused("GetTask", {}, /^name: is required; write tasks\/\{id\}/);
    await refused("ListTaskPushNotificationConfig", { parent: "x" }, /^parent: "x" names no task/);
    await refused("DeleteTaskPushNotificationConfig", { name: "tasks/t-1" }, /^id: is required/);
    await refused("CreateTaskPushNotificationConfig", { parent: "tasks/t" }, /pushNotificationConfig: is required/);
    await refused("GetTask", { name: "tasks/t", historyLength: -1 }, /historyLength/);
    await refused("SendMessage", {}, /message/);
    await refused("SendMessage", { message: { role: "ROLE_USER", content: [{ text: "a" }] } }, /message\.messageId/);
    await refused("SendMessage", { message: { messageId: "m", content: [{ text: "a" }] } }, /message\.role/);
    await refused("SendMessage", { message: { messageId: "m", role: "ROLE_USER" } }, /message\.parts/);
    await refused("SendMessage", send("a", {}, { role: "ROLE_AGENT" }), /message\.role/);
    await refused("SendMessage", send("a", {}, { content: [{}] }), /message\.parts\[0\]/);
    await refused("SendMessage", send("a", {}, { content: [{ file: {} }] }), /content\[0\]\.file: has neither/);
    const [mounted] = host.agents;
    assert.equal((await mounted?.service.listTasks({}, plainCall()))?.value.totalSize, 0);
  });
});

test("bytes that are no message, frames that are broken, methods that there are not", async () => {
  await onOld(
    agentWith(finish),
    async ({ call: callHere }) => {
      const raw = (hex: string): RawOptions => ({ body: frameOf(Buffer.from(hex, "hex")) });
      await isRefused(callHere("GetTask", {}, raw("0a05")), 3, "PARSE_ERROR", /no message of GetTask/);
      await isRefused(callHere("GetTask", {}, raw("0a02c328")), 3, "INVALID_PARAMS", /not UTF-8/);
      await isRefused(callHere("GetTask", {}, raw("0801")), 3, "INVALID_PARAMS", /not its type/);
      // A role that there is not: message 1, role 4, the number 9.
      await isRefused(
        callHere("SendMessage", {}, raw("0a022009")),
        3,
        "INVALID_PARAMS",
        /message\.role: unknown role 9/,
      );
      await isRefused(
        callHere("SendMessage", {}, { body: tower(2_000) }),
        3,
        "INVALID_PARAMS",
        /nested deeper than 100/,
      );
      await isRefused(callHere("GetTask", {}, { body: Buffer.from([0, 0]) }), 3, "INVALID_REQUEST", /cut off/);
      await isRefused(callHere("GetTask", {}, { body: Buffer.alloc(0) }), 3, "INVALID_REQUEST", /no message/);
      const large = { body: frameOf(Buffer.alloc(20_001)) };
      await isRefused(callHere("SendMessage", {}, large), 8, "INVALID_REQUEST", /larger than 20000 bytes/);
      await isRefused(callHere("NoSuchThing", {}), 12, "METHOD_NOT_FOUND", /see a2a\.v1\.A2AService by reflection/);
      await isRefused(callHere("SubscribeToTask", {}), 12, "METHOD_NOT_FOUND", /it is called TaskSubscription in 0\.3/);
      await isRefused(
        callHere("GetExtendedAgentCard", {}),
        12,
        "METHOD_NOT_FOUND",
        /it is called GetAgentCard in 0\.3/,
      );
      await isRefused(callHere("ListTasks", {}), 12, "METHOD_NOT_FOUND", /1\.0 is lf\.a2a\.v1\.A2AService/);
    },
    { maxBodyBytes: 20_000 },
  );
});

/** A send with metadata that is so many levels deep. */
function tower(levels: number): Buffer {
  const field = (number: number, content: Buffer): Buffer => {
    const head = [number * 8 + 2];
    let rest = content.length;
    for (; rest > 127; rest >>>= 7) head.push((rest & 127) | 128);
    return Buffer.concat([Buffer.from([...head, rest]), content]);
  };
  let value = Buffer.from([32, 1]);
  // A Value of a list of one Value.
  for (let level = 0; level < levels; level++) value = Buffer.from(field(6, field(1, value)));
  const struct = field(1, Buffer.concat([field(1, Buffer.from("k")), field(2, value)]));
  return frameOf(field(3, struct));
}

test("§3.6 each of the two services tells callers of the other version where to go", async () => {
  await onOld(agentWith(finish), async ({ call: callHere, host }) => {
    const get = (version: string): Promise<Answer> =>
      callHere("GetTask", { name: "tasks/none" }, { headers: { "a2a-version": version } });
    await isRefused(get("1.0"), 9, "VERSION_NOT_SUPPORTED", /is the service of 0\.3, that of 1\.0 is lf\.a2a\.v1/);
    await isRefused(get("new"), 9, "VERSION_NOT_SUPPORTED", /not of the form/);
    for (const version of ["", "0.3", "0.3.0"]) assert.equal((await get(version)).status, 5, version);
    const current = await callRaw(host.url, "GetTask", Buffer.alloc(0), { headers: { "a2a-version": "" } });
    assert.equal(current.status, 9);
    assert.match(current.message, /0\.3 is served as a2a\.v1\.A2AService; send A2A-Version: 1\.0/);
  });
});

test("without the plug-in the service of 0.3 is not there, and callers are told what is", async () => {
  await using host = await serve(agentWith(finish), { log: false });
  const answer = await call(host.url, "GetTask", { name: "tasks/t" });
  assert.deepEqual([answer.status, answer.reason], [12, "METHOD_NOT_FOUND"]);
  assert.match(
    answer.message,
    /that is the service of 0\.3; use lf\.a2a\.v1\.A2AService\/GetTask with a2a-version: 1\.0/,
  );
});

test("who may not call is told so whatever was sent; nobody is served in a tenant that there is not", async () => {
  const authenticate = async (): Promise<never> => {
    throw new A2AError("UNAUTHENTICATED", "say who you are");
  };
  await onOld(
    agentWith(finish),
    async ({ call: callHere }) => {
      const answer = await callHere("SendMessage", Buffer.from("0a05", "hex"));
      assert.deepEqual([answer.status, answer.reason], [16, "UNAUTHENTICATED"]);
      assert.equal(answer.raw.trailers["www-authenticate"], 'Bearer realm="Old"');
    },
    { authenticate },
  );
  const tenants = { tenants: ["acme"] };
  await onOld(
    agentWith(finish),
    async ({ call: callHere }) => isRefused(callHere("GetTask", { name: "tasks/t" }), 3, "INVALID_PARAMS", /tenant/),
    tenants,
  );
});
