import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Fetch, FetchInit } from "../../src/bindings/http/outgoing.ts";
import type { TransportOptions } from "../../src/bindings/http/transport.ts";
import { createJsonRpcTransport } from "../../src/bindings/jsonrpc/transport.ts";
import { createRestTransport } from "../../src/bindings/rest/transport.ts";
import { listen } from "../../src/hosts/node/listen.ts";
import { plainCall } from "../../src/operations/call.ts";
import { isA2AError, isLocalError } from "../../src/operations/errors.ts";
import type { Service } from "../../src/operations/service.ts";
import { collect, SEND, task } from "../spec/fake-service.ts";

const URL_SECRET = "https://user:secret@agent.example/a?key=secret";

interface Sent {
  readonly url: string;
  readonly init: FetchInit;
}

/** A fetch that answers with these responses in turn and remembers what was asked. */
function answering(...responses: (() => Response)[]): { fetch: Fetch; sent: Sent[] } {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (url, init) => {
      sent.push({ url, init });
      const next = responses[Math.min(sent.length, responses.length) - 1];
      if (next === undefined) throw new Error("nothing to answer with");
      return next();
    },
  };
}

function reply(
  status: number,
  body: unknown,
  type = "application/json",
  headers: Record<string, string> = {},
): () => Response {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return () => new Response(text, { status, headers: { "content-type": type, ...headers } });
}

const TRANSPORTS: readonly [string, (options: TransportOptions) => Service][] = [
  ["jsonrpc", createJsonRpcTransport],
  ["rest", createRestTransport],
];

const SSE = "text/event-stream";

