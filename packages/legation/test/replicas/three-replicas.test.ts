/** Three processes on one PostgreSQL, behind a proxy that gives every request to the next one. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../src/hosts/node/open-store.ts";
import { isTerminal } from "../../src/model/task-state.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { assertSawAll, assertWhole, bytesOf, effectsOf, readLog } from "../guarantees/fault-checks.ts";
import { rawCall, rawSend } from "../guarantees/raw-send.ts";
import { endingWith, type Replica, startReplica } from "../guarantees/replica.ts";
import { follow, type Seen } from "../guarantees/sse-reader.ts";
import { startPostgres } from "../stores/postgres-server.ts";
import { startRoundRobin } from "./round-robin.ts";

const LEASE_MS = 2_000;
const server = await startPostgres();

if (server !== undefined) {
  const whole = endingWith(after);
  whole.after(() => server.stop());
  const folder = temporaryFolder(whole);
  const url = `${server.dsn}?schema=replicas`;
  const effects = path.join(folder, "effects.jsonl");
  const settings = { agent: "slow", store: url, effects, engine: { leaseMs: LEASE_MS } };
  const replicas: Replica[] = [];
  for (let n = 0; n < 3; n += 1) replicas.push(await startReplica(whole, settings));
  const store = await openStore(url);
  await store.open();
  const proxy = await startRoundRobin(replicas.map(({ port }) => port));
  whole.after(() => store.close());
  whole.after(() => proxy.close());

  const urlOf = (index: number): string => replicas[index]?.url ?? "";
  const watch = (taskId: string, index: number, onEvent: () => void = () => {}): Promise<Seen> =>
    follow({ url: (connection) => urlOf((index + connection) % 3), text: "", messageId: "", taskId, onEvent });
  /** Index of the replica that has the lease of a task. */
  const ownerOf = async (taskId: string): Promise<number> => {
    const pid = Number((await store.task(taskId))?.holder?.split(" ")[1]);
    return replicas.findIndex(({ child }) => child.pid === pid);
  };
  const begin = async (text: string, index: number): Promise<string> => {
    const { task } = await rawSend(urlOf(index), { parts: [{ text }] });
    assert.ok(task !== undefined);
    return task.id;
  };
  const assertAllSawAll = async (taskId: string, watched: readonly Seen[]): Promise<void> => {
    const log = await readLog(store, taskId);
    assertWhole(log);
    for (const seen of watched) {
      assertSawAll(seen, log);
      assert.equal(seen.state, log.row.state);
    }
  };
  const restart = async (index: number): Promise<void> => {
    replicas[index] = await startReplica(whole, { ...settings, port: replicas[index]?.port ?? 0 });
  };

  describe("replicas: three processes on one PostgreSQL", () => {
    it("send on one, subscribe on another, cancel on a third", async () => {
      const taskId = await begin("slow 200 20", 0);
      // Only who has begun to follow can be told of the end: a task that has ended takes no subscriber.
      const seeing = [1, 2, 0].map((index) => {
        const first = Promise.withResolvers<void>();
        return { first: first.promise, whole: watch(taskId, index, first.resolve) };
      });
      await Promise.all(seeing.map(({ first }) => first));
      const watching = seeing.map(({ whole: seen }) => seen);
      const canceled = await rawCall(urlOf(2), "CancelTask", { id: taskId });
      assert.equal(canceled.task?.status.state, "TASK_STATE_CANCELED");
      const watched = await Promise.all(watching);
      for (const seen of watched) assert.equal(seen.state, "TASK_STATE_CANCELED");
      await assertAllSawAll(taskId, watched);
      assert.equal(effectsOf(effects, taskId)["end"], undefined);
    });

    it("every subscriber on every replica sees the same events in the same order, none missing, none twice", async () => {
      const tasks = await Promise.all(Array.from({ length: 6 }, (_, n) => begin("slow 40 8", n % 3)));
      const watched = await Promise.all(tasks.map((taskId) => Promise.all([0, 1, 2].map((n) => watch(taskId, n)))));
      for (const [n, taskId] of tasks.entries()) await assertAllSawAll(taskId, watched[n] ?? []);
    });

    it("the owner is killed: another finishes within the lease time, nobody misses anything", async () => {
      const taskId = await begin("slow 60 15", 0);
      const owner = await ownerOf(taskId);
      const watching = [0, 1, 2].map((n) => watch(taskId, n));
      const begun = Date.now();
      await replicas[owner]?.kill();
      const epoch = (await store.task(taskId))?.epoch ?? 0;
      while (((await store.task(taskId))?.epoch ?? 0) === epoch) {
        assert.ok(Date.now() - begun < 3 * LEASE_MS, "nobody took it");
        await sleep(20);
      }
      const watched = await Promise.all(watching);
      await assertAllSawAll(taskId, watched);
      const log = await readLog(store, taskId);
      assert.equal(log.row.state, "TASK_STATE_COMPLETED");
      assert.equal(
        bytesOf(
          log.entries.map(({ payload }) => ({ json: payload })),
          "out.txt",
        ).length,
        60 * 32,
      );
      const counted = effectsOf(effects, taskId);
      assert.deepEqual([counted["begin"]?.keys, counted["end"]?.keys], [1, 1]);
      await restart(owner);
    });

    it("the owner stops gracefully: another goes on at once", async () => {
      const taskId = await begin("slow 100 15", 1);
      const owner = await ownerOf(taskId);
      const watching = [0, 1, 2].map((n) => watch(taskId, n));
      const { leaseUntil } = (await store.task(taskId)) ?? { leaseUntil: 0 };
      await replicas[owner]?.stop(50);
      const stopped = Date.now();
      while ((await ownerOf(taskId)) === -1) {
        assert.ok(Date.now() < leaseUntil, "the lease had to run out");
        await sleep(10);
      }
      assert.ok(Date.now() - stopped < LEASE_MS);
      const watched = await Promise.all(watching);
      await assertAllSawAll(taskId, watched);
      assert.equal(watched[0]?.state, "TASK_STATE_COMPLETED");
      assert.equal((await store.task(taskId))?.attempts, 1);
      await restart(owner);
    });

    it("all replicas race one message: one task", async () => {
      for (let round = 0; round < 5; round += 1) {
        const messageId = randomUUID();
        const parts = [{ text: "slow 2 1" }];
        const racing = Array.from({ length: 9 }, (_, n) => rawSend(urlOf(n % 3), { parts, messageId }));
        const answers = await Promise.all(racing);
        const ids = new Set(answers.map(({ task, message }) => task?.id ?? message));
        assert.equal(ids.size, 1, [...ids].join(", "));
        const [id = ""] = ids;
        while (!isTerminal((await store.task(id))?.state ?? "TASK_STATE_UNSPECIFIED")) await sleep(10);
        assert.equal((await store.task(id))?.state, "TASK_STATE_COMPLETED");
        assert.equal(effectsOf(effects, id)["begin"]?.keys, 1);
      }
    });

    it("a conversation through the proxy, one replica a request, is one conversation", async () => {
      const before = proxy.taken.length;
      const sent = await follow({ url: () => proxy.url, text: "slow 10 5", messageId: randomUUID() });
      assert.equal(sent.state, "TASK_STATE_COMPLETED");
      for (let n = 0; n < 3; n += 1) {
        const read = await rawCall(proxy.url, "GetTask", { id: sent.taskId });
        assert.equal(read.task?.status.state, "TASK_STATE_COMPLETED");
      }
      assert.deepEqual(new Set(proxy.taken.slice(before)), new Set([0, 1, 2]));
      await assertAllSawAll(sent.taskId ?? "", [sent]);
    });
  });
}
