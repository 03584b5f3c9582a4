// One port for a program that is not ours, for pages in browsers and for gRPC, all at the same time.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { request as httpRequest, type IncomingMessage } from "node:http";
import test from "node:test";
import { promisify } from "node:util";
import { grpcTransport } from "../../src/bindings/grpc/grpc-transport.ts";
import { connect } from "../../src/client/connect.ts";
import { type Host, type ServeOptions, serve } from "../../src/hosts/node/serve.ts";
import { createAgent } from "../../src/server/agent.ts";

const PAGE = "https://app.example.com";

const agent = createAgent({
  name: "Planner",
  description: "Plans.",
  version: "1.0.0",
  async onTask(task, message) {
    await task.artifact("echo.txt", { text: message.text });
  },
});

async function hosted(options: ServeOptions, body: (host: Host) => Promise<void>): Promise<void> {
  const host = await serve(agent, { log: false, ...options });
  try {
    await body(host);
  } finally {
    await host.close({ graceMs: 0 });
  }
}

function sent(text: string): string {
  const message = { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text }] };
  return JSON.stringify({ message });
}

interface Answer extends Pick<IncomingMessage, "headers"> {
  readonly status: number | undefined;
  readonly text: string;
}

/** As a browser would send it: fetch of node has no origin and asks nothing first. */
function fromPage(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers: { origin: PAGE, ...headers } }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    request.on("error", reject);
    request.end(body);
  });
}

/** The question of a browser, then the call, which it makes only if the answer allows it. */
async function callFromPage(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Answer> {
  const names = Object.keys(headers).join(",");
  const asked = await fromPage(url, "OPTIONS", {
    "access-control-request-method": "POST",
    "access-control-request-headers": names,
  });
  assert.equal(asked.status, 204);
  assert.equal(asked.headers["access-control-allow-origin"], PAGE);
  assert.match(asked.headers["access-control-allow-methods"] ?? "", /\bPOST\b/);
  assert.equal(asked.headers["access-control-allow-headers"], names);
  return fromPage(url, "POST", headers, body);
}

async function asPage(url: string): Promise<void> {
  const card = await fromPage(`${url}/.well-known/agent-card.json`, "GET", {});
  assert.deepEqual([card.status, card.headers["access-control-allow-origin"]], [200, PAGE]);
  assert.match(card.headers.vary ?? "", /origin/);
  const headers = { "content-type": "application/json", "a2a-version": "1.0", authorization: "Bearer x" };
  const stream = await callFromPage(`${url}/message:stream`, headers, sent("page"));
  assert.deepEqual([stream.status, stream.headers["access-control-allow-origin"]], [200, PAGE]);
  assert.match(stream.text, /^id: \d+\ndata: \{"task":[\s\S]*TASK_STATE_COMPLETED/m);
  const refused = await callFromPage(`${url}/message:send`, headers, "{");
  assert.deepEqual([refused.status, refused.headers["access-control-allow-origin"]], [400, PAGE]);
  assert.match(refused.headers["access-control-expose-headers"] ?? "", /a2a-extensions/);
}

const run = promisify(execFile);

async function asCurl(url: string): Promise<void> {
  const flags = ["-sS", "-N", "--max-time", "20", "-H", "content-type: application/json", "-H", "a2a-version: 1.0"];
  const { stdout } = await run("curl", [...flags, "-d", sent("curl"), `${url}/message:stream`]);
  assert.match(stdout, /^id: \d+\ndata: \{"task":[\s\S]*"text":"curl"[\s\S]*TASK_STATE_COMPLETED/m);
  // curl can speak HTTP/2 with prior knowledge: that is gRPC's door, and it says so by a status of HTTP.
  const h2 = await run("curl", [
    "-s",
    "-o",
    "-",
    "-w",
    "%{http_version} %{http_code}",
    "--http2-prior-knowledge",
    url,
  ]).catch((failed: { stdout: string }) => failed);
  assert.match(h2.stdout, /^(2 405|0 000)$/);
}

async function asGrpc(url: string): Promise<void> {
  const client = await connect(url, { prefer: ["GRPC"], transports: { GRPC: grpcTransport() } });
  try {
    const reply = await client.stream("grpc").result;
    assert.ok(reply.kind === "task" && reply.state === "COMPLETED");
  } finally {
    await client.close();
  }
}

test("curl, a page in a browser and a gRPC client use one port at once", { timeout: 60_000 }, async (t) => {
  const hasCurl = await run("curl", ["--version"]).then(
    () => true,
    () => false,
  );
  if (!hasCurl) t.diagnostic("no curl on this machine: the other two are tried without it");
  await hosted({ cors: [PAGE] }, async ({ url }) => {
    const callers = [asPage, asGrpc, ...(hasCurl ? [asCurl] : [])];
    await Promise.all(callers.flatMap((call) => Array.from({ length: 8 }, () => call(url))));
  });
});

test("pages of other origins are let in by name alone", async () => {
  const question = { "access-control-request-method": "POST", "access-control-request-headers": "content-type" };
  for (const [cors, isAllowed] of [
    [undefined, false],
    [[], false],
    [["https://other.example.com"], false],
    [[`${PAGE}/`], false],
    [["https://other.example.com", PAGE], true],
    [["*"], true],
  ] as const) {
    await hosted({ cors }, async ({ url }) => {
      const asked = await fromPage(`${url}/message:send`, "OPTIONS", question);
      const got = await fromPage(`${url}/.well-known/agent-card.json`, "GET", {});
      const expected = isAllowed ? PAGE : undefined;
      assert.equal(asked.status, isAllowed ? 204 : 405, String(cors));
      assert.equal(asked.headers["access-control-allow-origin"], expected);
      assert.equal(got.headers["access-control-allow-origin"], expected);
      assert.equal(got.headers["access-control-allow-credentials"], undefined);
      assert.equal(got.status, 200);
      assert.equal(/origin/.test(got.headers.vary ?? ""), cors !== undefined);
    });
  }
});
