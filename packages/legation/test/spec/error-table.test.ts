import assert from "node:assert/strict";
import { test } from "node:test";
import { createGrpcServer } from "../../src/bindings/grpc/server.ts";
import { createGrpcTransport } from "../../src/bindings/grpc/transport.ts";
import { fetchOf } from "../../src/bindings/http/fetch.ts";
import { createJsonRpcHandler } from "../../src/bindings/jsonrpc/handler.ts";
import { createJsonRpcTransport } from "../../src/bindings/jsonrpc/transport.ts";
import { createRestHandler } from "../../src/bindings/rest/handler.ts";
import { createRestTransport } from "../../src/bindings/rest/transport.ts";
import { plainCall } from "../../src/operations/call.ts";
import { A2AError, type ErrorCode } from "../../src/operations/errors.ts";
import type { Service } from "../../src/operations/service.ts";
import { callRaw } from "../grpc/raw-call.ts";
import { ask, rpc } from "./binding-requests.ts";
import { createFakeService, type FakeService } from "./fake-service.ts";

/** code · JSON-RPC code and HTTP status · REST status and status name · its number in gRPC. Typed by hand from §5.4. */
const ROWS: readonly [ErrorCode, number, number, number, string, number][] = [
  ["TASK_NOT_FOUND", -32001, 200, 404, "NOT_FOUND", 5],
  ["TASK_NOT_CANCELABLE", -32002, 200, 400, "FAILED_PRECONDITION", 9],
  ["PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, 200, 400, "FAILED_PRECONDITION", 9],
  ["UNSUPPORTED_OPERATION", -32004, 200, 400, "FAILED_PRECONDITION", 9],
  ["CONTENT_TYPE_NOT_SUPPORTED", -32005, 200, 400, "INVALID_ARGUMENT", 3],
  ["INVALID_AGENT_RESPONSE", -32006, 200, 500, "INTERNAL", 13],
  ["EXTENDED_AGENT_CARD_NOT_CONFIGURED", -32007, 200, 400, "FAILED_PRECONDITION", 9],
  ["EXTENSION_SUPPORT_REQUIRED", -32008, 200, 400, "FAILED_PRECONDITION", 9],
  ["VERSION_NOT_SUPPORTED", -32009, 200, 400, "FAILED_PRECONDITION", 9],
  ["PARSE_ERROR", -32700, 200, 400, "INVALID_ARGUMENT", 3],
  ["INVALID_REQUEST", -32600, 200, 400, "INVALID_ARGUMENT", 3],
  ["INVALID_PARAMS", -32602, 200, 400, "INVALID_ARGUMENT", 3],
  ["METHOD_NOT_FOUND", -32601, 200, 404, "UNIMPLEMENTED", 12],
  ["INTERNAL", -32603, 200, 500, "INTERNAL", 13],
  ["UNAUTHENTICATED", -32010, 401, 401, "UNAUTHENTICATED", 16],
  ["PERMISSION_DENIED", -32011, 403, 403, "PERMISSION_DENIED", 7],
  ["RATE_LIMITED", -32012, 429, 429, "RESOURCE_EXHAUSTED", 8],
  ["UNAVAILABLE", -32013, 503, 503, "UNAVAILABLE", 14],
];

const URL = "http://agent.example";
const RETRY_INFO = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "7s" };

for (const [code, jsonRpc, jsonRpcHttp, http, grpc, grpcNumber] of ROWS) {
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

  test(`§10.6 ${code} [grpc]`, async () => {
    const fake = createFakeService();
    fake.failure = error;
    await using server = await createGrpcServer(fake);
    const answer = await callRaw(server.address, "GetTask", Buffer.from("1203742d31", "hex"));
    assert.equal(answer.status, grpcNumber);
    assert.equal(answer.message, `text of ${code}`);
    assert.deepEqual(answer.details, {
      code: grpcNumber,
      message: `text of ${code}`,
      details: [...details, ...(retryAfter === null ? [] : [RETRY_INFO])],
    });
    assert.equal(answer.trailers["www-authenticate"], challenge ?? undefined);
  });

  const services: Readonly<Record<string, (fake: FakeService) => Promise<Service & Partial<AsyncDisposable>>>> = {
    jsonrpc: async (fake) => createJsonRpcTransport({ url: URL, fetch: fetchOf(createJsonRpcHandler(fake)) }),
    rest: async (fake) => createRestTransport({ url: URL, fetch: fetchOf(createRestHandler(fake)) }),
    grpc: async (fake) => {
      const server = await createGrpcServer(fake);
      const transport = createGrpcTransport({ url: server.address });
      const close = async (): Promise<void> => {
        await transport[Symbol.asyncDispose]();
        await server.close();
      };
      return { ...transport, [Symbol.asyncDispose]: close };
    },
  };
  for (const [binding, open] of Object.entries(services)) {
    test(`§3.3.2 ${code} is the same error on the other side [${binding}]`, async () => {
      const fake = createFakeService();
      fake.failure = error;
      const client = await open(fake);
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
      await client[Symbol.asyncDispose]?.();
    });
  }
}