for (const [binding, createTransport] of TRANSPORTS) {
  const wrap = (value: unknown): string =>
    JSON.stringify(binding === "rest" ? value : { jsonrpc: "2.0", id: 1, result: value });
  const client = (fetch: Fetch, more: Partial<TransportOptions> = {}): Service =>
    createTransport({ url: URL_SECRET, fetch, ...more });
  const get = (fetch: Fetch): Promise<unknown> => client(fetch).getTask({ id: "t-1" }, plainCall());

  describe(`answers that are not an agent's [${binding}]`, () => {
    const rows: [string, () => Response, string, RegExp][] = [
      ["a page", reply(200, "<h1>secret</h1>", "text/html"), "NOT_AN_AGENT", /HTTP 200 with text\/html/],
      [
        "a page that is not there",
        reply(404, "<h1>secret</h1>", "text/html"),
        "NOT_AN_AGENT",
        /HTTP 404 with text\/html/,
      ],
      ["bad JSON", reply(200, "{secret", "application/json"), "NOT_AN_AGENT", /HTTP 200/],
      ["a bad gateway", reply(502, "<h1>secret</h1>", "text/html"), "UNREACHABLE", /answered HTTP 502/],
      ["an overloaded proxy", reply(503, "secret", "text/plain"), "UNREACHABLE", /answered HTTP 503/],
      [
        "a login page",
        reply(302, "", "text/html", { location: "https://login.example/?token=secret" }),
        "NOT_AN_AGENT",
        /redirects to https:\/\/login\.example\/ \(HTTP 302\)/,
      ],
      [
        "401 of a proxy",
        reply(401, "secret", "text/plain", { "www-authenticate": "Basic" }),
        "UNAUTHENTICATED",
        /HTTP 401/,
      ],
      ["403 of a proxy", reply(403, "secret", "text/plain"), "PERMISSION_DENIED", /HTTP 403/],
      ["429 of a proxy", reply(429, "secret", "text/plain", { "retry-after": "9" }), "RATE_LIMITED", /HTTP 429/],
    ];
    for (const [name, response, code, message] of rows) {
      it(`${name} is ${code}, and neither body nor secrets are in the text`, async () => {
        await assert.rejects(get(answering(response).fetch), (thrown: Error & { code: string }) => {
          assert.equal(thrown.code, code);
          assert.match(thrown.message, message);
          assert.match(thrown.message, /https:\/\/agent\.example\/a\b/);
          assert.doesNotMatch(thrown.message, /secret/);
          return true;
        });
      });
    }

    it("a result of another shape is INVALID_AGENT_RESPONSE that names the expected one", async () => {
      await assert.rejects(get(answering(reply(200, wrap({ id: "t-1" }))).fetch), {
        code: "INVALID_AGENT_RESPONSE",
        message: /did not answer with a Task: status/,
      });
      const sent = client(answering(reply(200, wrap({ ...task() }))).fetch).sendMessage(
        structuredClone(SEND),
        plainCall(),
      );
      await assert.rejects(sent, {
        code: "INVALID_AGENT_RESPONSE",
        message: /did not answer with \{task\} or \{message\}/,
      });
    });

    it("an answer beyond the bound, or not UTF-8, is INVALID_AGENT_RESPONSE", async () => {
      const { fetch } = answering(reply(200, wrap(task())));
      await assert.rejects(client(fetch, { maxResponseBytes: 10 }).getTask({ id: "t-1" }, plainCall()), {
        code: "INVALID_AGENT_RESPONSE",
        message: "https://agent.example/a answered with more than 10 bytes",
      });
      const bytes = () => new Response(Uint8Array.of(0x7b, 0xff), { headers: { "content-type": "application/json" } });
      await assert.rejects(get(answering(bytes).fetch), { code: "INVALID_AGENT_RESPONSE", message: /not UTF-8/ });
    });

    it("states in the spelling of 0.3 are folded with a warning, unknown ones kept", async () => {
      const warnings: string[] = [];
      const told = { onWarning: ({ field }: { field: string }) => warnings.push(field) };
      const folded = await client(
        answering(reply(200, wrap({ id: "t", status: { state: "completed" } }))).fetch,
        told,
      ).getTask({ id: "t" }, plainCall());
      assert.equal(folded.value.status.state, "TASK_STATE_COMPLETED");
      assert.deepEqual(warnings, ["status.state"]);
      const kept = await client(
        answering(reply(200, wrap({ id: "t", status: { state: "TASK_STATE_PAUSED" } }))).fetch,
      ).getTask({ id: "t" }, plainCall());
      assert.equal(kept.value.status.state, "TASK_STATE_PAUSED");
    });
  });

  describe(`connections that fail [${binding}]`, () => {
    it("nothing listens: UNREACHABLE, and nothing was sent", async () => {
      const host = await listen(async () => undefined);
      await host.close();
      await assert.rejects(createTransport({ url: host.url }).getTask({ id: "t" }, plainCall()), (thrown: unknown) => {
        assert.ok(isLocalError(thrown, "UNREACHABLE"));
        const at = binding === "rest" ? `${host.url}/tasks/t` : host.url;
        assert.equal(
          thrown.message,
          `${at} cannot be reached: nothing listens there (ECONNREFUSED); is the agent running?`,
        );
        assert.deepEqual([thrown.metadata.cause, thrown.metadata.sent], ["ECONNREFUSED", "no"]);
        return true;
      });
    });

    it("the caller's timeout is TIMEOUT, its abort ABORTED", async () => {
      const host = await listen(() => new Promise(() => undefined));
      const slow = createTransport({ url: host.url });
      await assert.rejects(slow.getTask({ id: "t" }, plainCall({ signal: AbortSignal.timeout(30) })), {
        code: "TIMEOUT",
      });
      await assert.rejects(slow.getTask({ id: "t" }, plainCall({ signal: AbortSignal.abort() })), { code: "ABORTED" });
      await host.close({ graceMs: 0 });
    });
  });

  describe(`streams of a peer [${binding}]`, () => {
    const frame = (value: unknown): string => `data: ${wrap(value)}\n\n`;
    const statusOf = (state: string) => ({ statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state } } });
    const open = async (body: string) =>
      client(answering(reply(200, body, SSE)).fetch).sendStreamingMessage(structuredClone(SEND), plainCall());

    it("the end of the body is the end of the stream after a terminal state, INPUT_REQUIRED or a Message", async () => {
      for (const last of [
        statusOf("TASK_STATE_COMPLETED"),
        statusOf("TASK_STATE_INPUT_REQUIRED"),
        { task: task("t-1", "TASK_STATE_REJECTED") },
      ]) {
        assert.equal((await collect(await open(frame({ task: task() }) + frame(last)))).length, 2);
      }
      const message = { message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "hi" }] } };
      assert.deepEqual(await collect(await open(frame(message))), [message]);
    });

    it("before that it is STREAM_TRUNCATED, after what came was delivered", async () => {
      for (const last of [statusOf("TASK_STATE_WORKING"), statusOf("TASK_STATE_AUTH_REQUIRED")]) {
        const stream = await open(frame({ task: task() }) + frame(last));
        const seen: unknown[] = [];
        await assert.rejects(
          async () => {
            for await (const batch of stream) seen.push(...batch);
          },
          {
            code: "STREAM_TRUNCATED",
            message: "the stream from https://agent.example/a ended before its task did; resume by subscribing",
          },
        );
        assert.equal(seen.length, 2);
      }
      await assert.rejects(open(""), { code: "STREAM_TRUNCATED" });
      await assert.rejects(open(": hello\n\n"), { code: "STREAM_TRUNCATED" });
    });

    it("named events with bare states are INVALID_AGENT_RESPONSE that names the shape", async () => {
      await assert.rejects(open(`event: status\ndata: ${wrap({ state: "working" })}\n\n`), {
        code: "INVALID_AGENT_RESPONSE",
        message: /did not answer with \{task\}, \{message\}, \{statusUpdate\} or \{artifactUpdate\}/,
      });
      await assert.rejects(open("data: working\n\n"), { code: "INVALID_AGENT_RESPONSE", message: /not JSON/ });
      const bad = statusOf("TASK_STATE_WORKING");
      (bad.statusUpdate.status as Record<string, unknown>)["message"] = { text: "hi" };
      await assert.rejects(open(frame(bad)), {
        code: "INVALID_AGENT_RESPONSE",
        message: /statusUpdate\.status\.message/,
      });
    });

    it("an error frame is thrown as the error that it is, after what came before it", async () => {
      const error =
        binding === "rest"
          ? `event: error\ndata: ${JSON.stringify({ error: { code: 503, status: "UNAVAILABLE", message: "bye", details: [] } })}\n\n`
          : `data: ${JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32013, message: "bye" } })}\n\n`;
      const stream = (await open(frame({ task: task() }) + error))[Symbol.asyncIterator]();
      assert.equal((await stream.next()).value?.length, 1);
      await assert.rejects(stream.next(), { code: "UNAVAILABLE", message: "bye" });
      assert.equal((await stream.next()).done, true);
      await assert.rejects(open(error), { code: "UNAVAILABLE" });
    });

    it("a peer that answers plainly gives a stream of one event", async () => {
      const plain = await client(answering(reply(200, wrap({ task: task() }))).fetch).sendStreamingMessage(
        structuredClone(SEND),
        plainCall(),
      );
      assert.deepEqual(await collect(plain), [{ task: task() }]);
    });

    it("ids that are not a seq are no ids", async () => {
      const stream = await open(`id: abc\n${frame({ task: task() })}id: 12\n${frame(statusOf("TASK_STATE_FAILED"))}`);
      const seqs: unknown[] = [];
      for await (const batch of stream) for (const event of batch) seqs.push(event.seq);
      assert.deepEqual(seqs, [undefined, 12]);
    });
  });
}

