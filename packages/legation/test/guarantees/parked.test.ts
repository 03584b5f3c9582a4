/** A hundred thousand tasks that wait for an answer: rows, not memory; a start reads none, and any can be answered. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { after, describe, it } from "node:test";
import { Engine } from "../../src/engine/engine.ts";
import type { EventRow, Store, TaskCommit, TaskRow } from "../../src/engine/store.ts";
import { createAgentRunner } from "../../src/server/agent-runner.ts";
import { createSqliteStore } from "../../src/stores/sqlite/store.ts";
import { createEffects } from "../../src/testing/rehearsal-effects.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { textMessage } from "../engine/harness.ts";
import { effectsOf } from "./fault-checks.ts";
import { rawSend } from "./raw-send.ts";
import { endingWith, startReplica } from "./replica.ts";
import { createReplicaAgent } from "./replica-agents.ts";

const TASKS = 100_000;
const PER_COMMIT = 2_000;
const SCOPE = { tenant: "", owner: "", agent: "asker" };

/** Calls of a store by name. */
function counting(store: Store, calls: Map<string, number>): Store {
  return new Proxy(store, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        calls.set(String(key), (calls.get(String(key)) ?? 0) + 1);
        return Reflect.apply(member, target, args);
      };
    },
  });
}

async function engineOn(store: Store, effects: string): Promise<Engine> {
  const agent = createReplicaAgent({ agent: "asker", store: "", effects }, createEffects(effects));
  const engine: Engine = new Engine({ store, agents: [createAgentRunner(agent.options, () => engine)] });
  await engine.start();
  return engine;
}

/** One task that the engine parked, as it stands in the store. */
async function parkOne(file: string, effects: string): Promise<{ row: TaskRow; entries: readonly EventRow[] }> {
  const store = createSqliteStore(file);
  const engine = await engineOn(store, effects);
  const incoming = { message: textMessage("begin"), meta: {} };
  const { taskId } = await engine.createTask({ scope: SCOPE, contextId: "c", incoming, dedupe: undefined });
  await engine.settled(SCOPE, taskId, 2);
  const row = (await store.task(taskId)) as TaskRow;
  const entries = await store.events(row.key, 0, 1_000_000);
  await engine.stop();
  return { row, entries };
}

/** The same task under another id. */
function copyOf({ row, entries }: { row: TaskRow; entries: readonly EventRow[] }, id: string): TaskCommit {
  const { tenant, owner, contextId, agent, createdAt } = row;
  const { state, statusTime, epoch, holder, leaseUntil, attempts, due, held, agentVersion, run } = row;
  return {
    create: { id, tenant, owner, contextId, agent, createdAt },
    key: 0,
    seq: 0,
    epoch: 0,
    events: entries.map(({ kind, time, payload }) => ({ kind, time, payload: payload.replaceAll(row.id, id) })),
    columns: { state, statusTime, epoch, holder, leaseUntil, attempts, due, held, agentVersion, run },
  };
}

describe("parked", () => {
  it(`${TASKS} tasks in INPUT_REQUIRED`, async (t) => {
    const folder = temporaryFolder(t);
    const [file, effects] = [path.join(folder, "parked.db"), path.join(folder, "effects.jsonl")];
    const model = await parkOne(file, effects);
    const ids = Array.from({ length: TASKS }, () => randomUUID());
    const filling = createSqliteStore(file);
    await filling.open();
    for (let from = 0; from < TASKS; from += PER_COMMIT) {
      const tasks = ids.slice(from, from + PER_COMMIT).map((id) => copyOf(model, id));
      const { tasks: outcomes } = await filling.commit({ tasks, replies: [] });
      assert.ok(outcomes.every(({ ok }) => ok));
    }
    await filling.close();

    const calls = new Map<string, number>();
    const engine = await engineOn(counting(createSqliteStore(file), calls), effects);
    await new Promise((resolve) => setTimeout(resolve, 200));
    for (const call of ["task", "events", "list", "blob"]) assert.equal(calls.get(call), undefined, call);
    await engine.stop();

    const replica = await startReplica(endingWith(after), { agent: "asker", store: `sqlite:${file}`, effects });
    const chosen = Array.from({ length: 20 }, (_, n) => ids[n * 4_999 + n] ?? "");
    for (const taskId of chosen) {
      const { task } = await rawSend(replica.url, { parts: [{ text: "that one" }], taskId, returnImmediately: false });
      assert.equal(task?.status.state, "TASK_STATE_COMPLETED");
      // The step before the question is recorded and does not run again.
      assert.deepEqual(effectsOf(effects, taskId), { end: { keys: 1, runs: 1 } });
    }
    const { rssMb } = await replica.measure();
    t.diagnostic(`RSS ${Math.round(rssMb)} MB with ${TASKS} parked tasks`);
    assert.ok(rssMb < 300, `${rssMb} MB`);
    await replica.kill();
  });
});
