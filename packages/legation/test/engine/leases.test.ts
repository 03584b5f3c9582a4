/** Who runs a task: one process at a time, each in its turn, and none for ever. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  artifactText,
  begin,
  gate,
  type Handler,
  SCOPE,
  say,
  stateOf,
  taskOf,
  tell,
  textOf,
  turns,
  World,
} from "./harness.ts";

const hangs: Handler = async (turn) => void (await turn.step("hang", () => new Promise<number>(() => {})));

describe("leases", () => {
  it("finishes elsewhere what a dead process began, within its lease", async () => {
    const world = new World();
    const first = await world.start(hangs);
    const second = await world.start(async () => undefined);
    const id = await begin(first);
    await turns();
    first.crash();
    await world.clock.advance(14_000);
    assert.equal(await stateOf(second, id), "WORKING");
    await world.clock.advance(1_100);
    assert.equal(await stateOf(second, id), "COMPLETED");
  });

  it("takes over soon where the clock of the store says later that a lease is over", async () => {
    const world = new World();
    const first = await world.start(hangs);
    const second = await world.start(async () => undefined);
    const id = await begin(first);
    await turns();
    first.crash();
    world.store.aheadMs = -30;
    await world.clock.advance(15_000);
    assert.equal(await stateOf(second, id), "WORKING");
    await world.clock.advance(100);
    assert.equal(await stateOf(second, id), "COMPLETED");
  });

  it("ends at once the leases of a process that is known to be dead", async () => {
    const world = new World();
    const first = await world.start(hangs);
    const id = await begin(first);
    await turns();
    first.crash();
    const second = await world.start(async () => undefined, { isDead: (holder) => holder === "life-1" });
    await turns();
    assert.equal(await stateOf(second, id), "COMPLETED");
  });

  it("keeps a long turn for as long as it runs", async () => {
    const world = new World();
    const open = gate();
    let runs = 0;
    const handler: Handler = async (turn) => {
      runs += 1;
      await turn.step("long", () => open.promise.then(() => 1));
    };
    const first = await world.start(handler);
    const second = await world.start(handler);
    const id = await begin(first);
    await world.clock.advance(120_000);
    open.open();
    await turns();
    assert.equal(await stateOf(second, id), "COMPLETED");
    assert.equal(runs, 1);
  });

  it("refuses what a process writes that was asleep past its lease, and aborts its run", async () => {
    const world = new World();
    const wake = gate();
    const aborted: string[] = [];
    const slept = await world.start(async (turn) => {
      turn.signal.addEventListener("abort", () => aborted.push("aborted"));
      await turn.artifact({ name: "x", parts: [{ text: "early " }] });
      await wake.promise;
      await turn.artifact({ name: "x", append: true, parts: [{ text: "late" }] });
      await turn.step("late", () => 1);
    });
    const id = await begin(slept);
    await turns();
    // The clock of the sleeper stands still: it neither renews nor learns anything.
    world.store.renewal = "unavailable";
    world.store.tells = false;
    const other = await world.start(async (turn) => {
      await turn.artifact({ name: "x", parts: [{ text: "early " }] });
      await turn.artifact({ name: "x", append: true, parts: [{ text: "other" }] });
    });
    const [row] = await world.store.claim({
      holder: "other",
      now: world.clock.now() + 20_000,
      leaseMs: 15_000,
      limit: 1,
      agents: ["a"],
      minAttempts: 0,
      maxAttempts: 10,
    });
    assert.equal(row?.epoch, 2);
    wake.open();
    await turns();
    assert.deepEqual(aborted, ["aborted"]);
    assert.equal(artifactText(await taskOf(other, id), "x"), "early ");
    const kinds = (await world.entries(id)).map((entry) => entry.kind);
    assert.ok(!kinds.includes("decision"));
  });

  it("ends a run whose lease cannot be renewed, before it runs out", async () => {
    const world = new World();
    const aborted: number[] = [];
    const life = await world.start(async (turn) => {
      turn.signal.addEventListener("abort", () => aborted.push(world.clock.now()));
      await turn.step("work", () => new Promise<number>(() => {}));
    });
    const begun = world.clock.now();
    await begin(life);
    await turns();
    world.store.renewal = "unavailable";
    await world.clock.advance(14_999);
    assert.equal(aborted.length, 1);
    assert.ok(aborted[0]! < begun + 15_000);
    world.store.renewal = "ok";
    await world.clock.advance(30_000);
    assert.equal(aborted.length, 1, "it runs again");
  });

  it("ends a run whose lease cannot be renewed also when the clock was set back an hour meanwhile", async () => {
    const world = new World();
    const aborted: number[] = [];
    const life = await world.start(async (turn) => {
      turn.signal.addEventListener("abort", () => aborted.push(world.clock.monotonic?.() ?? 0));
      await turn.step("work", () => new Promise<number>(() => {}));
    });
    const begun = world.clock.monotonic?.() ?? 0;
    await begin(life);
    await turns();
    world.clock.jump(-3_600_000);
    world.store.renewal = "unavailable";
    await world.clock.advance(14_999);
    assert.equal(aborted.length, 1, "it believes that it still owns the lease");
    assert.ok(aborted[0]! < begun + 15_000);
  });

  it("gives a task up after five deaths, takes it alone after two, and lets its neighbours live", async () => {
    const world = new World();
    const lives: string[] = [];
    const handler =
      (n: number): Handler =>
      async (turn, incoming) => {
        const text = textOf(incoming);
        lives.push(`${n}:${text}`);
        if (text === "killer") await new Promise(() => {});
        await turn.step("work", () => 1);
      };
    let life = await world.start(handler(1));
    const killer = await begin(life, "killer");
    await turns();
    for (let n = 2; n <= 6; n++) {
      await world.crash(life);
      life = await world.start(handler(n));
      await begin(life, "neighbour");
      await world.clock.advance(40_000);
    }
    assert.equal(await stateOf(life, killer), "FAILED");
    const text = (await taskOf(life, killer)).status.message?.parts[0]?.text;
    assert.equal(text, "the agent was stopped 5 times while it worked on this task");
    assert.deepEqual(
      lives.filter((entry) => entry.endsWith("killer")),
      ["1:killer", "2:killer", "3:killer", "4:killer", "5:killer"],
    );
    assert.equal((await life.engine.listTasks(SCOPE, { limit: 10, state: "TASK_STATE_COMPLETED" })).total, 5);
  });

  it("comes to a task that failed twice also where something always runs", async () => {
    const world = new World();
    let deaths = 0;
    const handler: Handler = async (turn, incoming) => {
      if (textOf(incoming) === "busy") await turn.step("busy", () => new Promise<number>(() => {}));
      else if (deaths++ < 2) await new Promise(() => {});
    };
    let life = await world.start(handler);
    const id = await begin(life, "unlucky");
    await turns();
    for (let n = 0; n < 2; n++) {
      await world.crash(life);
      life = await world.start(handler);
      await begin(life, "busy");
      await world.clock.advance(100);
    }
    await world.clock.advance(40_000);
    assert.equal(await stateOf(life, id), "COMPLETED");
  });

  it("counts claims since the last progress only", async () => {
    const world = new World();
    let done = 0;
    const handler: Handler = async (turn) => {
      for (let n = 0; n < 12; n++) {
        await turn.step(`s${n}`, () => n);
        if (n >= done) {
          done += 1;
          if (done < 12) await new Promise(() => {});
        }
      }
    };
    let life = await world.start(handler);
    const id = await begin(life);
    for (let n = 0; n < 12; n++) {
      await turns(60);
      await world.crash(life);
      life = await world.start(handler);
    }
    await turns(60);
    assert.equal(await stateOf(life, id), "COMPLETED");
  });

  it("gives everything back when it stops, and counts no attempt for it", async () => {
    const world = new World();
    const handler: Handler = async (turn) => {
      await turn.artifact({ name: "x", parts: [{ text: "pending" }] });
      await new Promise(() => {});
    };
    let life = await world.start(handler);
    const id = await begin(life);
    await turns();
    for (let n = 0; n < 8; n++) {
      await life.engine.stop({ graceMs: 0 });
      const row = await world.store.task(id);
      assert.deepEqual([row?.holder, row?.attempts, row?.held], [null, 0, null]);
      life = await world.start(handler);
      await turns();
      assert.equal((await world.store.task(id))?.holder, `life-${n + 2}`, "it is taken at once");
    }
    assert.equal(artifactText(await taskOf(life, id), "x"), "pending");
  });

  it("waits for a turn that ends within the grace, and begins no other", async () => {
    const world = new World();
    const open = gate();
    const heard: string[] = [];
    const life = await world.start(async (turn, incoming) => {
      heard.push(textOf(incoming));
      await turn.step("work", () => open.promise.then(() => 1));
    });
    const id = await begin(life, "one");
    await turns();
    await tell(life, id, "two");
    const stopped = life.engine.stop({ graceMs: 5_000 });
    await turns();
    open.open();
    await stopped;
    assert.deepEqual(heard, ["one"]);
    const row = await world.store.task(id);
    assert.deepEqual([row?.holder, row?.state], [null, "TASK_STATE_WORKING"]);
    const next = await world.start(async (_turn, incoming) => void heard.push(textOf(incoming)));
    await turns();
    assert.deepEqual(heard, ["one", "two"]);
    assert.equal(await stateOf(next, id), "COMPLETED");
  });

  it("runs no more at once than it may, and everything in the end", async () => {
    const world = new World();
    let [now, most, ran] = [0, 0, 0];
    const life = await world.start(
      async (turn) => {
        now += 1;
        most = Math.max(most, now);
        await turn.step("work", () => turns(3).then(() => 1));
        now -= 1;
        ran += 1;
      },
      { settings: { maxRuns: 5 } },
    );
    await Promise.all(Array.from({ length: 60 }, () => begin(life)));
    for (let n = 0; n < 200 && ran < 60; n++) await world.clock.advance(50);
    assert.equal(ran, 60);
    assert.equal(most, 5);
  });

  it("goes on with the others when one task cannot be read", async () => {
    const world = new World();
    const first = await world.start(hangs);
    const ids = [await begin(first), await begin(first), await begin(first)];
    await turns();
    first.crash();
    await world.clock.advance(15_001);
    let broken = (await world.store.task(ids[0]!))?.id;
    world.store.reads = (entry) => {
      if (broken !== undefined && entry.payload.includes(broken)) return { ...entry, payload: "{" };
      return entry;
    };
    const second = await world.start(async () => undefined);
    await turns();
    assert.ok(second.log.some((entry) => entry.event === "turn.lost" && entry.taskId === ids[0]));
    for (const id of ids.slice(1)) assert.equal(await stateOf(second, id), "COMPLETED");
    broken = undefined;
    await world.clock.advance(20_000);
    assert.equal(await stateOf(second, ids[0]!), "COMPLETED");
  });

  it("wakes who sleeps when the time has come, after a restart too, and not before", async () => {
    const world = new World();
    const handler: Handler = async (turn) => {
      const before = await turn.now();
      await turn.sleep(3_600_000);
      return turn.complete(say(`${(await turn.now()) - before >= 3_600_000}`));
    };
    const first = await world.start(handler);
    const [stays, moves] = [await begin(first), await begin(first)];
    await turns();
    // A message to a sleeper waits; it does not wake it.
    await tell(first, moves, "psst");
    await world.clock.advance(1_800_000);
    assert.equal(await stateOf(first, stays), "WORKING");
    await world.crash(first);
    const second = await world.start(handler);
    await world.clock.advance(1_700_000);
    assert.equal(await stateOf(second, stays), "WORKING");
    await world.clock.advance(100_000);
    assert.equal((await taskOf(second, stays)).status.message?.parts[0]?.text, "true");
    assert.equal((await world.entries(moves)).filter((entry) => entry.kind === "message.unprocessed").length, 1);
  });

  it("sleeps on when it was woken too early, without waking again and again", async () => {
    for (const aheadMs of [300, 20_000]) {
      const world = new World();
      const handler: Handler = async (turn) => void (await turn.sleep(60_000));
      const [life] = [await world.start(handler), await world.start(handler)];
      const id = await begin(life);
      await turns();
      world.store.aheadMs = aheadMs;
      for (let n = 0; n < 59; n++) await world.clock.advance(1_000);
      assert.equal(await stateOf(life, id), "WORKING");
      await world.clock.advance(2_000);
      assert.equal(await stateOf(life, id), "COMPLETED");
      assert.ok(world.store.commits < 40, `${world.store.commits} commits`);
    }
  });

  it("grants an authorisation to the request that it is for, and to no other", async () => {
    const world = new World();
    const handler: Handler = async (turn) => {
      await turn.requestAuth(say("first?"));
      const { approved } = await turn.requestAuth(say("second?"));
      return turn.complete(say(`${approved}`));
    };
    const life = await world.start(handler);
    const other = await world.start(handler);
    const id = await begin(life);
    await life.engine.settled(SCOPE, id, 0);
    const first = await life.engine.pendingAuthorization(id);
    await assert.rejects(life.engine.authorize(id, "guessed"), { code: "UNSUPPORTED_OPERATION" });
    // A message authorises nothing.
    await tell(life, id, "yes, go on");
    await turns();
    assert.equal(await stateOf(life, id), "AUTH_REQUIRED");
    // Taken before: what follows from the authorisation may be there before it is answered.
    const { seq } = (await world.store.task(id))!;
    await Promise.all([other.engine.authorize(id, first), other.engine.authorize(id, first)]);
    await life.engine.settled(SCOPE, id, seq);
    const second = await life.engine.pendingAuthorization(id);
    assert.ok(second !== undefined && second !== first);
    await assert.rejects(life.engine.authorize(id, first), { code: "UNSUPPORTED_OPERATION" });
    await world.crash(life);
    await world.crash(other);
    const last = await world.start(handler);
    await last.engine.authorize(id, second);
    for (let n = 0; n < 50 && (await stateOf(last, id)) !== "COMPLETED"; n++) await world.clock.advance(10);
    assert.equal((await taskOf(last, id)).status.message?.parts[0]?.text, "true");
    await assert.rejects(last.engine.authorize(id), { code: "UNSUPPORTED_OPERATION" });
  });
});
