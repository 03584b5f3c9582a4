// The client over sockets that break: a hand-written JSON-RPC and REST server that cuts its connection at any byte.
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { connect } from "../../src/client/connect.ts";
import { applyStreamResponse } from "../../src/model/apply-stream-response.ts";
import type { StreamResponse, Task } from "../../src/model/gen/types.ts";
import { isLocalError } from "../../src/operations/errors.ts";
import { cardOf, chunk, instantClock, Screen, status, TERMINAL, task } from "./fake-peer.ts";

const LOG: readonly StreamResponse[] = [
  task("SUBMITTED"),
  status("WORKING", "on it"),
  chunk("héllo ", false, "a-1", "out.txt"),
  chunk("日本 "),
  chunk("😀"),
  status("COMPLETED", "done"),
];

type Wire = "JSONRPC" | "HTTP+JSON";

/** Serves the log; the first stream is cut after `cutAt` bytes of its body, abruptly or in good order. */
async function serve(t: TestContext, wire: Wire, ids: boolean, cutAt: number, abruptly: boolean): Promise<string> {
  let head = 0;
  let streams = 0;
  const snapshot = (upTo: number): Task => {
    let folded: Task | undefined;
    for (const event of LOG.slice(0, upTo)) folded = applyStreamResponse(folded, structuredClone(event));
    return folded as Task;
  };
  const frame = (event: StreamResponse, seq: number): string => {
    const body = wire === "JSONRPC" ? { jsonrpc: "2.0", id: 1, result: event } : event;
    return `${ids ? `id: ${seq}\n` : ""}data: ${JSON.stringify(body)}\n\n`;
  };
  const stream = (response: ServerResponse, frames: readonly string[]): void => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    const whole = Buffer.from(`: hello\n\n${frames.join("")}`);
    if (streams++ > 0) {
      response.end(whole);
      return;
    }
    // The task went on by one more event while the connection was broken.
    const seen = frames.findIndex(
      (_, index) => Buffer.byteLength(`: hello\n\n${frames.slice(0, index + 1).join("")}`) > cutAt,
    );
    head = seen < 0 ? LOG.length : Math.min(LOG.length, seen + 1);
    if (abruptly) response.write(whole.subarray(0, cutAt), () => setTimeout(() => response.socket?.destroy(), 2));
    else response.end(whole.subarray(0, cutAt));
  };
  const answer = (response: ServerResponse, result: unknown): void =>
    void response
      .writeHead(200, { "content-type": "application/json" })
      .end(JSON.stringify(wire === "JSONRPC" ? { jsonrpc: "2.0", id: 1, result } : result));
  const refuse = (response: ServerResponse): void => {
    const details = [
      {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        reason: "UNSUPPORTED_OPERATION",
        domain: "a2a-protocol.org",
      },
    ];
    const error =
      wire === "JSONRPC"
        ? { code: -32004, message: "over", data: details }
        : { code: 400, status: "FAILED_PRECONDITION", message: "over", details };
    response
      .writeHead(wire === "JSONRPC" ? 200 : 400, { "content-type": "application/json" })
      .end(JSON.stringify(wire === "JSONRPC" ? { jsonrpc: "2.0", id: 1, error } : { error }));
  };
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let body = "";
    request.on("data", (piece) => {
      body += piece;
    });
    request.on("end", () => {
      const method = wire === "JSONRPC" ? (JSON.parse(body) as { method: string }).method : (request.url ?? "");
      if (/SendStreamingMessage|message:stream/.test(method))
        stream(
          response,
          LOG.map((event, at) => frame(event, at + 1)),
        );
      else if (/SubscribeToTask|:subscribe/.test(method)) {
        if (TERMINAL.test(snapshot(head).status.state)) refuse(response);
        else {
          const last = Number(request.headers["last-event-id"] ?? Number.NaN);
          const from = ids && !Number.isNaN(last) ? last : head;
          const { artifacts, ...bare } = snapshot(from);
          const first = ids && !Number.isNaN(last) ? bare : { ...bare, ...(artifacts ? { artifacts } : {}) };
          stream(response, [
            frame({ task: first }, from),
            ...LOG.slice(from).map((event, at) => frame(event, from + at + 1)),
          ]);
        }
      } else answer(response, snapshot(head));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

for (const wire of ["JSONRPC", "HTTP+JSON"] as const) {
  for (const ids of [true, false]) {
    test(`${wire}: a socket cut anywhere, ${ids ? "with" : "without"} ids, gives the exact text`, async (t) => {
      const whole = 1100;
      let resumed = 0;
      // Steps that fall between, at and inside events, and inside characters of several bytes.
      for (let cutAt = 0; cutAt < whole; cutAt += 37) {
        for (const abruptly of [true, false]) {
          const url = await serve(t, wire, ids, cutAt, abruptly);
          const card = cardOf({ supportedInterfaces: [{ url, protocolBinding: wire, protocolVersion: "1.0" }] });
          const client = await connect(card, { clock: instantClock(), random: () => 0, retrySends: true });
          const run = client.stream("go");
          const screen = new Screen();
          for await (const event of run) screen.show(event);
          const note = `cut at ${cutAt}, ${abruptly ? "destroyed" : "ended"}`;
          assert.equal(screen.texts.get("out.txt"), "héllo 日本 😀", note);
          if (run.delivery === "resumed") resumed++;
          const result = await run.result;
          assert.ok(result.kind === "task" && result.state === "COMPLETED", note);
          assert.equal(await result.artifact("out.txt")?.text(), "héllo 日本 😀", note);
        }
      }
      assert.ok(resumed > 20, `only ${resumed} of the streams were resumed`);
    });
  }
}

test("a send whose stream never began is not sent again to an agent that may do it twice", async (t) => {
  const url = await serve(t, "JSONRPC", false, 0, true);
  const card = cardOf({ supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }] });
  const client = await connect(card, { clock: instantClock() });
  await assert.rejects(
    client.stream("pay").result,
    (error) => isLocalError(error, "STREAM_TRUNCATED") || isLocalError(error, "UNREACHABLE"),
  );
});

test("leaving a run closes its socket", async (t) => {
  let closed: (() => void) | undefined;
  const isClosed = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: task() })}\n\n`);
    response.on("close", () => closed?.());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const client = await connect(
    cardOf({ supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }] }),
  );
  for await (const _ of client.stream("go")) break;
  await isClosed;
});