describe("what a transport sends", () => {
  it("[rest] :subscribe goes by POST, then by GET where POST does not exist", async () => {
    const sse = reply(200, `data: ${JSON.stringify({ task: task("t-1", "TASK_STATE_COMPLETED") })}\n\n`, SSE);
    for (const first of [
      reply(405, ""),
      reply(404, "<h1>", "text/html"),
      reply(404, { error: { code: 404, status: "UNIMPLEMENTED", message: "no" } }),
    ]) {
      const { fetch, sent } = answering(first, sse);
      await collect(
        await createRestTransport({ url: "https://a.example/x/", fetch }).subscribeToTask({ id: "t/1" }, plainCall()),
      );
      assert.deepEqual(
        sent.map(({ url, init }) => `${init.method} ${url}`),
        ["POST https://a.example/x/tasks/t%2F1:subscribe", "GET https://a.example/x/tasks/t%2F1:subscribe"],
      );
    }
    const missing = answering(reply(404, { error: { code: 404, status: "NOT_FOUND", message: "task t-1 not found" } }));
    const client = createRestTransport({ url: "https://a.example", fetch: missing.fetch });
    await assert.rejects(client.subscribeToTask({ id: "t-1" }, plainCall()), { code: "TASK_NOT_FOUND" });
    assert.equal(missing.sent.length, 1);
  });

  it("[rest] a query of the interface URL stays, the tenant goes into path and body", async () => {
    const { fetch, sent } = answering(reply(200, task()));
    const client = createRestTransport({ url: "https://a.example/x?key=1", tenant: "acme", fetch });
    await client.getTask({ id: "t-1", historyLength: 2 }, plainCall());
    await client.cancelTask({ id: "t-1" }, plainCall());
    assert.equal(sent[0]?.url, "https://a.example/x/acme/tasks/t-1?key=1&historyLength=2");
    assert.equal(sent[1]?.url, "https://a.example/x/acme/tasks/t-1:cancel?key=1");
    assert.deepEqual(JSON.parse(sent[1]?.init.body ?? ""), { id: "t-1", tenant: "acme" });
  });

  it("version, extensions, the headers of options and call", async () => {
    for (const [, createTransport] of TRANSPORTS) {
      const { fetch, sent } = answering(reply(500, { error: { code: 500, message: "x" } }));
      const client = createTransport({
        url: "https://a.example",
        fetch,
        headers: async () => ({ Authorization: "Bearer a", "X-One": "1" }),
      });
      await assert.rejects(
        client.getTask(
          { id: "t" },
          plainCall({ extensions: ["urn:a", "urn:b"], headers: { authorization: "Bearer b" } }),
        ),
      );
      const { headers, redirect } = sent[0]!.init;
      assert.deepEqual(
        [headers["a2a-version"], headers["a2a-extensions"], headers["authorization"], headers["x-one"], redirect],
        ["1.0", "urn:a,urn:b", "Bearer b", "1", "manual"],
      );
    }
  });
});

