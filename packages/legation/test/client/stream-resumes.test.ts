import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamResponse } from "../../src/model/gen/types.ts";
import { A2AError, isA2AError, isLocalError, LocalError } from "../../src/operations/errors.ts";
import { payloadOfValue } from "../../src/operations/payload.ts";
import {
  chunk,
  clientOf,
  createPeer,
  instantClock,
  lost,
  type PeerOptions,
  Screen,
  status,
  task,
} from "./fake-peer.ts";

const LOG: readonly StreamResponse[] = [
  task("SUBMITTED"),
  status("WORKING", "on it"),
  chunk("Al", false, "a-1", "route.md"),
  chunk("ba"),
  chunk("ny", true),
  chunk("{}", false, "a-2", "data.json"),
  status("WORKING", "nearly"),
  chunk("!", true),
  status("COMPLETED", "done"),
];

async function follow(options: PeerOptions) {
  const peer = createPeer(options);
  const client = await clientOf(peer);
  const run = client.stream("go");
  const screen = new Screen();
  for await (const event of run) screen.show(event);
  return { peer, run, screen, result: await run.result };
}

function assertWhole({ screen, result }: Awaited<ReturnType<typeof follow>>, note: string): void {
  assert.deepEqual(
    [...screen.texts],
    [
      ["route.md", "Albany!"],
      ["data.json", "{}"],
    ],
    note,
  );
  assert.ok(result.kind === "task" && result.state === "COMPLETED", note);
  assert.equal(result.text, "done", note);
  assert.equal(screen.states.at(-1), "COMPLETED", note);
  const texts = result.artifacts.map((artifact) => artifact.parts.map((part) => part.text).join(""));
  assert.deepEqual(texts, ["Albany!", "{}"], note);
}

test("an unbroken stream is complete and asks nothing twice", async () => {
  const followed = await follow({ log: LOG });
  assertWhole(followed, "unbroken");
  assert.equal(followed.run.delivery, "complete");
  assert.equal(followed.run.outcome, "ended");
  assert.deepEqual(
    followed.peer.calls.map(({ method }) => method),
    ["sendStreamingMessage"],
  );
  assert.deepEqual(followed.screen.kinds, [
    "task",
    "status",
    "artifact",
    "artifact",
    "artifact",
    "artifact",
    "status",
    "artifact",
    "status",
  ]);
});

for (const ids of [true, false]) {
  test(`a stream cut after every event is put together again, ${ids ? "with" : "without"} event ids`, async () => {
    for (let events = 1; events < LOG.length; events++) {
      for (let meanwhile = 0; events + meanwhile <= LOG.length; meanwhile++) {
        for (const error of [lost(), undefined, new A2AError("UNAVAILABLE", "shutting down")]) {
          const followed = await follow({ log: LOG, ids, connections: [{ events, error, meanwhile }] });
          const note = `${events} events, ${meanwhile} missed, ${String(error)}`;
          assertWhole(followed, note);
          assert.equal(followed.run.delivery, "resumed", note);
        }
      }
    }
  });
}

test("the subscription of a resume carries the seq of the last event applied", async () => {
  const { peer } = await follow({
    log: LOG,
    ids: true,
    connections: [
      { events: 4, error: lost() },
      { events: 3, error: lost() },
    ],
  });
  const subscriptions = peer.calls.filter(({ method }) => method === "subscribeToTask");
  // The second connection carries the Task as of 4, then 5 and 6.
  assert.deepEqual(
    subscriptions.map(({ call }) => call.lastEventId),
    [4, 6],
  );
});

test("100 breaks in one stream apply no append twice, with and without ids", async () => {
  const log = [
    task(),
    chunk("0", false, "a-1", "n"),
    ...Array.from({ length: 200 }, (_, n) => chunk(`,${n + 1}`)),
    status("COMPLETED"),
  ];
  const expected = Array.from({ length: 201 }, (_, n) => n).join(",");
  for (const ids of [true, false]) {
    const connections = Array.from({ length: 100 }, () => ({ events: 3, error: lost() }));
    const { screen, run, peer } = await follow({ log, ids, connections });
    assert.equal(screen.texts.get("n"), expected);
    assert.equal(run.delivery, "resumed");
    assert.ok(peer.calls.filter(({ method }) => method === "subscribeToTask").length >= 100);
  }
});

