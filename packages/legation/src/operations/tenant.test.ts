import assert from "node:assert/strict";
import { test } from "node:test";
import { agreeTenant, assertTenantName } from "./tenant.ts";

test("the places that name a tenant must name the same", () => {
  assert.equal(agreeTenant(undefined, "", "acme"), "acme");
  assert.equal(agreeTenant("acme", "acme", "acme"), "acme");
  assert.equal(agreeTenant("", undefined), "");
  assert.throws(() => agreeTenant("acme", undefined, "other"), {
    code: "INVALID_PARAMS",
    violations: [
      { field: "tenant", description: '"acme" and "other" disagree; path, query and body must name the same tenant' },
    ],
  });
});

test("a tenant that a path could not tell from an operation is refused when it is registered", () => {
  for (const name of ["acme", "acme-eu_1", "a", "a@b.example"]) assertTenantName(name);
  for (const name of ["tasks", "message:send", "extendedAgentCard", ".well-known", "v1", "", "a/b", "..", "a b", "ü"]) {
    assert.throws(() => assertTenantName(name), { code: "CONFIGURATION" }, name);
  }
});
