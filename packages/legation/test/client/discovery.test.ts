import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { agents } from "../../src/client/card-source.ts";
import { connect } from "../../src/client/connect.ts";
import { cardLocations } from "../../src/client/discover-card.ts";
import type { ClientFetch } from "../../src/client/fetch-card.ts";
import { isA2AError, isLocalError } from "../../src/operations/errors.ts";
import { cardOf } from "./fake-peer.ts";

const CARD = cardOf({
  supportedInterfaces: [{ url: "http://peer.test/", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
});
const JSON_TYPE = { "content-type": "application/json" };

/** A host whose paths answer as the test says; what is not said is 404. */
async function serve(
  t: TestContext,
  paths: Record<string, (request: IncomingMessage, response: ServerResponse) => void>,
) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const answer = paths[request.url ?? ""];
    if (answer === undefined) response.writeHead(404, JSON_TYPE).end("{}");
    else answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const good = (_: IncomingMessage, response: ServerResponse): void =>
  void response.writeHead(200, JSON_TYPE).end(JSON.stringify(CARD));

test("the places where a card can be, in order", () => {
  assert.deepEqual(cardLocations("https://h/a/b"), [
    "https://h/a/b/.well-known/agent-card.json",
    "https://h/.well-known/agent-card.json",
    "https://h/a/b/.well-known/agent.json",
    "https://h/.well-known/agent.json",
    "https://h/a/b",
  ]);
  assert.deepEqual(cardLocations("https://h/"), [
    "https://h/.well-known/agent-card.json",
    "https://h/.well-known/agent.json",
  ]);
  assert.deepEqual(cardLocations("https://h/x/card.json#part"), ["https://h/x/card.json"]);
  assert.deepEqual(cardLocations("https://h/card?tenant=a"), ["https://h/card?tenant=a"]);
  assert.equal(cardLocations("localhost:4000")[0], "http://localhost:4000/.well-known/agent-card.json");
  assert.equal(cardLocations("agent.example.com")[0], "https://agent.example.com/.well-known/agent-card.json");
  for (const wrong of ["", "ftp://h", "not a url at all"]) {
    assert.throws(
      () => cardLocations(wrong),
      (error) => isLocalError(error, "CONFIGURATION"),
    );
  }
});

test("the card below the path is taken before that of the origin, then the legacy names, then the address itself", async (t) => {
  const steps = [
    "/a/.well-known/agent-card.json",
    "/.well-known/agent-card.json",
    "/a/.well-known/agent.json",
    "/.well-known/agent.json",
    "/a",
  ];
  for (const [index, step] of steps.entries()) {
    const host = await serve(t, { [step]: good });
    const client = await connect(`${host.url}/a`);
    assert.equal(client.card.name, "Peer");
    assert.deepEqual(host.asked, steps.slice(0, index + 1));
    assert.equal(client.discovered.url, host.url + step);
  }
});

test("no card anywhere is NOT_AN_AGENT that lists what was tried", async (t) => {
  const { url } = await serve(t, {});
  await assert.rejects(
    connect(url),
    (error) => isLocalError(error, "NOT_AN_AGENT") && /agent-card\.json.*agent\.json/.test(error.message),
  );
});

test("a web page, text, another JSON, an empty body, an error status: each says what was found", async (t) => {
  const answer =
    (status: number, type: string, body: string) =>
    (_: IncomingMessage, response: ServerResponse): void =>
      void response.writeHead(status, { "content-type": type }).end(body);
  const cases = [
    [answer(200, "text/html", "<!doctype html><title>Shop</title>"), "NOT_AN_AGENT", /web page/],
    [answer(200, "application/json", "<html>"), "NOT_AN_AGENT", /web page/],
    [answer(200, "application/json", "hello"), "NOT_AN_AGENT", /not JSON/],
    [answer(200, "application/json", ""), "NOT_AN_AGENT", /not JSON/],
    [answer(200, "application/json", "[]"), "NOT_AN_AGENT", /no supportedInterfaces/],
    [answer(200, "application/json", '{"name":"pkg","version":"1"}'), "NOT_AN_AGENT", /no supportedInterfaces/],
    [answer(200, "application/json", '{"supportedInterfaces":[]}'), "CARD_INVALID", /no name/],
    [answer(200, "application/json", '{"name":"x","supportedInterfaces":[]}'), "CARD_INVALID", /no interface/],
    [answer(418, "application/json", "{}"), "NOT_AN_AGENT", /418/],
    [
      answer(200, "application/json", `{"name":"x","description":"${"y".repeat(2_000)}"}`),
      "CARD_INVALID",
      /more than 1000 bytes/,
    ],
  ] as const;
  for (const [handler, code, message] of cases) {
    const { url } = await serve(t, { "/card.json": handler });
    await assert.rejects(
      connect(`${url}/card.json`, { maxCardBytes: 1_000 }),
      (error) => isLocalError(error, code) && message.test(error.message),
      String(message),
    );
  }
});

test("a card behind authentication, a busy and a broken host are the errors that they are", async (t) => {
  const cases = [
    [401, "UNAUTHENTICATED"],
    [403, "PERMISSION_DENIED"],
    [429, "RATE_LIMITED"],
    [503, "UNAVAILABLE"],
  ] as const;
  for (const [status, code] of cases) {
    const { url } = await serve(t, {
      "/card.json": (_, response) => void response.writeHead(status, { "retry-after": "3" }).end(),
    });
    await assert.rejects(connect(`${url}/card.json`), (error) => isA2AError(error, code));
  }
});

test("cardHeaders reach the card, headers do not, and neither is in an error", async (t) => {
  let seen: IncomingMessage["headers"] = {};
  const host = await serve(t, {
    "/card.json": (request, response) => {
      seen = request.headers;
      if (request.headers["x-key"] === "s3cret") good(request, response);
      else response.writeHead(401).end();
    },
  });
  await connect(`${host.url}/card.json`, {
    cardHeaders: { "x-key": "s3cret" },
    headers: { authorization: "Bearer t0ken" },
  });
  assert.equal(seen["authorization"], undefined);
  const withUser = host.url.replace("http://", "http://user:pa55@");
  const fetch: ClientFetch = (url, init) => globalThis.fetch(url.replace("user:pa55@", ""), init);
  await assert.rejects(
    connect(`${withUser}/card.json?key=s3cret`, { fetch, cardHeaders: { "x-key": "wr0ng" } }),
    (error) => {
      assert.doesNotMatch(`${(error as Error).message} ${JSON.stringify(error)}`, /s3cret|pa55|wr0ng/);
      return true;
    },
  );
});

test("a redirect is followed and remembered; one that drops TLS is refused", async (t) => {
  const host = await serve(t, {
    "/.well-known/agent-card.json": (_, response) =>
      void response.writeHead(302, { location: "/real/card.json" }).end(),
    "/real/card.json": (_, response) =>
      void response.writeHead(200, JSON_TYPE).end(
        JSON.stringify({
          ...CARD,
          supportedInterfaces: [{ url: "../a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
        }),
      ),
  });
  const warnings: string[] = [];
  const client = await connect(host.url, { onWarning: (sentence) => warnings.push(sentence) });
  assert.equal(client.discovered.url, `${host.url}/real/card.json`);
  assert.equal(client.interface.url, `${host.url}/a2a`);
  assert.match(warnings.join(), /relative/);

  const downgraded: ClientFetch = async () =>
    Object.defineProperty(Response.json(CARD), "url", { value: "http://evil.test/card.json" });
  await assert.rejects(
    connect("https://h/card.json", { fetch: downgraded }),
    (error) => isLocalError(error, "CARD_INVALID") && /without TLS/.test(error.message),
  );
});

test("headers for the card do not follow a redirect", async (t) => {
  const host = await serve(t, {
    "/card.json": (_, response) => void response.writeHead(302, { location: "/real.json" }).end(),
    "/real.json": good,
  });
  await assert.rejects(
    connect(`${host.url}/card.json`, { cardHeaders: { "x-key": "s3cret" } }),
    (error) => isLocalError(error, "NOT_AN_AGENT") && /redirects to \/real\.json/.test(error.message),
  );
  assert.deepEqual(host.asked, ["/card.json"]);
});

test("nothing listens, no such host, an aborted discovery", async () => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  await assert.rejects(
    connect(`http://127.0.0.1:${port}`),
    (error) => isLocalError(error, "UNREACHABLE") && /running/.test(error.message),
  );
  await assert.rejects(
    connect("http://nowhere.invalid"),
    (error) => isLocalError(error, "UNREACHABLE") && /host name/.test(error.message),
  );
  await assert.rejects(connect("http://h.test", { signal: AbortSignal.abort(), fetch: globalThis.fetch }), (error) =>
    isLocalError(error, "ABORTED"),
  );
});

test("https on an http port, and a connection that is closed, say what to check", async (t) => {
  const host = await serve(t, { "/card.json": (request) => void request.socket.destroy() });
  await assert.rejects(
    connect(`${host.url}/card.json`),
    (error) => isLocalError(error, "UNREACHABLE") && /http or https/.test(error.message),
  );
  await assert.rejects(
    connect(`${host.url.replace("http:", "https:")}/card.json`),
    (error) => isLocalError(error, "UNREACHABLE") && /http or https/.test(error.message),
  );
});

test("a given card, and a static list of agents, need no request", async () => {
  const fetch: ClientFetch = () => Promise.reject(new Error("no request was expected"));
  assert.equal((await connect(CARD, { fetch })).card.name, "Peer");
  const team = agents({ planner: JSON.parse(JSON.stringify(CARD)), boats: "https://boats.test" });
  assert.deepEqual(team.names, ["planner", "boats"]);
  assert.equal((await connect(team.source("planner"), { fetch })).card.name, "Peer");
  assert.throws(
    () => team.source("cars"),
    (error) => isLocalError(error, "CONFIGURATION") && /planner, boats/.test(error.message),
  );
  for (const wrong of [null, [], { a: 1 }, { a: "" }]) {
    assert.throws(
      () => agents(wrong),
      (error) => isLocalError(error, "CONFIGURATION"),
    );
  }
  assert.throws(
    () => agents({}).source("__proto__"),
    (error) => isLocalError(error, "CONFIGURATION"),
  );
});
