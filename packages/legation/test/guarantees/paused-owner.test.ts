/**
 * A process that is paused past its lease (SIGSTOP) and goes on (SIGCONT) while another has its task: what it still
 * writes is refused, and the log reads as if it had never come back.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import path from "node:path";
import { after, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Store } from "../../src/engine/store.ts";
import { openStore } from "../../src/hosts/node/open-store.ts";
import { chunkText } from "../../src/testing/rehearsal-script.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";
import { startPostgres } from "../stores/postgres-server.ts";
import { assertSawAll, assertWhole, bytesOf, effectsOf, readLog } from "./fault-checks.ts";
import { type Replica, startReplica } from "./replica.ts";
import { CHUNK_BYTES } from "./replica-agents.ts";
import { follow, type Seen } from "./sse-reader.ts";

const CHUNKS = 120;
const LEASE_MS = 900;

async function epochOf(store: Store, taskId: string): Promise<number> {
  return (await store.task(taskId))?.epoch ?? 0;
}

/** Pauses the owner until another has the task. One that was paused within a transaction on SQLite blocks the file: again then. */
async function pauseUntilTaken(owner: Replica, store: Store, taskId: string): Promise<void> {
  const before = await epochOf(store, taskId);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    owner.child.kill("SIGSTOP");
    for (let waited = 0; waited < 3 * LEASE_MS; waited += 50) {
      await sleep(50);
      if ((await epochOf(store, taskId)) > before) return;
    }
    owner.child.kill("SIGCONT");
    await sleep(100);
  }
  throw new Error("nobody took the task of the paused process");
}

async function check(url: string, effects: string): Promise<void> {
  const settings = { agent: "slow", store: url, effects, engine: { leaseMs: LEASE_MS } };
  const [owner, other] = [await startReplica({ after }, settings), await startReplica({ after }, settings)];
  const store = await openStore(url);
  await store.open();
  try {
    const begun = Promise.withResolvers<string>();
    const sent = follow({
      url: (connection) => (connection === 0 ? owner.url : other.url),
      text: `slow ${CHUNKS} 20`,
      messageId: randomUUID(),
      onEvent: (seen: Seen) => {
        if (seen.events.length >= 10) begun.resolve(seen.taskId ?? "");
      },
    });
    const taskId = await begun.promise;
    const watching = follow({ url: () => other.url, text: "", messageId: "", taskId });
    await pauseUntilTaken(owner, store, taskId);
    const taken = await epochOf(store, taskId);
    owner.child.kill("SIGCONT");
    const seen = await watching;
    await sent;
    assert.equal(seen.state, "TASK_STATE_COMPLETED");
    const log = await readLog(store, taskId);
    await sleep(300);
    assert.deepEqual(await readLog(store, taskId), log);
    assertWhole(log);
    assertSawAll(seen, log);
    assert.equal(log.row.epoch, taken);
    const expected = Array.from({ length: CHUNKS }, (_, index) => chunkText(index, CHUNK_BYTES)).join("");
    assert.equal(
      bytesOf(
        log.entries.map(({ payload }) => ({ json: payload })),
        "out.txt",
      ),
      expected,
    );
    assert.deepEqual(effectsOf(effects, taskId), { begin: { keys: 1, runs: 1 }, end: { keys: 1, runs: 1 } });
    // It serves on, and knows how the task ended.
    const told = await follow({ url: () => owner.url, text: "slow 2 1", messageId: randomUUID() });
    assert.equal(told.state, "TASK_STATE_COMPLETED");
  } finally {
    await store.close();
    await Promise.all([owner.kill(), other.kill()]);
  }
}

it("paused-owner: what a process writes behind its lease is refused [sqlite]", async (t) => {
  const folder = temporaryFolder(t);
  await check(`sqlite:${path.join(folder, "paused.db")}`, path.join(folder, "effects.jsonl"));
});

const server = await startPostgres();
if (server !== undefined) {
  after(() => server.stop());
  it("paused-owner: what a process writes behind its lease is refused [postgres]", async (t) => {
    await check(`${server.dsn}?schema=paused`, path.join(temporaryFolder(t), "effects.jsonl"));
  });
}
