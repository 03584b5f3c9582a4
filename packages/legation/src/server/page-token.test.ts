import assert from "node:assert/strict";
import test from "node:test";
import { isA2AError } from "../operations/errors.ts";
import { createPageTokens } from "./page-token.ts";

const scope = { tenant: "", owner: "ann", agent: "Planner" };
const place = { statusTime: 1_767_225_600_000, id: "0198-a", asOf: 1_767_225_600_001 };
const filter = { contextId: "c-1" };

test("a token gives back its place to the same caller and filter", async () => {
  const tokens = createPageTokens();
  const token = await tokens.encode(place, scope, filter);
  assert.deepEqual(await tokens.decode(token, scope, filter), place);
});

test("replicas that share a secret read each other's tokens, others do not", async () => {
  const token = await createPageTokens("s3cret").encode(place, scope, filter);
  assert.deepEqual(await createPageTokens("s3cret").decode(token, scope, filter), place);
  await assert.rejects(createPageTokens("other").decode(token, scope, filter), isInvalid);
});

test("a token is refused for another owner, tenant, agent or filter, when garbled, and when it is none", async () => {
  const tokens = createPageTokens();
  const token = await tokens.encode(place, scope, filter);
  const garbled = `${token.slice(0, 5)}${token[5] === "A" ? "B" : "A"}${token.slice(6)}`;
  for (const attempt of [
    () => tokens.decode(token, { ...scope, owner: "bob" }, filter),
    () => tokens.decode(token, { ...scope, tenant: "t" }, filter),
    () => tokens.decode(token, { ...scope, agent: "Other" }, filter),
    () => tokens.decode(token, scope, {}),
    () => tokens.decode(garbled, scope, filter),
    () => tokens.decode(`${token}.x`, scope, filter),
    () => tokens.decode("x", scope, filter),
    () => tokens.decode("é.é", scope, filter),
    () => tokens.decode("a".repeat(5_000), scope, filter),
  ]) {
    await assert.rejects(attempt, isInvalid);
  }
});

function isInvalid(thrown: unknown): boolean {
  return isA2AError(thrown, "INVALID_PARAMS") && thrown.violations[0]?.field === "pageToken";
}