test("a repeated event with a known seq is dropped", async () => {
  const peer = createPeer({
    log: LOG,
    overrides: () => ({
      async sendStreamingMessage() {
        return (async function* () {
          for (const [index, event] of LOG.entries()) {
            const repeated = { ...payloadOfValue(event), json: "", value: structuredClone(event), seq: index + 1 };
            yield [repeated, { ...repeated, value: structuredClone(event) }];
          }
        })();
      },
    }),
  });
  const run = (await clientOf(peer)).stream("go");
  const screen = new Screen();
  for await (const event of run) screen.show(event);
  assert.equal(screen.texts.get("route.md"), "Albany!");
});

test("a peer that counts its ids anew on each connection loses nothing", async () => {
  const first = [LOG[0], LOG[1], LOG[2], LOG[3]] as StreamResponse[];
  const peer = createPeer({
    log: LOG,
    overrides: (self) => {
      const play = async function* (events: readonly StreamResponse[], error?: unknown) {
        for (const [index, value] of events.entries())
          yield [{ json: "", value: structuredClone(value), seq: index + 1 }];
        if (error !== undefined) throw error;
      };
      return {
        sendStreamingMessage: async () => play(first, lost()),
        subscribeToTask: async () => play([{ task: self.snapshot(5) }, ...LOG.slice(5)]),
      };
    },
  });
  const run = (await clientOf(peer)).stream("go");
  const screen = new Screen();
  for await (const event of run) screen.show(event);
  assert.equal(screen.texts.get("route.md"), "Albany!");
});

test("a peer that goes on after a break without the Task is asked for it in the end", async () => {
  const { screen, result, peer } = await follow({
    log: LOG,
    withoutSnapshot: true,
    connections: [{ events: 3, error: lost(), meanwhile: 2 }],
  });
  assert.equal(screen.texts.get("route.md"), "Albany!");
  assert.ok(result.kind === "task" && result.state === "COMPLETED");
  assert.equal(peer.calls.at(-1)?.method, "getTask");
});

test("a snapshot in mid-stream replaces the state and never erases artifacts that it does not carry", async () => {
  const bare = task("WORKING", { artifacts: [{ artifactId: "a-2", name: "two", parts: [{ text: "2" }] }] });
  const log = [task(), chunk("one", false, "a-1", "one"), bare, chunk("!", true), status("COMPLETED")];
  const { screen, result } = await follow({ log });
  assert.deepEqual(
    [...screen.texts],
    [
      ["one", "one!"],
      ["two", "2"],
    ],
  );
  assert.ok(result.kind === "task");
  assert.deepEqual(result.artifacts.map(({ name }) => name).sort(), ["one", "two"]);
});

test("a snapshot that contradicts what was shown gives the artifact anew", async () => {
  const log = [
    task(),
    chunk("draft", false, "a-1", "x"),
    task("WORKING", { artifacts: [{ artifactId: "a-1", name: "x", parts: [{ text: "final" }] }] }),
    status("COMPLETED"),
  ];
  const peer = createPeer({ log });
  const run = (await clientOf(peer)).stream("go");
  const seen: [boolean, string][] = [];
  for await (const event of run) if (event.kind === "artifact") seen.push([event.append, event.text]);
  assert.deepEqual(seen, [
    [false, "draft"],
    [false, "final"],
  ]);
});

test("a clean end in WORKING, again and again, is STREAM_TRUNCATED after bounded backoff", async () => {
  const connections = Array.from({ length: 50 }, () => ({ events: 1 }));
  const peer = createPeer({
    log: [task(), ...Array.from({ length: 5 }, () => status("WORKING"))],
    ids: true,
    connections,
  });
  const clock = instantClock();
  const client = await clientOf(peer, { clock, random: () => 1 });
  const run = client.stream("go");
  const events: string[] = [];
  await assert.rejects(
    async () => {
      for await (const event of run) events.push(event.kind);
    },
    (error) =>
      isLocalError(error, "STREAM_TRUNCATED") &&
      error.metadata["taskId"] === "t-1" &&
      /read it again later/.test(error.message),
  );
  await assert.rejects(run.result, (error) => isLocalError(error, "STREAM_TRUNCATED"));
  assert.equal(run.outcome, "failed");
  assert.deepEqual(events, ["task"]);
  assert.deepEqual(clock.waits, [250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000, 10_000, 10_000]);
});

