import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentCard, StreamResponse } from "../../src/model/gen/types.ts";
import { A2AError, isA2AError, isLocalError, LocalError } from "../../src/operations/errors.ts";
import { IDEMPOTENT_SEND_EXTENSION, SKILL_EXTENSION } from "../../src/operations/extension-uris.ts";
import { payloadOfValue } from "../../src/operations/payload.ts";
import type { Service } from "../../src/operations/service.ts";
import { cardOf, chunk, clientOf, createPeer, instantClock, lost, Screen, status, task } from "./fake-peer.ts";

const DONE: readonly StreamResponse[] = [
  task(),
  chunk("Albany", false, "a-1", "route.md"),
  status("COMPLETED", "done"),
];

test("send gives an immutable snapshot with the text of its artifacts", async () => {
  const peer = createPeer({ log: DONE });
  const trip = await (await clientOf(peer)).send("go");
  assert.ok(trip.kind === "task");
  assert.equal(trip.state, "COMPLETED");
  assert.ok(trip.isTerminal && !trip.isInterrupted);
  assert.equal(await trip.artifact("route.md")?.text(), "Albany");
  assert.equal(trip.artifact("a-1")?.name, "route.md");
  assert.equal(trip.artifact("nothing"), undefined);
  for (const level of [
    trip,
    trip.raw,
    trip.raw.status,
    trip.raw.artifacts,
    trip.artifacts,
    trip.artifacts[0],
    trip.raw.artifacts?.[0]?.parts,
  ]) {
    assert.ok(Object.isFrozen(level));
  }
  assert.throws(() => {
    (trip as { state: string }).state = "FAILED";
  }, TypeError);
  assert.deepEqual(peer.calls[0]?.request, {
    message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "go" }] },
  });
});

test("a snapshot does not follow the value of a service that shares it", async () => {
  const shared = {
    id: "t-1",
    status: { state: "TASK_STATE_WORKING" as const },
    artifacts: [{ artifactId: "a", parts: [{ text: "1" }] }],
  };
  const peer = createPeer({
    log: DONE,
    overrides: () => ({ sendMessage: async () => payloadOfValue({ task: shared }) }),
  });
  const trip = await (await clientOf(peer)).send("go");
  shared.artifacts[0]?.parts.push({ text: "2" });
  assert.ok(trip.kind === "task");
  assert.equal(await trip.artifact("a")?.text(), "1");
});

test("what can be sent: a text, a part, parts, a message with all its fields", async () => {
  const peer = createPeer({ log: DONE });
  const client = await clientOf(peer, {
    card: cardOf({
      capabilities: { pushNotifications: true, extensions: [{ uri: SKILL_EXTENSION }] },
      skills: [{ id: "plan", name: "Plan", description: "", tags: [] }],
    }),
  });
  await client.send({ data: { days: 3 } });
  await client.send([{ text: "a" }, { url: "https://h/x.png", mediaType: "image/png" }]);
  await client.send(
    { messageId: "mine", contextId: "c-7", parts: [{ text: "b" }], metadata: { a: 1 }, referenceTaskIds: ["t-0"] },
    {
      skill: "plan",
      messageMetadata: { a: 0, b: 2 },
      metadata: { trace: "x" },
      acceptedOutputModes: ["text/plain"],
      historyLength: 0,
      returnImmediately: true,
      push: { url: "https://hook" },
    },
  );
  const requests = peer.calls.map(({ request }) => request as { message: { parts: unknown } });
  assert.deepEqual(requests[0]?.message.parts, [{ data: { days: 3 } }]);
  assert.deepEqual(requests[1]?.message.parts, [{ text: "a" }, { url: "https://h/x.png", mediaType: "image/png" }]);
  assert.deepEqual(requests[2], {
    message: {
      messageId: "mine",
      role: "ROLE_USER",
      parts: [{ text: "b" }],
      contextId: "c-7",
      metadata: { a: 1, b: 2, [SKILL_EXTENSION]: { skillId: "plan" } },
      extensions: [SKILL_EXTENSION],
      referenceTaskIds: ["t-0"],
    },
    configuration: {
      acceptedOutputModes: ["text/plain"],
      taskPushNotificationConfig: { url: "https://hook" },
      historyLength: 0,
      returnImmediately: true,
    },
    metadata: { trace: "x" },
  });
  assert.deepEqual(peer.calls[2]?.call.extensions, [SKILL_EXTENSION]);
});

