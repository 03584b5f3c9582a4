import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchOf } from "../../src/bindings/http/fetch.ts";
import { createJsonRpcHandler } from "../../src/bindings/jsonrpc/handler.ts";
import { createJsonRpcTransport } from "../../src/bindings/jsonrpc/transport.ts";
import { createRestHandler } from "../../src/bindings/rest/handler.ts";
import { createRestTransport } from "../../src/bindings/rest/transport.ts";
import { plainCall } from "../../src/operations/call.ts";
import { A2AError, type ErrorCode } from "../../src/operations/errors.ts";
import { ask, rpc } from "./binding-requests.ts";
import { createFakeService } from "./fake-service.ts";

/** code · JSON-RPC code and HTTP status · REST status and status name. Typed by hand from §5.4. */
const ROWS: readonly [ErrorCode, number, number, number, string][] = [
  ["TASK_NOT_FOUND", -32001, 200, 404, "NOT_FOUND"],
  ["TASK_NOT_CANCELABLE", -32002, 200, 400, "FAILED_PRECONDITION"],
  ["PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, 200, 400, "FAILED_PRECONDITION"],
  ["UNSUPPORTED_OPERATION", -32004, 200, 400, "FAILED_PRECONDITION"],
  ["CONTENT_TYPE_NOT_SUPPORTED", -32005, 200, 400, "INVALID_ARGUMENT"],
  ["INVALID_AGENT_RESPONSE", -32006, 200, 500, "INTERNAL"],
  ["EXTENDED_AGENT_CARD_NOT_CONFIGURED", -32007, 200, 400, "FAILED_PRECONDITION"],
  ["EXTENSION_SUPPORT_REQUIRED", -32008, 200, 400, "FAILED_PRECONDITION"],
  ["VERSION_NOT_SUPPORTED", -32009, 200, 400, "FAILED_PRECONDITION"],
  ["PARSE_ERROR", -32700, 200, 400, "INVALID_ARGUMENT"],
  ["INVALID_REQUEST", -32600, 200, 400, "INVALID_ARGUMENT"],
  ["INVALID_PARAMS", -32602, 200, 400, "INVALID_ARGUMENT"],
  ["METHOD_NOT_FOUND", -32601, 200, 404, "UNIMPLEMENTED"],
  ["INTERNAL", -32603, 200, 500, "INTERNAL"],
  ["UNAUTHENTICATED", -32010, 401, 401, "UNAUTHENTICATED"],
  ["PERMISSION_DENIED", -32011, 403, 403, "PERMISSION_DENIED"],
  ["RATE_LIMITED", -32012, 429, 429, "RESOURCE_EXHAUSTED"],
  ["UNAVAILABLE", -32013, 503, 503, "UNAVAILABLE"],
];

for (const [code, jsonRpc, jsonRpcHttp, http, grpc] of ROWS) {
  const error = new A2AError(code, `text of ${code}`, {
    metadata: { taskId: "t-1" },
    violations: [{ field: "a.b", description: "why" }],
    retryAfterSeconds: 7,
    cause: new Error("password is hunter2"),
  });
  const details = [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: code,
      domain: "a2a-protocol.org",
      metadata: { taskId: "t-1" },
    },
    { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: [{ field: "a.b", description: "why" }] },
  ];
  const retryAfter = http === 429 || http === 503 ? "7" : null;
  const challenge = http === 401 ? "Bearer" : null;

  test(`§9.5 ${code} [jsonrpc]`, async () => {
    const fake = createFakeService();
    fake.failure = error;
    const answer = await ask(createJsonRpcHandler(fake), "POST /", rpc("GetTask", { id: "t-1" }, "r"));
    assert.equal(answer.status, jsonRpcHttp);
    assert.deepEqual(answer.json, {
      jsonrpc: "2.0",
      id: "r",
      error: { code: jsonRpc, message: `text of ${code}`, data: details },
    });
    assert.equal(answer.headers.get("retry-after"), retryAfter);
    assert.equal(answer.headers.get("www-authenticate"), challenge);
  });

  test(`§11.6 ${code} [rest]`, async () => {
    const fake = createFakeService();
    fake.failure = error;
    const answer = await ask(createRestHandler(fake), "GET /tasks/t-1");
    assert.equal(answer.status, http);
    assert.deepEqual(answer.json, { error: { code: http, status: grpc, message: `text of ${code}`, details } });
    assert.equal(answer.headers.get("retry-after"), retryAfter);
    assert.equal(answer.headers.get("www-authenticate"), challenge);
  });

  for (const [binding, createHandler, createTransport] of [
    ["jsonrpc", createJsonRpcHandler, createJsonRpcTransport],
    ["rest", createRestHandler, createRestTransport],
  ] as const) {
    test(`§3.3.2 ${code} is the same error on the other side [${binding}]`, async () => {
      const fake = createFakeService();
      fake.failure = error;
      const client = createTransport({ url: "http://agent.example", fetch: fetchOf(createHandler(fake)) });
      for (const operation of [
        () => client.getTask({ id: "t-1" }, plainCall()),
        () => client.subscribeToTask({ id: "t-1" }, plainCall()),
      ]) {
        await assert.rejects(operation, (thrown: unknown) => {
          assert.ok(thrown instanceof A2AError);
          assert.deepEqual(
            [thrown.code, thrown.message, thrown.violations, thrown.metadata["taskId"]],
            [code, `text of ${code}`, [{ field: "a.b", description: "why" }], "t-1"],
          );
          assert.equal(thrown.retryAfterSeconds, retryAfter === null ? undefined : 7);
          return true;
        });
      }
    });
  }
}
