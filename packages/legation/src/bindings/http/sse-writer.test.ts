import assert from "node:assert/strict";
import { test } from "node:test";
import { status, streamOf } from "../../../test/spec/fake-service.ts";
import { A2AError } from "../../operations/errors.ts";
import type { EventStream, StreamEvent } from "../../operations/service.ts";
import { openSse, type SseEncoding } from "./sse-writer.ts";

const ENCODING: SseEncoding = {
  frame: (event) => `[${event.seq}]`,
  errorFrame: (error) => `!${error.code}`,
};
const OPTIONS = { heartbeatMs: 60_000 };

async function pieces(events: EventStream): Promise<string[]> {
  const all: string[] = [];
  for await (const piece of await openSse(events, ENCODING, OPTIONS)) all.push(piece);
  return all;
}

test("one piece per batch, the retry hint once in front", async () => {
  const events = streamOf(
    [status("TASK_STATE_WORKING", 1)],
    [status("TASK_STATE_WORKING", 2), status("TASK_STATE_FAILED", 3)],
  );
  assert.deepEqual(await pieces(events), ["retry: 1000\n\n[1]", "[2][3]"]);
});

test("an error before the first event is thrown, one after it is the last frame", async () => {
  const failing = (before: readonly StreamEvent[][]): EventStream => ({
    async *[Symbol.asyncIterator]() {
      yield* before;
      throw new A2AError("UNAVAILABLE", "shutting down");
    },
  });
  await assert.rejects(openSse(failing([]), ENCODING, OPTIONS), { code: "UNAVAILABLE" });
  assert.deepEqual(await pieces(failing([[status("TASK_STATE_WORKING", 1)]])), ["retry: 1000\n\n[1]", "!UNAVAILABLE"]);
});

test("an unexpected failure is told to the log and reveals nothing", async () => {
  const logged: A2AError[] = [];
  const events: EventStream = {
    async *[Symbol.asyncIterator]() {
      yield [status("TASK_STATE_WORKING", 1)];
      throw new Error("password is hunter2");
    },
  };
  const all: string[] = [];
  for await (const piece of await openSse(events, ENCODING, { ...OPTIONS, onError: (error) => logged.push(error) }))
    all.push(piece);
  assert.equal(all.at(-1), "!INTERNAL");
  assert.equal((logged[0]!.cause as Error).message, "password is hunter2");
});

test("a quiet stream gets comments, and no batch is lost around them", async () => {
  let release = (): void => undefined;
  const events: EventStream = {
    async *[Symbol.asyncIterator]() {
      yield [status("TASK_STATE_WORKING", 1)];
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      yield [status("TASK_STATE_COMPLETED", 2)];
    },
  };
  const body = (await openSse(events, ENCODING, { heartbeatMs: 5 }))[Symbol.asyncIterator]();
  await body.next();
  assert.equal((await body.next()).value, ": \n\n");
  assert.equal((await body.next()).value, ": \n\n");
  release();
  // The batch comes while nobody waits for a piece, as it does while a heartbeat is being written.
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal((await body.next()).value, "[2]");
  assert.equal((await body.next()).done, true);
});

test("returning the body ends the stream at once, even while it is busy", async () => {
  let returned = 0;
  const events: EventStream = {
    [Symbol.asyncIterator]() {
      let first = true;
      return {
        next: () => {
          if (!first) return new Promise(() => undefined);
          first = false;
          return Promise.resolve({ done: false as const, value: [status("TASK_STATE_WORKING", 1)] });
        },
        return: () => {
          returned++;
          return Promise.resolve({ done: true as const, value: undefined });
        },
      };
    },
  };
  const body = (await openSse(events, ENCODING, OPTIONS))[Symbol.asyncIterator]();
  await body.next();
  const pending = body.next();
  await body.return?.();
  assert.equal((await pending).done, true);
  assert.equal((await body.next()).done, true);
  assert.equal(returned, 1);
});
