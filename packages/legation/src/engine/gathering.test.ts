import assert from "node:assert/strict";
import { it } from "node:test";
import { Gathering } from "./gathering.ts";
import type { TaskLog } from "./task-log.ts";

const logOf = (id: string): TaskLog => ({ id }) as TaskLog;

it("lets the first log go at once, and what follows together", async () => {
  const released = Promise.withResolvers<void>();
  const given: string[][] = [];
  const gathering = new Gathering((logs) => {
    given.push(logs.map(({ id }) => id));
    if (given.flat().length === 3) released.resolve();
  });
  gathering.add(logOf("a"));
  assert.deepEqual(given, [["a"]]);
  gathering.add(logOf("b"));
  gathering.add(logOf("c"));
  // Where the machine was away for a millisecond in between, one of them was late enough to go at once too.
  await released.promise;
  assert.deepEqual(given.flat(), ["a", "b", "c"]);
  assert.ok(gathering.isEmpty);
});

it("gives what it has when it is told to, once", () => {
  const given: string[] = [];
  const gathering = new Gathering((logs) => given.push(...logs.map(({ id }) => id)));
  for (const id of ["a", "b", "c"]) gathering.add(logOf(id));
  gathering.release();
  gathering.release();
  assert.deepEqual(given, ["a", "b", "c"]);
});