test("resume: false ends at the first break", async () => {
  const peer = createPeer({ log: LOG, connections: [{ events: 2, error: lost() }] });
  const run = (await clientOf(peer, { resume: false })).stream("go");
  await assert.rejects(run.result, (error) => isLocalError(error, "STREAM_TRUNCATED"));
  assert.equal(peer.calls.length, 1);
});

test("Retry-After of an UNAVAILABLE frame is waited for", async () => {
  const error = new A2AError("UNAVAILABLE", "restarting", { retryAfterSeconds: 7 });
  const peer = createPeer({ log: LOG, connections: [{ events: 2, error }] });
  const clock = instantClock();
  const run = (await clientOf(peer, { clock })).stream("go");
  await run.result;
  assert.deepEqual(clock.waits, [7000]);
});

test("a task that is gone while it was followed has an unknown outcome, at once", async () => {
  const peer = createPeer({
    log: LOG,
    connections: [{ events: 3, error: lost() }],
    overrides: () => ({
      subscribeToTask: async () => {
        throw new A2AError("TASK_NOT_FOUND", "task t-1 not found");
      },
    }),
  });
  const clock = instantClock();
  const run = (await clientOf(peer, { clock })).stream("go");
  await assert.rejects(
    run.result,
    (error) => isA2AError(error, "TASK_NOT_FOUND") && error.metadata["outcome"] === "unknown",
  );
  assert.equal(run.outcome, "unknown");
  assert.equal(clock.waits.length, 1);
});

test("errors that no retry heals end the run as they are", async () => {
  for (const code of ["UNAUTHENTICATED", "PERMISSION_DENIED", "INVALID_AGENT_RESPONSE"] as const) {
    const peer = createPeer({ log: LOG, connections: [{ events: 2, error: new A2AError(code, "no") }] });
    const run = (await clientOf(peer)).stream("go");
    await assert.rejects(run.result, (error) => isA2AError(error, code));
    assert.equal(peer.calls.length, 1);
  }
});

test("a run ends by itself at INPUT_REQUIRED and closes its connection, but stays open at AUTH_REQUIRED", async () => {
  const log = [
    task(),
    status("AUTH_REQUIRED", "sign in"),
    status("WORKING"),
    status("INPUT_REQUIRED", "how many days?"),
    chunk("never", false),
  ];
  const { peer, result, screen, run } = await follow({ log });
  assert.ok(result.kind === "task" && result.state === "INPUT_REQUIRED");
  assert.equal(result.question, "how many days?");
  assert.equal(run.outcome, "interrupted");
  assert.deepEqual(screen.states, ["WORKING", "AUTH_REQUIRED", "WORKING", "INPUT_REQUIRED"]);
  assert.deepEqual(peer.closed, [0]);
});

