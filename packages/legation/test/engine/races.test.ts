/** Replicas that come to know of each other's commits at an unlucky moment. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { StreamEvent } from "../../src/operations/service.ts";
import { begin, dedupeKey, drain, gate, type Handler, SCOPE, say, stateOf, tell, turns, World } from "./harness.ts";

describe("races between replicas", () => {
  it("runs a task once whose creation was heard of when its lease had run out and been taken again", async () => {
    const world = new World();
    // The second is the creation sent again, which is refused; the third is what the run writes first.
    world.store.fate = (_batch, number) => (number === 0 || number === 2 ? "lose" : "ok");
    let runs = 0;
    const life = await world.start(async (turn) => {
      runs += 1;
      await turn.step("work", () => turns(3).then(() => 1));
    });
    const sent = begin(life, "x", dedupeKey("x"));
    await turns();
    assert.equal(world.store.commits, 1);
    await world.clock.advance(16_000);
    const id = await sent;
    while (world.store.commits < 3) await turns(1);
    await world.clock.advance(5_000);
    while ((await stateOf(life, id)) !== "COMPLETED") await turns(1);
    assert.equal(runs, 1);
    const decisions = (await world.entries(id)).filter(({ kind }) => kind === "decision");
    assert.equal(decisions.length, 1);
  });

  it("follows a task whose log was about to be forgotten when the stream began", async () => {
    const world = new World();
    const open = gate();
    const works: Handler = async (turn) => {
      await turn.ask(say("?"));
      await turn.artifact({ name: "x", parts: [{ text: "1" }] });
      await open.promise;
    };
    const here = await world.start(works, { settings: { maxRuns: 0 } });
    const there = await world.start(works);
    const id = await begin(there);
    await turns();
    // Live here and idle: somebody asked for it.
    await here.engine.authorize(id).catch(() => {});
    const events: StreamEvent[] = [];
    let reads = 0;
    const reading = gate();
    const goOn = gate();
    world.store.beforeRead = async () => {
      reads += 1;
      if (reads > 1) return;
      reading.open();
      await goOn.promise;
    };
    const subscribing = here.engine.subscribe(SCOPE, id, { until: "terminal" });
    await reading.promise;
    // The other one writes while the row is read here, and is heard of.
    await tell(there, id, "answer");
    await turns();
    goOn.open();
    const ended = drain(await subscribing, events);
    await turns();
    open.open();
    await turns();
    assert.equal(await stateOf(there, id), "COMPLETED");
    const outcome = await Promise.race([ended.then(() => "ended"), turns(100).then(() => "still open")]);
    assert.equal(outcome, "ended");
    assert.equal(events.at(-1)?.value.statusUpdate?.status.state, "TASK_STATE_COMPLETED");
  });

  it("learns what was written between its look at a row and its reading of the log", async () => {
    const world = new World();
    const open = gate();
    const here = await world.start(async () => undefined, { settings: { maxRuns: 0 } });
    const there = await world.start(async (turn) => {
      await open.promise;
      await turn.ask(say("?"));
    });
    const id = await begin(there);
    await turns();
    const { events } = world.store;
    const reading = gate();
    const goOn = gate();
    world.store.events = async (...range) => {
      world.store.events = events;
      reading.open();
      await goOn.promise;
      return events(...range);
    };
    const subscribing = here.engine.subscribe(SCOPE, id, { until: "terminal" });
    await reading.promise;
    open.open();
    await turns();
    assert.equal(await stateOf(there, id), "INPUT_REQUIRED");
    goOn.open();
    const seen: StreamEvent[] = [];
    const ended = drain(await subscribing, seen);
    await turns();
    assert.match(seen.at(-1)?.json ?? "", /INPUT_REQUIRED/);
    await there.engine.cancelTask(SCOPE, id);
    await ended;
  });

  it("learns what was written on top of a commit of its own whose answer was slow", async () => {
    const world = new World();
    const open = gate();
    const here = await world.start(async () => undefined, { settings: { maxRuns: 0 } });
    const there = await world.start(async () => void (await open.promise));
    const id = await begin(there);
    await turns();
    const ended = drain(await here.engine.subscribe(SCOPE, id, { until: "terminal" }));
    const { commit } = world.store;
    const goOn = gate();
    world.store.commit = async (batch) => {
      world.store.commit = commit;
      const outcome = await commit(batch);
      await goOn.promise;
      return outcome;
    };
    // As a store that tells nobody of his own commits.
    world.store.tells = false;
    const telling = tell(here, id, "more");
    await turns();
    world.store.tells = true;
    await there.engine.cancelTask(SCOPE, id);
    await turns();
    goOn.open();
    await telling;
    const outcome = await Promise.race([ended.then(() => "ended"), turns(100).then(() => "still open")]);
    assert.equal(outcome, "ended");
  });

  it("gives back the room of a turn that ends when another replica has ended its task", async () => {
    const world = new World();
    const open = gate();
    const here = await world.start(async () => void (await open.promise), { settings: { maxRuns: 1 } });
    const there = await world.start(async () => undefined, { settings: { maxRuns: 0 } });
    const id = await begin(here);
    await turns();
    // Its end and the cancellation are on their way at the same time; the cancellation is first.
    world.store.tells = false;
    await there.engine.cancelTask(SCOPE, id);
    open.open();
    await turns();
    assert.equal(await stateOf(there, id), "CANCELED");
    world.store.tells = true;
    const next = await begin(here);
    await turns();
    assert.equal(await stateOf(here, next), "COMPLETED");
  });
});
