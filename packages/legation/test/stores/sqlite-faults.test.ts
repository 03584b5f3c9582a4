import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type Store, StoreCorrupt, StoreUnavailable } from "../../src/engine/store.ts";
import { requireSqlite } from "../../src/stores/sqlite/driver.ts";
import { createSqliteStore, type SqliteStoreOptions } from "../../src/stores/sqlite/store.ts";
import {
  append,
  commitOne,
  createTask,
  creation,
  event,
  readLog,
  rowOf,
  sampleId,
} from "../../src/testing/store-contract/sample.ts";

const directory = mkdtempSync(join(tmpdir(), "legation-faults-"));
chmodSync(directory, 0o755);
const CHILD = fileURLToPath(new URL("./sqlite-writer-child.ts", import.meta.url));
const children: ChildProcess[] = [];
let files = 0;

after(() => {
  for (const child of children) child.kill("SIGKILL");
  rmSync(directory, { recursive: true });
});

describe("sqlite store, when things go wrong", () => {
  it("keeps every acknowledged batch whole when its process is killed", async () => {
    const path = freshPath();
    const ids = [sampleId(), sampleId()] as const;
    for (let round = 0; round < 3; round += 1) {
      const child = startWriter(path, ids);
      await child.lines(30 + round * 7);
      child.process.kill("SIGKILL");
      await once(child.process, "exit");
      await using store = await opened(path);
      const [first, second] = [await rowOf(store, ids[0]), await rowOf(store, ids[1])];
      assert.ok(child.acknowledged() > 1);
      assert.ok(first.seq >= child.acknowledged(), `${first.seq} entries, ${child.acknowledged()} acknowledged`);
      assert.equal(second.seq, first.seq);
      assert.equal(first.run, String(first.seq));
      const log = await readLog(store, first.key);
      assert.deepEqual(
        log.slice(1),
        Array.from({ length: first.seq - 1 }, (_, n) => `"${n + 2}"`),
      );
      assert.equal((await readLog(store, second.key)).length, first.seq);
    }
  });

  it("loses nothing when two processes write to one file", async () => {
    const path = freshPath();
    const ids = [sampleId(), sampleId()] as const;
    await (await opened(path)).close();
    const writers = [startWriter(path, ids), startWriter(path, [sampleId(), sampleId()])];
    await Promise.all(writers.map((writer) => writer.lines(25)));
    await using store = await opened(path);
    let hints = 0;
    using _watching = store.watch(() => {
      hints += 1;
    });
    const row = await createTask(store);
    for (let n = 0; n < 10; n += 1) {
      assert.equal((await commitOne(store, append({ ...row, seq: n + 1 }, [event("artifact")]))).ok, true);
    }
    await Promise.all(writers.map((writer) => writer.lines(writer.count() + 3)));
    for (const writer of writers) {
      writer.process.kill("SIGKILL");
      await once(writer.process, "exit");
    }
    await sleep(60);
    assert.ok(hints > 0);
    assert.equal((await readLog(store, row.key)).length, 11);
    const first = await rowOf(store, ids[0]);
    assert.ok(first.seq >= (writers[0]?.acknowledged() ?? 0));
    assert.equal((await readLog(store, first.key)).length, first.seq);
  });

  it("waits for a lock without blocking the loop, then says that the file is locked", async () => {
    const path = freshPath();
    await using store = await opened(path, { busyMs: 200 });
    const row = await createTask(store);
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 5);
    await assert.rejects(commitOne(store, append(row, [event("status")])), (error: unknown) => {
      assert.ok(error instanceof StoreUnavailable && !error.unknown);
      assert.match(error.message, /was locked by another process for 200 ms: end what holds it/);
      return true;
    });
    assert.ok(ticks > 10, `the loop turned ${ticks} times`);
    assert.equal((await rowOf(store, row.id)).seq, 1);
    const waiting = commitOne(store, append(row, [event("status")]));
    await sleep(30);
    other.exec("ROLLBACK");
    assert.equal((await waiting).ok, true);
    clearInterval(timer);
    other.close();
  });

  it("says that a full disk is full, keeps what it has and goes on when there is space", async () => {
    const path = freshPath();
    const full = await opened(path, { maxBytes: 400_000 });
    const row = await createTask(full);
    let seq = 1;
    const big = event("artifact", Date.now(), JSON.stringify("x".repeat(20_000)));
    await assert.rejects(
      async () => {
        for (;;) {
          const outcome = await commitOne(full, append({ ...row, seq }, [big, big]));
          assert.equal(outcome.ok, true);
          seq += 2;
        }
      },
      (error: unknown) => error instanceof StoreUnavailable && !error.unknown && /free space/.test(error.message),
    );
    assert.ok(seq > 5);
    assert.equal((await rowOf(full, row.id)).seq, seq);
    assert.equal((await readLog(full, row.key)).length, seq);
    assert.equal((await commitOne(full, append({ ...row, seq }, [event("status")]))).ok, true);
    await full.close();
    await using roomy = await opened(path);
    assert.equal((await commitOne(roomy, append({ ...row, seq: seq + 1 }, [big, big]))).ok, true);
  });

  it("refuses a schema newer than it knows, and one made by another text", async () => {
    const path = freshPath();
    await (await opened(path)).close();
    alter(path, "INSERT INTO legation_migrations (version, name, checksum) VALUES (999, 'later', 'x')");
    await refuses(path, StoreCorrupt, /has schema version 999, this program knows up to \d+: use a newer legation/);
    alter(path, "DELETE FROM legation_migrations WHERE version = 999");
    alter(path, "UPDATE legation_migrations SET checksum = 'x' WHERE version = 1");
    await refuses(path, StoreCorrupt, /was made by another text of migration 1 \(tasks\)/);
  });

  it("names the task whose row cannot be read, and holds it instead of claiming it", async () => {
    const path = freshPath();
    await using store = await opened(path);
    const bad = await createTask(store, { due: 1 });
    const good = await createTask(store, { due: 2 });
    alter(path, `UPDATE tasks SET state = 99 WHERE key = ${bad.key}`);
    await assert.rejects(store.task(bad.id), (error: unknown) => {
      assert.ok(error instanceof StoreCorrupt);
      assert.match(error.message, new RegExp(`task ${bad.id}: column state holds 99`));
      return true;
    });
    const query = { holder: "p", now: Date.now(), leaseMs: 1_000, limit: 9, agents: ["agent"] };
    const claimed = await store.claim({ ...query, minAttempts: 0, maxAttempts: 9 });
    assert.deepEqual(
      claimed.map(({ id }) => id),
      [good.id],
    );
    alter(path, `UPDATE tasks SET state = 1 WHERE key = ${bad.key}`);
    assert.match((await rowOf(store, bad.id)).held ?? "", /column state holds 99/);
  });

  it("names the task and the entry of a log that has a hole", async () => {
    const path = freshPath();
    await using store = await opened(path);
    const row = await createTask(store, { events: [event("created"), event("status"), event("status")] });
    alter(path, `DELETE FROM events WHERE id = (${row.key} << 26) + 2`);
    await assert.rejects(
      store.events(row.key, 0, 1_000),
      (error: unknown) =>
        error instanceof StoreCorrupt && error.message === `task ${row.id}: entry 2 of its log cannot be read`,
    );
    assert.equal((await store.events(row.key, 2, 1_000)).length, 1);
  });

  it("says what is wrong with a path", async () => {
    const text = join(directory, "text.db");
    writeFileSync(text, "this is no database. ".repeat(300));
    await refuses(text, StoreCorrupt, /text\.db is not an sqlite database: name another file or remove it/);
    await refuses(join(directory, "none", "x.db"), StoreUnavailable, /there is no directory .*none, create it/);
    const folder = join(directory, "folder.db");
    mkdirSync(folder);
    await refuses(folder, StoreUnavailable, /folder\.db cannot be opened/);
  });

  it("says that a file is read-only, and that a directory is", async () => {
    const open = join(directory, "open");
    mkdirSync(open);
    const path = join(open, "read-only.db");
    await (await opened(path)).close();
    chmodSync(path, 0o444);
    for (const mode of [0o777, 0o555]) {
      chmodSync(open, mode);
      await withoutRoot(() =>
        refuses(
          path,
          StoreUnavailable,
          /is read-only: give this process the right to write to it and to its directory/,
        ),
      );
    }
    chmodSync(path, 0o666);
    await withoutRoot(() => refuses(path, StoreUnavailable, /the right to write to it and to its directory/));
    chmodSync(open, 0o777);
    await using store = await opened(path);
    assert.equal(await store.task("x"), undefined);
  });

  it("refuses an SQLite that can lose a commit", () => {
    for (const version of ["3.51.3", "3.51.10", "3.52.0", "4.0.0"]) requireSqlite(version);
    for (const version of ["3.51.2", "3.50.9", "2.9.9", "junk"]) {
      assert.throws(
        () => requireSqlite(version),
        /is too old, 3\.51\.3 or newer is needed: use node 22\.23\.3 or newer/,
      );
    }
  });

  it("closes the file, so that it can be removed and its log is folded in", async () => {
    const path = freshPath();
    const store = await opened(path);
    await commitOne(store, creation());
    await store.close();
    await assert.rejects(store.task("x"), /is closed/);
    const bare = new DatabaseSync(path, { readOnly: true });
    assert.equal(bare.prepare("SELECT count(*) AS n FROM tasks").get()?.["n"], 1);
    bare.close();
  });
});

