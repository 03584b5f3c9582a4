import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Worker } from "node:worker_threads";
import { type Store, StoreUnavailable } from "../../src/engine/store.ts";
import { createSlowCommits } from "../../src/stores/sqlite/slow-commits.ts";
import { createSqliteStore, type SqliteStoreOptions } from "../../src/stores/sqlite/store.ts";
import { append, commitOne, createTask, creation, event, rowOf } from "../../src/testing/store-contract/sample.ts";

const directory = mkdtempSync(join(tmpdir(), "legation-worker-"));
const workers: Worker[] = [];
let files = 0;

const onWorker = (message: unknown) => {
  workers.push((message as { readonly worker: Worker }).worker);
};

before(() => subscribe("worker_threads", onWorker));
after(() => {
  unsubscribe("worker_threads", onWorker);
  rmSync(directory, { recursive: true });
});

describe("the commit thread of the sqlite store", () => {
  it("is not started while commits are quick", async () => {
    await using store = await opened({});
    const started = workers.length;
    for (let n = 0; n < 5; n += 1) await createTask(store);
    assert.equal(workers.length, started);
  });

  it("is started by a large blob and writes from then on", async () => {
    await using store = await opened({});
    const started = workers.length;
    const bytes = randomBytes(2_000_000);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const outcome = await commitOne(store, creation({ blobs: [{ tenant: "", owner: "", sha256, bytes }] }));
    assert.equal(outcome.ok, true);
    assert.equal(workers.length, started + 1);
    const row = await createTask(store);
    assert.equal((await rowOf(store, row.id)).seq, 1);
    assert.deepEqual(Buffer.from((await store.blob("", "", sha256)) ?? []), bytes);
  });

  it("is never started when commits are to stay on the main thread", async () => {
    await using store = await opened({ commits: "main" });
    const started = workers.length;
    const bytes = randomBytes(2_000_000);
    const blobs = [{ tenant: "", owner: "", sha256: "ab".repeat(32), bytes }];
    assert.equal((await commitOne(store, creation({ blobs }))).ok, true);
    assert.equal(workers.length, started);
  });

  it("tells of the commits of others and not of its own", async () => {
    const path = freshPath();
    await using store = await opened({ commits: "worker" }, path);
    await using other = await opened({ commits: "main" }, path);
    let told = 0;
    using _watching = store.watch(() => {
      told += 1;
    });
    await sleep(30);
    const row = await createTask(store);
    await sleep(100);
    assert.equal(told, 0);
    await commitOne(other, append(row, [event("message")]));
    for (let n = 0; told === 0 && n < 200; n += 1) await sleep(10);
    assert.equal(told, 1);
  });

  it("that dies leaves what was in flight unknown, and the main thread goes on", async () => {
    const path = freshPath();
    await using store = await opened({ commits: "worker" }, path);
    const row = await createTask(store);
    const worker = workers.at(-1);
    // While the file is locked the commit cannot be done, whichever thread is quicker.
    const lock = new DatabaseSync(path);
    lock.exec("BEGIN IMMEDIATE");
    const inFlight = commitOne(store, append(row, [event("message")]));
    const failed = assert.rejects(inFlight, (error: unknown) => error instanceof StoreUnavailable && error.unknown);
    await Promise.all([worker?.terminate(), failed]);
    lock.close();
    const { seq } = await rowOf(store, row.id);
    assert.equal((await commitOne(store, append({ ...row, seq }, [event("status")]))).ok, true);
  });

  it("is wanted when most of the last commits were slow, not when one was", () => {
    const commits = createSlowCommits();
    for (let n = 0; n < 15; n += 1) commits.note(0.2);
    commits.note(80);
    assert.equal(commits.slow, false);
    for (let n = 0; n < 8; n += 1) commits.note(1.5);
    assert.equal(commits.slow, true);
  });
});

function freshPath(): string {
  files += 1;
  return join(directory, `${files}.db`);
}

async function opened(options: SqliteStoreOptions, path: string = freshPath()): Promise<Store> {
  const store = createSqliteStore(path, options);
  await store.open();
  return store;
}