test("the first Task of an answer may still show the question that was answered", async () => {
  const asked = { messageId: "q-1", role: "ROLE_AGENT" as const, parts: [{ text: "how many days?" }] };
  const first = {
    task: { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_INPUT_REQUIRED" as const, message: asked } },
  };
  const peer = createPeer({ log: [first, status("WORKING"), status("INPUT_REQUIRED", "which car?")] });
  const run = (await clientOf(peer)).stream("3", { taskId: "t-1" });
  const result = await run.result;
  assert.ok(result.kind === "task");
  assert.equal(result.question, "which car?");
});

test("an agent that closes its stream in AUTH_REQUIRED is polled until the task goes on", async () => {
  const log = [
    task(),
    status("AUTH_REQUIRED", "sign in"),
    status("WORKING"),
    chunk("x", false, "a-1", "n"),
    status("COMPLETED"),
  ];
  const { peer, screen, result, run } = await follow({ log, connections: [{ events: 2 }] });
  assert.equal(screen.texts.get("n"), "x");
  assert.ok(result.kind === "task" && result.state === "COMPLETED");
  assert.equal(run.delivery, "resumed");
  assert.deepEqual(
    peer.calls.map(({ method }) => method),
    ["sendStreamingMessage", "getTask", "getTask", "subscribeToTask"],
  );
});

test("a message alone is the whole run", async () => {
  const message = { messageId: "r-1", contextId: "c-9", role: "ROLE_AGENT" as const, parts: [{ text: "hello" }] };
  const { result, screen, run } = await follow({ log: [{ message }] });
  assert.ok(result.kind === "message");
  assert.equal(result.text, "hello");
  assert.deepEqual(screen.kinds, ["message"]);
  assert.equal(run.outcome, "message");
});

test("states in foreign spelling are folded with a warning, unknown ones kept and treated as in flight", async () => {
  const warnings: string[] = [];
  const log = [
    task("SUBMITTED"),
    { statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: "working" as never } } },
    { statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: "TASK_STATE_PONDERING" as never } } },
    { statusUpdate: { taskId: "t-1", contextId: "c-1", status: { state: "completed" as never } } },
  ];
  const client = await clientOf(createPeer({ log }), { onWarning: (sentence) => warnings.push(sentence) });
  const run = client.stream("go");
  const states: string[] = [];
  for await (const event of run) if (event.kind === "status") states.push(event.state);
  assert.deepEqual(states, ["WORKING", "UNRECOGNIZED", "COMPLETED"]);
  assert.match(warnings.join("\n"), /"working".*TASK_STATE_WORKING/);
  assert.match(warnings.join("\n"), /PONDERING/);
  const result = await run.result;
  assert.ok(result.kind === "task" && result.state === "COMPLETED");
});

test("events that come before the Task, of another task, or a Message beside a task are survived with a warning", async () => {
  const warnings: string[] = [];
  const foreign = {
    artifactUpdate: { taskId: "t-2", contextId: "c-1", artifact: { artifactId: "z", parts: [{ text: "z" }] } },
  };
  const message = { message: { messageId: "x", role: "ROLE_AGENT" as const, parts: [{ text: "aside" }] } };
  const log = [status("WORKING"), foreign, message, chunk("ok", true, "a-1", "n"), status("COMPLETED")];
  const client = await clientOf(createPeer({ log }), { onWarning: (sentence) => warnings.push(sentence) });
  const run = client.stream("go");
  const screen = new Screen();
  for await (const event of run) screen.show(event);
  assert.deepEqual([...screen.texts], [["n", "ok"]]);
  assert.equal(warnings.length, 3);
});

test("a stream without any event is STREAM_TRUNCATED, never success", async () => {
  const run = (await clientOf(createPeer({ log: [] }))).stream("go");
  await assert.rejects(
    run.result,
    (error) => isLocalError(error, "STREAM_TRUNCATED") && /not known/.test(error.message),
  );
});

test("a card that promises streaming which the agent refuses: polled, with a warning", async () => {
  const warnings: string[] = [];
  const peer = createPeer({
    log: [task(), status("COMPLETED")],
    overrides: () => ({
      sendStreamingMessage: async () => {
        throw new A2AError("UNSUPPORTED_OPERATION", "no streaming");
      },
    }),
  });
  const result = await (await clientOf(peer, { onWarning: (sentence) => warnings.push(sentence) })).stream("go").result;
  assert.ok(result.kind === "task" && result.state === "COMPLETED");
  assert.match(warnings.join(), /polling instead/);
});

test("a failure before anything was sent is UNREACHABLE, not a truncated stream", async () => {
  const refused = new LocalError("UNREACHABLE", "nothing listens there", {
    metadata: { sent: "no", cause: "ECONNREFUSED" },
  });
  const peer = createPeer({ log: LOG, overrides: () => ({ sendStreamingMessage: () => Promise.reject(refused) }) });
  await assert.rejects((await clientOf(peer)).stream("go").result, refused);
});
