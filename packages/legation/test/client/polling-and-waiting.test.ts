import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamResponse } from "../../src/model/gen/types.ts";
import { A2AError, isA2AError, isLocalError, LocalError } from "../../src/operations/errors.ts";
import { payloadOfValue } from "../../src/operations/payload.ts";
import { cardOf, chunk, clientOf, createPeer, instantClock, lost, Screen, status, task } from "./fake-peer.ts";

const DONE: readonly StreamResponse[] = [
  task(),
  chunk("Albany", false, "a-1", "route.md"),
  status("COMPLETED", "done"),
];

test("an agent without streaming is polled: the same run, growing intervals, the same end", async () => {
  const log = [
    task(),
    chunk("A", false, "a-1", "n"),
    status("WORKING", "a"),
    status("WORKING", "b"),
    chunk("B"),
    status("COMPLETED"),
  ];
  const peer = createPeer({ log });
  const clock = instantClock();
  const client = await clientOf(peer, {
    card: cardOf({ capabilities: {} }),
    clock,
    polling: { intervalMs: 100, maxMs: 200 },
  });
  const screen = new Screen();
  const run = client.stream("go");
  for await (const event of run) screen.show(event);
  assert.equal(screen.texts.get("n"), "AB");
  assert.equal(run.delivery, "complete");
  assert.deepEqual(peer.calls[0]?.request, {
    message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "go" }] },
    configuration: { returnImmediately: true },
  });
  assert.ok(peer.calls.slice(1).every(({ method }) => method === "getTask"));
  assert.ok(clock.waits.every((ms) => ms >= 100 && ms <= 200));
});

test("polling grows its interval while nothing changes and survives a lost read", async () => {
  let reads = 0;
  const peer = createPeer({
    log: [task(), status("COMPLETED")],
    overrides: (self) => ({
      getTask: async () => {
        reads++;
        if (reads === 3) throw lost();
        return payloadOfValue(self.snapshot(reads < 6 ? 1 : 2));
      },
    }),
  });
  const clock = instantClock();
  const client = await clientOf(peer, {
    card: cardOf({ capabilities: {} }),
    clock,
    retry: false,
    polling: { intervalMs: 100, maxMs: 300 },
  });
  const result = await client.stream("go").result;
  assert.ok(result.kind === "task" && result.state === "COMPLETED");
  assert.deepEqual(clock.waits, [100, 150, 225, 125, 300, 300]);
});

test("a polled answer does not take the old question for the next one", async () => {
  const peer = createPeer({
    log: [task(), status("INPUT_REQUIRED", "days?", "q-1"), status("WORKING"), status("INPUT_REQUIRED", "car?", "q-2")],
  });
  peer.head = 2;
  const client = await clientOf(peer, { card: cardOf({ capabilities: {} }) });
  const result = await client.stream("3", { taskId: "t-1" }).result;
  assert.ok(result.kind === "task");
  assert.equal(result.question, "car?");
});

test("a polled answer to a question that never changes ends all the same", async () => {
  const peer = createPeer({ log: [task(), status("INPUT_REQUIRED", "days?", "q-1")] });
  peer.head = 2;
  const result = await (await clientOf(peer, { card: cardOf({ capabilities: {} }) })).stream("3", { taskId: "t-1" })
    .result;
  assert.ok(result.kind === "task" && result.question === "days?");
});

test("subscribe gives a task from where it stands; an ended one is read", async () => {
  const log = [task(), chunk("Al", false, "a-1", "n"), chunk("bany"), status("COMPLETED")];
  for (const head of [1, 2, 3, 4]) {
    const peer = createPeer({ log });
    peer.head = head;
    const run = (await clientOf(peer)).subscribe("t-1");
    const screen = new Screen();
    for await (const event of run) screen.show(event);
    assert.equal(screen.texts.get("n"), "Albany", `from ${head}`);
    assert.equal(run.outcome, "ended");
    assert.equal(run.delivery, "complete");
  }
});

test("subscribe goes on behind lastEventId, and does not retry for a minute to say that nobody is there", async () => {
  const peer = createPeer({ log: DONE, ids: true });
  peer.head = 2;
  const client = await clientOf(peer);
  await client.subscribe("t-1", { lastEventId: 1 }).result;
  assert.equal(peer.calls[0]?.call.lastEventId, 1);

  let tries = 0;
  const gone = new LocalError("UNREACHABLE", "nobody", { metadata: { sent: "no" } });
  const dead = createPeer({
    log: DONE,
    overrides: () => ({
      subscribeToTask: async () => {
        tries++;
        throw gone;
      },
    }),
  });
  await assert.rejects((await clientOf(dead)).subscribe("t-1").result, gone);
  assert.equal(tries, 3);
});

test("an unknown task is TASK_NOT_FOUND, not an unknown outcome", async () => {
  const peer = createPeer({
    log: DONE,
    overrides: () => ({ subscribeToTask: () => Promise.reject(new A2AError("TASK_NOT_FOUND", "task x not found")) }),
  });
  const client = await clientOf(peer);
  await assert.rejects(
    client.subscribe("x").result,
    (error) => isA2AError(error, "TASK_NOT_FOUND") && error.metadata["outcome"] === undefined,
  );
  await assert.rejects(client.task("x"), (error) => isA2AError(error, "TASK_NOT_FOUND"));
});

test("wait follows to the next interruption or the end, and returns at once where it is reached", async () => {
  const peer = createPeer({
    log: [task(), status("AUTH_REQUIRED", "sign in"), status("INPUT_REQUIRED", "days?"), status("COMPLETED")],
  });
  peer.head = 1;
  const client = await clientOf(peer);
  const now = await client.task("t-1");
  peer.head = 1;
  const auth = await now.wait();
  assert.equal(auth.state, "AUTH_REQUIRED");
  assert.equal(await auth.wait(), auth);
  peer.head = 2;
  const end = await auth.wait({ until: "terminal" });
  assert.equal(end.state, "COMPLETED");
});

test("wait on an unknown state ends with the caller's timeout", async () => {
  const peer = createPeer({
    log: [task("PONDERING" as never)],
    overrides: () => ({
      subscribeToTask: async () => ({
        [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined) }),
      }),
    }),
  });
  peer.head = 1;
  const now = await (await clientOf(peer)).task("t-1");
  assert.equal(now.state, "UNRECOGNIZED");
  assert.equal(now.raw.status.state as string, "TASK_STATE_PONDERING");
  await assert.rejects(now.wait({ timeoutMs: 50 }), (error) => isLocalError(error, "TIMEOUT"));
});

test("a stream that follows polls applies nothing again that the polls have shown", async () => {
  const log = [
    task(),
    chunk("a", false, "a-1", "n"),
    status("AUTH_REQUIRED", "sign in"),
    chunk("b"),
    chunk("c"),
    status("WORKING"),
    chunk("d"),
    status("COMPLETED"),
  ];
  const peer = createPeer({ log, ids: true, connections: [{ events: 3 }] });
  const run = (await clientOf(peer)).stream("go");
  const screen = new Screen();
  for await (const event of run) screen.show(event);
  assert.equal(screen.texts.get("n"), "abcd");
  const again = peer.calls.find(({ method }) => method === "subscribeToTask");
  assert.ok(again !== undefined && again.call.lastEventId === undefined);
});
