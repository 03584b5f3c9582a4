// What the compiler must say: a switch over each union is exhaustive, and what was read cannot be written.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Reply, RunEvent, TaskHandle, TaskStateName } from "../../src/client/index.ts";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function assertType<_ extends true>(): void {}

function describeReply(reply: Reply): string {
  switch (reply.kind) {
    case "task":
      return reply.state;
    case "message":
      return reply.text;
    default:
      return reply satisfies never;
  }
}

function describeEvent(event: RunEvent): string {
  switch (event.kind) {
    case "task":
      return event.task.id;
    case "status":
      return event.state;
    case "artifact":
      return event.name;
    case "message":
      return event.text;
    default:
      return event satisfies never;
  }
}

test("the unions are closed", () => {
  assertType<
    Equal<
      TaskStateName,
      | "SUBMITTED"
      | "WORKING"
      | "COMPLETED"
      | "FAILED"
      | "CANCELED"
      | "REJECTED"
      | "INPUT_REQUIRED"
      | "AUTH_REQUIRED"
      | "UNRECOGNIZED"
    >
  >();
  assertType<Equal<Reply["kind"], "task" | "message">>();
  assertType<Equal<RunEvent["kind"], "task" | "status" | "artifact" | "message">>();
  const handle = Object.freeze({ kind: "task", state: "WORKING" }) as TaskHandle;
  assert.throws(() => {
    // @ts-expect-error a snapshot cannot be changed
    handle.state = "COMPLETED";
  }, TypeError);
  assert.equal(describeReply(handle), "WORKING");
  assert.equal(describeEvent({ kind: "artifact", name: "n" } as RunEvent), "n");
});