describe("errors are read by their reason, in any shape", () => {
  const jsonRpcRows: [string, unknown, string][] = [
    [
      "data as an array",
      { code: -32000, message: "m", data: [{ "@type": "x", reason: "TASK_NOT_CANCELABLE" }] },
      "TASK_NOT_CANCELABLE",
    ],
    [
      "data as an object",
      { code: -32000, message: "m", data: { reason: "UNSUPPORTED_OPERATION_ERROR" } },
      "UNSUPPORTED_OPERATION",
    ],
    [
      "the reason counts before the number",
      { code: -32603, message: "m", data: [{ reason: "TASK_NOT_FOUND" }] },
      "TASK_NOT_FOUND",
    ],
    ["no data", { code: -32001, message: "m" }, "TASK_NOT_FOUND"],
    ["data as text", { code: -32602, message: "m", data: "why" }, "INVALID_PARAMS"],
    ["a number that nobody knows", { code: -32050, message: "m" }, "INTERNAL"],
    ["no object", "boom", "INTERNAL"],
  ];
  for (const [name, error, code] of jsonRpcRows) {
    it(`[jsonrpc] ${name}`, async () => {
      const { fetch } = answering(reply(200, { jsonrpc: "2.0", id: 1, error }));
      await assert.rejects(
        createJsonRpcTransport({ url: "https://a.example", fetch }).getTask({ id: "t" }, plainCall()),
        { code },
      );
    });
  }

  const restRows: [string, number, unknown, string][] = [
    [
      "a reason",
      400,
      {
        error: { code: 400, status: "FAILED_PRECONDITION", message: "m", details: [{ reason: "TASK_NOT_CANCELABLE" }] },
      },
      "TASK_NOT_CANCELABLE",
    ],
    [
      "a reason counts before an older status",
      501,
      { error: { code: 501, message: "m", details: [{ reason: "PUSH_NOTIFICATION_NOT_SUPPORTED" }] } },
      "PUSH_NOTIFICATION_NOT_SUPPORTED",
    ],
    ["a status name", 404, { error: { code: 404, status: "NOT_FOUND", message: "m" } }, "TASK_NOT_FOUND"],
    ["409 of an older peer", 409, { error: { code: 409, message: "m" } }, "TASK_NOT_CANCELABLE"],
    ["415 of an older peer", 415, { error: { message: "m" } }, "CONTENT_TYPE_NOT_SUPPORTED"],
    [
      "UNIMPLEMENTED of an older peer",
      501,
      { error: { code: 12, status: "UNIMPLEMENTED", message: "m" } },
      "UNSUPPORTED_OPERATION",
    ],
    [
      "problem details",
      400,
      { type: "https://a2a-protocol.org/errors/version-not-supported", title: "t", status: 400, detail: "d" },
      "VERSION_NOT_SUPPORTED",
    ],
  ];
  for (const [name, http, body, code] of restRows) {
    it(`[rest] ${name}`, async () => {
      const { fetch } = answering(reply(http, body, "application/problem+json"));
      await assert.rejects(createRestTransport({ url: "https://a.example", fetch }).getTask({ id: "t" }, plainCall()), {
        code,
      });
    });
  }

  it("a hostile reason or metadata key is harmless", async () => {
    const data = JSON.parse('[{"reason":"__proto__","metadata":{"__proto__":"x","constructor":"y","a":"b","n":1}}]');
    const { fetch } = answering(reply(200, { jsonrpc: "2.0", id: 1, error: { code: -32001, message: "m", data } }));
    await assert.rejects(
      createJsonRpcTransport({ url: "https://a.example", fetch }).getTask({ id: "t" }, plainCall()),
      (thrown: unknown) => {
        assert.ok(isA2AError(thrown, "TASK_NOT_FOUND"));
        assert.deepEqual(Object.entries(thrown.metadata), [
          ["constructor", "y"],
          ["a", "b"],
        ]);
        return true;
      },
    );
  });
});