test("what is no message is refused before anything is sent, with the form that is right", async () => {
  const peer = createPeer({ log: DONE });
  const client = await clientOf(peer);
  await assert.rejects(
    client.send([]),
    (error) => isA2AError(error, "INVALID_PARAMS") && /at least one part/.test(error.message),
  );
  await assert.rejects(
    client.send({ kind: "text" } as never),
    (error) => isA2AError(error, "INVALID_PARAMS") && /version 0.3/.test(error.message),
  );
  await assert.rejects(
    client.send([{ text: "a", data: 1 } as never]),
    (error) => isA2AError(error, "INVALID_PARAMS") && error.violations[0]?.field === "message.parts[0]",
  );
  await assert.rejects(
    client.send("a", { skill: "fly" }),
    (error) => isLocalError(error, "CONFIGURATION") && /no skill fly/.test(error.message),
  );
  assert.throws(
    () => client.stream([]),
    (error) => isA2AError(error, "INVALID_PARAMS"),
  );
  assert.equal(peer.calls.length, 0);
});

test("reply goes to the task, refine makes a new one in its context that names what it refines", async () => {
  const peer = createPeer({
    log: [task(), chunk("svg", false, "a-1", "boat.svg"), status("INPUT_REQUIRED", "which colour?")],
  });
  const trip = await (await clientOf(peer)).send("a boat");
  assert.ok(trip.kind === "task" && trip.state === "INPUT_REQUIRED" && trip.isInterrupted);
  assert.equal(trip.question, "which colour?");
  await trip.reply("red", { taskId: "t-other" });
  const [, reply] = peer.calls.map(({ request }) => request as { message: object });
  assert.deepEqual(reply?.message, {
    messageId: "m-2",
    role: "ROLE_USER",
    parts: [{ text: "red" }],
    contextId: "c-1",
    taskId: "t-1",
  });
  await trip.refine("make it red", { artifact: "boat.svg" });
  const refinement = (peer.calls[2]?.request as { message: object } | undefined)?.message;
  assert.deepEqual(refinement, {
    messageId: "m-3",
    role: "ROLE_USER",
    parts: [{ text: "make it red", metadata: { taskId: "t-1", artifactId: "a-1" } }],
    contextId: "c-1",
    referenceTaskIds: ["t-1"],
  });
  await assert.rejects(
    async () => trip.refine("x", { artifact: "car.svg" }),
    (error) => isLocalError(error, "CONFIGURATION") && /boat\.svg/.test(error.message),
  );
});

test("a message handle: text, data, files, and a reply in its context", async () => {
  const message = {
    messageId: "r-1",
    contextId: "c-2",
    role: "ROLE_AGENT" as const,
    parts: [{ text: "he" }, { text: "llo" }, { data: { n: 1 } }, { raw: "aGk=", filename: "a.txt" }],
  };
  const peer = createPeer({ log: DONE, overrides: () => ({ sendMessage: async () => payloadOfValue({ message }) }) });
  const client = await clientOf(peer);
  const reply = await client.send("hi");
  assert.ok(reply.kind === "message");
  assert.equal(reply.text, "hello");
  assert.deepEqual(reply.data, { n: 1 });
  assert.equal(new TextDecoder().decode(reply.files[0]?.bytes), "hi");
  assert.equal(reply.role, "agent");
  assert.ok(Object.isFrozen(reply) && Object.isFrozen(reply.raw.parts));
});

