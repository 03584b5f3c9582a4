// Keys of the sender come and go without a notification that a receiver cannot check (§13.2: secrets are rotated).
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { exportJWK, generateKeyPair, type JWK } from "jose";
import { createPushSigner, createPushVerifier, generateSigningKey } from "../../src/auth/index.ts";
import { isLocalError } from "../../src/operations/errors.ts";

const ISSUER = "https://agent.example.com";
const SIGNED = { url: "https://client.example.com/hook", taskId: "t-1", eventId: "t-1:4", body: '{"task":{}}' };

function kidOf(jwt: string): string {
  return JSON.parse(Buffer.from(jwt.split(".")[0] ?? "", "base64url").toString()).kid as string;
}

describe("push signer", () => {
  it("announces the next key before it signs, and keeps the last one until nobody needs it", async () => {
    let now = Date.UTC(2026, 0, 1);
    const [first, second] = [await generateSigningKey(), await generateSigningKey()];
    const times = { lifetimeSeconds: 60, overlapSeconds: 120, now: () => now };
    const signer = await createPushSigner({ issuer: ISSUER, keys: [first], ...times });
    const kids = async (): Promise<unknown[]> => (await signer.keySet()).keys.map(({ kid }) => kid);
    await signer.rotate(second);
    assert.deepEqual(await kids(), [first.kid, second.kid]);
    const before = await signer.sign(SIGNED);
    assert.equal(kidOf(before), first.kid);
    now += 120_000;
    const after = await signer.sign(SIGNED);
    assert.equal(kidOf(after), second.kid);
    assert.deepEqual(await kids(), [first.kid, second.kid]);
    now += 180_000;
    assert.deepEqual(await kids(), [second.kid]);
  });

  it("goes on signing, and changes keys in time, when the wall clock is set", async () => {
    for (const jumpMs of [-3_600_000, 3_600_000]) {
      const [start, clock] = [Date.UTC(2026, 0, 1), { offset: 0, elapsed: 0 }];
      const [first, second] = [await generateSigningKey(), await generateSigningKey()];
      const signer = await createPushSigner({
        issuer: ISSUER,
        keys: [first],
        lifetimeSeconds: 60,
        overlapSeconds: 120,
        now: () => start + clock.offset + clock.elapsed,
        monotonic: () => clock.elapsed,
      });
      const signs = async (): Promise<string> => kidOf(await signer.sign(SIGNED));
      await signer.rotate(second);
      clock.offset += jumpMs;
      assert.equal(await signs(), first.kid, "receivers have not had the time to fetch the second");
      clock.elapsed += 120_000;
      assert.equal(await signs(), second.kid);
      clock.offset += jumpMs;
      assert.equal((await signer.keySet()).keys.length, 2, "the first may still be needed");
      clock.elapsed += 180_000;
      assert.deepEqual(
        (await signer.keySet()).keys.map(({ kid }) => kid),
        [second.kid],
      );
      clock.offset += jumpMs;
      assert.equal(await signs(), second.kid);
    }
  });

  it("is checked by who, for whom, when and over what; and again with keys that are new", async () => {
    let now = Date.UTC(2026, 0, 1);
    const signer = await createPushSigner({ issuer: ISSUER, keys: [await generateSigningKey()], now: () => now });
    let fetched = 0;
    const verify = createPushVerifier({
      keys: "https://agent.example.com/.well-known/jwks.json",
      issuer: ISSUER,
      audience: SIGNED.url,
      now: () => now,
      fetch: async () => {
        fetched += 1;
        return Response.json(await signer.keySet());
      },
    });
    const jwt = await signer.sign(SIGNED);
    const claims = await verify(jwt, SIGNED.body);
    assert.deepEqual([claims.taskId, claims.eventId, claims.issuedAt], ["t-1", "t-1:4", now]);
    assert.notEqual(claims.jwtId, (await verify(await signer.sign(SIGNED), SIGNED.body)).jwtId);
    await assert.rejects(verify(jwt, `${SIGNED.body} `), /another body/);
    assert.equal(fetched, 1);
    now += 331_000;
    await assert.rejects(verify(jwt, SIGNED.body), /exp|too far/);
  });

  it("nobody's key and no signature at all are refused", async () => {
    const signer = await createPushSigner({ issuer: ISSUER, keys: [await generateSigningKey()] });
    const stranger = await createPushSigner({ issuer: ISSUER, keys: [await generateSigningKey()] });
    const verify = createPushVerifier({ keys: await signer.keySet(), issuer: ISSUER, audience: SIGNED.url });
    await assert.rejects(verify(await stranger.sign(SIGNED), SIGNED.body), /no applicable key/);
    const [, payload] = (await signer.sign(SIGNED)).split(".");
    const none = Buffer.from('{"alg":"none"}').toString("base64url");
    for (const forged of [`${none}.${payload}.`, "x", "", `${none}.${payload}.AAAA`]) {
      await assert.rejects(verify(forged, SIGNED.body));
    }
  });

  it("takes keys of every usual type, and no public one", async () => {
    for (const alg of ["ES384", "Ed25519", "RS256"]) {
      const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
      const jwk: JWK = { ...(await exportJWK(privateKey)), alg };
      const signer = await createPushSigner({ issuer: ISSUER, keys: [jwk] });
      const keys = await signer.keySet();
      assert.ok(keys.keys.every((key) => !("d" in key) && !("p" in key)));
      const verify = createPushVerifier({ keys, issuer: ISSUER, audience: SIGNED.url });
      assert.equal((await verify(await signer.sign(SIGNED), SIGNED.body)).taskId, "t-1");
      const open = { ...(await exportJWK(publicKey)), alg };
      await assert.rejects(createPushSigner({ issuer: ISSUER, keys: [open] }), (thrown) =>
        isLocalError(thrown, "CONFIGURATION"),
      );
    }
    await assert.rejects(createPushSigner({ issuer: ISSUER, keys: [] }), /needs a key/);
  });
});
