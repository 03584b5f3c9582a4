import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Admitted } from "./admission.ts";
import { createReuseWatch } from "./reuse-watch.ts";

const agent = { name: "Echo", description: "Says it again.", version: "1.0.0" };

/** A watch, and the message ids that it warned of. */
function watch(): { check: (owner: string, messageId: string, hash: string) => void; warned: unknown[] } {
  const warned: unknown[] = [];
  const reuse = createReuseWatch({} as never, agent, ({ messageId }) => warned.push(messageId));
  const check = (owner: string, messageId: string, hash: string): void => {
    reuse.check({ dedupe: { tenant: "", owner, messageId, hash } } as Admitted);
  };
  return { check, warned };
}

describe("the watch over message ids", () => {
  it("warns of an id that a caller uses for another request, and of no repeated request", () => {
    const { check, warned } = watch();
    check("a", "m-1", "first");
    check("a", "m-1", "first");
    assert.deepEqual(warned, []);
    check("a", "m-1", "second");
    assert.deepEqual(warned, ["m-1"]);
  });

  it("does not take the id of another caller for a reuse", () => {
    const { check, warned } = watch();
    check("a", "m-1", "first");
    check("b", "m-1", "second");
    assert.deepEqual(warned, []);
  });

  it("remembers the last hundreds", () => {
    const { check, warned } = watch();
    for (let n = 0; n < 400; n += 1) check("a", `m-${n}`, "first");
    check("a", "m-300", "second");
    assert.deepEqual(warned, ["m-300"]);
  });
});
