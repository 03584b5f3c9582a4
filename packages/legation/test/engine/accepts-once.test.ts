/** A request is accepted once, however often, in parallel, and wherever it is sent. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  begin,
  dedupeKey,
  gate,
  type Handler,
  SCOPE,
  say,
  stateOf,
  taskOf,
  tell,
  textMessage,
  textOf,
  turns,
  World,
} from "./harness.ts";

describe("accepts once", () => {
  it("makes one task of twenty parallel sends on two replicas", async () => {
    const world = new World();
    const left = await world.start(async () => undefined);
    const right = await world.start(async () => undefined);
    const key = dedupeKey("m");
    const ids = await Promise.all(
      Array.from({ length: 20 }, (_, n) => begin(n % 2 === 0 ? left : right, "hello", key)),
    );
    assert.equal(new Set(ids).size, 1);
    await turns();
    assert.equal((await left.engine.listTasks(SCOPE, { limit: 100 })).total, 1);
    assert.equal((await taskOf(right, ids[0]!)).history?.length, 1);
  });

  it("takes a follow-up once, of twenty in parallel on two replicas, and other follow-ups beside it", async () => {
    const world = new World();
    const handler: Handler = async (turn) => {
      const heard: string[] = [];
      for (;;) {
        const text = textOf(await turn.receive());
        if (text === "end") return turn.complete(say(heard.sort().join(", ")));
        heard.push(text);
      }
    };
    const left = await world.start(handler);
    const right = await world.start(handler);
    const id = await begin(left);
    const sends = Array.from({ length: 20 }, (_, n) => tell(n % 2 === 0 ? left : right, id, "once", dedupeKey("once")));
    const others = Array.from({ length: 5 }, (_, n) => tell(left, id, `other ${n}`, dedupeKey(`other ${n}`)));
    const seqs = await Promise.all(sends);
    await Promise.all(others);
    assert.equal(new Set(seqs).size, 1);
    await tell(left, id, "end");
    await world.clock.advance(16_000);
    const task = await taskOf(left, id);
    assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    assert.equal(task.status.message?.parts[0]?.text, "once, other 0, other 1, other 2, other 3, other 4");
    // Sent again one by one, each is known.
    for (let n = 0; n < 5; n++) assert.equal(await store(world, `other ${n}`), id);
  });

  it("lets an answer run once at a time, and gives every duplicate the stored one", async () => {
    const world = new World();
    const left = await world.start(async () => undefined);
    const right = await world.start(async () => undefined);
    const key = dedupeKey("m");
    const open = gate();
    let runs = 0;
    const answer = async () => {
      runs += 1;
      await open.promise;
      return { reply: JSON.stringify({ run: runs }) };
    };
    const all = Array.from({ length: 20 }, (_, n) =>
      (n % 2 === 0 ? left : right).engine.answerOnce(key, SCOPE, answer),
    );
    await turns();
    open.open();
    await turns();
    await world.clock.advance(100);
    const replies = await Promise.all(all);
    assert.equal(runs, 1);
    assert.deepEqual(new Set(replies.map((reply) => reply.reply)), new Set(['{"run":1}']));
    assert.equal(replies.filter((reply) => !reply.duplicate).length, 1);
  });

  it("forgets an answer that failed, and runs the next send", async () => {
    const world = new World();
    const life = await world.start(async () => undefined);
    const key = dedupeKey("m");
    await assert.rejects(
      life.engine.answerOnce(key, SCOPE, async () => {
        throw new RangeError("no");
      }),
      RangeError,
    );
    const second = await life.engine.answerOnce(key, SCOPE, async () => ({ reply: '"yes"' }));
    assert.deepEqual([second.reply, second.duplicate], ['"yes"', false]);
  });

  it("tells why an answer failed even when the store cannot take that it did", async () => {
    const world = new World();
    const life = await world.start(async () => undefined);
    const failing = life.engine.answerOnce(dedupeKey("m"), SCOPE, async () => {
      world.store.fate = () => "refuse";
      throw new RangeError("no");
    });
    await assert.rejects(failing, RangeError);
  });

  it("takes the answer over from a process that died, once its lease has run out", async () => {
    const world = new World();
    const first = await world.start(async () => undefined);
    const key = dedupeKey("m");
    void first.engine.answerOnce(key, SCOPE, () => new Promise(() => {}));
    await turns();
    first.crash();
    const second = await world.start(async () => undefined);
    const answered = second.engine.answerOnce(key, SCOPE, async () => ({ reply: '"second"' }));
    await world.clock.advance(10_000);
    let done = false;
    void answered.then(() => {
      done = true;
    });
    await turns();
    assert.equal(done, false);
    await world.clock.advance(6_000);
    assert.equal((await answered).reply, '"second"');
  });

  it("keeps the lease of an answer for as long as it takes", async () => {
    const world = new World();
    const slow = await world.start(async () => undefined);
    const other = await world.start(async () => undefined);
    const key = dedupeKey("m");
    const open = gate();
    const answers: string[] = [];
    const answer = (by: string) => async () => {
      answers.push(by);
      await open.promise;
      return { reply: `"${by}"` };
    };
    const first = slow.engine.answerOnce(key, SCOPE, answer("slow"));
    await turns();
    const second = other.engine.answerOnce(key, SCOPE, answer("other"));
    await world.clock.advance(60_000);
    // A clock that is set back must not let the lease run out for those whose clock was not.
    world.clock.jump(-3_600_000);
    await world.clock.advance(20_000);
    world.clock.jump(3_600_000);
    await world.clock.advance(100);
    open.open();
    await turns();
    await world.clock.advance(100);
    assert.deepEqual([(await first).reply, (await second).reply], ['"slow"', '"slow"']);
    assert.deepEqual(answers, ["slow"]);
  });

  it("gives the first stored answer to a process that answered after its lease was taken over", async () => {
    const world = new World();
    const slow = await world.start(async () => undefined);
    const quick = await world.start(async () => undefined);
    // What is asked for as of a time to come is a renewal.
    const isRenewal = ({ step, now }: { step: string; now: number }) => step === "lease" && now > world.clock.now();
    world.store.fate = ({ replies }) => (replies.some(isRenewal) ? "refuse" : "ok");
    const key = dedupeKey("m");
    const open = gate();
    const late = slow.engine.answerOnce(key, SCOPE, async () => {
      await open.promise;
      return { reply: '"late"' };
    });
    await turns();
    const taken = quick.engine.answerOnce(key, SCOPE, async () => ({ reply: '"quick"' }));
    await world.clock.advance(15_100);
    assert.equal((await taken).reply, '"quick"');
    open.open();
    assert.equal((await late).reply, '"quick"');
  });

  it("refuses a message to a task at work when the agent says so, and takes it when the task waits", async () => {
    const world = new World();
    const open = gate();
    const life = await world.start(async (turn) => {
      await turn.step("work", () => open.promise.then(() => 1));
      await turn.ask(say("go on?"));
    });
    const id = await begin(life);
    await turns();
    const send = () =>
      life.engine.addMessage({
        scope: SCOPE,
        taskId: id,
        incoming: { message: textMessage("now"), meta: {} },
        dedupe: undefined,
        whileWorking: "reject",
      });
    await assert.rejects(send, { code: "UNSUPPORTED_OPERATION" });
    open.open();
    await turns();
    assert.equal(await stateOf(life, id), "INPUT_REQUIRED");
    await send();
    await turns();
    assert.equal(await stateOf(life, id), "COMPLETED");
    await assert.rejects(send, { code: "UNSUPPORTED_OPERATION" });
  });

  it("refuses another context without a side effect, and an unknown task", async () => {
    const world = new World();
    const life = await world.start(async (turn) => void (await turn.ask(say("?"))));
    const id = await begin(life);
    await turns();
    const before = (await world.entries(id)).length;
    const incoming = { message: textMessage("x"), meta: {} };
    const wrong = { scope: SCOPE, taskId: id, contextId: "other", incoming, dedupe: dedupeKey("x") };
    await assert.rejects(life.engine.addMessage(wrong), { code: "INVALID_PARAMS" });
    assert.equal((await world.entries(id)).length, before);
    assert.equal(await world.store.dedupe(dedupeKey("x")), undefined);
    await assert.rejects(life.engine.addMessage({ ...wrong, taskId: "none" }), { code: "TASK_NOT_FOUND" });
    const stranger = { ...SCOPE, owner: "somebody" };
    await assert.rejects(life.engine.addMessage({ ...wrong, scope: stranger }), { code: "TASK_NOT_FOUND" });
  });

  it("never writes into a task that is there already when a new one is to have its id", async () => {
    const world = new World();
    const life = await world.start(async (turn) => void (await turn.ask(say("?"))));
    const id = await begin(life);
    await turns();
    const before = await world.entries(id);
    const incoming = { message: textMessage("x"), meta: {} };
    const again = life.engine.createTask({ scope: SCOPE, contextId: "d", taskId: id, incoming, dedupe: undefined });
    await assert.rejects(again);
    assert.deepEqual(await world.entries(id), before);
    assert.equal((await taskOf(life, id)).contextId, "c");
  });
});

async function store(world: World, messageId: string): Promise<string | null | undefined> {
  return (await world.store.dedupe(dedupeKey(messageId)))?.taskId;
}
