import assert from "node:assert/strict";
import { test } from "node:test";
import { ROLE_NAMES, TASK_STATE_NAMES } from "./enum-names.ts";
import { isInterrupted, isTaskState, isTerminal, shortTaskState, TASK_STATES, toTaskState } from "./task-state.ts";

test("four states are terminal, two are interrupted", () => {
  assert.deepEqual(TASK_STATES.filter(isTerminal).map(shortTaskState), ["COMPLETED", "FAILED", "CANCELED", "REJECTED"]);
  assert.deepEqual(TASK_STATES.filter(isInterrupted).map(shortTaskState), ["INPUT_REQUIRED", "AUTH_REQUIRED"]);
  assert.equal(isTerminal("TASK_STATE_PAUSED"), false);
});

test("the eight states in the order of the proto", () => {
  assert.deepEqual(["TASK_STATE_UNSPECIFIED", ...TASK_STATES], TASK_STATE_NAMES.names);
  assert.deepEqual(ROLE_NAMES.names, ["ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"]);
  assert.equal(isTaskState("TASK_STATE_UNSPECIFIED"), false);
});

test("short and full names stand for a state, other spellings do not", () => {
  for (const state of TASK_STATES) {
    assert.equal(toTaskState(state), state);
    assert.equal(toTaskState(shortTaskState(state)), state);
  }
  for (const name of ["working", "RUNNING", "UNSPECIFIED", "", "TASK_STATE_"])
    assert.equal(toTaskState(name), undefined);
});
