import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OpenCalls } from "./open-calls.ts";

test("holds the calls that came and have not gone", () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat()), { maxLength: 60 }), (steps) => {
      const calls = new OpenCalls<object>();
      const open = new Map<object, () => void>();
      for (const step of steps) {
        const [call, leave] = step === null ? [] : ([...open][step % Math.max(open.size, 1)] ?? []);
        if (call === undefined) {
          const added = {};
          open.set(added, calls.add(added));
        } else {
          leave?.();
          leave?.();
          open.delete(call);
        }
        assert.deepEqual(new Set(calls.list()), new Set(open.keys()));
        assert.equal(calls.list().length, open.size);
      }
    }),
  );
});