test("artifacts: text, data, bytes; a link is only fetched by whoever asks for it", async () => {
  const artifact = { artifactId: "a", parts: [{ raw: "aGk", mediaType: "text/plain" }, { data: null }] };
  const linked = { artifactId: "b", parts: [{ url: "http://169.254.169.254/" }] };
  const peer = createPeer({ log: [task("COMPLETED", { artifacts: [artifact, linked] })] });
  const done = await (await clientOf(peer)).send("go");
  assert.ok(done.kind === "task");
  assert.equal(await done.artifact("a")?.text(), "hi");
  assert.equal(await done.artifact("a")?.data(), null);
  assert.equal(new TextDecoder().decode(await done.artifact("a")?.bytes()), "hinull");
  await assert.rejects(
    async () => done.artifact("b")?.bytes(),
    (error) => isLocalError(error, "CONFIGURATION") && /pass \{ load \}/.test(error.message),
  );
  const bytes = await done.artifact("b")?.bytes({ load: async () => new Uint8Array([7]) });
  assert.deepEqual([...(bytes ?? [])], [7]);
});

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

test("cancel carries metadata; tasks pages through, and stops at a page token that repeats", async () => {
  const requests: unknown[] = [];
  const peer = createPeer({
    log: DONE,
    overrides: () => ({
      listTasks: async (request) => {
        requests.push(request);
        const nextPageToken = request.pageToken === undefined ? "p2" : "p2";
        return payloadOfValue({
          tasks: [{ id: `t-${requests.length}`, status: { state: "TASK_STATE_WORKING" } }],
          nextPageToken,
          pageSize: 1,
          totalSize: 9,
        });
      },
    }),
  });
  peer.head = 1;
  const client = await clientOf(peer);
  const canceled = await client.cancel("t-1", { metadata: { why: "rain" } });
  assert.equal(canceled.state, "CANCELED");
  assert.deepEqual(peer.calls[0]?.request, { id: "t-1", metadata: { why: "rain" } });
  const ids: string[] = [];
  for await (const each of client.tasks({ state: "WORKING", since: new Date(0), pageSize: 1, includeArtifacts: false }))
    ids.push(each.id);
  assert.deepEqual(ids, ["t-1", "t-2"]);
  assert.deepEqual(requests[0], {
    status: "TASK_STATE_WORKING",
    statusTimestampAfter: "1970-01-01T00:00:00.000Z",
    pageSize: 1,
    includeArtifacts: false,
  });
  const page = await client.tasks().page();
  assert.equal(page.totalSize, 9);
});

test("capabilities are checked before anything is sent", async () => {
  const peer = createPeer({ log: DONE });
  const client = await clientOf(peer, { card: cardOf({ capabilities: { streaming: false } }) });
  for (const attempt of [
    () => client.send("a", { push: { url: "https://h" } }),
    () => client.createPushConfig("t-1", { url: "https://h" }),
    () => client.pushConfig("t-1", "p"),
    () => client.pushConfigs("t-1"),
    () => client.deletePushConfig("t-1", "p"),
  ]) {
    await assert.rejects(attempt(), (error) => isA2AError(error, "PUSH_NOTIFICATION_NOT_SUPPORTED"));
  }
  await assert.rejects(
    client.extendedCard(),
    (error) => isA2AError(error, "UNSUPPORTED_OPERATION") && /extendedAgentCard/.test(error.message),
  );
  assert.equal(peer.calls.length, 0);
});

test("webhooks: created, read, listed over all pages, removed", async () => {
  const removed: unknown[] = [];
  const peer = createPeer({
    log: DONE,
    overrides: () => ({
      createTaskPushNotificationConfig: async (request) => payloadOfValue({ ...request, id: "p-1" }),
      getTaskPushNotificationConfig: async ({ id }) => payloadOfValue({ id, url: "https://h" }),
      listTaskPushNotificationConfigs: async ({ pageToken }) =>
        payloadOfValue(
          pageToken === "2"
            ? { configs: [{ url: "https://2" }] }
            : { configs: [{ url: "https://1" }], nextPageToken: "2" },
        ),
      deleteTaskPushNotificationConfig: async (request) => void removed.push(request),
    }),
  });
  const client = await clientOf(peer);
  assert.deepEqual(await client.createPushConfig("t-1", { url: "https://h" }), {
    url: "https://h",
    taskId: "t-1",
    id: "p-1",
  });
  assert.equal((await client.pushConfig("t-1", "p-1")).id, "p-1");
  assert.deepEqual(
    (await client.pushConfigs("t-1")).map(({ url }) => url),
    ["https://1", "https://2"],
  );
  await client.deletePushConfig("t-1", "p-1");
  assert.deepEqual(removed, [{ taskId: "t-1", id: "p-1" }]);
});

