import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createKeyedHash, webHash } from "./keyed-hash.ts";

// RFC 4231, test case 2.
const KEY = new TextEncoder().encode("Jefe");
const TEXT = "what do ya want for nothing?";
const MAC = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";

describe("a keyed hash", () => {
  for (const [name, create] of Object.entries({ createKeyedHash, webHash })) {
    it(`is HMAC-SHA-256 (${name})`, async () => {
      assert.equal(Buffer.from(await create(KEY)(TEXT)).toString("hex"), MAC);
    });
  }
});
