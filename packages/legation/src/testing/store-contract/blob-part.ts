import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import type { ContractTest } from "./log-part.ts";
import { append, commitOne, createTask, creation, event } from "./sample.ts";

/** Large parts beside the log. */
export const BLOB_PART: Readonly<Record<string, ContractTest>> = {
  "10 MiB come back byte for byte": async (store) => {
    const bytes = randomBytes(10_485_760);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const blob = { tenant: "t", owner: "o", sha256, bytes };
    assert.equal((await commitOne(store, creation({ blobs: [blob] }))).ok, true);
    const read = await store.blob("t", "o", sha256);
    assert.ok(read !== undefined && Buffer.compare(read, bytes) === 0);
  },

  "sizes around the row of a blob come back": async (store) => {
    const row = await createTask(store);
    const sizes = [0, 1, 262_143, 262_144, 262_145, 524_288];
    const blobs = sizes.map((size) => {
      const bytes = randomBytes(size);
      return { tenant: "", owner: "", sha256: createHash("sha256").update(bytes).digest("hex"), bytes };
    });
    assert.equal((await commitOne(store, { ...append(row, [event("artifact")]), blobs })).ok, true);
    for (const { sha256, bytes } of blobs) {
      const read = await store.blob("", "", sha256);
      assert.ok(read !== undefined && Buffer.compare(read, bytes) === 0, `${bytes.length} bytes`);
    }
  },

  "the same bytes are kept once per owner, and no other owner sees them": async (store) => {
    const bytes = new Uint8Array([1, 2, 3]);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const blob = { tenant: "", owner: "a", sha256, bytes };
    assert.equal((await commitOne(store, creation({ blobs: [blob, blob] }))).ok, true);
    assert.equal((await commitOne(store, creation({ blobs: [blob] }))).ok, true);
    assert.deepEqual([...((await store.blob("", "a", sha256)) ?? [])], [1, 2, 3]);
    assert.equal(await store.blob("", "b", sha256), undefined);
    assert.equal(await store.blob("t", "a", sha256), undefined);
    assert.equal(await store.blob("", "a", "ff".repeat(32)), undefined);
  },
};