test("the extended card replaces the card until it is refreshed", async () => {
  const peer = createPeer({
    log: DONE,
    overrides: () => ({ getExtendedAgentCard: async () => payloadOfValue(cardOf({ name: "Peer, for you" })) }),
  });
  const client = await clientOf(peer);
  await client.extendedCard();
  assert.equal(client.card.name, "Peer, for you");
  await client.refreshCard();
  assert.equal(client.card.name, "Peer");
});

test("an extended card is read as leniently as any, and what is no card is INVALID_AGENT_RESPONSE", async () => {
  const answers: unknown[] = [{ name: "Bare", supportedInterfaces: cardOf().supportedInterfaces }, { hello: "world" }];
  const peer = createPeer({
    log: DONE,
    overrides: () => ({ getExtendedAgentCard: async () => payloadOfValue(answers.shift() as AgentCard) }),
  });
  const card = cardOf({ capabilities: { extendedAgentCard: true } });
  const client = await clientOf(peer, { card });
  assert.deepEqual((await client.extendedCard()).skills, []);
  await client.refreshCard();
  await assert.rejects(client.extendedCard(), (error) => isA2AError(error, "INVALID_AGENT_RESPONSE"));
  assert.equal(client.card.name, "Peer");
});

/** A peer whose sendMessage fails some times before it works. */
function failing(
  times: number,
  error: unknown,
): { readonly overrides: () => Partial<Service>; readonly ids: string[] } {
  const ids: string[] = [];
  return {
    ids,
    overrides: () => ({
      sendMessage: async (request) => {
        ids.push(request.message.messageId);
        if (ids.length <= times) throw error;
        return payloadOfValue({ message: { messageId: "r", role: "ROLE_AGENT", parts: [{ text: "ok" }] } });
      },
    }),
  };
}

test("a send whose connection is lost is repeated under one id only where that is known to be safe", async () => {
  const loss = new LocalError("UNREACHABLE", "reset", { metadata: { sent: "unknown", cause: "ECONNRESET" } });
  const ours = cardOf({ capabilities: { extensions: [{ uri: IDEMPOTENT_SEND_EXTENSION }] } });
  const cases = [
    { card: cardOf(), options: {}, sends: 1 },
    { card: ours, options: {}, sends: 3 },
    { card: ours, options: { retrySends: false }, sends: 1 },
    { card: cardOf(), options: { retrySends: true }, sends: 3 },
    { card: ours, options: { retry: false as const }, sends: 1 },
  ];
  for (const { card, options, sends } of cases) {
    const { overrides, ids } = failing(2, loss);
    const client = await clientOf(createPeer({ log: DONE, overrides }), { card, ...options });
    if (sends === 1) {
      await assert.rejects(
        client.send("pay"),
        (error) => isLocalError(error, "UNREACHABLE") && error.metadata["messageId"] === "m-1",
      );
    } else assert.equal((await client.send("pay")).kind, "message");
    assert.deepEqual(ids, Array(sends).fill("m-1"));
  }
});

test("an agent that refuses connections is reported at once, without the claim that something arrived", async () => {
  const refused = new LocalError("UNREACHABLE", "nothing listens there", {
    metadata: { sent: "no", cause: "ECONNREFUSED" },
  });
  const { overrides, ids } = failing(9, refused);
  const client = await clientOf(createPeer({ log: DONE, overrides }), { retrySends: true });
  await assert.rejects(client.send("a"), refused);
  assert.equal(ids.length, 1);
});

test("reads are repeated after a loss, and after UNAVAILABLE as it asks for", async () => {
  let reads = 0;
  const errors = [lost(), new A2AError("UNAVAILABLE", "busy", { retryAfterSeconds: 2 })];
  const peer = createPeer({
    log: DONE,
    overrides: (self) => ({
      getTask: async () => {
        const error = errors[reads++];
        if (error !== undefined) throw error;
        return payloadOfValue(self.snapshot(1));
      },
    }),
  });
  const clock = instantClock();
  const client = await clientOf(peer, { clock });
  assert.equal((await client.task("t-1")).state, "WORKING");
  assert.deepEqual(clock.waits, [50, 2000]);
});

