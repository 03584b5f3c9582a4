// What the interop tests take for a pass: a faultless sighting, or exactly the fault that is known of a peer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FOREIGN } from "./foreign-peers.ts";
import { KNOWN_FAULTS } from "./known-faults.ts";
import { judge, pairingsOf } from "./run-pair.ts";
import { SCENARIOS } from "./scenario.ts";

const GO = FOREIGN.go;
const other = { role: "server", binding: "GRPC" } as const;
const right = { saw: { total: 2, pages: [1, 1], distinct: 2, lastToken: "", failed: 0 } };

test("what is seen must be what is expected, all of it", () => {
  assert.deepEqual(judge(GO, other, "list", right), { kind: "pass" });
  assert.equal(judge(GO, other, "list", { saw: { ...right.saw, total: 3 } }).kind, "failed");
  assert.equal(judge(GO, other, "list", { error: "unreachable" }).kind, "failed");
  assert.equal(judge(GO, other, "list", undefined).kind, "failed");
});

test("a known fault passes as long as it shows, and turns red when it is gone or another one", () => {
  const wrong = { saw: { lost: "TASK_NOT_FOUND", ended: "TASK_NOT_FOUND" } };
  assert.equal(judge(GO, other, "refused", wrong).kind, "known");
  assert.equal(judge(GO, other, "refused", { error: "unreachable" }).kind, "failed");
  const cured = { saw: { lost: "TASK_NOT_FOUND", ended: "UNSUPPORTED_OPERATION" } };
  assert.equal(judge(GO, other, "refused", cured).kind, "stale");
});

test("every known fault is of a peer, a binding and scenarios that are run", () => {
  const names = Object.values(FOREIGN).map(({ name }) => name);
  for (const { peer, role, bindings, scenarios } of KNOWN_FAULTS) {
    const found = Object.values(FOREIGN).find(({ name }) => name === peer);
    assert.ok(found !== undefined, `${peer} is none of ${names.join(", ")}`);
    const run = pairingsOf(found).filter((pairing) => pairing.role === role);
    for (const binding of bindings)
      assert.ok(
        run.some((pairing) => pairing.binding === binding),
        binding,
      );
    for (const scenario of scenarios) assert.ok(SCENARIOS.includes(scenario));
  }
});

test("packages are named with their versions", () => {
  for (const { name, packages } of Object.values(FOREIGN)) {
    assert.ok(packages().length > 0, name);
    for (const each of packages()) assert.match(each, /^\S+ v?\d+\.\d+\.\d+(\.Final)?$/);
  }
});
