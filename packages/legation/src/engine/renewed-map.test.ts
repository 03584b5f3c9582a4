import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RenewedMap } from "./renewed-map.ts";

describe("a renewed map", () => {
  it("is a Map, however many entries come and go", () => {
    const map = new RenewedMap<number, string>();
    const same = new Map<number, string>();
    for (let n = 0; n < 1_000; n += 1) {
      map.set(n, `${n}`);
      same.set(n, `${n}`);
      if (n % 3 !== 0) assert.equal(map.delete(n - 1), same.delete(n - 1));
      if (n % 7 === 0) {
        map.set(0, `again ${n}`);
        same.set(0, `again ${n}`);
      }
    }
    assert.equal(map.size, same.size);
    assert.deepEqual([...map], [...same]);
    assert.deepEqual([...map.values()], [...same.values()]);
    assert.equal(map.get(0), same.get(0));
    assert.equal(map.has(1), same.has(1));
  });
});
