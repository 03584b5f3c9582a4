// What should not be sent over gRPC, and what is said to it.
import assert from "node:assert/strict";
import { connect } from "node:http2";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { after, before, test } from "node:test";
import { deflateSync, gzipSync } from "node:zlib";
import { createGrpcHandler } from "../../src/bindings/grpc/handler.ts";
import { createGrpcServer, type GrpcServer } from "../../src/bindings/grpc/server.ts";
import { createGrpcSessions } from "../../src/bindings/grpc/sessions.ts";
import { createAgent } from "../../src/server/agent.ts";
import { mountAgents } from "../../src/server/mount.ts";
import { createMemoryStore } from "../../src/stores/memory/store.ts";
import { createFakeService, type FakeService, SEND } from "../spec/fake-service.ts";
import { decodeByOracle, encodeByOracle, messageNamed } from "./oracle.ts";
import { callRaw, frameOf, type RawAnswer } from "./raw-call.ts";

let fake: FakeService;
let server: GrpcServer;

before(async () => {
  fake = createFakeService();
  server = await createGrpcServer(fake, { maxBodyBytes: 10_000, tenants: ["", "acme"] });
});
after(() => server.close());

const get = (request: object = { id: "t-1" }): Buffer => encodeByOracle(messageNamed("GetTaskRequest"), request);

/** The reason of the ErrorInfo. */
function reasonOf({ details }: RawAnswer): unknown {
  return (details as { details: { reason: string }[] } | undefined)?.details[0]?.reason;
}

async function isRefused(answer: Promise<RawAnswer>, status: number, reason: string, message: RegExp): Promise<void> {
  const before = fake.arrived.length;
  const found = await answer;
  assert.deepEqual([found.http, found.status, reasonOf(found)], [200, status, reason], found.message);
  assert.match(found.message, message);
  assert.equal(fake.arrived.length, before, "the operation ran");
}

test("§5.4 an unknown method is UNIMPLEMENTED, and says what is meant", async () => {
  const empty = Buffer.alloc(0);
  const call = (path: string): Promise<RawAnswer> => callRaw(server.address, path, empty);
  await isRefused(call("NoSuchThing"), 12, "METHOD_NOT_FOUND", /no method at .*NoSuchThing; see lf\.a2a\.v1/);
  await isRefused(call("sendMessage"), 12, "METHOD_NOT_FOUND", /use SendMessage/);
  await isRefused(
    call("/a2a.v1.A2AService/GetTask"),
    12,
    "METHOD_NOT_FOUND",
    /0\.3; use lf\.a2a\.v1\.A2AService\/GetTask/,
  );
  for (const [name, meant] of [
    ["TaskSubscription", "SubscribeToTask"],
    ["GetAgentCard", "GetExtendedAgentCard"],
    ["ListTaskPushNotificationConfig", "ListTaskPushNotificationConfigs"],
    ["SetTaskPushNotificationConfig", "CreateTaskPushNotificationConfig"],
    ["get_task", "GetTask"],
    ["message/send", "SendMessage"],
    ["message/stream", "SendStreamingMessage"],
    ["tasks/resubscribe", "SubscribeToTask"],
  ] as const) {
    const here = call(`/lf.a2a.v1.A2AService/${name}`);
    await isRefused(here, 12, "METHOD_NOT_FOUND", new RegExp(`; use ${meant}$`));
    const old = call(`/a2a.v1.A2AService/${name}`);
    await isRefused(old, 12, "METHOD_NOT_FOUND", new RegExp(`0\\.3; use lf\\.a2a\\.v1\\.A2AService/${meant} with`));
  }
  await isRefused(call("/other.Service/Get"), 12, "METHOD_NOT_FOUND", /the service is lf\.a2a\.v1\.A2AService/);
});

test("§3.6 a version that is not spoken is VERSION_NOT_SUPPORTED, none means 0.3", async () => {
  const call = (version: string): Promise<RawAnswer> =>
    callRaw(server.address, "GetTask", get(), { headers: { "a2a-version": version } });
  await isRefused(call(""), 9, "VERSION_NOT_SUPPORTED", /send A2A-Version: 1\.0/);
  await isRefused(call("2.0"), 9, "VERSION_NOT_SUPPORTED", /2\.0 is not supported/);
  await isRefused(call("banana"), 9, "VERSION_NOT_SUPPORTED", /not of the form/);
  assert.equal((await call("1.0.7")).status, 0);
});

