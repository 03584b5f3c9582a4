import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelError } from "../model/model-error.ts";
import { A2AError, ERROR_DOMAIN, ERROR_TABLE, isA2AError, isLocalError, LocalError } from "./errors.ts";

test("§5.4 the error table is the one of the specification", () => {
  const rows = Object.entries(ERROR_TABLE).map(([code, row]) =>
    [code, row.jsonRpc, row.http, row.grpc, row.jsonRpcHttp].join(" "),
  );
  assert.deepEqual(rows, [
    "TASK_NOT_FOUND -32001 404 NOT_FOUND 200",
    "TASK_NOT_CANCELABLE -32002 400 FAILED_PRECONDITION 200",
    "PUSH_NOTIFICATION_NOT_SUPPORTED -32003 400 FAILED_PRECONDITION 200",
    "UNSUPPORTED_OPERATION -32004 400 FAILED_PRECONDITION 200",
    "CONTENT_TYPE_NOT_SUPPORTED -32005 400 INVALID_ARGUMENT 200",
    "INVALID_AGENT_RESPONSE -32006 500 INTERNAL 200",
    "EXTENDED_AGENT_CARD_NOT_CONFIGURED -32007 400 FAILED_PRECONDITION 200",
    "EXTENSION_SUPPORT_REQUIRED -32008 400 FAILED_PRECONDITION 200",
    "VERSION_NOT_SUPPORTED -32009 400 FAILED_PRECONDITION 200",
    "PARSE_ERROR -32700 400 INVALID_ARGUMENT 200",
    "INVALID_REQUEST -32600 400 INVALID_ARGUMENT 200",
    "INVALID_PARAMS -32602 400 INVALID_ARGUMENT 200",
    "METHOD_NOT_FOUND -32601 404 UNIMPLEMENTED 200",
    "INTERNAL -32603 500 INTERNAL 200",
    "UNAUTHENTICATED -32010 401 UNAUTHENTICATED 401",
    "PERMISSION_DENIED -32011 403 PERMISSION_DENIED 403",
    "RATE_LIMITED -32012 429 RESOURCE_EXHAUSTED 429",
    "UNAVAILABLE -32013 503 UNAVAILABLE 503",
  ]);
  assert.equal(ERROR_DOMAIN, "a2a-protocol.org");
});

test("an unexpected failure crosses the wire as a correlation id and nothing else", () => {
  const cause = new Error("password is hunter2");
  const error = A2AError.from(cause);
  assert.equal(error.code, "INTERNAL");
  assert.equal(error.cause, cause);
  assert.match(error.message, /^internal error, correlation id [0-9a-f-]{36}$/);
  assert.equal(error.message.endsWith(error.metadata["correlationId"] ?? "absent"), true);
});

test("a refused model value becomes INVALID_PARAMS with its violations, an A2AError stays itself", () => {
  const violations = [{ field: "message.role", description: "is required" }];
  const error = A2AError.from(new ModelError(violations));
  assert.equal(error.code, "INVALID_PARAMS");
  assert.deepEqual(error.violations, violations);
  assert.equal(A2AError.from(error), error);
});

test("guards tell the two families apart", () => {
  const wire = new A2AError("TASK_NOT_FOUND", "task t-1 not found");
  const local = new LocalError("TIMEOUT", "the call timed out");
  assert.deepEqual(
    [isA2AError(wire), isA2AError(wire, "TASK_NOT_FOUND"), isA2AError(wire, "INTERNAL")],
    [true, true, false],
  );
  assert.deepEqual([isA2AError(local), isLocalError(local, "TIMEOUT"), isLocalError(wire)], [false, true, false]);
});
