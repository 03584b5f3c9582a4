import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import type { Store } from "../../src/engine/store.ts";
import { createSqliteStore, type SqliteStoreOptions } from "../../src/stores/sqlite/store.ts";
import { storeContract } from "../../src/testing/store-contract.ts";
import { checkListProperty } from "./list-property.ts";

const directory = mkdtempSync(join(tmpdir(), "legation-sqlite-"));
after(() => rmSync(directory, { recursive: true }));

const paths = new WeakMap<Store, string>();
let files = 0;

function makeStore(path: string = join(directory, `${++files}.db`), options: SqliteStoreOptions = {}): Store {
  const store = createSqliteStore(path, options);
  paths.set(store, path);
  return store;
}

storeContract(async () => makeStore(), {
  name: "sqlite",
  again: async (store) => makeStore(paths.get(store)),
});

storeContract(async () => makeStore(undefined, { commits: "worker" }), {
  name: "sqlite, commits on a worker",
  again: async (store) => makeStore(paths.get(store), { commits: "worker" }),
});

describe("sqlite store", () => {
  it("lists like the model while tasks move between pages", async () => {
    await checkListProperty(async () => {
      const store = makeStore(":memory:");
      await store.open();
      return store;
    }, 200);
  });
});
