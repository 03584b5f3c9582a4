import assert from "node:assert/strict";
import { test } from "node:test";
import type { StreamResponse } from "../../src/model/gen/types.ts";
import { isLocalError } from "../../src/operations/errors.ts";
import { chunk, clientOf, createPeer, lost, Screen, status, task } from "./fake-peer.ts";

const LOG: readonly StreamResponse[] = [
  task("SUBMITTED"),
  status("WORKING", "on it"),
  chunk("Al", false, "a-1", "route.md"),
  chunk("ba"),
  chunk("ny", true),
  chunk("{}", false, "a-2", "data.json"),
  status("WORKING", "nearly"),
  chunk("!", true),
  status("COMPLETED", "done"),
];

test("two runs of one client at once do not mix", async () => {
  const peer = createPeer({
    log: LOG,
    ids: true,
    connections: [
      { events: 4, error: lost() },
      { events: 5, error: lost() },
    ],
  });
  const client = await clientOf(peer);
  const screens = [new Screen(), new Screen()];
  await Promise.all(
    screens.map(async (screen) => {
      for await (const event of client.stream("go")) screen.show(event);
    }),
  );
  for (const screen of screens) assert.equal(screen.texts.get("route.md"), "Albany!");
});

test("abort ends a run at each stage, and nothing is left open", async () => {
  for (let events = 0; events <= 4; events++) {
    const peer = createPeer({
      log: LOG,
      overrides: () => ({
        // Hangs after some events, and ignores the signal: the worst transport there is.
        sendStreamingMessage: async () => {
          if (events === 0) await new Promise(() => undefined);
          return (async function* () {
            for (const value of LOG.slice(0, events)) yield [{ json: "", value: structuredClone(value) }];
            await new Promise(() => undefined);
          })();
        },
      }),
    });
    const abort = new AbortController();
    const run = (await clientOf(peer)).stream("go", { signal: abort.signal });
    let seen = 0;
    if (events === 0) setImmediate(() => abort.abort(new Error("enough")));
    await assert.rejects(
      async () => {
        for await (const _ of run) if (++seen === events) setImmediate(() => abort.abort(new Error("enough")));
      },
      (error) => isLocalError(error, "ABORTED") && error.cause instanceof Error && error.cause.message === "enough",
    );
    assert.equal(seen, events);
    await assert.rejects(run.result, (error) => isLocalError(error, "ABORTED"));
  }
});

test("abort while waiting to resume ends the wait", async () => {
  const peer = createPeer({ log: LOG, connections: [{ events: 2, error: lost() }] });
  const abort = new AbortController();
  const clock = { now: () => 0, setTimeout: () => ({ cancel: () => undefined }) };
  const run = (await clientOf(peer, { clock })).stream("go", { signal: abort.signal });
  setTimeout(() => abort.abort(), 5);
  await assert.rejects(run.result, (error) => isLocalError(error, "ABORTED"));
  assert.equal(peer.calls.length, 1);
});

test("a signal that is aborted already sends nothing that is waited for", async () => {
  const run = (await clientOf(createPeer({ log: LOG }))).stream("go", { signal: AbortSignal.abort() });
  await assert.rejects(run.result, (error) => isLocalError(error, "ABORTED"));
});

test("timeoutMs ends a run that never does, with TIMEOUT", async () => {
  const peer = createPeer({
    log: LOG,
    overrides: () => ({ sendStreamingMessage: () => new Promise(() => undefined) }),
  });
  const run = (await clientOf(peer)).stream("go", { timeoutMs: 5000 });
  await assert.rejects(run.result, (error) => isLocalError(error, "TIMEOUT") && /5000 ms/.test(error.message));
});

test("leaving the iteration closes the connection; the result then says so", async () => {
  const peer = createPeer({ log: LOG });
  const run = (await clientOf(peer)).stream("go");
  for await (const event of run) if (event.kind === "artifact") break;
  await assert.rejects(run.result, (error) => isLocalError(error, "ABORTED") && /task goes on/.test(error.message));
  assert.deepEqual(peer.closed, [0]);
});

test("the result alone reads the run to its end; asked for before an iteration, it takes nothing away from it", async () => {
  const alone = (await clientOf(createPeer({ log: LOG }))).stream("go");
  const { kind } = await alone.result;
  assert.equal(kind, "task");

  const both = (await clientOf(createPeer({ log: LOG }))).stream("go");
  const { result } = both;
  const screen = new Screen();
  for await (const event of both) screen.show(event);
  assert.equal(screen.kinds.length, LOG.length);
  assert.equal((await result).kind, "task");

  const left = (await clientOf(createPeer({ log: LOG }))).stream("go");
  const wanted = left.result;
  for await (const _ of left) break;
  assert.equal((await wanted).kind, "task");
});

test("an iteration that begins while the result is being fetched has the whole task", async () => {
  let go: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const peer = createPeer({
    log: LOG,
    overrides: () => ({
      sendStreamingMessage: async () =>
        (async function* () {
          for (const [index, value] of LOG.entries()) {
            if (index === 4) await gate;
            yield [{ json: "", value: structuredClone(value) }];
          }
        })(),
    }),
  });
  const run = (await clientOf(peer)).stream("go");
  const { result } = run;
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
  setTimeout(() => go?.(), 5);
  const screen = new Screen();
  const first = run[Symbol.asyncIterator]();
  for (let step = await first.next(); step.done !== true; step = await first.next()) screen.show(step.value);
  await result;
  assert.equal(screen.texts.get("route.md"), "Albany!");
});
