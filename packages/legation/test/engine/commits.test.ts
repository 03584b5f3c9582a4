/** What happens to a task when the store refuses, is away, or loses the answer of a COMMIT. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StoreUnavailable, Unstorable } from "../../src/engine/store.ts";
import {
  artifactText,
  begin,
  dedupeKey,
  drain,
  type Fate,
  gate,
  type Handler,
  type Life,
  SCOPE,
  say,
  stateOf,
  taskOf,
  tell,
  textOf,
  turns,
  World,
} from "./harness.ts";

describe("commits", () => {
  it("finds out after every lost answer that the commit was done, and writes nothing twice", async () => {
    const world = new World();
    world.store.fate = (_batch, number) => (number % 2 === 0 ? "lose" : "ok");
    const ran: string[] = [];
    const life = await world.start(async (turn) => {
      await turn.step("a", () => void ran.push("a"));
      await turn.artifact({ name: "x", parts: [{ text: "one " }] });
      await turn.artifact({ name: "x", append: true, parts: [{ text: "two" }] });
      const answer = await turn.ask(say("?"));
      await turn.step("b", () => void ran.push(`b ${answer.message.parts[0]?.text}`));
    });
    const id = await begin(life, "begin", dedupeKey("m"));
    await settled(life, id);
    await settled(life, id, await tell(life, id, "yes", dedupeKey("n")));
    assert.equal(await stateOf(life, id), "COMPLETED");
    assert.deepEqual(ran, ["a", "b yes"]);
    assert.equal(artifactText(await taskOf(life, id), "x"), "one two");
    const kinds = (await world.entries(id)).map((entry) => entry.kind);
    assert.equal(kinds.filter((kind) => kind === "artifact").length, 2);
    assert.equal(kinds.filter((kind) => kind === "decision").length, 3);
    assert.equal((await taskOf(life, id)).history?.length, 3);
  });

  it("drops the run of a commit that was refused for good, and runs it again from the log", async () => {
    const world = new World();
    const ran: string[] = [];
    let refuse = true;
    world.store.fate = (batch) => {
      const records = batch.tasks.some((task) => task.events.some((event) => event.payload.includes('"name":"b"')));
      return records && refuse ? "refuse" : "ok";
    };
    const life = await world.start(async (turn) => {
      await turn.step("a", () => void ran.push("a"));
      await turn.artifact({ name: "x", parts: [{ text: "whole" }] });
      await turn.step("b", () => void ran.push("b"));
    });
    const id = await begin(life);
    await turns();
    refuse = false;
    await world.clock.advance(16_000);
    assert.equal(await stateOf(life, id), "COMPLETED");
    assert.deepEqual(ran, ["a", "b", "b"]);
    assert.equal(artifactText(await taskOf(life, id), "x"), "whole");
  });

  it("drops a run whose last commit only emitted, so that nothing of it is built upon", async () => {
    const world = new World();
    const open = gate();
    let lives = 0;
    let refuse = true;
    world.store.fate = (batch) =>
      refuse && batch.tasks.some((task) => task.events.some((event) => event.payload.includes("lost")))
        ? "refuse"
        : "ok";
    const life = await world.start(async (turn) => {
      lives += 1;
      await turn.artifact({ name: "x", parts: [{ text: lives === 1 ? "lost " : "found " }] });
      if (lives === 1) await open.promise;
      await turn.artifact({ name: "x", append: true, parts: [{ text: "rest" }] });
    });
    const id = await begin(life);
    await turns();
    refuse = false;
    open.open();
    await turns();
    await world.clock.advance(16_000);
    assert.equal(await stateOf(life, id), "COMPLETED");
    assert.equal(artifactText(await taskOf(life, id), "x"), "found rest");
  });

  it("never lets one task's refused commit take others with it", async () => {
    const world = new World();
    world.store.fate = (batch) =>
      batch.tasks.some((task) => task.events.some((event) => event.payload.includes("poison"))) ? "refuse" : "ok";
    const life = await world.start(async (turn) => void (await turn.ask(say("?"))));
    const sends = await Promise.allSettled([begin(life, "one"), begin(life, "poison"), begin(life, "two")]);
    assert.deepEqual(
      sends.map((send) => send.status),
      ["fulfilled", "rejected", "fulfilled"],
    );
    assert.equal((sends[1] as PromiseRejectedResult).reason.code, "UNAVAILABLE");
    await turns();
    assert.equal((await life.engine.listTasks(SCOPE, { limit: 10 })).total, 2);
  });

  it("tells the sender of a value that the store can never keep so, and nobody else", async () => {
    const world = new World();
    world.store.fate = ({ tasks }) => {
      if (tasks.some(({ events }) => events.some(({ payload }) => payload.includes("\\u0000"))))
        throw new Unstorable("u0");
      return "ok";
    };
    const life = await world.start(async (turn) => void (await turn.receive()));
    await assert.rejects(begin(life, "\0", dedupeKey("m")), { code: "INVALID_PARAMS", message: /leave out U\+0000/ });
    const id = await begin(life);
    await turns();
    const told = await Promise.allSettled([tell(life, id, "\0", dedupeKey("n")), tell(life, id, "fine")]);
    assert.equal((told[0] as PromiseRejectedResult).reason.code, "INVALID_PARAMS");
    await world.clock.advance(2_000);
    if (told[1]?.status === "rejected") await tell(life, id, "fine");
    await world.clock.advance(2_000);
    assert.equal(await stateOf(life, id), "COMPLETED");
  });

  it("tells a mistake of its own from what a retry helps against", async () => {
    const world = new World();
    const life = await world.start(async () => undefined);
    const codes: string[] = [];
    for (const mistake of [new TypeError("x"), new RangeError("Invalid string length"), new Error("x")]) {
      world.store.fate = () => Promise.reject(mistake);
      await begin(life).catch(({ code }: { readonly code: string }) => codes.push(code));
    }
    assert.deepEqual(codes, ["INTERNAL", "INVALID_PARAMS", "UNAVAILABLE"]);
  });

  it("ends a task whose agent says what the store can never keep, after one attempt", async () => {
    const world = new World();
    world.store.fate = ({ tasks }) => {
      if (tasks.some(({ events }) => events.some(({ payload }) => payload.includes("\\u0000"))))
        throw new Unstorable("u0");
      return "ok";
    };
    for (const says of ["artifact", "step"] as const) {
      let runs = 0;
      const life = await world.start(async (turn) => {
        runs += 1;
        if (says === "artifact") await turn.artifact({ name: "x", parts: [{ text: "\0" }] });
        await turn.step("x", () => "\0");
      });
      const id = await begin(life);
      await world.clock.advance(60_000);
      const { status } = await taskOf(life, id);
      assert.equal(status.state, "TASK_STATE_FAILED");
      assert.match(status.message?.parts[0]?.text ?? "", /the store cannot keep/);
      assert.equal(runs, 1);
      await world.crash(life);
    }
  });

  it("tells a sender who waits for an accepted task that the store is full, and finishes the task when it is not", async () => {
    const world = new World();
    const life = await world.start(async (turn) => void (await turn.step("work", () => 1)), {
      settings: { storeWaitMs: 50 },
    });
    // There is room for the task and for nothing that follows.
    world.store.fate = ({ tasks }) => (tasks.some(({ create }) => create === undefined) ? "unavailable" : "ok");
    const id = await begin(life, "begin", dedupeKey("m"));
    const refusal = { code: "UNAVAILABLE", message: /task \S+ is stored, .* goes on by itself: read it with GetTask/ };
    await assert.rejects(life.engine.settled(SCOPE, id, 2), refusal);
    // One who comes later is told too: nothing can be claimed either.
    const claim = world.store.claim;
    world.store.claim = () => Promise.reject(new StoreUnavailable("full"));
    const late = assert.rejects(life.engine.settled(SCOPE, id, 2), refusal);
    await world.clock.advance(30_000);
    await late;
    world.store.claim = claim;
    world.store.fate = () => "ok";
    const done = life.engine.settled(SCOPE, id, 2).then(() => true);
    // The store is tried again on the clock of the machine.
    const pause = () => new Promise<undefined>((resolve) => setTimeout(resolve, 20));
    while ((await Promise.race([done, pause()])) === undefined) await world.clock.advance(1_000);
    assert.equal(await stateOf(life, id), "COMPLETED");
    assert.equal(await begin(life, "begin", dedupeKey("m")), id);
  });

  it("answers who waited for the end with what is at hand, and reads nothing for it", async () => {
    const world = new World();
    const life = await world.start(async () => undefined);
    world.store.tells = false;
    const id = await begin(life);
    await life.engine.settled(SCOPE, id, 2);
    world.store.beforeRead = () => assert.fail("it was read");
    const { value } = await life.engine.getTask(SCOPE, id);
    assert.equal(value.status.state, "TASK_STATE_COMPLETED");
  });

  it("shows nothing that was not committed while the store is away, and goes on when it is back", async () => {
    const world = new World();
    const life = await world.start(async (turn, incoming) => {
      await turn.artifact({ name: "x", parts: incoming.message.parts });
      await turn.ask(say("?"));
    });
    const id = await begin(life, "early");
    await turns();
    const stream = drain(await life.engine.subscribe(SCOPE, id, { until: "terminal" }));
    world.store.fate = () => "unavailable";
    const told = tell(life, id, "go");
    await turns();
    assert.equal((await world.entries(id)).filter((entry) => entry.kind === "message").length, 1);
    world.store.fate = () => "ok";
    await settled(life, id, await told);
    assert.equal(await stateOf(life, id), "COMPLETED");
    const events = await stream;
    const seqs = events.map((event) => event.seq ?? 0);
    assert.deepEqual(
      seqs,
      [...new Set(seqs)].sort((a, b) => a - b),
    );
  });

  it("says UNAVAILABLE, and not INTERNAL, when a read finds the store away", async () => {
    const world = new World();
    const life = await world.start(async () => undefined);
    const id = await begin(life);
    await turns();
    world.store.away = true;
    await assert.rejects(life.engine.getTask(SCOPE, id), { code: "UNAVAILABLE" });
    await assert.rejects(life.engine.listTasks(SCOPE, { limit: 1 }), { code: "UNAVAILABLE" });
    await assert.rejects(life.engine.cancelTask(SCOPE, id), { code: "UNAVAILABLE" });
    await assert.rejects(life.engine.subscribe(SCOPE, id, { until: "terminal" }), { code: "UNAVAILABLE" });
    await assert.rejects(tell(life, id, "x", dedupeKey("x")), { code: "UNAVAILABLE" });
    world.store.away = false;
    assert.equal(await stateOf(life, id), "COMPLETED");
  });

  it("loads the log again before it writes on, when it could not be read after a failed commit", async () => {
    const world = new World();
    const life = await world.start(async (turn) => void (await turn.receive()));
    const id = await begin(life);
    await turns();
    world.store.fate = (batch) => {
      if (!batch.tasks.some((task) => task.events.some((event) => event.payload.includes("poison")))) return "ok";
      world.store.beforeRead = () => {
        throw new Error("unreadable");
      };
      return "refuse";
    };
    await assert.rejects(tell(life, id, "poison"), { code: "UNAVAILABLE" });
    world.store.beforeRead = () => {};
    await settled(life, id, await tell(life, id, "good"));
    const task = await taskOf(life, id);
    assert.equal(task.status.state, "TASK_STATE_COMPLETED");
    assert.deepEqual(
      task.history?.map((message) => message.parts[0]?.text),
      ["begin", "good"],
    );
    const [last] = (await world.entries(id)).filter((entry) => entry.kind === "message").slice(-1);
    assert.ok(last?.payload.includes("good"));
  });

  it("does not count a chunk twice in the task when a conflict made it write again", async () => {
    const world = new World();
    const open = gate();
    const left = await world.start(async (turn) => {
      await turn.artifact({ name: "x", parts: [{ text: "1" }] });
      await turn.artifact({ name: "x", append: true, parts: [{ text: "2" }] });
      await turn.artifact({ name: "x", append: true, parts: [{ text: "3" }] });
      await open.promise;
    });
    const right = await world.start(async () => undefined);
    let raced = false;
    world.store.tells = false;
    world.store.fate = async (batch): Promise<Fate> => {
      const chunks = batch.tasks.filter((task) => task.events.some((event) => event.kind === "artifact"));
      if (chunks.length > 0 && !raced) {
        raced = true;
        await tell(right, id, "in between");
      }
      return "ok";
    };
    const id = await begin(left);
    await turns();
    assert.equal(raced, true);
    assert.equal(artifactText(await taskOf(left, id), "x"), "123");
    open.open();
    await turns();
    assert.equal(artifactText(await taskOf(right, id), "x"), "123");
  });

  it("does not run a task whose claim was lost on its way while another replica took the same message", async () => {
    const world = new World();
    const open = gate();
    const runs: string[] = [];
    const handler =
      (name: string): Handler =>
      async (turn, incoming) => {
        if (textOf(incoming) === "begin") return turn.pause(say("?"));
        runs.push(name);
        await turn.step("a", () => open.promise.then(() => name));
        return undefined;
      };
    const left = await world.start(handler("left"));
    const right = await world.start(handler("right"));
    const id = await begin(left);
    await settled(left, id);
    let dropped = false;
    world.store.fate = async (batch): Promise<Fate> => {
      if (dropped || !batch.tasks.some((task) => task.events.some((event) => event.kind === "message"))) return "ok";
      dropped = true;
      await tell(right, id, "go", dedupeKey("go"));
      return "drop";
    };
    const seq = await tell(left, id, "go", dedupeKey("go"));
    await turns();
    open.open();
    await settled(left, id, seq);
    assert.equal(await stateOf(left, id), "COMPLETED");
    assert.deepEqual(runs, ["right"]);
    const kinds = (await world.entries(id)).map((entry) => entry.kind);
    assert.equal(kinds.filter((kind) => kind === "decision").length, 1);
    assert.equal(kinds.filter((kind) => kind === "message").length, 2);
  });

  it("gives a turn the message of its place, also when another replica's came in before it", async () => {
    const world = new World();
    const handler: Handler = async (turn) => {
      const first = textOf(await turn.receive());
      return turn.complete(say(`${first}, ${textOf(await turn.receive())}`));
    };
    const left = await world.start(handler);
    const right = await world.start(handler);
    const id = await begin(left);
    await turns();
    world.store.tells = false;
    let raced = false;
    world.store.fate = async (batch): Promise<Fate> => {
      if (!raced && batch.tasks.some((task) => task.events.some((event) => event.payload.includes("second")))) {
        raced = true;
        await tell(right, id, "first");
      }
      return "ok";
    };
    await tell(left, id, "second");
    world.store.tells = true;
    await world.clock.advance(16_000);
    assert.equal((await taskOf(left, id)).status.message?.parts[0]?.text, "first, second");
  });
});

async function settled(life: Life, id: string, afterSeq = 0): Promise<void> {
  await life.engine.settled(SCOPE, id, afterSeq);
  await turns();
}
