// Runs the checks of conformance/ over binding × store, and over agents whose cards say less or ask for more.
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import test, { type TestContext } from "node:test";
import { FlattenedSign } from "jose";
import type { HttpHandler } from "../../src/bindings/http/exchange.ts";
import { openGrpcWire } from "../../src/cli/grpc-wire.ts";
import { CHECKS } from "../../src/conformance/checks.ts";
import {
  type ConformanceOptions,
  type ConformanceResult,
  runConformance,
} from "../../src/conformance/run-conformance.ts";
import type { WebhookReceiver } from "../../src/conformance/webhook-receiver.ts";
import { serve } from "../../src/hosts/node/serve.ts";
import { createAgent } from "../../src/server/agent.ts";
import { createRehearsalAgent, REHEARSAL_EXTENSION } from "../../src/testing/rehearsal-agent.ts";
import { WebhookServer } from "../push/webhook-server.ts";
import { CREDENTIALS, LOCKED, type Setup, STORES, withAgent } from "./conformance-agents.ts";

/** Webhooks on ports of their own. */
const WEBHOOKS: WebhookReceiver = {
  async open() {
    const server = await WebhookServer.start();
    let read = 0;
    return {
      url: server.url(),
      async next(timeoutMs) {
        await server.until(({ received }) => received.length > read, timeoutMs).catch(() => undefined);
        const received = server.received[read];
        if (received === undefined) return undefined;
        read += 1;
        const headers = Object.fromEntries(
          Object.entries(received.headers).map(([name, value]) => [name, String(value)]),
        );
        return { headers, body: received.body };
      },
      close: () => server.close(),
    };
  },
};

/** The checks that passed against one of our agents at least once; all do, in the end. */
const passed = new Set<string>();

/** One test per check and binding that applied. */
async function report(t: TestContext, results: readonly ConformanceResult[], label: string): Promise<void> {
  for (const result of results) {
    if (result.outcome === "skipped") continue;
    if (result.outcome === "pass") passed.add(result.check);
    await t.test(`${result.title} [${result.binding} × ${label}]`, () => {
      if (result.outcome === "pass") return;
      assert.fail(`${result.check}: expected ${result.expected}, got ${result.got}\n${result.exchange}`);
    });
  }
}

async function judge(t: TestContext, label: string, setup: Setup, options: ConformanceOptions = {}): Promise<void> {
  const results = await withAgent(setup, (host) =>
    runConformance({ url: host.url, openGrpc: openGrpcWire, ...options }),
  );
  const ran = results.filter(({ outcome }) => outcome !== "skipped");
  assert.ok(ran.length > 0, "no check applied");
  await report(t, results, label);
}

for (const store of STORES) {
  test(`conformance over ${store}`, { timeout: 120_000 }, (t) => judge(t, store, { store }));
}

const NO_STREAMING = { rehearsal: { streaming: false } };
test("conformance without streaming", { timeout: 60_000 }, (t) =>
  judge(t, "no streaming", NO_STREAMING, { only: ["3.1.1", "3.2.2", "3.3.4"] }),
);

test("conformance without push notifications", { timeout: 60_000 }, (t) =>
  judge(t, "no push", { push: false }, { only: ["3.3.4"] }),
);

for (const store of STORES) {
  test(`conformance of webhooks over ${store}`, { timeout: 60_000 }, (t) =>
    judge(
      t,
      `webhooks, ${store}`,
      { store, push: { allow: ["127.0.0.0/8"] } },
      { webhook: WEBHOOKS, only: ["3.1.10", "4.3.3"] },
    ),
  );
}

const REQUIRED = { rehearsal: { requiredExtensions: ["https://example.com/extensions/must/v1"] } };
test("conformance with a required extension", { timeout: 60_000 }, (t) =>
  judge(t, "required extension", REQUIRED, { only: ["3.1.1", "3.1.2", "3.3.4", "4.6.3"] }),
);

test("conformance with authentication, two callers and an extended card", { timeout: 120_000 }, (t) =>
  judge(t, "two callers", LOCKED, CREDENTIALS),
);

const NARROW = { agent: { modes: { input: ["text/plain", "application/json"] } } };
test("conformance with few media types", { timeout: 60_000 }, (t) =>
  judge(t, "few media types", NARROW, { only: ["3.1.1", "3.1.2"] }),
);

const TALKER = {
  agent: { onTask: undefined, onMessage: () => "hello", extensions: [], modes: { input: ["text/plain"] } },
};
test("conformance of an agent that answers with messages", { timeout: 60_000 }, (t) => judge(t, "messages", TALKER));

const WORKER = { agent: { onMessage: undefined, onTask: () => "done", extensions: [] } };
test("conformance of an agent without rehearsal", { timeout: 60_000 }, (t) => judge(t, "no rehearsal", WORKER));

test("the rehearsal agent declares its extension", async () => {
  await withAgent({}, async (host) => {
    const card = host.agents[0]?.card(host.url);
    assert.ok(card?.capabilities.extensions?.some(({ uri }) => uri === REHEARSAL_EXTENSION));
  });
});

/** Signs the card on its way out, with a key of this run. */
function signing(handler: HttpHandler): HttpHandler {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return async (request) => {
    const response = await handler(request);
    if (!request.path.endsWith("/agent-card.json") || response?.body === undefined) return response;
    const { protected: head, signature } = await new FlattenedSign(new TextEncoder().encode(response.body))
      .setProtectedHeader({ alg: "ES256", kid: "k-1", typ: "JOSE" })
      .sign(privateKey);
    const card = { ...(JSON.parse(response.body) as object), signatures: [{ protected: head, signature }] };
    return { ...response, body: JSON.stringify(card) };
  };
}

test("conformance of several agents on one port, and of their tenants", { timeout: 120_000 }, async (t) => {
  const rehearsal = createRehearsalAgent();
  const other = createAgent({ name: "Ünïcode Agent", description: "Waits.", version: "1.0.0", onTask: () => "done" });
  const host = await serve([rehearsal.agent, other], { log: false, tenants: ["", "acme"] });
  t.after(() => host.close({ graceMs: 0 }));
  const [mounted] = host.agents;
  if (mounted !== undefined) rehearsal.attach(mounted.service);
  for (const { path } of host.agents) {
    for (const tenant of ["", "/acme"]) {
      const url = host.url + path + tenant;
      const results = await runConformance({ url, openGrpc: openGrpcWire });
      const bindings = new Set(results.filter(({ outcome }) => outcome === "pass").map(({ binding }) => binding));
      assert.deepEqual([...bindings].sort(), ["card", "grpc", "jsonrpc", "rest"]);
      await report(t, results, path + tenant);
    }
  }
});

test("conformance of a signed card", { timeout: 60_000 }, (t) =>
  judge(t, "signed card", { wrap: signing }, { only: ["8.4.2"] }),
);

// Below the runs, which fill `passed`.
test("every check has passed against one of our agents", () => {
  const never = CHECKS.map(({ id }) => id).filter((id) => !passed.has(id));
  assert.deepEqual(never, []);
});
