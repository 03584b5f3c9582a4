import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, describe, it, type TestContext } from "node:test";
import type { HttpRequest, HttpResponse } from "../../bindings/http/exchange.ts";
import { type Listening, listen } from "./listen.ts";

const PIECES = ["data: é\n\n", "", `data: ${"x".repeat(70_000)}\n\n`, "data: 漢字\n\n"];

async function* pieces(): AsyncGenerator<string> {
  for (const piece of PIECES) {
    await new Promise((resolve) => setImmediate(resolve));
    yield piece;
  }
}

function answer(request: HttpRequest): HttpResponse {
  const headers = { "content-type": "text/event-stream" };
  if (request.path === "/plain") return { status: 200, headers, body: "plain" };
  return { status: 200, headers, stream: pieces() };
}

async function dial(t: TestContext, port: number): Promise<{ socket: Socket; bytes: () => Buffer }> {
  const socket = connect(port, "127.0.0.1");
  t.after(() => socket.destroy());
  const chunks: Buffer[] = [];
  socket.on("data", (chunk) => chunks.push(chunk));
  await once(socket, "connect");
  return { socket, bytes: () => Buffer.concat(chunks) };
}

describe("the body of a stream", () => {
  let host: Listening;
  before(async () => {
    host = await listen(async (request) => answer(request));
  });
  after(() => host.close({ graceMs: 0 }));

  it("is whole for a client that reads chunks, and the connection serves the next request", async () => {
    for (let round = 0; round < 3; round++) {
      const response = await fetch(`${host.url}/stream`);
      assert.equal(response.headers.get("transfer-encoding"), "chunked");
      assert.equal(await response.text(), PIECES.join(""));
    }
  });

  it("ends with the last chunk, once, before the answer to a request that was sent behind it", async (t) => {
    const { socket, bytes } = await dial(t, host.port);
    const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
    socket.write(get("/stream") + get("/plain"));
    while (!bytes().includes("\r\n\r\nplain")) await once(socket, "data");
    const text = bytes().toString("utf8");
    assert.equal(text.match(/transfer-encoding: chunked/gi)?.length, 1);
    assert.match(text, /\r\na\r\ndata: é\n\n\r\n/);
    assert.match(text, /\r\ne\r\ndata: 漢字\n\n\r\n0\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  });

  it("has no chunks for a client of HTTP/1.0: the connection ends it", async (t) => {
    const { socket, bytes } = await dial(t, host.port);
    socket.write("GET /stream HTTP/1.0\r\nHost: x\r\n\r\n");
    await once(socket, "close");
    const [head = "", body = ""] = bytes().toString("utf8").split("\r\n\r\n");
    assert.doesNotMatch(head, /transfer-encoding/i);
    assert.equal(body, PIECES.join(""));
  });
});
