// Semantics of GetTask, ListTasks, CancelTask and of what one caller sees of another.
import assert from "node:assert/strict";
import { plainCall } from "../../src/operations/call.ts";
import { isA2AError } from "../../src/operations/errors.ts";
import type { Service } from "../../src/operations/service.ts";
import { onEveryBinding, request, sendForTask, texts } from "./on-every-binding.ts";

const immediately = { configuration: { returnImmediately: true } };

async function isRefused(attempt: Promise<unknown>, code: string, field?: string): Promise<void> {
  await assert.rejects(attempt, (thrown) => {
    assert.ok(isA2AError(thrown));
    assert.equal(thrown.code, code);
    if (field !== undefined) assert.equal(thrown.violations[0]?.field, field);
    return true;
  });
}

onEveryBinding(
  "§3.1.3 Get Task › gives state, artifacts and as much history as is asked for, TASK_NOT_FOUND for an unknown id",
  {
    onTask: async (task) => {
      await task.artifact("a.txt", { text: "A", description: "first" });
      await task.artifact("b.bin", { raw: new Uint8Array([1, 2, 3]), mediaType: "image/png", filename: "b.png" });
      await task.artifact("c", { data: { days: 3 } });
      await task.artifact("d", { url: "https://files.test/d" });
      return { total: 1 };
    },
  },
  async ({ service }) => {
    const { id } = await sendForTask(service, request("hi"));
    const { value } = await service.getTask({ id }, plainCall());
    assert.deepEqual(
      value.artifacts?.map(({ name, description, parts }) => ({ name, description, parts })),
      [
        { name: "a.txt", description: "first", parts: [{ text: "A" }] },
        { name: "b.bin", description: undefined, parts: [{ raw: "AQID", mediaType: "image/png", filename: "b.png" }] },
        { name: "c", description: undefined, parts: [{ data: { days: 3 } }] },
        { name: "d", description: undefined, parts: [{ url: "https://files.test/d" }] },
        { name: "result", description: undefined, parts: [{ data: { total: 1 } }] },
      ],
    );
    assert.deepEqual(texts(value.history), ["hi"]);
    assert.equal("history" in (await service.getTask({ id, historyLength: 0 }, plainCall())).value, false);
    await isRefused(service.getTask({ id, historyLength: -1 }, plainCall()), "INVALID_PARAMS", "historyLength");
    await isRefused(service.getTask({ id: "nope" }, plainCall()), "TASK_NOT_FOUND");
  },
);

onEveryBinding(
  "§3.1.4 List Tasks › pages through all tasks once, newest status first, with an empty token at the end",
  { onTask: (_task, message) => ({ said: message.text }) },
  async ({ service, pair }) => {
    const ids: string[] = [];
    for (let index = 0; index < 5; index++) {
      ids.unshift((await sendForTask(service, request(`${index}`, { contextId: index < 3 ? "one" : "two" }))).id);
      await pair.clock.advance(1_000);
    }
    const seen: string[] = [];
    let pageToken = "";
    do {
      const { value, json } = await service.listTasks(
        { pageSize: 2, ...(pageToken === "" ? {} : { pageToken }) },
        plainCall(),
      );
      assert.equal(value.totalSize, 5);
      assert.equal(value.pageSize, 2);
      assert.ok(value.tasks.every((task) => !("artifacts" in task)));
      assert.match(json, /"nextPageToken":/);
      seen.push(...value.tasks.map(({ id }) => id));
      pageToken = value.nextPageToken;
    } while (pageToken !== "");
    assert.deepEqual(seen, ids);
    const one = await service.listTasks({ contextId: "one", includeArtifacts: true, historyLength: 0 }, plainCall());
    assert.equal(one.value.totalSize, 3);
    assert.equal(one.value.pageSize, 50);
    assert.equal(one.value.nextPageToken, "");
    assert.deepEqual(one.value.tasks[0]?.artifacts?.[0]?.parts, [{ data: { said: "2" } }]);
    assert.ok(one.value.tasks.every((task) => !("history" in task)));
  },
);

