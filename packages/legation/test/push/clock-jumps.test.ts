/**
 * A wall clock that is set while a webhook is delivered to. Two processes share a store; what the first one believes of its
 * lease is seen by whether it sends the next event without asking.
 */
import assert from "node:assert/strict";
import path from "node:path";
import { describe, it, type TestContext } from "node:test";
import { Engine } from "../../src/engine/engine.ts";
import type { PushSettings } from "../../src/engine/push-options.ts";
import type { Store } from "../../src/engine/store.ts";
import { createSqliteStore } from "../../src/stores/sqlite/store.ts";
import { createPower } from "../../src/testing/power.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import {
  createJumpingClock,
  createTestStore,
  gate,
  type JumpingClock,
  SCOPE,
  say,
  textMessage,
} from "../engine/harness.ts";

const HOUR_MS = 3_600_000;
const LEASE_MS = 45_000;

/** One process: what it sends, by the numbers of the events, and what its webhook answers. */
interface Process {
  readonly engine: Engine;
  readonly clock: JumpingClock;
  readonly sent: number[];
  answer: () => Promise<void>;
}

async function start(store: Store, holder: string, settings: Partial<PushSettings> = {}): Promise<Process> {
  const clock = createJumpingClock();
  const sent: number[] = [];
  const engine = new Engine({
    // Whoever stops first must not close the store of the other one.
    store: createPower(store, clock).store,
    clock,
    holder,
    agents: [
      {
        name: SCOPE.agent,
        version: "1",
        run: async (turn) => {
          await turn.ask(say("more?"));
          return turn.complete(say("done"));
        },
      },
    ],
    push: {
      settings: { leaseMs: LEASE_MS, ...settings },
      random: () => 0,
      deliver: async ({ headers }) => {
        sent.push(Number(headers["a2a-event-id"]?.split(":")[1]));
        await process.answer();
        return { status: 204 };
      },
    },
  });
  const process: Process = { engine, clock, sent, answer: async () => undefined };
  await engine.start();
  return process;
}

/** A task that waits, with a webhook. */
async function beginTask({ engine }: Process, taskId = "t-1"): Promise<void> {
  const incoming = { message: textMessage("begin"), meta: {} };
  const config = { id: "hook", taskId, url: "https://client.test/hook" };
  const hook = { config, version: "1.0" };
  await engine.createTask({ scope: SCOPE, contextId: "c", taskId, incoming, dedupe: undefined, hook });
  await engine.settled(SCOPE, taskId, 2);
}

/**
 * A task that waits, and its webhook: the first of the events, all of which were read, is under way; it comes to its end
 * when the gate is opened.
 */
async function beginDelivery(process: Process): Promise<() => void> {
  const { clock, sent } = process;
  const { promise, open } = gate();
  process.answer = async () => {
    if (sent.length === 1) throw new Error("the webhook is away");
    return promise;
  };
  await beginTask(process);
  await until(() => sent.length === 1, clock);
  await clock.advance(1);
  await until(() => sent.length === 2, clock);
  return open;
}

/** Gives worker threads and files their time too. */
async function until(condition: () => boolean | Promise<boolean>, clock: JumpingClock): Promise<void> {
  for (let turn = 0; turn < 500 && !(await condition()); turn += 1) await clock.advance(0);
  assert.ok(await condition());
}

