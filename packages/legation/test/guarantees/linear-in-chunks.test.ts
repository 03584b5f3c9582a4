/** What ten times as many chunks write is ten times as much: nothing that is there is written again and again. */
import assert from "node:assert/strict";
import path from "node:path";
import { it } from "node:test";
import { connect } from "../../src/client/connect.ts";
import type { Batch, Store } from "../../src/engine/store.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import { createSqliteStore } from "../../src/stores/sqlite/store.ts";
import { createRehearsalAgent } from "../../src/testing/rehearsal-agent.ts";
import { temporaryFolder } from "../cli/rehearsal-process.ts";

interface Written {
  events: number;
  eventBytes: number;
  snapshots: number;
  snapshotBytes: number;
}

/** A store that counts what is given to it. */
function counting(store: Store, written: Written): Store {
  const commit = async (batch: Batch): ReturnType<Store["commit"]> => {
    for (const task of batch.tasks) {
      written.events += task.events.length;
      for (const { payload } of task.events) written.eventBytes += payload.length;
      written.snapshots += task.snapshot === undefined ? 0 : 1;
      written.snapshotBytes += task.snapshot?.length ?? 0;
    }
    return store.commit(batch);
  };
  return new Proxy(store, {
    get(target, key) {
      if (key === "commit") return commit;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

async function measure(file: string, chunks: number): Promise<Written> {
  const written: Written = { events: 0, eventBytes: 0, snapshots: 0, snapshotBytes: 0 };
  const host = await serve(createRehearsalAgent().agent, {
    store: counting(createSqliteStore(file), written),
    log: false,
  });
  try {
    const client = await connect(host.url);
    const done = await client.send({
      parts: [{ data: { rehearse: [{ stream: { name: "a.txt", chunks, bytes: 16 } }] } }],
    });
    assert.equal(done.kind === "task" && done.state, "COMPLETED");
    assert.equal((await (done.kind === "task" ? done : undefined)?.artifact("a.txt")?.text())?.length, chunks * 16);
    return written;
  } finally {
    await host.close({ graceMs: 0 });
  }
}

it("linear-in-chunks: 10,000 chunks write at most 12 times what 1,000 chunks write", async (t) => {
  const folder = temporaryFolder(t);
  const small = await measure(path.join(folder, "small.db"), 1_000);
  const large = await measure(path.join(folder, "large.db"), 10_000);
  assert.ok(small.events >= 1_000, `${small.events} events`);
  assert.ok(large.events <= 12 * small.events, `${large.events} events against ${small.events}`);
  assert.ok(large.eventBytes <= 12 * small.eventBytes, `${large.eventBytes} bytes against ${small.eventBytes}`);
  // A snapshot is due when the log has grown by its size: there are few, and all together cost no more than the log does.
  assert.ok(large.snapshots <= 40, `${large.snapshots} snapshots of 10,000 chunks`);
  assert.ok(
    large.snapshotBytes <= 1.5 * large.eventBytes,
    `${large.snapshotBytes} bytes of snapshots, ${large.eventBytes} of log`,
  );
});
