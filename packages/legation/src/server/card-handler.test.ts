import assert from "node:assert/strict";
import test from "node:test";
import type { HttpRequest } from "../bindings/http/exchange.ts";
import type { AgentOptions } from "./agent-options.ts";
import { createCard } from "./card.ts";
import { createCardHandler } from "./card-handler.ts";

const agent: AgentOptions = { name: "Planner", description: "Plans.", version: "1.0.0", onMessage: () => "ok" };
const wiring = { bindings: ["JSONRPC"], push: false };
const madeAt = Date.parse("2026-01-01T00:00:00.700Z");
const handler = createCardHandler((origin, tenant) => createCard(agent, wiring, origin, tenant), madeAt, ["acme"]);

function request(
  path: string,
  headers: Record<string, string> = {},
  method = "GET",
  origin = "http://a.test",
): HttpRequest {
  return {
    method,
    origin,
    path,
    query: "",
    header: (name) => headers[name],
    text: async () => "",
    signal: new AbortController().signal,
  };
}

test("§8.2 Discovery › serves the card at the well-known path and its legacy alias, to anybody", async () => {
  for (const path of ["/.well-known/agent-card.json", "/.well-known/agent.json"]) {
    const response = await handler(request(path));
    assert.equal(response?.status, 200);
    assert.equal(response?.headers["content-type"], "application/json");
    assert.equal(JSON.parse(response?.body ?? "").supportedInterfaces[0].url, "http://a.test");
  }
  assert.equal(await handler(request("/card")), undefined);
});

test("a Host header that is no authority gets no card", async () => {
  for (const host of ["<script>", "a b", "[::1", "a.test/path", "a.test/", "user@a.test", "a.test?x", "a.test#x", ""]) {
    const response = await handler(request("/.well-known/agent-card.json", {}, "GET", `http://${host}`));
    assert.equal(response?.status, 400, host);
    assert.match(response?.body ?? "", /"reason":"INVALID_REQUEST"/);
  }
  for (const host of ["a.test:80", "[::1]:4000", "日本.test", "A.TEST"]) {
    assert.equal((await handler(request("/.well-known/agent-card.json", {}, "GET", `http://${host}`)))?.status, 200);
  }
});

test("§8.6.1 Caching › SHOULD send ETag, max-age and Last-Modified", async () => {
  const headers = (await handler(request("/.well-known/agent-card.json")))?.headers ?? {};
  assert.match(headers["etag"] ?? "", /^"[\w-]{22}"$/);
  assert.equal(headers["cache-control"], "public, max-age=300");
  assert.equal(headers["last-modified"], "Thu, 01 Jan 2026 00:00:00 GMT");
});

test("§8.6.1 Caching › answers 304 to a known tag, by date only without one", async () => {
  const path = "/.well-known/agent-card.json";
  const etag = (await handler(request(path)))?.headers["etag"] ?? "";
  const status = async (headers: Record<string, string>): Promise<number | undefined> =>
    (await handler(request(path, headers)))?.status;
  assert.equal(await status({ "if-none-match": `"other", W/${etag}` }), 304);
  assert.equal(await status({ "if-none-match": "*" }), 304);
  assert.equal(await status({ "if-none-match": '"other"', "if-modified-since": "Fri, 02 Jan 2026 00:00:00 GMT" }), 200);
  assert.equal(await status({ "if-modified-since": "Thu, 01 Jan 2026 00:00:00 GMT" }), 304);
  assert.equal(await status({ "if-modified-since": "Wed, 31 Dec 2025 23:59:59 GMT" }), 200);
  assert.equal((await handler(request(path, { "if-none-match": etag })))?.body, undefined);
});

test("HEAD has the headers alone, another method is refused with what is allowed", async () => {
  const head = await handler(request("/.well-known/agent-card.json", {}, "HEAD"));
  assert.equal(head?.status, 200);
  assert.equal(head?.body, undefined);
  const post = await handler(request("/.well-known/agent-card.json", {}, "POST"));
  assert.equal(post?.status, 405);
  assert.equal(post?.headers["allow"], "GET, HEAD");
  assert.equal(JSON.parse(post?.body ?? "").error.code, 405);
});

test("the card names the address that was called, with a tag of its own", async () => {
  const one = await handler(request("/.well-known/agent-card.json", {}, "GET", "https://one.test"));
  const two = await handler(request("/.well-known/agent-card.json", {}, "GET", "https://two.test"));
  assert.match(one?.body ?? "", /https:\/\/one\.test/);
  assert.notEqual(one?.headers["etag"], two?.headers["etag"]);
});

test("a tenant has a card of its own, which names it in every interface; an unknown one has none", async () => {
  const response = await handler(request("/acme/.well-known/agent-card.json"));
  assert.equal(JSON.parse(response?.body ?? "").supportedInterfaces[0].tenant, "acme");
  assert.equal(await handler(request("/other/.well-known/agent-card.json")), undefined);
});