/** A store whose claims of webhooks are heard of when a promise says so. */
function withLateClaims(store: Store, answered: Promise<void>): Store {
  const hooks = new Proxy(store.hooks, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function") return member;
      return async (...args: unknown[]): Promise<unknown> => {
        const result: unknown = await Reflect.apply(member, target, args);
        if (key === "claim" && (result as readonly unknown[]).length > 0) await answered;
        return result;
      };
    },
  });
  return new Proxy(store, {
    get(target, key) {
      const member: unknown = key === "hooks" ? hooks : Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

const STORES: Readonly<Record<string, (t: TestContext) => Store>> = {
  memory: () => createTestStore(),
  sqlite: (t) => createSqliteStore(path.join(temporaryFolder(t), "clock.db")),
};

for (const [name, makeStore] of Object.entries(STORES)) {
  describe(`webhooks and a wall clock that is set [${name}]`, () => {
    it("back by an hour: what another process took over meanwhile is left to it", async (t) => {
      const store = makeStore(t);
      const [first, second] = [await start(store, "first"), await start(store, "second")];
      const answer = await beginDelivery(first);
      first.clock.jump(-HOUR_MS);
      await first.clock.advance(60_000);
      await second.clock.advance(60_000);
      await until(() => second.sent.length === 3, second.clock);
      answer();
      await settle(first);
      assert.deepEqual(first.sent, [1, 1], "its lease is over, whatever the wall clock says");
      await stop(store, first, second);
    });

    it("forwards by an hour: what another process took over meanwhile is left to it", async (t) => {
      const store = makeStore(t);
      const [first, second] = [await start(store, "first"), await start(store, "second")];
      const answer = await beginDelivery(first);
      for (const { clock } of [first, second]) clock.jump(HOUR_MS);
      await second.engine.hooks?.outbox.redrive("t-1");
      await until(() => second.sent.length === 3, second.clock);
      answer();
      await settle(first);
      assert.deepEqual(first.sent, [1, 1], "for everybody else its lease is over");
      await stop(store, first, second);
    });

    it("back by an hour while a claim is answered late: it counts from when it was asked for", async (t) => {
      const store = makeStore(t);
      const claimed = gate();
      const first = await start(withLateClaims(store, claimed.promise), "first");
      await beginTask(first);
      await until(async () => (await store.hooks.find({ limit: 1 }))[0]?.holder === "first", first.clock);
      const second = await start(store, "second");
      first.clock.jump(-HOUR_MS);
      await first.clock.advance(60_000);
      await second.clock.advance(60_000);
      await until(() => second.sent.length === 3, second.clock);
      claimed.open();
      await settle(first);
      assert.deepEqual(first.sent, []);
      await stop(store, first, second);
    });

    it("back by an hour: the pause for a webhook that is silent is no longer than before", async (t) => {
      const store = makeStore(t);
      const first = await start(store, "first", { retryMs: 1_000 });
      first.answer = () => Promise.reject(new Error("no answer"));
      for (let n = 0; n < 5; n += 1) await beginTask(first, `t-${n}`);
      await until(() => first.sent.length >= 5, first.clock);
      first.clock.jump(-HOUR_MS);
      await beginTask(first, "t-5");
      await settle(first);
      const [entry] = (await first.engine.hooks?.outbox.show("t-5")) ?? [];
      assert.ok((entry?.due ?? Number.POSITIVE_INFINITY) <= first.clock.now() + 1_000, `${entry?.due}`);
      await stop(store, first);
    });

    it("back by an hour: who delivers alone goes on, under a lease that it asked for anew", async (t) => {
      const store = makeStore(t);
      const first = await start(store, "first");
      const answer = await beginDelivery(first);
      const [before] = await store.hooks.find({ limit: 1 });
      first.clock.jump(-HOUR_MS);
      await first.clock.advance(60_000);
      answer();
      await until(() => first.sent.length === 4, first.clock);
      await settle(first);
      const [after] = await store.hooks.find({ limit: 1 });
      assert.deepEqual([after?.epoch, after?.holder, after?.cursor], [before?.epoch, "first", first.sent[3]]);
      assert.equal(after?.leaseUntil, first.clock.now() + LEASE_MS);
      await stop(store, first);
    });
  });
}

async function settle({ clock }: Process): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await clock.advance(0);
}

async function stop(store: Store, ...processes: readonly Process[]): Promise<void> {
  for (const { engine } of processes) await engine.stop({ graceMs: 0 });
  await store.close();
}
