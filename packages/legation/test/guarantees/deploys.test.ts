/**
 * A deploy with a thousand parked tasks: those that the new code fits go on, the others are held with their state
 * unchanged, and go on with code that fits them, or as a person decides.
 */
import assert from "node:assert/strict";
import path from "node:path";
import { describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Engine, type EngineLogEntry } from "../../src/engine/engine.ts";
import type { TaskRow } from "../../src/engine/store.ts";
import { createAgentRunner } from "../../src/server/agent-runner.ts";
import { createSqliteStore } from "../../src/stores/sqlite/store.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { runCli } from "../cli/run-cli.ts";
import { textMessage } from "../engine/harness.ts";
import { createDeployAgent } from "./deploy-agents.ts";

const TASKS = 1_000;
const SCOPE = { tenant: "", owner: "", agent: "deploy" };

interface Deployed {
  readonly engine: Engine;
  readonly log: readonly EngineLogEntry[];
  readonly effects: readonly string[];
}

async function deploy(file: string, version: string): Promise<Deployed> {
  const effects: string[] = [];
  const log: EngineLogEntry[] = [];
  const runner = createAgentRunner(createDeployAgent(version, effects).options, () => engine);
  const engine: Engine = new Engine({
    store: createSqliteStore(file),
    agents: [runner],
    log: (entry) => log.push(entry),
  });
  await engine.start();
  return { engine, log, effects };
}

async function rowsOf(engine: Engine, ids: readonly string[]): Promise<readonly TaskRow[]> {
  const rows = await Promise.all(ids.map((id) => engine.store.task(id)));
  return rows.map((row) => row as TaskRow);
}

async function until(engine: Engine, ids: readonly string[], is: (row: TaskRow) => boolean): Promise<void> {
  const giveUp = Date.now() + 60_000;
  for (;;) {
    const left = (await rowsOf(engine, ids)).filter((row) => !is(row));
    if (left.length === 0) return;
    assert.ok(Date.now() < giveUp, `${left.length} left, the first is ${JSON.stringify({ ...left[0], snapshot: "" })}`);
    await sleep(50);
  }
}

const isDone = ({ state }: TaskRow): boolean => state === "TASK_STATE_COMPLETED";
const isHeld = ({ held }: TaskRow): boolean => held !== null;
const isAsking = ({ state, holder, held }: TaskRow): boolean =>
  state === "TASK_STATE_INPUT_REQUIRED" && holder === null && held === null;

async function send(engine: Engine, text: string): Promise<string> {
  const incoming = { message: textMessage(text), meta: {} };
  return (await engine.createTask({ scope: SCOPE, contextId: "c", incoming, dedupe: undefined })).taskId;
}

async function answer(engine: Engine, taskId: string): Promise<void> {
  const incoming = { message: textMessage("monday"), meta: {} };
  await engine.addMessage({ scope: SCOPE, taskId, incoming, dedupe: undefined });
}

describe("deploys", () => {
  it("1,000 parked tasks: fitting ones go on, others are held until fitting code, or a person, comes", async (t) => {
    const file = path.join(temporaryFolder(t), "deploy.db");
    const store = `sqlite:${file}`;
    const module = (version: string): string => path.join(import.meta.dirname, `deploy-v${version}.ts`);
    const first = await deploy(file, "1");
    const texts = Array.from({ length: TASKS }, (_, n) => (n % 4 === 0 ? `moved ${n}` : `stays ${n}`));
    const ids = await Promise.all(texts.map((text) => send(first.engine, text)));
    const moved = ids.filter((_, n) => n % 4 === 0);
    const stays = ids.filter((_, n) => n % 4 !== 0);
    await until(first.engine, ids, isAsking);
    await first.engine.stop();

    const check = await runCli(["replay", "--check", module("2"), "--store", store, "-o", "json"]);
    const checked = check.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { taskId: string; fits: boolean });
    assert.equal(check.code, 1);
    assert.equal(checked.filter(({ fits }) => fits).length, stays.length);
    const fine = await runCli(["replay", "--check", module("3"), "--store", store]);
    assert.equal(fine.field("Fits"), `${TASKS} of ${TASKS}`);
    assert.equal(fine.code, 0);

    const second = await deploy(file, "2");
    const before = await rowsOf(second.engine, ids);
    assert.equal(second.effects.length, 0);
    await Promise.all(ids.map((id) => answer(second.engine, id)));
    await until(second.engine, stays, isDone);
    await until(second.engine, moved, isHeld);
    for (const [n, row] of (await rowsOf(second.engine, moved)).entries()) {
      assert.equal(row.state, "TASK_STATE_INPUT_REQUIRED");
      assert.equal(row.statusTime, before.find(({ id }) => id === moved[n])?.statusTime);
      assert.match(row.held ?? "", /the journal has step "price"/);
    }
    assert.equal(second.log.filter(({ event }) => event === "run.held").length, moved.length);
    assert.deepEqual([...second.effects].sort(), stays.map((id) => `${id} ship`).sort());

    const [again = "", afresh = "", ended = "", ...rest] = moved;
    const cli = async (...args: string[]): Promise<void> => {
      const done = await runCli(["task", ...args, "--store", store]);
      assert.equal(done.code, 0, done.stderr);
    };
    await cli("retry", again);
    await cli("restart-turn", afresh);
    await cli("fail", ended, "--reason", "the price list is gone");
    // It asks all the while: what tells that it began again is what it did.
    await until(second.engine, [afresh], (row) => isAsking(row) && second.effects.includes(`${afresh} price again`));
    await until(second.engine, [again], isHeld);
    const failed = (await second.engine.getTask(SCOPE, ended)).value;
    assert.equal(failed.status.state, "TASK_STATE_FAILED");
    assert.equal(failed.status.message?.parts[0]?.text, "the price list is gone");
    const refused = await runCli(["task", "retry", ended, "--store", store]);
    assert.match(refused.stderr, /is not held/);
    await second.engine.stop();

    const third = await deploy(file, "3");
    await until(third.engine, [again, ...rest], isDone);
    assert.deepEqual([...third.effects].sort(), [again, ...rest].map((id) => `${id} ship`).sort());
    await third.engine.stop();
  });
});