test("frames that are broken, too many, too few or too large", async () => {
  const send = (body: Buffer, headers = {}): Promise<RawAnswer> =>
    callRaw(server.address, "GetTask", Buffer.alloc(0), { body, headers });
  await isRefused(send(Buffer.alloc(0)), 3, "INVALID_REQUEST", /no message/);
  await isRefused(send(Buffer.from([0, 0])), 3, "INVALID_REQUEST", /cut off/);
  await isRefused(send(frameOf(get()).subarray(0, -1)), 3, "INVALID_REQUEST", /5 bytes by its frame, 4 came/);
  await isRefused(send(Buffer.concat([frameOf(get()), frameOf(get())])), 3, "INVALID_REQUEST", /more than one message/);
  await isRefused(send(frameOf(get(), 7)), 3, "INVALID_REQUEST", /flag of the frame is 7/);
  await isRefused(send(frameOf(get(), 1)), 3, "INVALID_REQUEST", /grpc-encoding names no method/);
  await isRefused(send(frameOf(get(), 1), { "grpc-encoding": "gzip" }), 3, "INVALID_REQUEST", /not gzip/);
  await isRefused(send(frameOf(Buffer.alloc(10_001))), 8, "INVALID_REQUEST", /larger than 10000 bytes/);
  await isRefused(send(frameOf(Buffer.from("0a05", "hex"))), 3, "PARSE_ERROR", /no message of GetTask/);
  await isRefused(send(frameOf(Buffer.from("1001", "hex"))), 3, "INVALID_PARAMS", /not its type/);
  const bomb = frameOf(gzipSync(Buffer.alloc(5_000_000)), 1);
  await isRefused(send(bomb, { "grpc-encoding": "gzip" }), 8, "INVALID_REQUEST", /larger than 10000 bytes/);
  const brotli = await send(frameOf(get()), { "grpc-encoding": "br" });
  assert.deepEqual([brotli.status, brotli.headers["grpc-accept-encoding"]], [12, "identity,gzip,deflate"]);
});

test("a caller that is refused before its message is read may send whatever it likes: the process goes on", async () => {
  const headers = { "a2a-version": "" };
  for (const body of [Buffer.alloc(0), Buffer.from([0, 0]), frameOf(get(), 7), frameOf(Buffer.alloc(200_000))]) {
    await isRefused(callRaw(server.address, "GetTask", get(), { headers, body }), 9, "VERSION_NOT_SUPPORTED", /1\.0/);
  }
  // Nor when it goes away in the middle.
  const session = connect(`http://${server.address}`);
  session.on("error", () => undefined);
  const stream = session.request({
    ":method": "POST",
    ":path": "/lf.a2a.v1.A2AService/GetTask",
    "content-type": "application/grpc",
  });
  stream.on("error", () => undefined);
  stream.write(Buffer.from([0, 0]));
  await new Promise((resolve) => stream.once("response", resolve));
  stream.close(8);
  await new Promise((resolve) => stream.once("close", resolve));
  session.destroy();
  assert.equal((await callRaw(server.address, "GetTask", get())).status, 0);
});

test("a caller that goes away in the middle of its message runs nothing, and the process goes on", async () => {
  const before = fake.arrived.length;
  for (const leave of ["cancel", "error", "destroy"] as const) {
    for (const bytes of [0, 3, frameOf(get()).length - 1, frameOf(get()).length]) {
      const session = connect(`http://${server.address}`);
      session.on("error", () => undefined);
      const stream = session.request({
        ":method": "POST",
        ":path": "/lf.a2a.v1.A2AService/GetTask",
        "content-type": "application/grpc",
        "a2a-version": "1.0",
      });
      stream.on("error", () => undefined);
      stream.write(frameOf(get()).subarray(0, bytes));
      // What was written before is there when the ping comes back.
      await new Promise((resolve) => session.ping(resolve));
      if (leave === "destroy") session.destroy();
      else {
        stream.close(leave === "cancel" ? 8 : 2);
        await new Promise((resolve) => session.ping(resolve));
      }
      session.destroy();
    }
  }
  assert.equal((await callRaw(server.address, "GetTask", get())).status, 0);
  assert.equal(fake.arrived.length, before + 1);
});