test("the next interface is used only when nothing can have reached the first, and then for good", async () => {
  const card = cardOf({
    supportedInterfaces: [
      { url: "http://a.test/", protocolBinding: "FAKE", protocolVersion: "1.0" },
      { url: "http://b.test/", protocolBinding: "FAKE", protocolVersion: "1.0" },
    ],
  });
  const cases = [
    {
      error: new LocalError("UNREACHABLE", "refused", { metadata: { sent: "no", cause: "ECONNREFUSED" } }),
      next: true,
    },
    { error: new LocalError("UNREACHABLE", "no host", { metadata: { sent: "no", cause: "ENOTFOUND" } }), next: true },
    {
      error: new LocalError("UNREACHABLE", "reset", { metadata: { sent: "unknown", cause: "ECONNRESET" } }),
      next: false,
    },
    {
      error: new LocalError("UNREACHABLE", "cert", { metadata: { sent: "no", cause: "DEPTH_ZERO_SELF_SIGNED_CERT" } }),
      next: false,
    },
    { error: new A2AError("UNAVAILABLE", "busy"), next: false },
  ];
  for (const { error, next } of cases) {
    let first = 0;
    const good = createPeer({ log: DONE });
    const bad = createPeer({
      log: DONE,
      overrides: () => ({
        sendMessage: async () => {
          first++;
          throw error;
        },
      }),
    });
    const client = await clientOf(good, {
      card,
      transports: { FAKE: ({ interface: { url } }) => (url.includes("a.test") ? bad.service : good.service) },
    });
    if (!next) {
      await assert.rejects(client.send("a"));
      assert.equal(good.calls.length, 0);
      continue;
    }
    await client.send("a");
    await client.send("b");
    assert.equal(first, 1);
    assert.equal(client.interface.url, "http://b.test/");
  }
});

test("credentials are asked for before each call, once more after a refusal, and their headers reach the transport", async () => {
  const seen: unknown[] = [];
  const peer = createPeer({
    log: DONE,
    overrides: (self) => ({
      getTask: async (_request, call) => {
        seen.push(call.headers);
        if (call.headers?.["authorization"] !== "Bearer new") throw new A2AError("UNAUTHENTICATED", "expired");
        return payloadOfValue(self.snapshot(1));
      },
    }),
  });
  const client = await clientOf(peer, {
    headers: { "x-a": "1" },
    credentials: ({ rejected, card, interface: entry, method }) => {
      assert.equal(card.name, "Peer");
      assert.equal(entry.protocolBinding, "FAKE");
      assert.equal(method, "GetTask");
      return { authorization: rejected === undefined ? "Bearer old" : "Bearer new" };
    },
  });
  await client.task("t-1", { headers: { "x-b": "2" } });
  assert.deepEqual(seen, [
    { "x-a": "1", authorization: "Bearer old", "x-b": "2" },
    { "x-a": "1", authorization: "Bearer new", "x-b": "2" },
  ]);
  const same = await clientOf(peer, { credentials: () => ({ authorization: "Bearer old" }) });
  seen.length = 0;
  await assert.rejects(same.task("t-1"), (error) => isA2AError(error, "UNAUTHENTICATED"));
  assert.equal(seen.length, 1);
});

test("interceptors are around every call, and see one call where a read was repeated", async () => {
  const methods: string[] = [];
  let reads = 0;
  const peer = createPeer({
    log: DONE,
    overrides: (self) => ({
      getTask: async () => {
        if (reads++ === 0) throw lost();
        return payloadOfValue(self.snapshot(1));
      },
    }),
  });
  const client = await clientOf(peer, {
    interceptors: [
      (invocation, next) => {
        methods.push(invocation.method);
        return next(invocation);
      },
    ],
  });
  await client.task("t-1");
  await client.stream("go").result;
  assert.deepEqual(methods, ["GetTask", "SendStreamingMessage"]);
  assert.equal(reads, 2);
});
