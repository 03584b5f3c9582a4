import assert from "node:assert/strict";
import { test } from "node:test";
import { createFakeService, task } from "../../test/spec/fake-service.ts";
import { plainCall } from "./call.ts";
import { intercept } from "./intercept.ts";
import type { Interceptor } from "./interceptor.ts";

test("interceptors surround every operation, the first one outermost", async () => {
  const seen: string[] = [];
  const named =
    (name: string): Interceptor =>
    async (invocation, next) => {
      seen.push(`${name} ${invocation.method}`);
      const result = await next(invocation);
      seen.push(`${name} done`);
      return result;
    };
  const service = intercept(createFakeService(), [named("a"), named("b")]);
  const { value } = await service.getTask({ id: "t-1" }, plainCall());
  assert.deepEqual(value, task());
  await service.subscribeToTask({ id: "t-1" }, plainCall());
  assert.deepEqual(seen.slice(0, 4), ["a GetTask", "b GetTask", "b done", "a done"]);
  assert.equal(seen[4], "a SubscribeToTask");
});

test("an interceptor may change what goes in and what is thrown", async () => {
  const fake = createFakeService();
  const service = intercept(fake, [(invocation, next) => next({ ...invocation, request: { id: "other" } })]);
  await service.getTask({ id: "t-1" }, plainCall());
  assert.deepEqual(fake.last().request, { id: "other" });
});

test("without interceptors the service is itself; next twice is an error", async () => {
  const fake = createFakeService();
  assert.equal(intercept(fake, []), fake);
  const twice: Interceptor = async (invocation, next) => {
    await next(invocation);
    return next(invocation);
  };
  await assert.rejects(intercept(fake, [twice]).getTask({ id: "t-1" }, plainCall()), /called next twice for GetTask/);
});
