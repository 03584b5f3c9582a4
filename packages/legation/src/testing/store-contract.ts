import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Store, StoreUnavailable } from "../engine/store.ts";
import { BLOB_PART } from "./store-contract/blob-part.ts";
import { DEDUPE_PART } from "./store-contract/dedupe-part.ts";
import { DURABLE_PART } from "./store-contract/durable-part.ts";
import { HOOK_PART } from "./store-contract/hook-part.ts";
import { LEASE_PART } from "./store-contract/lease-part.ts";
import { LIST_PART } from "./store-contract/list-part.ts";
import { LOG_PART } from "./store-contract/log-part.ts";
import { UPKEEP_PART } from "./store-contract/upkeep-part.ts";

/** Options of {@link storeContract}. */
export interface StoreContractOptions {
  /** Name of the store in the titles. */
  readonly name: string;
  /**
   * For a store that outlives its process: makes another handle of the data of a store that `make` gave, not opened.
   * Without it the tests of durability are left out, because there is nothing that they could test.
   */
  readonly again?: ((store: Store) => Promise<Store>) | undefined;
}

/**
 * Registers with `node:test` the suite that every store must pass. A store that passes can carry the engine.
 *
 * It does not test speed, nor what a store does when its disk or its server fails.
 *
 * @param make gives a store without any data, not opened; called once per test. The suite opens and closes it.
 * @param options the name in the titles and how to reach the same data again.
 */
export function storeContract(make: () => Promise<Store>, options: StoreContractOptions): void {
  const parts = {
    log: LOG_PART,
    dedupe: DEDUPE_PART,
    lease: LEASE_PART,
    list: LIST_PART,
    blob: BLOB_PART,
    hook: HOOK_PART,
    upkeep: UPKEEP_PART,
  };
  describe(`store contract [${options.name}]`, () => {
    for (const [part, tests] of Object.entries(parts)) {
      describe(part, () => {
        for (const [title, test] of Object.entries(tests)) {
          it(title, async (context) => {
            await using store = await make();
            await store.open();
            await test(store, context);
          });
        }
      });
    }
    describe("closing", () => registerClosing(make));
    const { again } = options;
    if (again !== undefined) describe("durable", () => registerDurable(make, again));
  });
}

function registerClosing(make: () => Promise<Store>): void {
  it("a store that is closed says so, and may be closed again", async () => {
    const store = await make();
    await store.open();
    await store.close();
    await store.close();
    await assert.rejects(store.task("x"), StoreUnavailable);
    await assert.rejects(store.commit({ tasks: [], replies: [] }), /closed/);
  });
}

function registerDurable(make: () => Promise<Store>, again: (store: Store) => Promise<Store>): void {
  for (const [title, test] of Object.entries(DURABLE_PART)) {
    it(title, async () => {
      await using handles = new AsyncDisposableStack();
      const store = handles.use(await make());
      await store.open();
      await test(store, async () => handles.use(await again(store)));
    });
  }
}
