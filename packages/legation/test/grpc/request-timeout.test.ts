// A request that stops half-way, on a connection that lives on, is given up; one that is slow is not.
import assert from "node:assert/strict";
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from "node:http2";
import { after, before, test } from "node:test";
import { createGrpcServer, type GrpcServer } from "../../src/bindings/grpc/server.ts";
import { type Host, serve } from "../../src/hosts/node/serve.ts";
import { payloadOfValue } from "../../src/operations/payload.ts";
import type { Service } from "../../src/operations/service.ts";
import { createAgent } from "../../src/server/agent.ts";
import { createFakeService, task } from "../spec/fake-service.ts";
import { encodeByOracle, messageNamed } from "./oracle.ts";
import { frameOf } from "./raw-call.ts";

const DEADLINE_EXCEEDED = "4";
const GET = frameOf(encodeByOracle(messageNamed("GetTaskRequest"), { id: "t-1" }));

let server: GrpcServer;
let session: ClientHttp2Session;
/** Lets the operation answer. */
let release: () => void = () => undefined;
const released = new Promise<void>((resolve) => {
  release = resolve;
});

before(async () => {
  const fake = createFakeService();
  const service: Service = {
    ...fake,
    async getTask() {
      await released;
      return payloadOfValue(task("t-1"));
    },
  };
  server = await createGrpcServer(service, { requestMs: 100 });
  session = connect(`http://${server.address}`);
});
after(async () => {
  session.destroy();
  await server.close();
});

function begin(on: ClientHttp2Session, path = "/lf.a2a.v1.A2AService/GetTask"): ClientHttp2Stream {
  const stream = on.request({
    ":method": "POST",
    ":path": path,
    "content-type": "application/grpc",
    "a2a-version": "1.0",
  });
  stream.resume();
  return stream;
}

/** `grpc-status` and `grpc-message`, wherever they come. */
function statusOf(stream: ClientHttp2Stream): Promise<readonly [status: unknown, message: unknown]> {
  return new Promise((resolve, reject) => {
    stream.on("error", reject);
    for (const event of ["response", "trailers"]) {
      stream.on(event, (found: Record<string, unknown>) => {
        if (found["grpc-status"] !== undefined) resolve([found["grpc-status"], found["grpc-message"]]);
      });
    }
  });
}

test("a request that stops half-way is ended, whole ones on the same connection are answered however long it takes", async () => {
  const whole = begin(session);
  const answered = statusOf(whole);
  whole.end(GET);
  const slow = begin(session);
  const slowAnswered = statusOf(slow);
  for (let at = 0; at < GET.length; at += 2) {
    slow.write(GET.subarray(at, at + 2));
    await new Promise((resolve) => session.ping(resolve));
  }
  slow.end();
  const halves = [GET.subarray(0, 0), GET.subarray(0, 3), GET.subarray(0, -1), GET];
  const ends = [...halves, Buffer.alloc(0)].map((half, index) => {
    const stream = begin(session, index === halves.length ? "/grpc.health.v1.Health/Check" : undefined);
    if (half.length > 0) stream.write(half);
    return statusOf(stream);
  });
  for (const end of ends) {
    assert.deepEqual(await end, [DEADLINE_EXCEEDED, "the request did not come within 0.1 s; send it whole"]);
  }
  // By now both have waited for longer than a request may take to arrive.
  release();
  assert.deepEqual([(await answered)[0], (await slowAnswered)[0]], ["0", "0"]);
});

test("a host is told the limit for all of its bindings", async () => {
  const agent = createAgent({ name: "Clerk", description: "Answers.", version: "1.0.0", onMessage: () => "hello" });
  const host: Host = await serve(agent, { requestMs: 50, log: false });
  const connection = connect(host.url);
  try {
    const stream = begin(connection);
    stream.write(GET.subarray(0, 3));
    assert.equal((await statusOf(stream))[0], DEADLINE_EXCEEDED);
  } finally {
    connection.destroy();
    await host.close();
  }
});
