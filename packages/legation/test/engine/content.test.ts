/** What a task is made of: its history, its large parts, its snapshots, and what a process keeps of it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isDeepStrictEqual } from "node:util";
import type { Message, Part } from "../../src/model/gen/types.ts";
import { begin, drain, type Handler, SCOPE, say, stateOf, taskOf, tell, textMessage, turns, World } from "./harness.ts";

const LARGE = "größer ".repeat(20_000);

/** Without the difference, which takes minutes to find in texts of this size. */
function assertSame(actual: unknown, expected: unknown): void {
  assert.ok(isDeepStrictEqual(actual, expected), `not the same: ${JSON.stringify(actual)?.slice(0, 200)}`);
}

function texts(history: readonly Message[] | undefined): readonly (string | undefined)[] {
  return (history ?? []).map((message) => message.parts[0]?.text);
}

describe("history", () => {
  it("is in the order of arrival, with the texts of statuses where they were said, also after a restart", async () => {
    const world = new World();
    const handler: Handler = async (turn) => {
      await turn.working(say("status 1"));
      await turn.ask(say("question 1"));
      await turn.working(say("status 2"));
      await turn.receive();
      await turn.working(say("status 3"));
      await turn.ask(say("question 2"));
      return turn.complete(say("end"));
    };
    const life = await world.start(handler);
    const id = await begin(life, "message 1");
    await turns();
    await tell(life, id, "answer 1");
    await turns();
    await tell(life, id, "message 2");
    await turns();
    await tell(life, id, "answer 2");
    await turns();
    const expected = [
      "message 1",
      "status 1",
      "question 1",
      "answer 1",
      "status 2",
      "message 2",
      "status 3",
      "question 2",
      "answer 2",
    ];
    const task = await taskOf(life, id);
    assert.deepEqual(texts(task.history), expected);
    assert.equal(task.status.message?.parts[0]?.text, "end");
    for (const message of task.history ?? []) assert.deepEqual([message.contextId, message.taskId], ["c", id]);
    await world.crash(life);
    const again = await world.start(handler);
    assert.deepEqual(await taskOf(again, id), task);
    const shaped = async (historyLength: number): Promise<readonly (string | undefined)[]> =>
      texts((await again.engine.getTask(SCOPE, id, { historyLength })).value.history);
    assert.deepEqual(await shaped(0), []);
    assert.deepEqual(await shaped(2), expected.slice(-2));
    assert.deepEqual(await shaped(100), expected);
    assert.equal((await again.engine.getTask(SCOPE, id, { historyLength: 0 })).json.includes("history"), false);
    assert.equal((await again.engine.getTask(SCOPE, id, { artifacts: false })).json.includes("artifacts"), false);
  });

  it("keeps two messages of one id apart, and does not grow beyond its cap in an answer", async () => {
    const world = new World();
    const life = await world.start(async (turn) => turn.pause(say("more?")), { settings: { historyCap: 5 } });
    const id = await begin(life);
    for (let n = 0; n < 10; n++) {
      const incoming = { message: textMessage(`m ${n}`, "same"), meta: {} };
      await life.engine.addMessage({ scope: SCOPE, taskId: id, incoming, dedupe: undefined });
      await turns();
    }
    const { history } = await taskOf(life, id);
    assert.deepEqual(texts(history), ["m 7", "more?", "m 8", "more?", "m 9"]);
    const messages = (await world.entries(id)).filter((entry) => entry.kind === "message");
    assert.equal(messages.length, 11);
  });
});

