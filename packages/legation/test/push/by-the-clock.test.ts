// Webhooks in a process without a socket, by a clock that only the test moves: many of them, and what they ask for.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Store } from "../../src/engine/store.ts";
import { createAgent } from "../../src/server/agent.ts";
import { createMemoryStore } from "../../src/stores/memory/store.ts";
import { type Pair, pair } from "../../src/testing/pair.ts";
import type { PairPush } from "../../src/testing/pair-push.ts";

const DAY_MS = 86_400_000;
const URL_OF_HOOK = "https://client.test/hook";

const asker = createAgent({
  name: "asker",
  description: "Asks once.",
  version: "1.0.0",
  async onTask(task) {
    await task.ask("ready?");
  },
});

/** An agent whose webhooks get these answers in turn, then 204; and the ids of what they got. */
async function answering(
  answers: readonly (() => Response)[],
  push: Omit<PairPush, "fetch"> = {},
  store: Store = createMemoryStore(),
): Promise<Pair & { readonly ids: string[]; readonly taskId: string }> {
  const ids: string[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    ids.push(request.headers.get("a2a-event-id") ?? "");
    return answers[ids.length - 1]?.() ?? new Response(null, { status: 204 });
  };
  const t = await pair(asker, { store, push: { random: () => 0, ...push, fetch } });
  const sent = await t.client.send("go", { push: { url: URL_OF_HOOK } });
  assert.ok(sent.kind === "task");
  await t.clock.advance(0);
  return { ...t, ids, taskId: sent.id };
}

const busy = (retryAfter: string) => (): Response =>
  new Response(null, { status: 503, headers: { "retry-after": retryAfter } });

describe("webhooks that ask for time", () => {
  const asked: Readonly<Record<string, number>> = {
    "120": 120_000,
    "-7": 1,
    "ten years": 1,
    "315360000": DAY_MS,
    "99999999999999999999": DAY_MS,
    "Thu, 01 Jan 2026 02:00:00 GMT": 7_200_000,
    "Tue, 01 Jan 2036 00:00:00 GMT": DAY_MS,
    "Thu, 01 Jan 1970 00:00:00 GMT": 1,
  };
  for (const [retryAfter, ms] of Object.entries(asked)) {
    it(`get ${ms} ms for Retry-After: ${retryAfter}`, async () => {
      const t = await answering([busy(retryAfter)]);
      const [entry] = (await t.engine.hooks?.outbox.show(t.taskId)) ?? [];
      if (ms > 1) assert.equal(entry?.due, t.clock.now() + ms);
      await t.clock.advance(ms - 1);
      if (ms > 1) assert.equal(t.ids.length, 1, "not before its time");
      await t.clock.advance(2);
      assert.ok(t.ids.length > 1);
      assert.equal(t.ids[0], t.ids[1]);
      await t.close();
    });
  }

  it("get fifteen seconds to answer", async () => {
    let isHanging = true;
    const push = {
      random: () => 0,
      fetch: async () => (isHanging ? new Promise<never>(() => {}) : new Response(null)),
    };
    const t = await pair(asker, { push });
    const sent = await t.client.send("go", { push: { url: URL_OF_HOOK } });
    assert.ok(sent.kind === "task");
    const entry = async () => (await t.engine.hooks?.outbox.show(sent.id))?.[0];
    await t.clock.advance(14_999);
    assert.equal((await entry())?.attempts, 0);
    isHanging = false;
    await t.clock.advance(0);
    assert.equal((await entry())?.cursor, 0);
    await t.clock.advance(1);
    assert.deepEqual([(await entry())?.attempts, (await entry())?.error], [1, "no answer within 15000 ms"]);
    await t.clock.advance(1_000);
    assert.deepEqual([(await entry())?.status, (await entry())?.error], ["delivered", null]);
    await t.close();
  });

  it("get twelve attempts over about a day, then one at the end of the task", async () => {
    const never = Array.from({ length: 100 }, () => () => new Response(null, { status: 500 }));
    const t = await answering(never, { random: () => 0.5 });
    const began = t.clock.now();
    while (t.ids.length < 12) await t.clock.advance(60_000);
    const hours = (t.clock.now() - began) / 3_600_000;
    assert.ok(hours > 20 && hours < 30, `${hours} hours`);
    await t.clock.advance(30 * DAY_MS);
    assert.equal(t.ids.length, 12, "dead");
    await (await t.client.task(t.taskId)).reply("yes");
    await t.clock.advance(30 * DAY_MS);
    assert.equal(t.ids.length, 13, "one probe");
    assert.equal(new Set(t.ids).size, 1, "at its cursor");
    await t.close();
  });
});

describe("webhooks that are due just now", () => {
  /** A store whose clock is behind; and how often it was asked for webhooks. */
  function behindBy(ms: number): { readonly store: Store; readonly asked: () => number } {
    const store = createMemoryStore();
    const claim = store.hooks.claim.bind(store.hooks);
    let asked = 0;
    store.hooks.claim = async (query) => {
      asked += 1;
      return claim({ ...query, now: query.now - ms });
    };
    return { store, asked: () => asked };
  }

  it("are looked for again at once where the clock of the store is behind by some ms", async () => {
    const { store } = behindBy(5);
    const t = await answering([], {}, store);
    assert.deepEqual(t.ids, []);
    await t.clock.advance(10);
    assert.equal(t.ids.length, 3);
    await t.close();
  });

  it("are looked for less and less often where it is behind by much", async () => {
    const { store, asked } = behindBy(DAY_MS);
    const t = await answering([], {}, store);
    const before = asked();
    await t.clock.advance(10_000);
    assert.deepEqual(t.ids, []);
    const looks = asked() - before;
    assert.ok(looks > 10 && looks < 50, `${looks} looks in ten seconds`);
    await t.close();
  });
});

describe("many webhooks", () => {
  it("10,000 of 1,000 tasks each get every event, once and in order", { timeout: 120_000 }, async () => {
    const got = new Map<string, number[]>();
    const fetch = async (request: Request): Promise<Response> => {
      const [, seq] = (request.headers.get("a2a-event-id") ?? "").split(":");
      const seqs = got.get(request.url) ?? [];
      got.set(request.url, seqs);
      seqs.push(Number(seq));
      return new Response(null, { status: 204 });
    };
    const t = await pair(asker, { push: { fetch } });
    const TASKS = 1_000;
    const HOOKS = 10;
    const asked = await Promise.all(Array.from({ length: TASKS }, (_, n) => t.client.send(`task ${n}`)));
    for (const [n, task] of asked.entries()) {
      assert.ok(task.kind === "task");
      for (let hook = 0; hook < HOOKS; hook += 1) {
        await t.client.createPushConfig(task.id, { url: `https://client-${hook}.test/${n}` });
      }
    }
    await Promise.all(asked.map(async (task) => task.kind === "task" && (await task.reply("yes"))));
    for (let turn = 0; turn < 1_000 && (await isBehind(t)); turn += 1) await t.clock.advance(1_000);
    assert.equal(got.size, TASKS * HOOKS);
    for (const [url, seqs] of got) {
      assert.equal(seqs.length, 2, url);
      assert.ok((seqs[0] ?? 0) < (seqs[1] ?? 0), url);
    }
    await t.close();
  });
});

async function isBehind(t: Pair): Promise<boolean> {
  const page = await t.engine.hooks?.outbox.list({ status: "pending", limit: 1 });
  return (page?.entries.length ?? 0) > 0;
}
