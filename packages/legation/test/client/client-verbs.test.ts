import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentCard, StreamResponse } from "../../src/model/gen/types.ts";
import { isA2AError, isLocalError } from "../../src/operations/errors.ts";
import { SKILL_EXTENSION } from "../../src/operations/extension-uris.ts";
import { payloadOfValue } from "../../src/operations/payload.ts";
import { cardOf, chunk, clientOf, createPeer, status, task } from "./fake-peer.ts";

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
  const trip = await (await clientOf(peer)).send("go", { returnImmediately: true });
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