describe("large parts", () => {
  const data = { list: Array.from({ length: 10_000 }, (_, n) => ({ n, text: "日本" })) };
  const raw = Buffer.alloc(100_000, 7).toString("base64");
  const parts: Part[] = [{ text: LARGE }, { raw, filename: "x.bin" }, { data }, { text: "small" }];

  it("are kept once and by reference, and seen whole by everybody, also after a restart", async () => {
    const world = new World();
    const seen: unknown[] = [];
    const handler: Handler = async (turn, incoming) => {
      seen.push(incoming.message.parts);
      await turn.artifact({ name: "all", parts });
      await turn.artifact({ name: "text", parts: [{ text: LARGE }] });
      await turn.artifact({ name: "text", append: true, parts: [{ text: LARGE }] });
      await turn.ask(say("?"));
      await turn.artifact({ name: "text", append: true, parts: [{ text: "end" }] });
    };
    const first = await world.start(handler, { settings: { snapshotBytes: 2_000 } });
    const message: Message = { messageId: "large", role: "ROLE_USER", parts };
    const { taskId: id } = await first.engine.createTask({
      scope: SCOPE,
      contextId: "c",
      incoming: { message, meta: {} },
      dedupe: undefined,
    });
    const stream = drain(await first.engine.subscribe(SCOPE, id, { until: "interrupted" }));
    await first.engine.settled(SCOPE, id, 0);
    const events = await stream;
    const shown = events.flatMap((event) => event.value.artifactUpdate?.artifact.parts ?? []);
    assertSame(shown.slice(-2), [{ text: LARGE }, { text: LARGE }]);
    for (const entry of await world.entries(id)) assert.ok(entry.payload.length < 2_000, `${entry.kind} is large`);
    const task = await taskOf(first, id);
    await world.crash(first);
    // A log that follows what another replica writes sees the content too.
    const follower = await world.start(handler, { settings: { snapshotBytes: 2_000 } });
    assertSame(await taskOf(follower, id), task);
    const follows = drain(await follower.engine.subscribe(SCOPE, id, { until: "terminal" }));
    const second = await world.start(handler, { settings: { snapshotBytes: 2_000 } });
    await tell(second, id, LARGE);
    for (let n = 0; n < 100 && (await stateOf(second, id)) !== "COMPLETED"; n++) await world.clock.advance(1);
    assert.equal(await stateOf(second, id), "COMPLETED");
    await follows;
    const row = await world.store.task(id);
    assert.ok((row?.snapshot?.length ?? 0) > 0 && (row?.snapshot?.length ?? 0) < 5_000, "the snapshot has references");
    assertSame(seen, [parts, parts]);
    for (const life of [follower, second]) {
      const { artifacts, history } = await taskOf(life, id);
      assertSame(artifacts?.[0]?.parts, parts);
      assertSame(artifacts?.[1]?.parts.map((part) => part.text).join(""), `${LARGE}${LARGE}end`);
      assertSame(history?.[0]?.parts, parts);
      assertSame(history?.at(-1)?.parts[0]?.text, LARGE);
    }
    const late = await drain(await second.engine.subscribe(SCOPE, id, { until: "terminal", lastEventId: 1 }));
    assertSame(
      late.flatMap((event) => event.value.artifactUpdate?.artifact.parts ?? []),
      [...parts, { text: LARGE }, { text: LARGE }, { text: "end" }],
    );
  });

  it("cannot be forged: what looks like a reference is content, wherever it stands", async () => {
    const world = new World();
    const forged = { $blob: { sha256: "0".repeat(64), arm: "text", bytes: 1 }, "odd key": [{ $blob: "x" }] };
    const handler: Handler = async (turn, incoming) => {
      await turn.artifact({ name: "x", parts: [{ data: forged }], metadata: { parts: [forged], text: forged } });
      await turn.working({ parts: [{ data: forged }], metadata: forged });
      await turn.step("s", () => forged);
      await turn.ask({ parts: incoming.message.parts });
    };
    const first = await world.start(handler);
    const message: Message = { messageId: "m", role: "ROLE_USER", parts: [{ data: forged }], metadata: forged };
    const meta = { message: { parts: [forged] } };
    const { taskId: id } = await first.engine.createTask({
      scope: SCOPE,
      contextId: "c",
      incoming: { message, meta },
      metadata: { artifacts: [{ parts: [forged] }], status: forged },
      dedupe: undefined,
    });
    await turns();
    const task = await taskOf(first, id);
    assert.equal(task.status.state, "TASK_STATE_INPUT_REQUIRED");
    await world.crash(first);
    const second = await world.start(handler);
    assert.deepEqual(await taskOf(second, id), task);
    await tell(second, id, "yes");
    await turns();
    assert.equal(await stateOf(second, id), "COMPLETED");
  });
});

describe("what a process keeps", () => {
  it("forgets what nobody needs: finished tasks, and parked ones beyond a bound", async () => {
    const world = new World();
    const handler: Handler = async (turn) => void (await turn.ask(say("?")));
    const life = await world.start(handler, { settings: { maxIdleLogs: 20, maxFrames: 0 } });
    const ids = await Promise.all(Array.from({ length: 100 }, () => begin(life)));
    await turns();
    // A hint about everything makes a process read what it holds, and nothing else.
    let reads = 0;
    world.store.beforeRead = () => {
      reads += 1;
    };
    world.store.hint();
    await turns();
    assert.equal(reads, 0, "idle logs are not followed");
    world.store.beforeRead = () => {};
    await Promise.all(ids.map((id) => tell(life, id, "yes")));
    await turns();
    for (const id of ids) assert.equal(await stateOf(life, id), "COMPLETED");
  });

  it("does not grow over ten thousand finished tasks, duplicates and refusals", async () => {
    const world = new World({ exclusive: true });
    const life = await world.start(async (turn) => void (await turn.artifact({ name: "x", parts: [{ text: "y" }] })));
    const cycle = async (): Promise<void> => {
      const all = Array.from({ length: 100 }, async (_, n) => {
        const key = { tenant: "", owner: "", messageId: `${n % 90}-${world.store.commits}`, hash: "h" };
        const id = await begin(life, "begin", key);
        await life.engine.settled(SCOPE, id, 0);
        await tell(life, id, "late").catch(() => {});
        await life.engine.cancelTask(SCOPE, id).catch(() => {});
      });
      await Promise.all(all);
    };
    for (let n = 0; n < 10; n++) await cycle();
    const live = life.engine.liveTasks;
    for (let n = 0; n < 90; n++) await cycle();
    assert.equal(live, 0);
    assert.equal(life.engine.liveTasks, 0);
  });
});
