import assert from "node:assert/strict";
import { test } from "node:test";
import { accepts } from "../../src/client/accepts.ts";
import { chooseInterfaces } from "../../src/client/choose-interface.ts";
import { connect } from "../../src/client/connect.ts";
import { normaliseCard } from "../../src/client/normalise-card.ts";
import { normaliseOddCard } from "../../src/client/normalise-odd-card.ts";
import type { AgentCard } from "../../src/model/gen/types.ts";
import { isLocalError } from "../../src/operations/errors.ts";
import { cardOf, createPeer, task } from "./fake-peer.ts";

const OLD_03 = {
  protocolVersion: "0.3.0",
  name: "Old",
  description: "Speaks 0.3.",
  url: "https://old.test/a2a",
  preferredTransport: "JSONRPC",
  additionalInterfaces: [
    { url: "https://old.test/a2a", transport: "JSONRPC" },
    { url: "https://old.test/rest", transport: "HTTP+JSON" },
  ],
  version: "2.1",
  capabilities: { streaming: true, stateTransitionHistory: true },
  securitySchemes: {
    google: {
      type: "oauth2",
      flows: {
        clientCredentials: { tokenUrl: "https://t", scopes: { search: "Search" } },
        implicit: { authorizationUrl: "https://a", scopes: {} },
      },
    },
    key: { type: "apiKey", in: "header", name: "X-Key" },
    bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
    oidc: { type: "openIdConnect", openIdConnectUrl: "https://o" },
    tls: { type: "mutualTLS" },
    odd: { type: "carrier-pigeon" },
  },
  security: [{ google: ["search"] }, { key: [], bearer: [] }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "s", name: "S", description: "d", tags: ["t"], security: [{ key: [] }] }],
  supportsAuthenticatedExtendedCard: true,
};

test("a card of 0.3 is read, and known to be one", async () => {
  const { card, generation, warnings } = await normaliseCard(OLD_03);
  assert.equal(generation, "0.3");
  assert.deepEqual(card.supportedInterfaces, [
    { url: "https://old.test/a2a", protocolBinding: "JSONRPC", protocolVersion: "0.3.0" },
    { url: "https://old.test/rest", protocolBinding: "HTTP+JSON", protocolVersion: "0.3.0" },
  ]);
  assert.equal(card.capabilities.extendedAgentCard, true);
  assert.deepEqual(card.securityRequirements, [
    { schemes: { google: { list: ["search"] } } },
    { schemes: { key: {}, bearer: {} } },
  ]);
  assert.deepEqual(card.securitySchemes, {
    google: {
      oauth2SecurityScheme: { flows: { clientCredentials: { tokenUrl: "https://t", scopes: { search: "Search" } } } },
    },
    key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } },
    bearer: { httpAuthSecurityScheme: { scheme: "bearer", bearerFormat: "JWT" } },
    oidc: { openIdConnectSecurityScheme: { openIdConnectUrl: "https://o" } },
    tls: { mtlsSecurityScheme: {} },
  });
  assert.deepEqual(card.skills[0]?.securityRequirements, [{ schemes: { key: {} } }]);
  assert.match(warnings.join("\n"), /supportedInterfaces[\s\S]*odd cannot be read/);
});

test("0.3 is never spoken silently: the error says what is offered, supported and needed", async () => {
  await assert.rejects(connect(OLD_03 as unknown as AgentCard), (error) => {
    assert.ok(isLocalError(error, "NO_COMMON_INTERFACE"));
    assert.match(error.message, /JSONRPC 0\.3\.0 at https:\/\/old\.test\/a2a/);
    assert.match(error.message, /pass compat: v0_3\(\) of legation\/v0_3/);
    return true;
  });
  const peer = createPeer({ log: [task("COMPLETED")] });
  const client = await connect(OLD_03 as unknown as AgentCard, {
    compat: { versions: ["0.3"], bindings: ["JSONRPC"], createTransport: () => peer.service },
  });
  assert.equal(client.interface.protocolVersion, "0.3.0");
  assert.equal((await client.send("hi")).kind, "task");
});

test("a card of 0.2", async () => {
  const { card, generation } = await normaliseCard({
    name: "Older",
    description: "x",
    url: "https://o.test",
    version: "1",
    capabilities: {},
    authentication: { schemes: ["Bearer"], credentials: "never kept" },
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
  });
  assert.equal(generation, "0.2");
  assert.equal(card.supportedInterfaces[0]?.protocolVersion, "0.2");
  assert.deepEqual(card.securitySchemes, { Bearer: { httpAuthSecurityScheme: { scheme: "bearer" } } });
  assert.deepEqual(card.securityRequirements, [{ schemes: { Bearer: {} } }]);
  assert.doesNotMatch(JSON.stringify(card), /never kept/);
});