test("a caller that dies in the middle of a request holds no connection, one that has asked is answered", async () => {
  const sessions = createGrpcSessions(createGrpcHandler(fake), 20);
  const port = createTcpServer({ allowHalfOpen: true }, (socket) => sessions.accept(socket));
  await new Promise<void>((resolve) => port.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(port.address() as AddressInfo).port}`;
  const headers = { ":method": "POST", ":path": "/lf.a2a.v1.A2AService/GetTask", "content-type": "application/grpc" };
  for (const isWhole of [false, true]) {
    const session = connect(url);
    const stream = session.request({ ...headers, "a2a-version": "1.0" });
    stream.on("error", () => undefined);
    let answer = 0;
    stream.on("data", (chunk: Buffer) => {
      answer += chunk.length;
    });
    if (isWhole) stream.end(frameOf(get()));
    else stream.write(frameOf(get()).subarray(0, 3));
    await new Promise((resolve) => session.once("connect", resolve));
    if (isWhole) await new Promise((resolve) => stream.once("end", resolve));
    // A whole process that ends says goodbye to its connections in this way, and in no other.
    await new Promise((resolve) => setImmediate(resolve));
    session.socket.destroySoon();
    await sessions.idle();
    assert.equal(answer > 0, isWhole);
    session.destroy();
  }
  await new Promise((resolve) => port.close(resolve));
});

test("a stop does not wait for callers that have died in the middle of a request", async () => {
  for (const isBefore of [true, false]) {
    const sessions = createGrpcSessions(createGrpcHandler(fake), 60_000);
    const port = createTcpServer({ allowHalfOpen: true }, (socket) => sessions.accept(socket));
    await new Promise<void>((resolve) => port.listen(0, "127.0.0.1", resolve));
    const session = connect(`http://127.0.0.1:${(port.address() as AddressInfo).port}`);
    session.on("error", () => undefined);
    const path = "/lf.a2a.v1.A2AService/GetTask";
    const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc", "a2a-version": "1.0" };
    const stream = session.request(headers);
    stream.on("error", () => undefined);
    stream.write(frameOf(get()).subarray(0, 3));
    await new Promise((resolve) => session.once("remoteSettings", resolve));
    if (!isBefore) sessions.stop();
    session.socket.destroySoon();
    if (isBefore) {
      await new Promise((resolve) => setTimeout(resolve, 20));
      sessions.stop();
    }
    await sessions.idle();
    session.destroy();
    await new Promise((resolve) => port.close(resolve));
  }
});

test("compressed messages are read", async () => {
  for (const [encoding, compress] of [
    ["gzip", gzipSync],
    ["deflate", deflateSync],
  ] as const) {
    const body = frameOf(compress(get()), 1);
    const answer = await callRaw(server.address, "GetTask", get(), { body, headers: { "grpc-encoding": encoding } });
    assert.equal(answer.status, 0, answer.message);
    assert.deepEqual(fake.last().request, { id: "t-1" });
  }
});

test("what is not gRPC gets a status of HTTP", async () => {
  const call = async (headers: Record<string, string>): Promise<number> =>
    (await callRaw(server.address, "GetTask", get(), { headers })).http;
  assert.equal(await call({ "content-type": "application/json" }), 415);
  assert.equal(await call({ "content-type": "application/grpc-web" }), 415);
  assert.equal(await call({ "content-type": "" }), 415);
  assert.equal(await call({ ":method": "PUT" }), 405);
  for (const type of ["application/grpc", "application/grpc+proto", "application/grpc; charset=x"]) {
    assert.equal((await callRaw(server.address, "GetTask", get(), { headers: { "content-type": type } })).status, 0);
  }
});