function freshPath(): string {
  files += 1;
  return join(directory, `${files}.db`);
}

async function opened(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  const store = createSqliteStore(path, options);
  await store.open();
  return store;
}

/** Writes into a file behind the back of the store. */
function alter(path: string, sql: string): void {
  const db = new DatabaseSync(path, { timeout: 1_000 });
  db.exec(sql);
  db.close();
}

async function refuses(path: string, kind: new (message: string) => Error, text: RegExp): Promise<void> {
  await assert.rejects(opened(path), (error: unknown) => {
    assert.ok(error instanceof kind, String(error));
    assert.match(error.message, text);
    return true;
  });
}

/** Runs `work` as somebody whom the rights of files bind: root may write to everything. */
async function withoutRoot(work: () => Promise<void>): Promise<void> {
  const root = process.geteuid?.() === 0;
  if (root) process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    if (root) process.seteuid?.(0);
  }
}

interface Writer {
  readonly process: ChildProcess;
  /** Waits until that many batches were acknowledged. */
  lines(count: number): Promise<void>;
  /** How many batches were acknowledged. */
  count(): number;
  /** The highest seq that was acknowledged. */
  acknowledged(): number;
}

function startWriter(path: string, ids: readonly [string, string]): Writer {
  const child = spawn(process.execPath, [CHILD, path, ...ids], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  let count = -1;
  let acknowledged = 0;
  let wake: (() => void) | undefined;
  createInterface({ input: child.stdout }).on("line", (line) => {
    count += 1;
    if (line !== "ready") acknowledged = Number(line);
    wake?.();
  });
  return {
    process: child,
    count: () => count,
    acknowledged: () => acknowledged,
    lines: async (wanted) => {
      while (count < wanted) {
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        await promise;
      }
    },
  };
}
