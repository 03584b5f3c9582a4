// Bytes and callers that mean no good, on the port that everybody shares: their connection ends, nothing else does.
import assert from "node:assert/strict";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import test from "node:test";
import { connect } from "../../src/client/connect.ts";
import { type Host, serve } from "../../src/hosts/node/serve.ts";
import { createAgent } from "../../src/server/agent.ts";
import { encodeByOracle, messageNamed } from "./oracle.ts";
import { frameOf } from "./raw-call.ts";

const PREFACE = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");

/** A frame of HTTP/2; `length` lies about the payload where it is given. */
function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer = Buffer.alloc(0),
  length = payload.length,
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** One header, literal and not indexed. */
function header(name: string, value: string): Buffer {
  return Buffer.concat([
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);
}

const SETTINGS = frame(4, 0, 0);
const HEAD = Buffer.concat([
  header(":method", "POST"),
  header(":scheme", "http"),
  header(":path", "/lf.a2a.v1.A2AService/ListTasks"),
  header(":authority", "x"),
  header("content-type", "application/grpc"),
  header("a2a-version", "1.0"),
]);
const GOOD = [frame(1, 4, 1, HEAD), frame(0, 1, 1, frameOf(Buffer.alloc(0)))];

const MANY = 5_000;
const many = (make: (index: number) => Buffer): Buffer[] => Array.from({ length: MANY }, (_, index) => make(index));

const MALFORMED: Readonly<Record<string, readonly Buffer[]>> = {
  "half of a preface": [PREFACE.subarray(0, 10)],
  "a preface, then junk": [PREFACE, Buffer.alloc(5_000, 0x41)],
  "data of a stream that is not open": [PREFACE, SETTINGS, frame(0, 1, 5, Buffer.alloc(5))],
  "headers of stream 0": [PREFACE, SETTINGS, frame(1, 4, 0, HEAD)],
  "headers of an even stream": [PREFACE, SETTINGS, frame(1, 4, 2, HEAD)],
  "a frame of 16 MB that does not come": [PREFACE, SETTINGS, frame(0, 0, 1, Buffer.alloc(0), 0xffffff)],
  "headers that cannot be decoded": [PREFACE, SETTINGS, frame(1, 4, 1, Buffer.alloc(50, 0xff))],
  "headers without a method": [
    PREFACE,
    SETTINGS,
    frame(1, 5, 1, Buffer.concat([header(":scheme", "http"), header(":path", "/")])),
  ],
  "continuations without end": [
    PREFACE,
    SETTINGS,
    frame(1, 0, 1, HEAD),
    ...many(() => frame(9, 0, 1, header("x", "y"))),
  ],
  "continuations of nothing": [PREFACE, SETTINGS, frame(1, 0, 1, HEAD), ...many(() => frame(9, 0, 1))],
  "settings without end": [PREFACE, ...many(() => SETTINGS)],
  "pings without end": [PREFACE, SETTINGS, ...many(() => frame(6, 0, 0, Buffer.alloc(8)))],
  "streams that are opened and reset": [
    PREFACE,
    SETTINGS,
    ...many((index) =>
      Buffer.concat([frame(1, 4, 2 * index + 1, HEAD), frame(3, 0, 2 * index + 1, Buffer.from([0, 0, 0, 8]))]),
    ),
  ],
  "a window beyond 2^31": [
    PREFACE,
    SETTINGS,
    ...[1, 2].map(() => frame(8, 0, 0, Buffer.from([0x7f, 0xff, 0xff, 0xff]))),
  ],
  "a push promise from a client": [PREFACE, SETTINGS, frame(5, 4, 1, Buffer.concat([Buffer.from([0, 0, 0, 2]), HEAD]))],
  "a goodbye behind a request": [PREFACE, SETTINGS, ...GOOD, frame(7, 0, 0, Buffer.alloc(8))],
};

async function hosted(body: (host: Host, failures: readonly unknown[]) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  const note = (details: object, text: string): void => void failures.push([text, details]);
  const quiet = (): void => undefined;
  const agent = createAgent({
    name: "Planner",
    description: "Plans.",
    version: "1.0.0",
    onTask: async (task) => {
      await task.ask("which one?");
    },
  });
  const host = await serve(agent, { log: { debug: quiet, info: quiet, warn: note, error: note } });
  try {
    await body(host, failures);
  } finally {
    await host.close({ graceMs: 10_000 });
  }
}

/** Writes the bytes and goes away in some way, when the host has had its say or ended the connection. */
function attack(port: number, bytes: Buffer, how: "end" | "reset"): Promise<void> {
  return new Promise((resolve) => {
    const socket = connectTcp(port, "127.0.0.1");
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
    socket.resume();
    socket.write(bytes, () => setTimeout(() => (how === "end" ? socket.destroy() : socket.resetAndDestroy()), 10));
  });
}

test("malformed HTTP/2 ends its own connection, wakes no operator and keeps nothing", { timeout: 60_000 }, async () => {
  await hosted(async ({ port, url }, failures) => {
    for (const parts of Object.values(MALFORMED)) {
      for (const how of ["end", "reset"] as const) await attack(port, Buffer.concat(parts), how);
    }
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const good = Buffer.concat([PREFACE, SETTINGS, ...GOOD]);
    for (let round = 0; round < 300; round++) {
      const mutated = Buffer.from(good);
      for (let count = 0; count <= random(5); count++)
        mutated[PREFACE.length + random(good.length - PREFACE.length)] = random(256);
      const one = attack(port, mutated, "reset");
      if (round % 30 === 0) await one;
    }
    assert.equal((await fetch(`${url}/.well-known/agent-card.json`)).status, 200);
    assert.deepEqual(failures, []);
  });
});

test("a thousand subscriptions of one connection are served, and others meanwhile", { timeout: 60_000 }, async () => {
  await hosted(async ({ port, url }) => {
    const client = await connect(url);
    const asked = await client.send("hello");
    assert.ok(asked.kind === "task");
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    const body = frameOf(encodeByOracle(messageNamed("SubscribeToTaskRequest"), { id: asked.id }));
    const path = "/lf.a2a.v1.A2AService/SubscribeToTask";
    const headers = { ":method": "POST", ":path": path, "content-type": "application/grpc", "a2a-version": "1.0" };
    let begun = 0;
    let told: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      told = resolve;
    });
    const ends = Array.from({ length: 1_000 }, () => {
      const stream = session.request(headers);
      stream.once("data", () => {
        begun += 1;
        if (begun === 1_000) told();
      });
      stream.resume();
      stream.end(body);
      return new Promise<string>((resolve, reject) => {
        stream.on("trailers", (trailers) => resolve(String(trailers["grpc-status"])));
        stream.on("error", reject);
      });
    });
    await all;
    assert.equal((await client.task(asked.id)).state, "INPUT_REQUIRED");
    await asked.reply("this one");
    assert.deepEqual(new Set(await Promise.all(ends)), new Set(["0"]));
    session.close();
  });
});
