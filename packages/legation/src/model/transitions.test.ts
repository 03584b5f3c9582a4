import assert from "node:assert/strict";
import { test } from "node:test";
import { INTERRUPTED_STATES, isTerminal, TASK_STATES } from "./task-state.ts";
import { mayFollow, TRANSITIONS, transitionOf, whyIllegal } from "./transitions.ts";

const name = (state: string): string => state.slice("TASK_STATE_".length).toLowerCase().replace("_", "-");

test("the drawn edges", () => {
  const drawn = TRANSITIONS.filter((one) => one.drawn).map((one) => `${name(one.from)} –${one.event}→ ${name(one.to)}`);
  assert.deepEqual(drawn.sort(), [
    "auth-required –resume→ working",
    "input-required –resume→ working",
    "submitted –askAuth→ auth-required",
    "submitted –progress→ working",
    "submitted –reject→ rejected",
    "working –artifact→ working",
    "working –askInput→ input-required",
    "working –cancel→ canceled",
    "working –complete→ completed",
    "working –fail→ failed",
    "working –progress→ working",
  ]);
});

test("fail, cancel and reject are legal in every state but the terminal ones, which nothing leaves", () => {
  for (const state of TASK_STATES) {
    for (const event of ["fail", "cancel", "reject"] as const) {
      assert.equal(transitionOf(state, event) === undefined, isTerminal(state), `${state} ${event}`);
    }
  }
  assert.ok(TRANSITIONS.every((one) => !isTerminal(one.from)));
});

test("an interrupted task may ask again, and for the other thing", () => {
  for (const from of INTERRUPTED_STATES) for (const to of INTERRUPTED_STATES) assert.ok(mayFollow(from, to));
  assert.ok(mayFollow("TASK_STATE_WORKING", "TASK_STATE_AUTH_REQUIRED"));
  assert.ok(mayFollow("TASK_STATE_SUBMITTED", "TASK_STATE_INPUT_REQUIRED"));
  assert.ok(!mayFollow("TASK_STATE_SUBMITTED", "TASK_STATE_COMPLETED"));
  assert.ok(!mayFollow("TASK_STATE_INPUT_REQUIRED", "TASK_STATE_COMPLETED"));
});

test("an event leads to one state, and an illegal one is explained", () => {
  const keys = TRANSITIONS.map((one) => `${one.from} ${one.event}`);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(whyIllegal("TASK_STATE_WORKING", "complete"), undefined);
  assert.match(whyIllegal("TASK_STATE_COMPLETED", "cancel") ?? "", /COMPLETED is terminal: nothing leaves it/);
  assert.match(whyIllegal("TASK_STATE_SUBMITTED", "complete") ?? "", /possible are progress, askAuth, reject/);
});
