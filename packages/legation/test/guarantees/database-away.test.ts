/** The database goes away for five seconds, or loses the answer to a COMMIT: no acknowledged task is lost or doubled. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { after, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreUnavailable } from "../../src/engine/store.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import { createPostgresStore } from "../../src/stores/postgres/store.ts";
import { createEffects } from "../../src/testing/rehearsal-effects.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { startCuttingProxy } from "../stores/cutting-proxy.ts";
import { startPostgres } from "../stores/postgres-server.ts";
import { assertWhole, effectsOf, readLog } from "./fault-checks.ts";
import { type RawAnswer, rawCall, rawSend } from "./raw-send.ts";
import { createReplicaAgent } from "./replica-agents.ts";

const AWAY_MS = 5_000;
const server = await startPostgres();

interface Sent extends RawAnswer {
  readonly messageId: string;
}

async function sendOne(url: string): Promise<Sent> {
  const messageId = randomUUID();
  return { messageId, ...(await rawSend(url, { parts: [{ text: "slow 5 5" }], messageId })) };
}

if (server !== undefined) {
  after(() => server.stop());
  const { dsn, restart } = server;

  const served = async (t: { after(clean: () => unknown): void }, schema: string, through = dsn) => {
    const effects = path.join(temporaryFolder(t), "effects.jsonl");
    const store = createPostgresStore({ dsn: through, listenDsn: dsn, schema, pollMs: 200 });
    const problems: string[] = [];
    const note = (_details: object, text?: string): void => void problems.push(text ?? "");
    const agent = createReplicaAgent({ agent: "slow", store: "", effects }, createEffects(effects));
    const log = { debug: () => {}, info: () => {}, warn: note, error: note };
    const host = await serve(agent, { store, log });
    t.after(() => host.close({ graceMs: 0 }));
    const assertDone = async (taskId: string): Promise<void> => {
      await host.engine.settled({ tenant: "", owner: "", agent: "slow" }, taskId, 0, AbortSignal.timeout(20_000));
      const log = await readLog(store, taskId);
      assert.equal(log.row.state, "TASK_STATE_COMPLETED");
      assertWhole(log);
      const counted = effectsOf(effects, taskId);
      assert.deepEqual([counted["begin"]?.keys, counted["end"]?.keys], [1, 1]);
    };
    return { host, store, problems, assertDone };
  };

  if (restart !== undefined) {
    it("database-away: five seconds without PostgreSQL lose nothing, and health says what is wrong", async (t) => {
      const { host, store, problems, assertDone } = await served(t, "away");
      assert.deepEqual((await store.health()).synchronousCommit, "on");
      const before = await sendOne(host.url);
      const sent: Promise<Sent>[] = [];
      let isBack = false;
      const back = restart(AWAY_MS).then(() => {
        isBack = true;
      });
      await sleep(1_000);
      await assert.rejects(store.health(), StoreUnavailable);
      const read = await rawCall(host.url, "GetTask", { id: before.task?.id });
      assert.equal(read.reason === undefined || read.reason === "UNAVAILABLE", true, read.reason);
      while (!isBack) {
        sent.push(sendOne(host.url));
        await sleep(100);
      }
      await back;
      const answers = await Promise.all(sent);
      for (const { reason } of answers) assert.ok(reason === undefined || reason === "UNAVAILABLE", reason);
      const accepted = [before, ...answers].flatMap(({ task }) => task?.id ?? []);
      // A commit is tried again for longer than that: callers wait, and are not sent away.
      assert.ok(accepted.length > answers.length / 2, `${accepted.length} of ${answers.length} were accepted`);
      for (const id of accepted) await assertDone(id);
      assert.equal(new Set(accepted).size, accepted.length);
      assert.ok(problems.length < (20 * AWAY_MS) / 1_000, `${problems.length} lines in the log`);
      assert.equal((await store.health()).synchronousCommit, "on");
    });
  }

  it("lost-commit: an answer to COMMIT that never comes makes no second task", async (t) => {
    const proxy = await startCuttingProxy(Number(new URL(dsn).port));
    t.after(() => proxy.close());
    const through = new URL(dsn);
    through.port = String(proxy.port);
    const { host, store, assertDone } = await served(t, "lost", through.href);
    const sent = Array.from({ length: 3 }, () => sendOne(host.url));
    proxy.cutAnswers(true);
    sent.push(...Array.from({ length: 5 }, () => sendOne(host.url)));
    await sleep(400);
    proxy.cutAnswers(false);
    const answers = await Promise.all(sent);
    for (const { messageId, task, reason } of answers) {
      assert.equal(reason, undefined);
      await assertDone(task?.id ?? "");
      const again = await rawSend(host.url, { parts: [{ text: "slow 5 5" }], messageId });
      assert.equal(again.task?.id, task?.id);
    }
    const page = await store.list({ tenant: "", owner: "", agent: "slow", limit: 50 });
    assert.equal(page.total, answers.length);
  });
}
