/** Every reader sees one order, nothing missing and nothing twice, and nobody waits for a slow one. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { applyStreamResponse } from "../../src/model/apply-stream-response.ts";
import type { StreamResponse, Task } from "../../src/model/gen/types.ts";
import type { StreamEvent } from "../../src/operations/service.ts";
import {
  artifactText,
  begin,
  drain,
  gate,
  type Handler,
  SCOPE,
  say,
  stateOf,
  taskOf,
  tell,
  turns,
  World,
} from "./harness.ts";

const TERMINAL = { until: "terminal" } as const;

function chunk(name: string, text: string, append: boolean): Parameters<Parameters<Handler>[0]["artifact"]>[0] {
  return { name, append, parts: [{ text }] };
}

/** The seqs of everything that a subscriber from the very first has to see. */
async function shown(world: World, id: string, after: number): Promise<readonly number[]> {
  const entries = await world.entries(id);
  return entries
    .filter(({ kind, seq }) => seq > after && (kind === "status" || kind === "artifact"))
    .map(({ seq }) => seq);
}

function assertWhole(events: readonly StreamEvent[], expected: readonly number[]): void {
  assert.deepEqual(
    events.slice(1).map((event) => event.seq),
    expected,
  );
}

describe("readers", () => {
  it("sees no gap and no duplicate, whenever it joins, while two replicas write", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 5 }),
        fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 5 }),
        async (joins, messages) => {
          const world = new World();
          const handler: Handler = async (turn) => {
            await turn.artifact(chunk("x", "0 ", false));
            for (let n = 1; n < 40; n++) {
              await turn.artifact(chunk("x", `${n} `, true));
              if (n % 3 === 0) await turn.step(`s${n}`, () => n);
              if (n % 5 === 0) await turns(1);
            }
            while ((await turn.receive()).message.parts[0]?.text !== "end") await turn.working(say("heard"));
          };
          const left = await world.start(handler, { settings: { tailBytes: 400 } });
          const right = await world.start(handler, { settings: { tailBytes: 400 } });
          const id = await begin(left);
          const streams: Promise<StreamEvent[]>[] = [];
          for (let tick = 0; tick <= 41; tick++) {
            for (const join of joins) {
              if (join !== tick) continue;
              for (const life of [left, right]) streams.push(drain(await life.engine.subscribe(SCOPE, id, TERMINAL)));
            }
            for (const message of messages) if (message === tick) void tell(right, id, "more");
            await turns(1);
          }
          await turns(20);
          await tell(right, id, "end");
          await turns(20);
          await world.clock.advance(20_000);
          assert.equal(await stateOf(right, id), "COMPLETED");
          for (const events of await Promise.all(streams)) {
            assertWhole(events, await shown(world, id, events[0]?.seq ?? 0));
            let task: Task | undefined;
            for (const event of events) task = applyStreamResponse(task, JSON.parse(event.json) as StreamResponse);
            assert.equal(artifactText(task as Task, "x"), Array.from({ length: 40 }, (_, n) => `${n} `).join(""));
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it("resumes after every seq with exactly what is missing", async () => {
    const world = new World();
    const handler: Handler = async (turn) => {
      await turn.working(say("begin"));
      for (let n = 0; n < 6; n++) await turn.artifact(chunk("x", `${n}`, n > 0));
      await turn.step("s", () => 1);
      await turn.ask(say("?"));
      for (let n = 0; n < 4; n++) await turn.artifact(chunk("x", `${n}`, true));
    };
    const life = await world.start(handler);
    const id = await begin(life);
    await turns();
    await tell(life, id, "go");
    await turns();
    const entries = await world.entries(id);
    const last = entries.length;
    for (let seq = 1; seq <= last; seq++) {
      const events = await drain(await life.engine.subscribe(SCOPE, id, { ...TERMINAL, lastEventId: seq }));
      const { task } = JSON.parse(events[0]?.json ?? "{}") as StreamResponse;
      assert.equal(events[0]?.seq, seq);
      assert.equal(task?.artifacts, undefined);
      assert.equal(task?.history, undefined);
      const statuses = entries.filter((entry) => entry.kind === "status" && entry.seq <= seq);
      const status = statuses.length === 0 ? undefined : JSON.parse(statuses.at(-1)?.payload ?? "").statusUpdate.status;
      assert.deepEqual(task?.status.state, status?.state ?? "TASK_STATE_SUBMITTED");
      assertWhole(events, await shown(world, id, seq));
    }
    for (const lastEventId of [undefined, last + 1]) {
      const refused = life.engine.subscribe(SCOPE, id, { ...TERMINAL, lastEventId });
      await assert.rejects(refused, { code: "UNSUPPORTED_OPERATION" });
    }
  });

  it("gives the whole Task where the log that a subscriber lacks was erased", async () => {
    const world = new World();
    const life = await world.start(async (turn) => void (await turn.artifact(chunk("x", "text", false))));
    const id = await begin(life);
    await turns();
    world.store.reads = (entry) => ({ ...entry, payload: "" });
    const resumed = await drain(await life.engine.subscribe(SCOPE, id, { ...TERMINAL, lastEventId: 3 }));
    assert.equal(resumed.length, 1);
    const { task } = JSON.parse(resumed[0]?.json ?? "{}") as StreamResponse;
    assert.equal(artifactText(task as Task, "x"), "text");
  });

  it("lets a reader that fell far behind read the log, past pages that show it nothing", async () => {
    const world = new World();
    const open = gate();
    const life = await world.start(
      async (turn) => {
        await turn.artifact(chunk("x", "0", false));
        await open.promise;
        // More journal than a reader takes at once, and nothing in it that it shows.
        for (let n = 0; n < 40; n++) await turn.step(`s${n}`, () => "j".repeat(20_000));
        for (let n = 0; n < 300; n++) await turn.artifact(chunk("x", "c".repeat(1_000), true));
      },
      { settings: { tailBytes: 1_000 } },
    );
    const id = await begin(life);
    await turns();
    const stream = await life.engine.subscribe(SCOPE, id, TERMINAL);
    const iterator = stream[Symbol.asyncIterator]();
    const events: StreamEvent[] = [...((await iterator.next()).value as StreamEvent[])];
    const quick = drain(await life.engine.subscribe(SCOPE, id, TERMINAL));
    open.open();
    await turns(400);
    assert.equal(await stateOf(life, id), "COMPLETED");
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) events.push(...next.value);
    assertWhole(events, await shown(world, id, events[0]?.seq ?? 0));
    const [first] = await quick;
    assertWhole(await quick, await shown(world, id, first?.seq ?? 0));
  });

  it("ends the stream of a send at a question that came after its message, and not at one before", async () => {
    const world = new World();
    const life = await world.start(async (turn) => {
      await turn.ask(say("first?"));
      await turn.requestAuth(say("allow?"));
      await turn.ask(say("second?"));
    });
    const id = await begin(life);
    await turns();
    const seq = await tell(life, id, "one");
    const stream = drain(await life.engine.subscribe(SCOPE, id, { until: "interrupted", afterSeq: seq }));
    await life.engine.settled(SCOPE, id, seq);
    assert.equal(await stateOf(life, id), "AUTH_REQUIRED");
    await life.engine.authorize(id);
    const events = await stream;
    const states = events.slice(1).map((event) => event.value.statusUpdate?.status.state.replace("TASK_STATE_", ""));
    assert.deepEqual(states.slice(-3), ["AUTH_REQUIRED", "WORKING", "INPUT_REQUIRED"]);
    await assert.rejects(life.engine.subscribe(SCOPE, "none", TERMINAL), { code: "TASK_NOT_FOUND" });
  });

  it("tells every reader and every waiter UNAVAILABLE when the process stops", async () => {
    const world = new World();
    const life = await world.start(async (turn) => void (await turn.ask(say("?"))));
    const id = await begin(life);
    await turns();
    const streams = [];
    for (let n = 0; n < 3; n++) streams.push(drain(await life.engine.subscribe(SCOPE, id, TERMINAL)));
    const waits = [life.engine.settled(SCOPE, id, 100), life.engine.settled(SCOPE, id, 100)];
    await turns();
    const ends = Promise.allSettled([...streams, ...waits]);
    await life.engine.stop({ graceMs: 0 });
    for (const end of await ends) {
      assert.equal(end.status === "rejected" && end.reason.code, "UNAVAILABLE");
    }
  });

  it("keeps nothing of a reader that was aborted, returned, or never began", async () => {
    const world = new World();
    const life = await world.start(async (turn) => void (await turn.ask(say("?"))), { settings: { frameMs: 1 } });
    const id = await begin(life);
    await turns();
    const signals = Array.from({ length: 4 }, () => new AbortController());
    const subscribe = (n: number) => life.engine.subscribe(SCOPE, id, { ...TERMINAL, signal: signals[n]?.signal });
    // Aborted while it waits, before it began, and before it was there.
    const waiting = drain(await subscribe(0));
    await subscribe(1);
    signals[2]?.abort();
    assert.equal((await drain(await subscribe(2))).length, 0);
    for (const controller of signals) controller.abort();
    assert.equal((await waiting).length, 1);
    // Returned before it began, and while it waits.
    const early = (await life.engine.subscribe(SCOPE, id, TERMINAL))[Symbol.asyncIterator]();
    await early.return?.();
    assert.equal((await early.next()).done, true);
    const late = (await life.engine.subscribe(SCOPE, id, TERMINAL))[Symbol.asyncIterator]();
    await late.next();
    const pending = late.next();
    await late.return?.();
    assert.equal((await pending).done, true);
    // Dropped without a word: collected.
    const dropped = await (async () => new WeakRef(await life.engine.subscribe(SCOPE, id, TERMINAL)))();
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    for (let n = 0; n < 20 && dropped.deref() !== undefined; n++) {
      await turns(2);
      collect();
    }
    assert.equal(dropped.deref(), undefined);
    await turns();
    // With its frame gone too nobody needs the log, and the next commit of another replica is not followed any more.
    await world.clock.advance(10);
    let reads = 0;
    world.store.beforeRead = () => {
      reads += 1;
    };
    const other = await world.start(async (turn) => void (await turn.ask(say("?"))));
    await tell(other, id, "yes");
    await turns();
    const before = reads;
    await turns();
    assert.equal(reads, before);
    world.store.beforeRead = () => {};
    assert.equal(await stateOf(life, id), "COMPLETED");
  });

  it("gives all who are at the same place the same events, serialised once", async () => {
    const world = new World({ exclusive: true });
    const open = gate();
    const life = await world.start(async (turn) => {
      await open.promise;
      for (let n = 0; n < 5; n++) await turn.artifact(chunk("x", `${n}`, n > 0));
    });
    const id = await begin(life);
    await turns();
    const streams = await Promise.all(Array.from({ length: 50 }, () => life.engine.subscribe(SCOPE, id, TERMINAL)));
    const all = streams.map((stream) => drain(stream));
    open.open();
    const [first, ...others] = await Promise.all(all);
    for (const other of others) {
      assert.equal(other.length, first?.length);
      for (let n = 1; n < other.length; n++) assert.equal(other[n], first?.[n]);
    }
  });

  it("waits for what comes after a message, whatever was there before it", async () => {
    const world = new World();
    const open = gate();
    const life = await world.start(async (turn) => {
      await turn.ask(say("first?"));
      await turn.step("work", () => open.promise.then(() => 1));
      await turn.ask(say("second?"));
      return turn.pause(say("third?"));
    });
    const other = await world.start(async () => undefined);
    const id = await begin(life);
    await life.engine.settled(SCOPE, id, 2);
    assert.equal(await stateOf(life, id), "INPUT_REQUIRED");
    const seq = await tell(life, id, "one");
    const done: string[] = [];
    const here = life.engine.settled(SCOPE, id, seq).then(() => done.push("here"));
    const there = other.engine.settled(SCOPE, id, seq).then(() => done.push("there"));
    const controller = new AbortController();
    const given = assert.rejects(life.engine.settled(SCOPE, id, seq, controller.signal), /enough/);
    await turns();
    controller.abort(new Error("enough"));
    await given;
    assert.deepEqual(done, []);
    open.open();
    await Promise.all([here, there]);
    await life.engine.settled(SCOPE, id, await tell(life, id, "two"));
    assert.equal((await taskOf(life, id)).status.message?.parts[0]?.text, "third?");
    await life.engine.cancelTask(SCOPE, id);
    await life.engine.settled(SCOPE, id, 1_000);
  });
});