onEveryBinding(
  "§3.1.4 List Tasks › filters by state and by status time, inclusive",
  { onTask: async (task, message) => (message.text === "ask" ? task.pause("?") : undefined) },
  async ({ service, pair }) => {
    const asked = await sendForTask(service, request("ask"));
    await pair.clock.advance(1_500);
    const done = await sendForTask(service, request("go"));
    const idsOf = async (filter: Parameters<Service["listTasks"]>[0]): Promise<string[]> =>
      (await service.listTasks(filter, plainCall())).value.tasks.map(({ id }) => id);
    assert.deepEqual(await idsOf({ status: "TASK_STATE_INPUT_REQUIRED" }), [asked.id]);
    assert.deepEqual(await idsOf({ status: "TASK_STATE_FAILED" }), []);
    const at = done.status.timestamp ?? "";
    assert.deepEqual(await idsOf({ statusTimestampAfter: at }), [done.id]);
    const after = new Date(Date.parse(at) + 1).toISOString();
    assert.deepEqual(await idsOf({ statusTimestampAfter: after }), []);
    assert.deepEqual(await idsOf({ statusTimestampAfter: asked.status.timestamp ?? "" }), [done.id, asked.id]);
  },
);

onEveryBinding(
  "§3.1.4 List Tasks › refuses a page size outside 1 to 100, a negative history and a token of another filter",
  { onTask: () => undefined },
  async ({ service, binding }) => {
    for (let index = 0; index < 3; index++) await sendForTask(service, request("x", { contextId: "c" }));
    // Over gRPC a page size of 0 is one that nobody chose: some SDKs always write it.
    for (const pageSize of binding === "grpc" ? [101, -1] : [0, 101, -1])
      await isRefused(service.listTasks({ pageSize }, plainCall()), "INVALID_PARAMS", "pageSize");
    await isRefused(service.listTasks({ historyLength: -1 }, plainCall()), "INVALID_PARAMS", "historyLength");
    const { nextPageToken } = (await service.listTasks({ pageSize: 1, contextId: "c" }, plainCall())).value;
    assert.notEqual(nextPageToken, "");
    await isRefused(service.listTasks({ pageToken: nextPageToken }, plainCall()), "INVALID_PARAMS", "pageToken");
    await isRefused(service.listTasks({ pageToken: "AAAA.BBBB" }, plainCall()), "INVALID_PARAMS", "pageToken");
    const same = await service.listTasks({ pageToken: nextPageToken, pageSize: 2, contextId: "c" }, plainCall());
    assert.equal(same.value.tasks.length, 2);
  },
);

onEveryBinding(
  "§3.1.5 Cancel Task › cancels a waiting task, again gives the same Task, MUST refuse another terminal state",
  { onTask: async (task, message) => (message.text === "ask" ? void (await task.ask("?")) : undefined) },
  async ({ service }) => {
    const asked = await sendForTask(service, request("ask"));
    for (let times = 0; times < 2; times++) {
      const { value } = await service.cancelTask({ id: asked.id }, plainCall());
      assert.equal(value.status.state, "TASK_STATE_CANCELED");
    }
    const done = await sendForTask(service, request("go"));
    await isRefused(service.cancelTask({ id: done.id }, plainCall()), "TASK_NOT_CANCELABLE");
    await isRefused(service.cancelTask({ id: "nope" }, plainCall()), "TASK_NOT_FOUND");
  },
);

let aborted = 0;
onEveryBinding(
  "§3.1.5 Cancel Task › aborts the signal of a running turn",
  {
    onTask: (task) =>
      new Promise((resolve) => {
        task.signal.addEventListener("abort", () => {
          aborted += 1;
          resolve(undefined);
        });
      }),
  },
  async ({ service }) => {
    const before = aborted;
    const task = await sendForTask(service, request("hi", {}, immediately));
    const { value } = await service.cancelTask({ id: task.id }, plainCall());
    assert.equal(value.status.state, "TASK_STATE_CANCELED");
    assert.equal(aborted, before + 1);
  },
);

