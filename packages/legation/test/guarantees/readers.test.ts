// Subscribers: a thousand of one task, twenty that never read, and one that is cut off at any byte.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import path from "node:path";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import type { StreamResponse } from "../../src/model/gen/types.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { bytesOf } from "./fault-checks.ts";
import { rawCall, rawSend } from "./raw-send.ts";
import { endingWith, type Replica, startReplica } from "./replica.ts";
import { follow } from "./sse-reader.ts";

const whole = endingWith(after);

async function startFlood(folder: string): Promise<Replica> {
  const store = `sqlite:${path.join(folder, "flood.db")}`;
  return startReplica(whole, { agent: "flood", store, effects: path.join(folder, "none") });
}

async function begin(replica: Replica, chunks: number, bytes: number, waitMs = 500): Promise<string> {
  const { task } = await rawSend(replica.url, { parts: [{ text: `flood ${chunks} ${bytes} ${waitMs}` }] });
  assert.ok(task !== undefined);
  return task.id;
}

/** A connection that subscribes, and hands what comes to `onData`; one that is paused reads nothing at all. */
function subscribe(replica: Replica, taskId: string, onData: ((piece: string) => void) | undefined): Socket {
  const socket = connect(replica.port, "127.0.0.1");
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SubscribeToTask", params: { id: taskId } });
  socket.setEncoding("latin1");
  socket.on("error", () => {});
  if (onData === undefined) socket.pause();
  else socket.on("data", onData);
  socket.write(
    `POST / HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\naccept: text/event-stream\r\na2a-version: 1.0\r\n` +
      `content-length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

/** Follows a flood to its end; gives how long it took. */
async function flooded(replica: Replica, taskId: string, events: number): Promise<number> {
  const begun = performance.now();
  const seen = await follow({ url: () => replica.url, text: "", messageId: "", taskId });
  assert.equal(seen.state, "TASK_STATE_COMPLETED");
  assert.equal(seen.events.filter(({ json }) => json.includes("artifactUpdate")).length, events);
  return performance.now() - begun;
}

describe("readers", () => {
  it("20 that never read, while 240 MB are owed to them, cost less than 20 MB of RSS, and the others see all", async (t) => {
    const replica = await startFlood(temporaryFolder(t));
    const [chunks, bytes] = [3_000, 4_000];
    const run = async (isReading: boolean): Promise<{ readonly heldMb: number; readonly rssMb: number }> => {
      const taskId = await begin(replica, chunks, bytes);
      const onData = isReading ? (): void => {} : undefined;
      const sockets = Array.from({ length: 20 }, () => subscribe(replica, taskId, onData));
      const tookMs = await flooded(replica, taskId, chunks);
      const memory = await replica.measure();
      const [held, rss] = [memory.heldMb, memory.rssMb].map(Math.round);
      const who = isReading ? "20 that read" : "20 that do not";
      t.diagnostic(`${who}: ${held} MB held, RSS ${rss} MB, a reader beside took ${Math.round(tookMs)} ms`);
      for (const socket of sockets) socket.destroy();
      await sleep(300);
      return memory;
    };
    // The work itself makes a process grow, until the young generation of V8 has come to its limit. Then 20 that read
    // are what 20 that do not are measured against.
    await run(true);
    const reading = await run(true);
    const stalled = await run(false);
    assert.ok(stalled.heldMb - reading.heldMb < 20, `${reading.heldMb} MB are held, then ${stalled.heldMb} MB`);
    assert.ok(stalled.rssMb - reading.rssMb < 20, `RSS is ${reading.rssMb} MB, then ${stalled.rssMb} MB`);
    // They are gone, and nothing of them is kept.
    const after = await replica.measure();
    assert.ok(after.heldMb < reading.heldMb + 2, `${after.heldMb} MB are held when they are gone`);
    await replica.kill();
  });

  it("1,000 subscribers of one task see every event once and in order", async (t) => {
    const replica = await startFlood(temporaryFolder(t));
    const taskId = await begin(replica, 40, 50, 4_000);
    const texts = Array.from({ length: 1_000 }, () => "");
    const ends = texts.map((_, n) => {
      const ended = Promise.withResolvers<void>();
      subscribe(replica, taskId, (piece) => {
        texts[n] += piece;
      }).on("close", () => ended.resolve());
      return ended.promise;
    });
    await follow({ url: () => replica.url, text: "", messageId: "", taskId });
    const patience = sleep(20_000, "late", { ref: false });
    while (texts.some((text) => !text.includes("TASK_STATE_COMPLETED"))) {
      if ((await Promise.race([patience, sleep(50)])) === "late") break;
    }
    const idsOf = (text: string): string => [...text.matchAll(/^id: ?(\d+)$/gm)].map(([, id]) => id).join(" ");
    const expected = idsOf(texts[0] ?? "");
    assert.equal(expected.split(" ").length, 42);
    assert.deepEqual(new Set(texts.map(idsOf)), new Set([expected]));
    await replica.kill();
    await Promise.all(ends);
  });

  it("resume is exact at every cut: what was seen and what follows is the log, each append applied once", async (t) => {
    const replica = await startFlood(temporaryFolder(t));
    const taskId = await begin(replica, 60, 40);
    let stream = "";
    const full = subscribe(replica, taskId, (piece) => {
      stream += piece;
    });
    const seen = await follow({ url: () => replica.url, text: "", messageId: "", taskId });
    while (!stream.includes("TASK_STATE_COMPLETED")) await sleep(10);
    full.destroy();
    const artifact = (await rawCall(replica.url, "GetTask", { id: taskId })).task?.artifacts?.[0];
    const expected = artifact?.parts.map((part) => part.text).join("");
    assert.equal(bytesOf(seen.events, "out.txt"), expected);
    const body = stream.slice(stream.indexOf("\r\n\r\n") + 4).replace(/\r\n[0-9a-f]+\r\n|^[0-9a-f]+\r\n/g, "");
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: body.length }), async (cut) => {
        const before = eventsOf(body.slice(0, cut));
        const last = before.at(-1)?.seq;
        if (last === undefined || isOver(before)) return;
        const { events, firstSeq } = await resume(replica, taskId, last);
        assert.equal(firstSeq, last);
        const joined = [...before.filter(({ json }) => !json.startsWith('{"task"')), ...events];
        assert.deepEqual(
          joined.map(({ seq }) => seq),
          seen.events.map(({ seq }) => seq),
        );
        assert.equal(bytesOf(joined, "out.txt"), expected);
      }),
      { numRuns: 150 },
    );
    await replica.kill();
  });
});

interface Told {
  readonly seq: number;
  readonly json: string;
}

/** The whole frames of a piece of a stream. */
function eventsOf(text: string): Told[] {
  return text
    .split("\n\n")
    .slice(0, -1)
    .flatMap((frame) => {
      const id = /^id: ?(\d+)$/m.exec(frame)?.[1];
      const data = /^data: ?(.*)$/m.exec(frame)?.[1];
      if (id === undefined || data === undefined) return [];
      return [{ seq: Number(id), json: JSON.stringify((JSON.parse(data) as { result: StreamResponse }).result) }];
    });
}

function isOver(events: readonly Told[]): boolean {
  return events.some(({ json }) => json.includes("TASK_STATE_COMPLETED"));
}

async function resume(replica: Replica, taskId: string, last: number): Promise<{ events: Told[]; firstSeq: number }> {
  const response = await fetch(replica.url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "text/event-stream",
      "a2a-version": "1.0",
      "last-event-id": String(last),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: randomUUID(), method: "SubscribeToTask", params: { id: taskId } }),
  });
  const [first, ...events] = eventsOf(await response.text());
  return { events, firstSeq: first?.seq ?? 0 };
}
