// How calls live and end: deadlines, cancellation, back-pressure, shutdown, health, reflection, authentication.
import assert from "node:assert/strict";
import { connect } from "node:http2";
import { after, before, test } from "node:test";
import { createFileRegistry, fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { Client, credentials, Metadata, status } from "@grpc/grpc-js";
import { BinaryReader } from "../../src/bindings/grpc/binary-reader.ts";
import { createGrpcServer, type GrpcServer } from "../../src/bindings/grpc/server.ts";
import { timeoutMs } from "../../src/bindings/grpc/server-call.ts";
import { createGrpcTransport } from "../../src/bindings/grpc/transport.ts";
import { plainCall } from "../../src/operations/call.ts";
import { A2AError } from "../../src/operations/errors.ts";
import type { EventStream, StreamEvent } from "../../src/operations/service.ts";
import { streamEventOfValue } from "../../src/operations/stream-event.ts";
import { createFakeService, type FakeService, SEND, status as statusEvent, task } from "../spec/fake-service.ts";
import { encodeByOracle, messageNamed } from "./oracle.ts";
import { callRaw, exchange, frameOf } from "./raw-call.ts";

let fake: FakeService;
let server: GrpcServer;

before(async () => {
  fake = createFakeService();
  server = await createGrpcServer(fake);
});
after(() => server.close());

const GET = encodeByOracle(messageNamed("GetTaskRequest"), { id: "t-1" });
const SEND_BYTES = encodeByOracle(messageNamed("SendMessageRequest"), SEND);

/** A stream that gives the task and then nothing; tells when it is returned. */
function quiet(): { events: () => EventStream; returned: Promise<void> } {
  let tell: () => void = () => undefined;
  const returned = new Promise<void>((resolve) => {
    tell = resolve;
  });
  let given = false;
  const events = (): EventStream => ({
    [Symbol.asyncIterator]: () => ({
      next: () => {
        if (given) return new Promise(() => undefined);
        given = true;
        return Promise.resolve({ done: false, value: [streamEventOfValue({ task: task() })] });
      },
      return: async () => {
        tell();
        return { done: true, value: undefined };
      },
    }),
  });
  return { events, returned };
}

function signalled(): [promise: Promise<void>, tell: () => void] {
  const { promise, resolve } = Promise.withResolvers<void>();
  return [promise, resolve];
}

test("grpc-timeout in every unit", () => {
  assert.deepEqual(
    ["2H", "3M", "4S", "5m", "6000u", "7000000n", undefined, "5", "m", "123456789m", "-1m"].map(timeoutMs),
    [7_200_000, 180_000, 4_000, 5, 6, 7, undefined, undefined, undefined, undefined, undefined],
  );
});

test("a deadline ends the call with DEADLINE_EXCEEDED, and the operation is told", async () => {
  const own = createFakeService();
  const seen = new Promise((resolve) => {
    own.getTask = (_request, { signal }) => {
      assert.ok(signal);
      signal.addEventListener("abort", () => resolve((signal.reason as Error).name));
      return new Promise(() => undefined);
    };
  });
  await using port = await createGrpcServer(own);
  const answer = await callRaw(port.address, "GetTask", GET, { headers: { "grpc-timeout": "30m" } });
  assert.equal(answer.status, status.DEADLINE_EXCEEDED);
  assert.equal(await seen, "TimeoutError");
});

test("a deadline in mid-stream ends the stream with DEADLINE_EXCEEDED and returns the source", async () => {
  const { events, returned } = quiet();
  fake.events = events;
  const answer = await callRaw(server.address, "SubscribeToTask", GET.fill(0x0a, 0, 0), {
    headers: { "grpc-timeout": "50m" },
  });
  assert.equal(answer.status, status.DEADLINE_EXCEEDED);
  assert.equal(answer.messages.length, 1);
  await returned;
});

test("a caller that resets its stream, or whose connection breaks, ends the source", async () => {
  for (const leave of ["cancel", "destroy"] as const) {
    const { events, returned } = quiet();
    fake.events = events;
    const session = connect(`http://${server.address}`);
    const stream = session.request({
      ":method": "POST",
      ":path": "/lf.a2a.v1.A2AService/SendStreamingMessage",
      "content-type": "application/grpc",
      "a2a-version": "1.0",
    });
    stream.on("error", () => undefined);
    stream.end(frameOf(SEND_BYTES));
    await new Promise((resolve) => stream.once("data", resolve));
    if (leave === "cancel") stream.close(8);
    else session.destroy();
    await returned;
    session.destroy();
  }
});

test("a caller that goes away before its stream begins ends the source, which may never give anything", async () => {
  const own = createFakeService();
  const [returned, tell] = signalled();
  const [begun, tellBegun] = signalled();
  own.subscribeToTask = async (_request, { signal }) => {
    tellBegun();
    await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    const next = (): Promise<never> => new Promise(() => undefined);
    const source = { next, return: async () => ({ done: true, value: tell() }) as const };
    return { [Symbol.asyncIterator]: () => source };
  };
  await using port = await createGrpcServer(own);
  const session = connect(`http://${port.address}`);
  const call = exchange(session, "SubscribeToTask", frameOf(GET), {}).catch(() => undefined);
  await begun;
  session.destroy();
  await Promise.all([returned, call]);
});

test("a caller that does not read holds back its own stream, not the server and not the others", async () => {
  const chunk: StreamEvent = streamEventOfValue({
    artifactUpdate: {
      taskId: "t-1",
      contextId: "c-1",
      artifact: { artifactId: "a", parts: [{ text: "x".repeat(50_000) }] },
      append: true,
    },
  });
  let made = 0;
  const total = 400;
  fake.events = () => ({
    async *[Symbol.asyncIterator]() {
      for (made = 0; made < total; made++) yield [chunk];
      yield [statusEvent("TASK_STATE_COMPLETED")];
    },
  });
  const session = connect(`http://${server.address}`);
  const stream = session.request({
    ":method": "POST",
    ":path": "/lf.a2a.v1.A2AService/SendStreamingMessage",
    "content-type": "application/grpc",
    "a2a-version": "1.0",
  });
  stream.end(frameOf(SEND_BYTES));
  await new Promise((resolve) => stream.once("response", resolve));
  await callRaw(server.address, "GetTask", GET);
  const held = made;
  assert.ok(held < total / 2, `${held} of ${total} events were made for a caller that reads nothing`);
  let bytes = 0;
  for await (const data of stream as AsyncIterable<Buffer>) bytes += data.length;
  assert.ok(bytes > total * 50_000);
  assert.equal(made, total);
  session.destroy();
});

test("an error in mid-stream comes as trailers after what was sent", async () => {
  fake.events = () => ({
    async *[Symbol.asyncIterator]() {
      yield [streamEventOfValue({ task: task() })];
      throw new A2AError("UNAVAILABLE", "gone for lunch", { retryAfterSeconds: 3 });
    },
  });
  const answer = await callRaw(server.address, "SendStreamingMessage", SEND_BYTES);
  assert.deepEqual([answer.messages.length, answer.status, answer.message], [1, 14, "gone for lunch"]);
  const client = createGrpcTransport({ url: server.address });
  const seen: unknown[] = [];
  await assert.rejects(
    async () => {
      for await (const batch of await client.sendStreamingMessage(SEND, plainCall())) seen.push(...batch);
    },
    { code: "UNAVAILABLE", retryAfterSeconds: 3 },
  );
  assert.equal(seen.length, 1);
  await client[Symbol.asyncDispose]();
});

test("a stream that ends before its task does is STREAM_TRUNCATED", async () => {
  fake.events = () => ({
    async *[Symbol.asyncIterator]() {
      yield [streamEventOfValue({ task: task() })];
    },
  });
  const client = createGrpcTransport({ url: server.address });
  const stream = await client.sendStreamingMessage(SEND, plainCall());
  await assert.rejects(
    async () => {
      for await (const _ of stream);
    },
    { code: "STREAM_TRUNCATED" },
  );
  await client[Symbol.asyncDispose]();
});

test("a host that stops: streams are told UNAVAILABLE, calls in flight are answered, health says NOT_SERVING first", async () => {
  const own = createFakeService();
  const { events } = quiet();
  own.events = events;
  let answer: () => void = () => undefined;
  const slow = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const plain = own.getTask;
  own.getTask = async (request, call) => {
    await slow;
    return plain(request, call);
  };
  const port = await createGrpcServer(own);
  const session = connect(`http://${port.address}`);
  const calls = [
    exchange(session, "SendStreamingMessage", frameOf(SEND_BYTES), {}),
    exchange(session, "GetTask", frameOf(GET), {}),
    exchange(session, "/grpc.health.v1.Health/Watch", frameOf(Buffer.alloc(0)), {}),
  ] as const;
  while (own.arrived.length < 1) await new Promise((resolve) => setTimeout(resolve, 5));
  const closing = port.close();
  setTimeout(answer, 20);
  const [streamed, unary, watched] = await Promise.all(calls);
  assert.deepEqual([streamed.messages.length, streamed.status], [1, 14]);
  assert.equal(unary.status, 0);
  assert.deepEqual(
    watched.messages.map((message) => message.toString("hex")),
    ["0801", "0802"],
  );
  await closing;
  session.destroy();
  await assert.rejects(callRaw(port.address, "GetTask", GET), /ECONNREFUSED/);
});

test("grpc.health.v1 answers for the server and for the service", async () => {
  const check = async (name: string): Promise<string> => {
    const request = Buffer.concat([Buffer.from([10, name.length]), Buffer.from(name)]);
    const answer = await callRaw(
      server.address,
      "/grpc.health.v1.Health/Check",
      name === "" ? Buffer.alloc(0) : request,
    );
    return answer.messages[0]?.toString("hex") ?? String(answer.status);
  };
  assert.deepEqual(
    [await check(""), await check("lf.a2a.v1.A2AService"), await check("other.Service")],
    ["0801", "0801", "5"],
  );
});

test("reflection tells the service, and descriptors from which the proto can be built", async () => {
  for (const version of ["v1", "v1alpha"]) {
    const text = (field: number, value: string): Buffer =>
      frameOf(Buffer.concat([Buffer.from([field * 8 + 2, value.length]), Buffer.from(value)]));
    const answer = await callRaw(
      server.address,
      `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
      GET,
      {
        body: Buffer.concat([
          text(7, "*"),
          text(4, "lf.a2a.v1.A2AService"),
          text(3, "google/protobuf/struct.proto"),
          text(4, "no.such.Thing"),
        ]),
      },
    );
    const [services, files, struct, unknown] = answer.messages;
    assert.ok(services?.includes("lf.a2a.v1.A2AService"));
    const found = descriptorsIn(files ?? Buffer.alloc(0));
    const registry = createFileRegistry({ $typeName: FileDescriptorSetSchema.typeName, file: found.toReversed() });
    assert.equal(registry.getService("lf.a2a.v1.A2AService")?.methods.length, 11);
    assert.equal(descriptorsIn(struct ?? Buffer.alloc(0))[0]?.name, "google/protobuf/struct.proto");
    assert.ok(unknown?.includes("nothing is known of no.such.Thing"));
    assert.equal(answer.status, 0);
  }
});

/** The files of a ServerReflectionResponse: field 1 of its field 4. */
function descriptorsIn(response: Buffer): ReturnType<typeof fromBinary<typeof FileDescriptorProtoSchema>>[] {
  const r = new BinaryReader(response);
  while (r.at < r.length) {
    const tag = r.tag(r.length);
    if (tag !== 34) {
      r.skip(tag, 0, r.length);
      continue;
    }
    const stop = r.stop(r.length);
    const files = [];
    while (r.at < stop) {
      r.tag(stop);
      files.push(fromBinary(FileDescriptorProtoSchema, r.bytes(stop)));
    }
    return files;
  }
  return [];
}

test("§7.4 credentials are read from the metadata, a refusal has its challenge", async () => {
  const own = createFakeService();
  await using port = await createGrpcServer(own, {
    authenticate: async (request) => {
      if (request.header("authorization") !== "Bearer good") throw new A2AError("UNAUTHENTICATED", "no token");
      assert.deepEqual([request.method, request.path], ["POST", "/lf.a2a.v1.A2AService/GetTask"]);
      return { owner: "ann" };
    },
    challenge: () => 'Bearer realm="A"',
  });
  const anonymous = createGrpcTransport({ url: port.address });
  await assert.rejects(anonymous.getTask({ id: "t-1" }, plainCall()), (thrown) => {
    assert.ok(thrown instanceof A2AError);
    assert.deepEqual([thrown.code, thrown.metadata["wwwAuthenticate"]], ["UNAUTHENTICATED", 'Bearer realm="A"']);
    return true;
  });
  const known = createGrpcTransport({ url: port.address, headers: async () => ({ Authorization: "Bearer good" }) });
  await known.getTask({ id: "t-1" }, plainCall());
  assert.equal(own.last().call.principal.owner, "ann");
  await anonymous[Symbol.asyncDispose]();
  await known[Symbol.asyncDispose]();
});

test("an agent that is not there is UNREACHABLE at once, and nothing was sent", async () => {
  const gone = await createGrpcServer(fake);
  await gone.close();
  const client = createGrpcTransport({ url: gone.address });
  const startedAt = performance.now();
  for (const attempt of [client.getTask({ id: "t" }, plainCall()), client.subscribeToTask({ id: "t" }, plainCall())]) {
    await assert.rejects(attempt, (thrown) => {
      const { code, metadata } = thrown as { code: string; metadata: Record<string, string> };
      assert.deepEqual([code, metadata["sent"], metadata["cause"]], ["UNREACHABLE", "no", "ECONNREFUSED"]);
      return true;
    });
  }
  assert.ok(performance.now() - startedAt < 3_000);
  await client[Symbol.asyncDispose]();
});

test("the stock client of the library calls us: large answers, metadata, cancellation", async () => {
  const big = { ...task(), metadata: { text: "日本 😀".repeat(100_000) } };
  fake.answers.GetTask = big;
  const client = new Client(server.address, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set("A2A-Version", "1.0");
  const asIs = (bytes: Buffer): Buffer => bytes;
  const answer = await new Promise<Buffer>((resolve, reject) => {
    client.makeUnaryRequest("/lf.a2a.v1.A2AService/GetTask", asIs, asIs, GET, metadata, (error, bytes) => {
      if (error !== null || bytes === undefined) reject(error);
      else resolve(bytes);
    });
  });
  assert.ok(answer.includes(Buffer.from("日本 😀".repeat(100_000))));
  client.close();
});