test("a tenant that is not served, and fields that are wrong, are named", async () => {
  await isRefused(
    callRaw(server.address, "GetTask", get({ id: "t", tenant: "umbrella" })),
    3,
    "INVALID_PARAMS",
    /umbrella/,
  );
  await isRefused(callRaw(server.address, "GetTask", get({})), 3, "INVALID_PARAMS", /^id: is required/);
  const violations = await callRaw(server.address, "GetTask", get({ historyLength: -1 }));
  assert.deepEqual((violations.details as { details: unknown[] }).details[1], {
    "@type": "type.googleapis.com/google.rpc.BadRequest",
    fieldViolations: [{ field: "id", description: "is required" }],
  });
});

test("a page size of 0 is unset over gRPC, where SDKs write it for one that nobody chose", async () => {
  const list = (pageSize: number): Buffer => encodeByOracle(messageNamed("ListTasksRequest"), { pageSize });
  const zero = await callRaw(server.address, "ListTasks", list(0));
  assert.equal(zero.status, 0, zero.message);
  assert.deepEqual(fake.last().request, {});
  await isRefused(callRaw(server.address, "ListTasks", list(101)), 3, "INVALID_PARAMS", /1 to 100, got 101/);
  await isRefused(callRaw(server.address, "ListTasks", list(-1)), 3, "INVALID_PARAMS", /1 to 100, got -1/);
});

test("a message of an error is one line of ASCII and bounded, its details stay below what clients take", async () => {
  fake.failure = undefined;
  const parts = Array.from({ length: 60 }, () => ({ mediaType: "日本".repeat(40) }));
  const request = { message: { messageId: "m", role: "ROLE_USER", parts } };
  const bytes = encodeByOracle(messageNamed("SendMessageRequest"), request).subarray();
  const big = await createGrpcServer(fake);
  const answer = await callRaw(big.address, "SendMessage", bytes);
  await big.close();
  assert.equal(answer.status, 3);
  assert.match(String(answer.trailers["grpc-message"]), /^[\x20-\x7e]{1,4000}$/);
  assert.ok(String(answer.trailers["grpc-status-details-bin"]).length < 5_000);
});

test("§4.6 a required extension that is not asked for, before anything is stored", async () => {
  const uri = "urn:example:extension:must:v1";
  const store = createMemoryStore();
  const agent = createAgent({
    name: "A",
    description: "b",
    version: "1",
    onTask: () => "done",
    extensions: [{ uri, description: "d", required: true }],
  });
  const mount = mountAgents([agent.options], { store });
  await mount.start();
  const [mounted] = mount.agents;
  assert.ok(mounted);
  const port = await createGrpcServer(mounted.service, mounted.binding);
  const send = encodeByOracle(messageNamed("SendMessageRequest"), SEND);
  const refused = await callRaw(port.address, "SendMessage", send);
  assert.deepEqual([refused.status, reasonOf(refused)], [9, "EXTENSION_SUPPORT_REQUIRED"]);
  const answer = await callRaw(port.address, "SendMessage", send, { headers: { "a2a-extensions": `urn:x, ${uri}` } });
  assert.equal(answer.status, 0, answer.message);
  assert.equal(answer.headers["a2a-extensions"], uri);
  const list = await callRaw(port.address, "ListTasks", Buffer.alloc(0));
  const [page] = list.messages;
  assert.ok(page);
  assert.equal((decodeByOracle(messageNamed("ListTasksResponse"), page) as { totalSize: number }).totalSize, 1);
  await port.close();
  await mount.stop({ graceMs: 0 });
  await store.close();
});

test("an unexpected failure reveals nothing, is logged, and has a correlation id", async () => {
  const logged: unknown[] = [];
  const service = createFakeService();
  service.failure = new Error("password is hunter2");
  await using own = await createGrpcServer(service, { log: (event) => logged.push(event) });
  const answer = await callRaw(own.address, "GetTask", get());
  assert.deepEqual([answer.status, reasonOf(answer)], [13, "INTERNAL"]);
  assert.match(answer.message, /^internal error, correlation id [0-9a-f-]{36}$/);
  assert.ok(!JSON.stringify(answer).includes("hunter2"));
  assert.equal(logged.length, 1);
});
