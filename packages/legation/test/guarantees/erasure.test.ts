/** What an owner said is in no file once it is erased, and what ended long ago is let go when somebody says so. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { EngineSettings } from "../../src/engine/defaults.ts";
import { Engine, type Scope } from "../../src/engine/engine.ts";
import { createSqliteStore } from "../../src/stores/sqlite/store.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { drain, say, textMessage } from "../engine/harness.ts";

const MARKER = "MARKER-of-somebody";
const THEIRS: Scope = { tenant: "t", owner: "them", agent: "a" };
const OTHERS: Scope = { ...THEIRS, owner: "others" };

async function start(file: string, settings: Partial<EngineSettings> = {}): Promise<Engine> {
  const engine = new Engine({
    store: createSqliteStore(file),
    settings: { snapshotBytes: 2_000, ...settings },
    agents: [
      {
        name: "a",
        version: "1",
        run: async (turn, incoming) => {
          const said = incoming.message.parts[0]?.text ?? "";
          await turn.step("note", () => said);
          for (let n = 0; n < 30; n += 1) {
            await turn.artifact({ name: "out.txt", parts: [{ text: `${said} ${n} ` }], append: n > 0 });
          }
          await turn.artifact({ name: "big.txt", parts: [{ text: said.repeat(8_000) }] });
          if (said.includes("ask")) await turn.ask(say(`${said}?`));
          return turn.complete(say(said));
        },
      },
    ],
  });
  await engine.start();
  return engine;
}

async function send(engine: Engine, scope: Scope, text: string): Promise<string> {
  const message = textMessage(text);
  const dedupe = { tenant: scope.tenant, owner: scope.owner, messageId: message.messageId, hash: "h" };
  const { taskId } = await engine.createTask({ scope, contextId: "c", incoming: { message, meta: {} }, dedupe });
  await engine.settled(scope, taskId, 2);
  return taskId;
}

function filesWith(folder: string, text: string): readonly string[] {
  return readdirSync(folder).filter((file) => readFileSync(path.join(folder, file)).includes(text));
}

it("erasure: no file holds what an erased owner said, the others have all of theirs [sqlite]", async (t) => {
  const folder = temporaryFolder(t);
  const engine = await start(path.join(folder, "erase.db"));
  const theirs = [await send(engine, THEIRS, MARKER), await send(engine, THEIRS, `${MARKER} ask`)];
  const other = await send(engine, OTHERS, "something else");
  const reply = { tenant: "t", owner: "them", messageId: "hello", hash: "h" };
  const answer = async (): Promise<{ reply: string }> => ({ reply: JSON.stringify({ text: MARKER }) });
  await engine.answerOnce(reply, THEIRS, answer);
  assert.notDeepEqual(filesWith(folder, MARKER), []);
  assert.equal(await engine.eraseOwner("t", "them"), 2);
  assert.deepEqual(filesWith(folder, MARKER), []);
  for (const id of theirs) {
    await assert.rejects(engine.getTask(THEIRS, id), { code: "TASK_NOT_FOUND" });
    await assert.rejects(engine.retry(id), { code: "TASK_NOT_FOUND" });
    const row = await engine.store.task(id);
    const log = await engine.store.events(row?.key ?? 0, 0, 1_000_000);
    assert.equal(log.length, row?.seq);
    assert.ok(log.every(({ payload, time }) => payload === "" && time > 0));
  }
  const kept = (await engine.getTask(OTHERS, other)).value;
  assert.equal(kept.artifacts?.find(({ name }) => name === "big.txt")?.parts[0]?.text?.length, 8_000 * 14);
  const page = await engine.listTasks(THEIRS, { limit: 10 });
  assert.deepEqual([page.total, page.tasks], [0, []]);
  // Whoever comes again begins anew.
  const again = await send(engine, THEIRS, "clean");
  assert.equal((await engine.getTask(THEIRS, again)).value.status.state, "TASK_STATE_COMPLETED");
  await engine.stop({ graceMs: 0 });
  assert.deepEqual(filesWith(folder, MARKER), []);
});

it("retention: what ended longer ago than a rule says is removed, by tenant and state; by default nothing", async (t) => {
  const file = path.join(temporaryFolder(t), "old.db");
  const first = await start(file);
  const done = await send(first, THEIRS, "done");
  const asking = await send(first, THEIRS, "ask");
  const elsewhere = await send(first, { ...THEIRS, tenant: "u" }, "done");
  await first.stop({ graceMs: 0 });
  const plain = await start(file);
  await sleep(100);
  assert.ok((await plain.store.task(done)) !== undefined);
  await plain.stop({ graceMs: 0 });
  const rules = [{ tenant: "t", states: ["TASK_STATE_COMPLETED"], afterMs: 50 }] as const;
  const strict = await start(file, { retention: rules });
  while ((await strict.store.task(done)) !== undefined) await sleep(10);
  await assert.rejects(strict.getTask(THEIRS, done), { code: "TASK_NOT_FOUND" });
  assert.equal((await strict.getTask(THEIRS, asking)).value.status.state, "TASK_STATE_INPUT_REQUIRED");
  assert.ok((await strict.store.task(elsewhere)) !== undefined);
  assert.equal((await strict.listTasks(THEIRS, { limit: 10 })).total, 1);
  await strict.stop({ graceMs: 0 });
});

it("compaction: an old log is emptied, its task is answered as before, and whoever resumes gets the whole Task", async (t) => {
  const file = path.join(temporaryFolder(t), "compact.db");
  const first = await start(file);
  const done = await send(first, THEIRS, "done");
  const before = (await first.getTask(THEIRS, done)).json;
  await first.stop({ graceMs: 0 });
  const engine = await start(file, { retention: [{ afterMs: 0, drop: "log" }] });
  const key = (await engine.store.task(done))?.key ?? 0;
  const isEmpty = async (): Promise<boolean> =>
    (await engine.store.events(key, 0, 1_000_000)).every(({ payload }) => payload === "");
  while (!(await isEmpty())) await sleep(10);
  assert.equal((await engine.getTask(THEIRS, done)).json, before);
  const resumed = await engine.subscribe(THEIRS, done, { until: "terminal", lastEventId: 4 });
  const events = await drain(resumed);
  assert.deepEqual(
    events.map(({ value }) => value.task?.artifacts?.length),
    [2],
  );
  await engine.stop({ graceMs: 0 });
});