test("a hybrid card is read both ways and never concluded to need no authentication", async () => {
  const base = {
    ...OLD_03,
    supportedInterfaces: [{ url: "https://old.test/v1", protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  };
  const { card, generation } = await normaliseCard({ ...base, securityRequirements: [] });
  assert.equal(generation, "hybrid");
  assert.equal(card.supportedInterfaces[0]?.protocolVersion, "1.0");
  assert.ok(card.supportedInterfaces.some((entry) => entry.protocolVersion === "0.3.0"));
  assert.equal(card.securityRequirements?.length, 2);
  for (const unreadable of ["bearer", [5], [{ google: "search" }], [{ google: null }]]) {
    const odd = await normaliseCard({ ...base, security: unreadable, securityRequirements: [] });
    assert.deepEqual(odd.card.securityRequirements, [{ schemes: { unreadable: {} } }], JSON.stringify(unreadable));
    const verdict = accepts(odd.card, { parts: [{ text: "x" }] });
    assert.ok(!verdict.ok && verdict.problems.some(({ what }) => what === "auth"));
  }
});

test("a bare 1.0 card without its lists, in snake case, with odd names of bindings and relative addresses", async () => {
  const { card, generation, warnings } = await normaliseCard(
    {
      name: "Bare",
      supported_interfaces: [
        { url: "/a2a", protocol_binding: "jsonrpc" },
        { url: "https://h/r", protocolBinding: "REST", protocolVersion: "1.0", tenant: "t1" },
        { url: "h:50051", protocolBinding: "GRPC", protocolVersion: "1.0" },
        { protocolBinding: "GRPC" },
      ],
      default_input_modes: ["a/b", 5],
      security_schemes: { k: { api_key_security_scheme: { location: "header", name: "K" } } },
      security_requirements: [{ schemes: { k: { list: ["s"] } } }, { k: [] }],
      skills: [{ name: "x" }, { description: "nobody" }, 7],
      capabilities: null,
    },
    "https://h/cards/bare.json",
  );
  assert.equal(generation, "1.0");
  assert.deepEqual(card, {
    name: "Bare",
    description: "",
    version: "",
    supportedInterfaces: [
      { url: "https://h/a2a", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url: "https://h/r", protocolBinding: "HTTP+JSON", protocolVersion: "1.0", tenant: "t1" },
      { url: "h:50051", protocolBinding: "GRPC", protocolVersion: "1.0" },
    ],
    capabilities: {},
    defaultInputModes: ["a/b"],
    defaultOutputModes: [],
    skills: [{ id: "x", name: "x", description: "", tags: [] }],
    securitySchemes: { k: { apiKeySecurityScheme: { location: "header", name: "K" } } },
    securityRequirements: [{ schemes: { k: { list: ["s"] } } }, { schemes: { k: {} } }],
  });
  for (const said of [
    /no description/,
    /no capabilities/,
    /relative/,
    /read as HTTP\+JSON/,
    /without url/,
    /no protocolVersion/,
    /neither id nor name/,
  ]) {
    assert.match(warnings.join("\n"), said);
  }
});

test("a correct 1.0 card is read without a word, and comes out as it went in", async () => {
  const full: AgentCard = {
    ...cardOf(),
    provider: { url: "https://p", organization: "P" },
    documentationUrl: "https://d",
    iconUrl: "https://i",
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: true,
      extensions: [{ uri: "urn:x", required: true, params: { a: [1] } }],
    },
    securitySchemes: {
      g: {
        oauth2SecurityScheme: {
          flows: {
            authorizationCode: {
              authorizationUrl: "https://a",
              tokenUrl: "https://t",
              scopes: { my_scope: "m" },
              pkceRequired: true,
            },
          },
        },
      },
    },
    securityRequirements: [{ schemes: { g: { list: ["my_scope"] } } }],
    skills: [
      { id: "s", name: "S", description: "d", tags: ["t"], examples: ["e"], inputModes: ["a/b"], outputModes: ["c/d"] },
    ],
    signatures: [{ protected: "p", signature: "s", header: { kid: "k" } }],
  };
  const read = await normaliseCard(full);
  assert.deepEqual(read.card, full);
  assert.deepEqual(read.warnings, []);
  assert.notEqual(read.card, full);
  assert.deepEqual(normaliseOddCard(full), read);
});

test("keys of the prototype are plain keys, and nothing is polluted", async () => {
  const hostile = JSON.parse(
    '{"name":"x","supportedInterfaces":[{"url":"https://h","protocolBinding":"constructor","protocolVersion":"1.0"}],"securitySchemes":{"__proto__":{"type":"http","scheme":"basic"}},"security":[{"__proto__":[]}]}',
  );
  const { card } = await normaliseCard(hostile);
  assert.equal(card.supportedInterfaces[0]?.protocolBinding, "constructor");
  assert.equal(({} as { httpAuthSecurityScheme?: unknown }).httpAuthSecurityScheme, undefined);
  const verdict = accepts(card, { parts: [{ text: "x" }] });
  assert.ok(!verdict.ok && verdict.problems.some(({ what }) => what === "auth"));
});

const OFFER = cardOf({
  supportedInterfaces: [
    { url: "h:50051", protocolBinding: "GRPC", protocolVersion: "1.0" },
    { url: "https://h/rest", protocolBinding: "HTTP+JSON", protocolVersion: "1.0.1" },
    { url: "https://h/old", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    { url: "https://h/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: "ws://h/ws", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: "https://h/two", protocolBinding: "JSONRPC", protocolVersion: "2.0" },
  ],
});

test("interfaces: the first that is spoken, in the order of the card; prefer changes the order, nothing else", () => {
  const speaks = (_: string, version: string): boolean => version === "1.0";
  const urls = (prefer?: string[], bindings = ["JSONRPC", "HTTP+JSON"]) =>
    chooseInterfaces(OFFER, { bindings, speaks, prefer }).map(({ url }) => url);
  assert.deepEqual(urls(), ["https://h/rest", "https://h/rpc"]);
  assert.deepEqual(urls(["JSONRPC"]), ["https://h/rpc", "https://h/rest"]);
  assert.deepEqual(urls(undefined, ["JSONRPC", "HTTP+JSON", "GRPC"])[0], "h:50051");
});

test("no common interface names what to install", async () => {
  const card = cardOf({
    supportedInterfaces: [{ url: "https://u:p@h:50051", protocolBinding: "GRPC", protocolVersion: "1.0" }],
  });
  await assert.rejects(connect(card), (error) => {
    assert.ok(isLocalError(error, "NO_COMMON_INTERFACE"));
    assert.match(
      error.message,
      /Peer offers GRPC 1\.0.*supported is JSONRPC, HTTP\+JSON of version 1\.0; for GRPC, npm install @grpc\/grpc-js/,
    );
    assert.doesNotMatch(error.message, /u:p@/);
    return true;
  });
});

test("accepts: skill, modes, channel, authentication, extensions", () => {
  const card = cardOf({
    capabilities: { streaming: true, extensions: [{ uri: "urn:must", required: true }, { uri: "urn:may" }] },
    defaultInputModes: ["text/*"],
    defaultOutputModes: ["text/plain"],
    securitySchemes: { k: { apiKeySecurityScheme: { location: "header", name: "K" } } },
    securityRequirements: [{ schemes: { k: {} } }],
    skills: [
      {
        id: "map",
        name: "Map",
        description: "",
        tags: [],
        inputModes: ["application/json"],
        outputModes: ["image/png"],
        securityRequirements: [{ schemes: {} }],
      },
      { id: "chat", name: "Chat", description: "", tags: [] },
    ],
  });
  const text = { parts: [{ text: "x" }] };
  const data = { parts: [{ data: {} }] };
  const ready = { hasCredentials: true, extensions: ["urn:must"] };
  const problems = (...args: Parameters<typeof accepts>): string[] => {
    const verdict = accepts(...args);
    return verdict.ok ? [] : verdict.problems.map(({ what }) => what);
  };
  assert.deepEqual(accepts(card, text, ready), { ok: true });
  assert.deepEqual(problems(card, text), ["auth", "extension"]);
  assert.deepEqual(problems(card, data, ready), []);
  assert.deepEqual(problems(card, text, { ...ready, skill: "map" }), ["input-mode"]);
  assert.deepEqual(problems(card, data, { skill: "map", extensions: ["urn:must"] }), []);
  assert.deepEqual(problems(card, data, { ...ready, skill: "chat" }), ["input-mode"]);
  assert.deepEqual(problems(card, text, { ...ready, skill: "fly" }), ["skill"]);
  assert.deepEqual(problems(card, text, { ...ready, skill: "chat", acceptedOutputModes: ["image/png"] }), [
    "output-mode",
  ]);
  assert.deepEqual(problems(card, data, { ...ready, skill: "map", acceptedOutputModes: ["image/*"] }), []);
  assert.deepEqual(problems(card, text, { ...ready, channel: "push" }), ["channel"]);
  assert.deepEqual(problems(card, text, { ...ready, channel: "streaming" }), []);
  assert.deepEqual(problems(card, { parts: [{ url: "https://h/x" }] }, ready), []);
});
