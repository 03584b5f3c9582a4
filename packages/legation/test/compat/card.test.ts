// Cards of v0.3: beside 1.0 in one card, by themselves, and brought up to 1.0.
import assert from "node:assert/strict";
import test from "node:test";
import { normaliseCard } from "../../src/client/normalise-card.ts";
import { upgradeCard } from "../../src/compat/v0_3/upgrade-card.ts";
import { hybridCard, writeOldCard } from "../../src/compat/v0_3/write-old-card.ts";
import type { AgentCard } from "../../src/model/gen/types.ts";
import { parseAgentCard } from "../../src/model/parse-agent-card.ts";

const BINDINGS = ["JSONRPC", "HTTP+JSON"];

const CARD: AgentCard = {
  name: "Planner",
  description: "Plans.",
  version: "2.0.0",
  supportedInterfaces: [
    { url: "https://a.example/p", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    { url: "https://a.example/p", protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
    { url: "a.example:443", protocolBinding: "GRPC", protocolVersion: "1.0" },
  ],
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
  securitySchemes: {
    key: { apiKeySecurityScheme: { location: "header", name: "X-Key" } },
    login: {
      oauth2SecurityScheme: {
        flows: { clientCredentials: { tokenUrl: "https://a.example/t", scopes: { read: "Read" } } },
      },
    },
  },
  securityRequirements: [{ schemes: { key: {} } }, { schemes: { login: { list: ["read"] } } }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [
    {
      id: "plan",
      name: "Plan",
      description: "Plans.",
      tags: ["plan"],
      securityRequirements: [{ schemes: { key: {} } }],
    },
  ],
};

const OLD = {
  protocolVersion: "0.3.0",
  name: "Planner",
  description: "Plans.",
  version: "2.0.0",
  url: "https://a.example/p",
  preferredTransport: "JSONRPC",
  additionalInterfaces: [
    { url: "https://a.example/p", transport: "JSONRPC" },
    { url: "https://a.example/p", transport: "HTTP+JSON" },
  ],
  capabilities: { streaming: true, pushNotifications: false },
  securitySchemes: {
    key: { type: "apiKey", in: "header", name: "X-Key" },
    login: {
      type: "oauth2",
      flows: { clientCredentials: { tokenUrl: "https://a.example/t", scopes: { read: "Read" } } },
    },
  },
  security: [{ key: [] }, { login: ["read"] }],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "plan", name: "Plan", description: "Plans.", tags: ["plan"], security: [{ key: [] }] }],
  supportsAuthenticatedExtendedCard: true,
};

test("a card is written in the form of 0.3, without what 0.3 cannot call", () => {
  assert.deepEqual(writeOldCard(CARD, BINDINGS), OLD);
});

test("one card serves both versions: each reads its own fields in it", async () => {
  const hybrid = JSON.parse(JSON.stringify(hybridCard(CARD, BINDINGS)));
  for (const [key, value] of Object.entries(OLD)) {
    if (key === "capabilities" || key === "skills" || key === "securitySchemes") continue;
    assert.deepEqual(hybrid[key], value, key);
  }
  assert.deepEqual(hybrid.securitySchemes.key, { ...OLD.securitySchemes.key, ...CARD.securitySchemes?.["key"] });
  const parsed = parseAgentCard(structuredClone(hybrid));
  assert.deepEqual(parsed.securityRequirements, CARD.securityRequirements);
  assert.deepEqual(parsed.supportedInterfaces.slice(0, 3), CARD.supportedInterfaces);
  const { card } = await normaliseCard(hybrid);
  assert.deepEqual(card.securityRequirements, CARD.securityRequirements);
  assert.deepEqual(card.supportedInterfaces, [
    ...CARD.supportedInterfaces,
    { url: "https://a.example/p", protocolBinding: "JSONRPC", protocolVersion: "0.3" },
    { url: "https://a.example/p", protocolBinding: "HTTP+JSON", protocolVersion: "0.3" },
  ]);
});

test("the card of a tenant stays one of 1.0, for 0.3 has no tenants", () => {
  const ofTenant = {
    ...CARD,
    supportedInterfaces: CARD.supportedInterfaces.map((entry) => ({ ...entry, tenant: "acme" })),
  };
  assert.equal(hybridCard(ofTenant, BINDINGS), ofTenant);
});

test("an old card is brought up to 1.0, says what was changed, and promises nothing that the agent does not speak", () => {
  const { card, generation, warnings } = upgradeCard(OLD);
  assert.equal(generation, "0.3");
  assert.ok(warnings.some((sentence) => sentence.includes("supportedInterfaces")));
  assert.deepEqual([...new Set(card.supportedInterfaces.map(({ protocolVersion }) => protocolVersion))], ["0.3.0"]);
  const { card: current } = upgradeCard(OLD, { protocolVersion: "1.0" });
  const strict = parseAgentCard(JSON.parse(JSON.stringify(current)));
  assert.deepEqual(strict, { ...CARD, supportedInterfaces: CARD.supportedInterfaces.slice(0, 2) });
});

test("signatures of the old document are not carried over", () => {
  const { card, warnings } = upgradeCard({ ...OLD, signatures: [{ protected: "e30", signature: "AA" }] });
  assert.equal(card.signatures, undefined);
  assert.ok(warnings.some((sentence) => sentence.includes("signatures")));
});