const cancels: unknown[] = [];
onEveryBinding(
  "§3.1.5 Cancel Task › onCancel is given id and metadata, and may refuse: the task is unchanged",
  {
    onTask: (task) =>
      new Promise((_resolve, reject) => task.signal.addEventListener("abort", () => reject(new Error("aborted")))),
    onCancel: ({ id }, metadata) => {
      cancels.push({ id, metadata });
      return metadata?.["really"] === true ? "cancel" : "refuse";
    },
  },
  async ({ service }) => {
    const task = await sendForTask(service, request("hi", {}, immediately));
    await isRefused(
      service.cancelTask({ id: task.id, metadata: { really: false } }, plainCall()),
      "TASK_NOT_CANCELABLE",
    );
    const still = await service.getTask({ id: task.id }, plainCall());
    assert.equal(still.value.status.state, "TASK_STATE_WORKING");
    const { value } = await service.cancelTask({ id: task.id, metadata: { really: true } }, plainCall());
    assert.equal(value.status.state, "TASK_STATE_CANCELED");
    assert.deepEqual(cancels.splice(0), [
      { id: task.id, metadata: { really: false } },
      { id: task.id, metadata: { really: true } },
    ]);
  },
);

onEveryBinding(
  "§13.1 Scoping › a tenant sees nothing of another: not the task, not the list, and its context joins nobody's",
  { onTask: async (task) => ({ others: (await task.context.tasks()).length }) },
  async ({ service }) => {
    const mine = await sendForTask(service, request("a", { contextId: "c" }));
    const theirs = await sendForTask(service, request("a", { contextId: "c" }, { tenant: "acme" }));
    assert.deepEqual(theirs.artifacts?.[0]?.parts[0]?.data, { others: 1 });
    await isRefused(service.getTask({ id: mine.id, tenant: "acme" }, plainCall()), "TASK_NOT_FOUND");
    await isRefused(service.cancelTask({ id: theirs.id }, plainCall()), "TASK_NOT_FOUND");
    const list = await service.listTasks({ tenant: "acme" }, plainCall());
    assert.deepEqual(
      list.value.tasks.map(({ id }) => id),
      [theirs.id],
    );
    assert.equal(list.value.totalSize, 1);
  },
);

onEveryBinding(
  "§3.3.4 Extended Card › MUST answer UNSUPPORTED_OPERATION where the card does not declare it",
  { onTask: () => undefined },
  async ({ service }) => {
    await isRefused(service.getExtendedAgentCard({}, plainCall()), "UNSUPPORTED_OPERATION");
  },
);

onEveryBinding(
  "§3.1.11 Extended Card › needs credentials",
  { onTask: () => undefined, extendedCard: (_principal, card) => card },
  async ({ service }) => {
    await isRefused(service.getExtendedAgentCard({}, plainCall()), "UNAUTHENTICATED");
  },
);

for (const owner of ["ann", "bob"]) {
  onEveryBinding(
    `§3.1.11 Extended Card › is made for the caller, or EXTENDED_AGENT_CARD_NOT_CONFIGURED (${owner})`,
    {
      onTask: () => undefined,
      extendedCard: ({ owner: asking }, card) =>
        asking === "ann" ? { ...card, description: "All of it." } : undefined,
    },
    async ({ service }) => {
      const attempt = service.getExtendedAgentCard({}, plainCall());
      if (owner === "bob") return isRefused(attempt, "EXTENDED_AGENT_CARD_NOT_CONFIGURED");
      assert.equal((await attempt).value.description, "All of it.");
      assert.equal((await attempt).value.capabilities.extendedAgentCard, true);
      return undefined;
    },
    { principal: { owner } },
  );
}
