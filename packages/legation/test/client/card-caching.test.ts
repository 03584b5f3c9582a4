import assert from "node:assert/strict";
import { test } from "node:test";
import { type CachedCard, type CardCache, createCardCache } from "../../src/client/card-cache.ts";
import { connect } from "../../src/client/connect.ts";
import type { ClientFetch } from "../../src/client/fetch-card.ts";
import { isLocalError } from "../../src/operations/errors.ts";
import { cardOf } from "./fake-peer.ts";

const CARD = cardOf({
  supportedInterfaces: [{ url: "http://peer.test/", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
});
const JSON_TYPE = { "content-type": "application/json" };

/** A card host in memory under a clock; each answer is what the test says next. */
function cached(
  answers: {
    readonly status?: number;
    readonly headers?: Record<string, string>;
    readonly name?: string;
    readonly down?: true;
  }[],
  cache: CardCache = createCardCache(),
) {
  let now = Date.UTC(2026, 0, 1);
  let passed = 0;
  const requests: Record<string, string>[] = [];
  const fetch: ClientFetch = async (_, init) => {
    requests.push(init.headers);
    const answer = answers[Math.min(requests.length, answers.length) - 1] ?? {};
    if (answer.down === true)
      throw Object.assign(new TypeError("fetch failed"), {
        cause: Object.assign(new Error("x"), { code: "ECONNREFUSED" }),
      });
    const status = answer.status ?? 200;
    const body = status === 200 ? JSON.stringify({ ...CARD, name: answer.name ?? "Peer" }) : null;
    return new Response(body, {
      status,
      headers: { ...(status === 200 ? JSON_TYPE : {}), date: new Date(now).toUTCString(), ...answer.headers },
    });
  };
  const clock = { now: () => now, monotonic: () => passed, setTimeout: () => ({ cancel: () => undefined }) };
  return {
    requests,
    get: async (onWarning: (sentence: string) => void = () => undefined) =>
      (await connect("https://h/card.json", { fetch, cardCache: cache, clock, onWarning })).card.name,
    pass: (seconds: number) => {
      now += seconds * 1000;
      passed += seconds * 1000;
    },
    /** Sets the wall clock, while no time passes. */
    set: (seconds: number) => {
      now += seconds * 1000;
    },
  };
}

test("max-age: fresh without a request, then asked for again with the ETag; a 304 makes it fresh anew", async () => {
  const host = cached([
    { headers: { "cache-control": "max-age=60", etag: '"v1"' } },
    { status: 304, headers: { "cache-control": "max-age=60" } },
    { name: "New" },
  ]);
  assert.equal(await host.get(), "Peer");
  host.pass(59);
  await host.get();
  assert.equal(host.requests.length, 1);
  host.pass(1);
  assert.equal(await host.get(), "Peer");
  assert.equal(host.requests[1]?.["if-none-match"], '"v1"');
  host.pass(59);
  await host.get();
  assert.equal(host.requests.length, 2);
  host.pass(2);
  assert.equal(await host.get(), "New");
});

test("the caching matrix", async () => {
  const day = 86_400;
  const cases: { readonly headers: Record<string, string>; readonly freshFor: number }[] = [
    { headers: {}, freshFor: 0 },
    { headers: { "cache-control": "no-store, max-age=60" }, freshFor: 0 },
    { headers: { "cache-control": "no-cache, max-age=60" }, freshFor: 0 },
    { headers: { "cache-control": "private, Max-Age=60" }, freshFor: 60 },
    { headers: { "cache-control": 'max-age="60"' }, freshFor: 60 },
    { headers: { "cache-control": "max-age=60, max-age=600" }, freshFor: 60 },
    { headers: { "cache-control": "max-age=soon" }, freshFor: 0 },
    { headers: { "cache-control": "max-age=60", age: "50" }, freshFor: 10 },
    { headers: { "cache-control": "max-age=60", age: "70" }, freshFor: 0 },
    { headers: { "cache-control": "s-maxage=60" }, freshFor: 0 },
    { headers: { "cache-control": "max-age=60", vary: "*" }, freshFor: 0 },
    {
      headers: { "cache-control": "max-age=60", date: new Date(Date.UTC(2026, 0, 1) - 20_000).toUTCString() },
      freshFor: 40,
    },
    { headers: { expires: new Date(Date.UTC(2026, 0, 1) + 30_000).toUTCString() }, freshFor: 30 },
    { headers: { expires: "0" }, freshFor: 0 },
    {
      headers: { expires: new Date(Date.UTC(2026, 0, 1) + 30_000).toUTCString(), "cache-control": "max-age=5" },
      freshFor: 5,
    },
    { headers: { "last-modified": new Date(Date.UTC(2026, 0, 1) - 600_000).toUTCString() }, freshFor: 60 },
    { headers: { "last-modified": new Date(Date.UTC(2026, 0, 1) - 30 * day * 1000).toUTCString() }, freshFor: 3600 },
  ];
  for (const { headers, freshFor } of cases) {
    const note = JSON.stringify(headers);
    const host = cached([{ headers }, { headers }]);
    await host.get();
    if (freshFor > 0) {
      host.pass(freshFor - 1);
      await host.get();
      assert.equal(host.requests.length, 1, note);
      host.pass(1);
    }
    await host.get();
    assert.equal(host.requests.length, 2, note);
    const validator = headers["last-modified"];
    assert.equal(host.requests[1]?.["if-modified-since"], validator, note);
  }
});

test("a stale card stands in for a host that is down, unless that is forbidden", async () => {
  for (const [control, works] of [
    ["max-age=1", true],
    ["max-age=1, must-revalidate", false],
    ["no-cache", false],
  ] as const) {
    const host = cached([{ headers: { "cache-control": control } }, { down: true }]);
    await host.get();
    host.pass(5);
    const warnings: string[] = [];
    const second = host.get((sentence) => warnings.push(sentence));
    if (works) {
      assert.equal(await second, "Peer");
      assert.match(warnings.join(), /no longer fresh/);
    } else await assert.rejects(second, (error) => isLocalError(error, "UNREACHABLE"));
  }
});

test("a wall clock that is set back keeps no card fresh for longer", async () => {
  const host = cached([{ headers: { "cache-control": "max-age=60" } }]);
  await host.get();
  host.set(-3600);
  host.pass(59);
  await host.get();
  assert.equal(host.requests.length, 1);
  host.pass(2);
  await host.get();
  assert.equal(host.requests.length, 2);
});

test("a card that lies in a store since a moment that is still to come is asked for again", async () => {
  // As a store on a disk: what comes out is never the object that went in.
  const entries = new Map<string, string>();
  const host = cached([{ headers: { "cache-control": "max-age=60" } }], {
    get: (url) => {
      const text = entries.get(url);
      return text === undefined ? undefined : (JSON.parse(text) as CachedCard);
    },
    set: (entry) => void entries.set(entry.url, JSON.stringify(entry)),
    delete: (url) => void entries.delete(url),
  });
  await host.get();
  await host.get();
  assert.equal(host.requests.length, 1);
  host.set(-3600);
  await host.get();
  assert.equal(host.requests.length, 2);
});

test("refreshCard asks even while the card is fresh, and moves to the interface that the card now prefers", async () => {
  let url = "http://one.test/";
  const fetch: ClientFetch = async () =>
    Response.json(
      { ...CARD, supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }] },
      { headers: { "cache-control": "max-age=600" } },
    );
  const client = await connect("https://h/card.json", { fetch });
  url = "http://two.test/";
  await client.refreshCard();
  assert.equal(client.interface.url, "http://two.test/");
});

test("a bounded cache forgets the card that was used least recently", () => {
  const cache = createCardCache({ maxEntries: 2 });
  const entry = (url: string) => ({
    url,
    finalUrl: url,
    text: "",
    etag: undefined,
    lastModified: undefined,
    storedAt: 0,
    initialAgeMs: 0,
    freshForMs: 0,
    alwaysRevalidate: false,
    mustRevalidate: false,
  });
  for (const url of ["a", "b"]) void cache.set(entry(url));
  void cache.get("a");
  void cache.set(entry("c"));
  assert.deepEqual(
    ["a", "b", "c"].map((url) => cache.get(url) !== undefined),
    [true, false, true],
  );
});
