/** A task in the hands of an outside worker: every report counts once, and a worker that falls silent is replaced. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { inspect } from "node:util";
import { deferred, deferring, handed, issued, MINUTE, workerOf } from "./deferring.ts";
import { artifactText, begin, dedupeKey, drain, SCOPE, say, stateOf, taskOf, tell, turns, World } from "./harness.ts";

describe("deferred", () => {
  it("stays WORKING without a lease while a worker reports, and ends when the worker says so", async () => {
    const { world, life, id, worker, tokens } = await deferred();
    const stream = drain(await life.engine.subscribe(SCOPE, id, { until: "terminal" }));
    const row = await world.store.task(id);
    assert.deepEqual([row?.holder, row?.state, row?.attempts], [null, "TASK_STATE_WORKING", 0]);
    assert.equal(row?.due, world.clock.now() + MINUTE);
    for (let n = 0; n < 10; n++) {
      await world.clock.advance(MINUTE - 1_000);
      const { state, deadline } = await worker.heartbeat();
      assert.deepEqual([state, Date.parse(deadline ?? "")], ["TASK_STATE_WORKING", world.clock.now() + MINUTE]);
    }
    await worker.working("half way");
    await worker.artifact("plan.txt", { text: "one " });
    await worker.artifact("plan.txt", { text: "two", append: true, lastChunk: true });
    await assert.rejects(worker.artifact("other.txt", { text: "x", append: true }), { code: "INVALID_PARAMS" });
    const large = "x".repeat(100_000);
    await worker.artifact("large.txt", { text: large });
    assert.equal((await worker.complete("done")).state, "TASK_STATE_COMPLETED");
    const task = await taskOf(life, id);
    assert.equal(task.status.message?.parts[0]?.text, "done");
    assert.equal(artifactText(task, "plan.txt"), "one two");
    assert.equal(artifactText(task, "large.txt"), large);
    assert.equal(tokens.length, 1, "the handler ran once");
    const kinds = (await stream).map(({ value }) => Object.keys(value)[0]);
    assert.deepEqual(kinds, [
      "task",
      "statusUpdate",
      "artifactUpdate",
      "artifactUpdate",
      "artifactUpdate",
      "statusUpdate",
    ]);
  });

  it("takes a report once, however often and wherever it is sent, also when the task has ended", async () => {
    const { world, life, id, tokens } = await deferred();
    const other = await world.start(deferring(tokens));
    const send = (n: number, report: Parameters<typeof life.engine.deferrals.report>[1]) =>
      (n % 2 === 0 ? life : other).engine.deferrals.report(tokens[0] ?? "", report);
    const first = { report: "artifact", id: "a", artifact: { name: "x", parts: [{ text: "1" }] } } as const;
    await Promise.all(Array.from({ length: 10 }, (_, n) => send(n, first)));
    const chunk = {
      report: "artifact",
      id: "b",
      artifact: { name: "x", parts: [{ text: "2" }], append: true },
    } as const;
    await Promise.all(Array.from({ length: 10 }, (_, n) => send(n, chunk)));
    assert.equal(artifactText(await taskOf(other, id), "x"), "12");
    const end = { report: "complete", id: "c" } as const;
    const ends = await Promise.all(Array.from({ length: 10 }, (_, n) => send(n, end)));
    assert.deepEqual(new Set(ends.map(({ state }) => state)), new Set(["TASK_STATE_COMPLETED"]));
    assert.equal((await send(0, chunk)).state, "TASK_STATE_COMPLETED");
    const kinds = (await world.entries(id)).map(({ kind }) => kind);
    assert.equal(kinds.filter((kind) => kind === "artifact").length, 2);
    await assert.rejects(send(0, { report: "complete", id: "another" }), {
      code: "UNSUPPORTED_OPERATION",
      metadata: { taskId: id, state: "TASK_STATE_COMPLETED" },
    });
  });

  it("gives the task to the next worker when one falls silent, refuses the silent one, and fails it in the end", async () => {
    const { world, life, id, tokens, worker } = await deferred({ attempts: 3 });
    await worker.artifact("x", { text: "half" });
    await world.clock.advance(MINUTE + 1_000);
    await issued(tokens, 2);
    await handed(world, id);
    await assert.rejects(worker.heartbeat(), { code: "PERMISSION_DENIED", message: /given to another worker: stop/ });
    assert.equal(worker.signal.aborted, true);
    const second = workerOf(life, tokens[1] ?? "");
    await second.artifact("x", { text: "whole" });
    await world.clock.advance(MINUTE - 1_000);
    await second.heartbeat();
    await world.clock.advance(MINUTE + 1_000);
    await issued(tokens, 3);
    await handed(world, id);
    assert.equal(await stateOf(life, id), "WORKING");
    await world.clock.advance(MINUTE + 1_000);
    assert.equal(tokens.length, 3);
    const { status } = await taskOf(life, id);
    assert.equal(status.state, "TASK_STATE_FAILED");
    assert.match(status.message?.parts[0]?.text ?? "", /nothing was heard for 60000 ms/);
    // What the handler had recorded was not done again, what it had said is there once.
    const entries = await world.entries(id);
    assert.equal(entries.filter(({ kind }) => kind === "decision").length, 1);
    assert.equal(entries.filter(({ payload }) => payload.includes("preparing")).length, 1);
    assert.equal(artifactText(await taskOf(life, id), "x"), "whole");
  });

  it("asks the caller and waits for hours without a heartbeat; from the answer on the worker has to be heard of", async () => {
    const { world, life, id, tokens, worker } = await deferred();
    const answer = worker.ask("which car?", { id: "q" });
    await life.engine.settled(SCOPE, id, 2);
    assert.equal(await stateOf(life, id), "INPUT_REQUIRED");
    await world.clock.advance(120 * MINUTE);
    assert.equal(await stateOf(life, id), "INPUT_REQUIRED");
    assert.equal(tokens.length, 1);
    await tell(life, id, "the red one");
    assert.equal((await answer).parts[0]?.text, "the red one");
    assert.equal(await stateOf(life, id), "WORKING");
    // A worker that is run again from its start asks the same again, and gets the same answer.
    assert.equal((await worker.ask("which car?", { id: "q" })).parts[0]?.text, "the red one");
    const asked = (await world.entries(id)).filter(({ payload }) => payload.includes("which car?"));
    assert.equal(asked.length, 1);
    await worker.complete();
    assert.equal((await taskOf(life, id)).status.state, "TASK_STATE_COMPLETED");
  });

  it("replaces a worker that does not come for the answer that it asked for", async () => {
    const { world, life, id, tokens } = await deferred();
    await life.engine.deferrals.report(tokens[0] ?? "", { report: "ask", id: "q", parts: [{ text: "?" }] });
    await world.clock.advance(10 * MINUTE);
    await tell(life, id, "yes");
    await world.clock.advance(MINUTE + 1_000);
    await issued(tokens, 2);
    await handed(world, id);
    assert.equal(await stateOf(life, id), "WORKING");
    const second = workerOf(life, tokens[1] ?? "");
    assert.equal((await second.receive()).parts[0]?.text, "yes");
  });

  it("gives messages of the caller in their order, each once, and says that a task is at work", async () => {
    const { world, life, id, worker } = await deferred();
    const waiting = worker.receive();
    await turns(100);
    await tell(life, id, "one");
    assert.equal((await waiting).parts[0]?.text, "one");
    await tell(life, id, "two");
    await tell(life, id, "three");
    assert.equal((await worker.receive({ id: "r" })).parts[0]?.text, "two");
    assert.equal((await worker.receive({ id: "r" })).parts[0]?.text, "two");
    const rejecting = life.engine.addMessage({
      scope: SCOPE,
      taskId: id,
      incoming: { message: { messageId: "x", role: "ROLE_USER", parts: [{ text: "x" }] }, meta: {} },
      dedupe: dedupeKey("x"),
      whileWorking: "reject",
    });
    await assert.rejects(rejecting, { code: "UNSUPPORTED_OPERATION", message: /is at work/ });
    await worker.fail("no");
    assert.equal((await taskOf(life, id)).status.state, "TASK_STATE_FAILED");
    const left = (await world.entries(id)).filter(({ kind }) => kind === "message.unprocessed");
    assert.equal(left.length, 1);
  });

  it("tells a worker of a cancel by its next report, and one that waits at once", async () => {
    const { life, id, worker } = await deferred();
    const waiting = worker.receive();
    waiting.catch(() => {});
    await turns(100);
    await life.engine.cancelTask(SCOPE, id);
    await assert.rejects(waiting, { code: "UNSUPPORTED_OPERATION", message: /CANCELED: stop working on it/ });
    assert.equal(worker.signal.aborted, true);
    await assert.rejects(worker.complete(), { metadata: { taskId: id, state: "TASK_STATE_CANCELED" } });
    assert.equal(await stateOf(life, id), "CANCELED");
  });

  it("knows a token by its hash alone: the token is in no row, no entry and no line of the log", async () => {
    const { world, life, id, tokens, worker } = await deferred();
    await worker.working("at it");
    await world.clock.advance(MINUTE + 1_000);
    await issued(tokens, 2);
    const row = await world.store.task(id);
    const written = JSON.stringify([row, await world.entries(id), life.log]);
    assert.ok(row?.run.includes('"hash":'));
    for (const token of tokens) {
      const secret = /^lgd_([0-9a-f]{64})\./.exec(token)?.[1];
      assert.ok(secret !== undefined && !written.includes(secret));
    }
    const [, second = ""] = tokens;
    const wrong = second.replace(/[0-9a-f]{64}/, "0".repeat(64));
    for (const token of ["", "x", wrong, second.replace(id, "none"), second.replace(/\.\d+\./, ".99.")]) {
      await assert.rejects(life.engine.deferrals.report(token, { report: "heartbeat" }), { code: "UNAUTHENTICATED" });
    }
  });

  it("lets nothing be decided or said in a turn that is deferred, and takes no answer for the deferral itself", async () => {
    const world = new World();
    const refused: string[] = [];
    const note = (error: Error): void => void refused.push(error.message);
    const life = await world.start(async (turn) => {
      await assert.rejects(turn.defer({ heartbeatMs: 10 }), { message: "defer takes heartbeatMs from 1000, not 10" });
      const given = await turn.defer({ heartbeatMs: MINUTE });
      assert.ok(given.token.startsWith("lgd_") && !inspect([given, { ...given }]).includes("lgd_"));
      await turn.step("hand over", () => 1).catch(note);
      await turn.working(say("x")).catch(note);
      await turn.artifact({ name: "x", parts: [{ text: "x" }] }).catch(note);
    });
    const id = await begin(life);
    await issued(refused, 3);
    await handed(world, id);
    assert.match(refused[0] ?? "", /step "hand over" came too late, the turn is deferred: hand the token over/);
    const row = await world.store.task(id);
    assert.deepEqual([row?.state, row?.holder], ["TASK_STATE_WORKING", null]);
  });

  it("holds a run whose code does not fit when the next worker is looked for, and fails one whose handler gives up", async () => {
    const { world, life, id } = await deferred();
    await world.crash(life);
    const newer = await world.start(async (turn) => turn.defer({ heartbeatMs: MINUTE }), { version: "2" });
    await world.clock.advance(MINUTE);
    assert.match((await world.store.task(id))?.held ?? "", /step "prepare"/);
    await newer.engine.restartTurn(id);
    await world.clock.advance(100);
    await handed(world, id);
    assert.equal((await world.store.task(id))?.held, null);
    assert.equal(await stateOf(newer, id), "WORKING");
    await world.crash(newer);
    const third = await world.start(async (turn) => turn.fail(say("nobody is there")), { version: "3" });
    await world.clock.advance(2 * MINUTE);
    assert.match((await world.store.task(id))?.held ?? "", /defer/);
    await third.engine.fail(id, "given up");
    assert.equal(await stateOf(third, id), "FAILED");
  });
});
