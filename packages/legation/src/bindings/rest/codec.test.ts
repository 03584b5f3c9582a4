import assert from "node:assert/strict";
import { test } from "node:test";
import { isA2AError } from "../../operations/errors.ts";
import { assembleRequest } from "./codec.ts";

const ROUTE = { methods: {}, allow: "POST", fields: {}, tenant: "" };
const post = { method: "POST", query: "" };

test("a body of null says nothing, where nothing needs to be said", () => {
  const route = { ...ROUTE, fields: { id: "t-1" } };
  assert.deepEqual(assembleRequest("CancelTask", route, post, "null"), { id: "t-1" });
  assert.deepEqual(assembleRequest("SubscribeToTask", route, post, " null\n"), {
    id: "t-1",
  });
});

test("a body of null is refused where the request must stand in it", () => {
  assert.throws(
    () => assembleRequest("SendMessage", ROUTE, post, "null"),
    (thrown) => isA2AError(thrown, "INVALID_REQUEST"),
  );
});
