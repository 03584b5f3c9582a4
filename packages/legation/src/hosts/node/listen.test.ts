import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, it, type TestContext } from "node:test";
import { createFakeService, SEND, status, task } from "../../../test/spec/fake-service.ts";
import { firstOf } from "../../bindings/http/respond.ts";
import { createJsonRpcHandler } from "../../bindings/jsonrpc/handler.ts";
import { createRestHandler, restNotFound } from "../../bindings/rest/handler.ts";
import type { EventStream, StreamEvent } from "../../operations/service.ts";
import { type Listening, listen } from "./listen.ts";

const VERSION = { "a2a-version": "1.0" };
const JSON_HEADERS = { ...VERSION, "content-type": "application/json" };

/** A socket, and everything that came over it so far. */
async function dial(
  t: TestContext,
  port: number,
): Promise<{ socket: Socket; text: () => string; until: (found: RegExp) => Promise<string> }> {
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  let text = "";
  socket.setEncoding("utf8");
  socket.on("data", (chunk: string) => {
    text += chunk;
  });
  socket.on("error", () => undefined);
  await once(socket, "connect");
  return {
    socket,
    text: () => text,
    async until(found) {
      while (!found.test(text)) await once(socket, "data");
      return text;
    },
  };
}

function post(path: string, body: string, length = Buffer.byteLength(body)): string {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`;
}

async function eventually(check: () => boolean): Promise<void> {
  for (let turn = 0; turn < 400 && !check(); turn++) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(check());
}

describe("the host carries requests and answers", () => {
  const fake = createFakeService();
  let host: Listening;
  before(async () => {
    const rest = createRestHandler(fake);
    host = await listen(firstOf([createJsonRpcHandler(fake), rest], restNotFound));
  });
  after(() => host.close({ graceMs: 0 }));

  it("head and body of an answer leave together, with their length", async (t) => {
    const { socket } = await dial(t, host.port);
    const first = once(socket, "data");
    socket.write(post("/message:send", JSON.stringify(SEND)));
    const [chunk] = (await first) as [string];
    const [head = "", body = ""] = chunk.split("\r\n\r\n");
    assert.match(head, /^HTTP\/1\.1 200 OK\r\n/);
    assert.match(head, new RegExp(`content-length: ${Buffer.byteLength(body)}`));
    assert.equal(body, JSON.stringify(fake.answers.SendMessage));
  });

  it("the head of a stream leaves together with its first event", async (t) => {
    const { socket } = await dial(t, host.port);
    const first = once(socket, "data");
    socket.write(post("/message:stream", JSON.stringify(SEND)));
    const [chunk] = (await first) as [string];
    assert.match(chunk, /^HTTP\/1\.1 200 OK\r\n[\s\S]*data: \{"task":/);
  });

  it("a connection is kept for the next request, also after a refusal", async (t) => {
    const { socket, until } = await dial(t, host.port);
    socket.write(post("/message:send", "{"));
    await until(/PARSE_ERROR/);
    socket.write(post("/message:send", JSON.stringify(SEND)));
    await until(/HTTP\/1\.1 200 OK/);
  });

  it("a body that comes byte by byte, cut inside UTF-8, is read as it was written", async (t) => {
    const { socket, until } = await dial(t, host.port);
    for (const byte of Buffer.from(post("/message:send", JSON.stringify(SEND)))) {
      socket.write(Uint8Array.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(/200 OK/);
    assert.deepEqual(fake.last().request, SEND);
  });

  it("10 MiB and one byte is 413, declared or not, and the caller reads the answer", async () => {
    const body = "x".repeat(10 * 1024 * 1024 + 1);
    const declared = await fetch(`${host.url}/message:send`, { method: "POST", headers: JSON_HEADERS, body });
    assert.equal(declared.status, 413);
    const { error } = (await declared.json()) as { error: { message: string } };
    assert.equal(error.message, "body is larger than 10485760 bytes, the limit of this agent");
    const chunked = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let sent = 0; sent < 11; sent++) controller.enqueue(new Uint8Array(1024 * 1024));
        controller.close();
      },
    });
    const init = { method: "POST", headers: JSON_HEADERS, body: chunked, duplex: "half" } as RequestInit;
    assert.equal((await fetch(host.url, init)).status, 413);
  });

  it("bytes that are no request get an error with a body, and one that comes behind an open answer cuts nothing", async (t) => {
    const cases: readonly (readonly [string, string, RegExp])[] = [
      ["\u0016\u0003\u0001 hello of TLS\r\n\r\n", "400 Bad Request", /no request of HTTP\/1\.1/],
      ["nonsense\r\n\r\n", "400 Bad Request", /no request of HTTP\/1\.1/],
      ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "400 Bad Request", /no request of HTTP\/1\.1/],
      ["GET / HTTP/1.1\r\n\r\n", "400 Bad Request", /needs a Host header/],
      ["GET / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n", "417 Expectation Failed", /Expect asks for something/],
      ["GET / HTTP/1.1\r\nbad header\r\n\r\n", "400 Bad Request", /no request of HTTP\/1\.1/],
      [
        `GET / HTTP/1.1\r\nHost: x\r\nX: ${"x".repeat(20_000)}\r\n\r\n`,
        "431 Request Header Fields Too Large",
        /16 KiB/,
      ],
    ];
    for (const [bytes, status, words] of cases) {
      const { socket, text } = await dial(t, host.port);
      socket.write(bytes);
      await once(socket, "close");
      const [head = "", body = ""] = text().split("\r\n\r\n");
      assert.ok(head.startsWith(`HTTP/1.1 ${status}\r\n`), head);
      assert.match(head, /^connection: close\r?$/im);
      assert.match(head, /^content-type: application\/json\r?$/im);
      const { error } = JSON.parse(body) as { error: { code: number; message: string; details: { reason: string }[] } };
      assert.deepEqual([error.code, error.details[0]?.reason], [Number.parseInt(status, 10), "INVALID_REQUEST"]);
      assert.match(error.message, words);
    }
    const source = endless(false);
    const streaming = createFakeService();
    streaming.events = () => source.stream;
    const other = await listen(createRestHandler(streaming));
    t.after(() => other.close({ graceMs: 0 }));
    const { socket, text, until } = await dial(t, other.port);
    socket.write(post("/message:stream", JSON.stringify(SEND)));
    await until(/data: /);
    socket.write("no request\r\n\r\n");
    await once(socket, "close");
    assert.doesNotMatch(text(), /HTTP\/1\.1 400/);
  });

  it("what is put around the handler may throw, at once or later: the caller gets 500, the log the cause", async () => {
    const told: unknown[] = [];
    for (const wrapped of [
      () => {
        throw new Error("at once");
      },
      () => Promise.reject(new Error("later")),
    ]) {
      const broken = await listen(wrapped, { onError: (error) => told.push(error.cause) });
      const response = await fetch(broken.url);
      const { error } = (await response.json()) as { error: { message: string; status: string } };
      assert.deepEqual([response.status, error.status], [500, "INTERNAL"]);
      assert.match(error.message, /^internal error, correlation id [0-9a-f-]{36}$/);
      await broken.close({ graceMs: 0 });
    }
    assert.deepEqual(told, [new Error("at once"), new Error("later")]);
  });

  it("HEAD gets the head of an answer", async () => {
    const answer = await fetch(`${host.url}/nothing`, { method: "HEAD", headers: VERSION });
    assert.equal(answer.status, 404);
    assert.ok(Number(answer.headers.get("content-length")) > 0);
    assert.equal(await answer.text(), "");
  });

  it("a request with a whole URL, as proxies send it, finds its path", async (t) => {
    const { socket, until } = await dial(t, host.port);
    socket.write("GET http://agent.example/tasks/t-1 HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\n\r\n");
    assert.match(await until(/\r\n\r\n.*\}$/), /200 OK[\s\S]*"id":"t-1"/);
  });
});

describe("a caller that goes away, at every stage", () => {
  it("in the head, in the body, before the answer: nothing is stored by half a request, and the host goes on", async (t) => {
    const fake = createFakeService();
    const logged: unknown[] = [];
    const host = await listen(createRestHandler(fake, { log: (event) => logged.push(event) }));
    t.after(() => host.close({ graceMs: 0 }));
    const whole = post("/message:send", JSON.stringify(SEND));
    const body = whole.indexOf("\r\n\r\n") + 4;
    for (const cut of [1, 30, body - 2, body, body + 1, whole.length - 1]) {
      const { socket } = await dial(t, host.port);
      socket.write(whole.slice(0, cut));
      await new Promise((resolve) => setTimeout(resolve, 10));
      socket.destroy();
    }
    assert.equal(fake.arrived.length, 0);
    const { socket } = await dial(t, host.port);
    socket.write(whole);
    socket.resetAndDestroy();
    const answer = await fetch(`${host.url}/tasks/t-1`, { headers: VERSION });
    assert.equal(answer.status, 200);
    assert.deepEqual(logged, [], "no operator is woken for it");
  });

  it("while the operation runs: its signal aborts", async (t) => {
    const fake = createFakeService();
    const logged: unknown[] = [];
    const host = await listen(
      createRestHandler(
        {
          ...fake,
          getTask: (_request, call) => {
            seen = call.signal;
            return new Promise((_resolve, reject) =>
              call.signal?.addEventListener("abort", () => reject(call.signal?.reason)),
            );
          },
        },
        { log: (event) => logged.push(event) },
      ),
    );
    let seen: AbortSignal | undefined;
    t.after(() => host.close({ graceMs: 0 }));
    const { socket } = await dial(t, host.port);
    socket.write("GET /tasks/t-1 HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\n\r\n");
    await eventually(() => seen !== undefined);
    assert.equal(seen?.aborted, false);
    socket.destroy();
    await eventually(() => seen?.aborted === true);
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.deepEqual(logged, []);
  });

  it("in a stream: the stream is returned, whether it is quiet or held back", async (t) => {
    for (const full of [false, true]) {
      const source = endless(full);
      const fake = createFakeService();
      fake.events = () => source.stream;
      const host = await listen(createRestHandler(fake));
      t.after(() => host.close({ graceMs: 0 }));
      const { socket, until } = await dial(t, host.port);
      socket.write(post("/message:stream", JSON.stringify(SEND)));
      await until(/data: /);
      if (full) socket.pause();
      await eventually(() => !full || source.heldBack());
      assert.equal(source.returned(), false);
      socket.destroy();
      await eventually(source.returned);
    }
  });
});

/** A stream that is quiet after its first event, or that gives as much as is taken. */
function endless(full: boolean): { stream: EventStream; returned: () => boolean; heldBack: () => boolean } {
  let returned = false;
  let asked = 0;
  let askedBefore = -1;
  const big: StreamEvent = { value: { task: task() }, json: `"${"x".repeat(100_000)}"` };
  const stream: EventStream = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        asked++;
        if (asked > 1 && !full) return new Promise(() => undefined);
        return Promise.resolve({ done: false as const, value: [asked === 1 ? status("TASK_STATE_WORKING") : big] });
      },
      return: () => {
        returned = true;
        return Promise.resolve({ done: true as const, value: undefined });
      },
    }),
  };
  return {
    stream,
    returned: () => returned,
    heldBack: () => {
      const still = asked === askedBefore;
      askedBefore = asked;
      return still;
    },
  };
}

describe("a host stops in good order", () => {
  it("streams are told UNAVAILABLE in the shape of their binding, requests in flight are answered", async (t) => {
    const fake = createFakeService();
    fake.events = () => endless(false).stream;
    let answerLate = (): void => undefined;
    const service = {
      ...fake,
      getTask: async (...args: Parameters<typeof fake.getTask>) => {
        await new Promise<void>((resolve) => {
          answerLate = resolve;
        });
        return fake.getTask(...args);
      },
    };
    const host = await listen(firstOf([createJsonRpcHandler(service), createRestHandler(service)], restNotFound));
    const rest = await dial(t, host.port);
    rest.socket.write(post("/message:stream", JSON.stringify(SEND)));
    const jsonRpc = await dial(t, host.port);
    jsonRpc.socket.write(
      post("/", JSON.stringify({ jsonrpc: "2.0", id: "r", method: "SendStreamingMessage", params: SEND })),
    );
    await rest.until(/data: /);
    await jsonRpc.until(/data: /);
    const slow = fetch(`${host.url}/tasks/t-1`, { headers: VERSION });
    await eventually(() => answerLate.length === 1);
    const closed = host.close({ graceMs: 5_000 });
    await rest.until(/event: error\ndata: \{"error":\{"code":503,"status":"UNAVAILABLE"/);
    await jsonRpc.until(/data: \{"jsonrpc":"2\.0","id":"r","error":\{"code":-32013/);
    answerLate();
    const answer = await slow;
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get("connection"), "close");
    await closed;
    await assert.rejects(fetch(`${host.url}/tasks/t-1`), TypeError);
  });

  it("what does not end within the grace is cut", async () => {
    const host = await listen(
      createRestHandler({ ...createFakeService(), getTask: () => new Promise(() => undefined) }),
    );
    const hanging = fetch(`${host.url}/tasks/t-1`, { headers: VERSION });
    hanging.catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await host.close({ graceMs: 20 });
    await assert.rejects(hanging, TypeError);
  });

  it("an idle connection delays nothing", async (t) => {
    const host = await listen(createRestHandler(createFakeService()));
    await dial(t, host.port);
    await fetch(`${host.url}/tasks/t-1`, { headers: VERSION }).then((answer) => answer.text());
    await host.close({ graceMs: 60_000 });
  });
});

describe("a port that cannot be had says what to do", () => {
  it("in use", async (t) => {
    const first = await listen(async () => undefined);
    t.after(() => first.close());
    await assert.rejects(
      listen(async () => undefined, { port: first.port }),
      {
        code: "PORT_IN_USE",
        message: `port ${first.port} on 127.0.0.1 is in use; stop what listens there, or choose another port (0 takes a free one)`,
      },
    );
  });

  it("not of this machine", async () => {
    await assert.rejects(
      listen(async () => undefined, { host: "192.0.2.1" }),
      { code: "CONFIGURATION" },
    );
  });
});
