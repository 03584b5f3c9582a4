// Agents in runtimes that speak fetch.
import assert from "node:assert/strict";
import test from "node:test";
import { createAgent } from "../../src/server/agent.ts";
import { createMemoryStore } from "../../src/stores/memory/store.ts";

const base = { name: "Planner", description: "Plans.", version: "1.0.0" };

function send(url: string, text: string, more: object = {}): Request {
  return new Request(`${url}/message:send`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({ message: { messageId: text, role: "ROLE_USER", parts: [{ text }] }, ...more }),
  });
}

test("agent.fetch › serves card and operations below its base path", async () => {
  const agent = createAgent({ ...base, onMessage: (message) => `you said ${message.text}` });
  const basePath = "/agents/planner/";
  const url = "https://app.test/agents/planner";
  const card = (await (await agent.fetch(new Request(`${url}/.well-known/agent-card.json`), { basePath })).json()) as {
    supportedInterfaces: { url: string }[];
  };
  assert.equal(card.supportedInterfaces[0]?.url, url);
  const answer = (await (await agent.fetch(send(url, "hi"), { basePath })).json()) as {
    message: { parts: { text: string }[] };
  };
  assert.equal(answer.message.parts[0]?.text, "you said hi");
});

test("agent.fetch › gives waitUntil the work that goes on after the answer", async () => {
  let done = false;
  const agent = createAgent({
    ...base,
    onTask: async (task) => {
      await task.sleep(50);
      done = true;
    },
  });
  const work: Promise<unknown>[] = [];
  const request = send("https://app.test", "hi", { configuration: { returnImmediately: true } });
  const response = await agent.fetch(request, { waitUntil: (promise) => work.push(promise) });
  assert.equal(response.status, 200);
  assert.equal(done, false);
  await Promise.all(work);
  assert.equal(work.length, 1);
  assert.equal(done, true);
});

test("agent.drain › runs what is due in a store, and resolves when nothing is", async () => {
  const store = createMemoryStore();
  let runs = 0;
  const agent = createAgent({
    ...base,
    onTask: () => {
      runs += 1;
    },
  });
  await agent.drain({ store });
  assert.equal(runs, 0);
  await agent.fetch(send("https://app.test", "hi", { configuration: { returnImmediately: true } }), { store });
  await agent.drain({ store });
  assert.equal(runs, 1);
});

test("agent.drain › gives up in time also when the clock was set back meanwhile", { timeout: 10_000 }, async (t) => {
  const store = createMemoryStore();
  const agent = createAgent({ ...base, onTask: () => new Promise<void>(() => {}) });
  await agent.fetch(send("https://app.test", "hi", { configuration: { returnImmediately: true } }), { store });
  const now = Date.now.bind(Date);
  const drained = agent.drain({ store, timeoutMs: 40 });
  t.mock.method(Date, "now", () => now() - 3_600_000);
  await drained;
  assert.equal((await store.holders()).length, 1);
});
