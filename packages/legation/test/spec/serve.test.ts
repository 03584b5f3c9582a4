// Agents on a port: cards, bindings, refusals at the start, and what is there after a restart.
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { connect } from "../../src/client/connect.ts";
import { createHolder, isDeadHolder } from "../../src/hosts/node/holder.ts";
import type { Logger } from "../../src/hosts/node/log.ts";
import { assertNodeVersion } from "../../src/hosts/node/node-version.ts";
import { openStore } from "../../src/hosts/node/open-store.ts";
import { type Host, type ServeOptions, serve } from "../../src/hosts/node/serve.ts";
import { A2AError, isLocalError } from "../../src/operations/errors.ts";
import { type Agent, createAgent } from "../../src/server/agent.ts";
import type { AgentOptions } from "../../src/server/agent-options.ts";

function agentWith(options: Partial<AgentOptions> = {}): Agent {
  const base = { name: "Planner", description: "Plans.", version: "1.0.0", onTask: () => "done" };
  return createAgent({ ...base, ...options });
}

async function served(
  agents: Agent | Agent[],
  body: (host: Host) => Promise<void>,
  options: ServeOptions = {},
): Promise<void> {
  const host = await serve(agents, { log: false, ...options });
  try {
    await body(host);
  } finally {
    await host.close({ graceMs: 0 });
  }
}

test("§8.3.1 Interfaces › the card declares what is wired, at the address that was called", async () => {
  await served(agentWith(), async ({ url, port }) => {
    const response = await fetch(`${url}/.well-known/agent-card.json`);
    assert.equal(response.status, 200);
    const card = (await response.json()) as Record<string, unknown>;
    assert.deepEqual(card["supportedInterfaces"], [
      { url, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      { url, protocolBinding: "HTTP+JSON", protocolVersion: "1.0" },
      { url: `127.0.0.1:${port}`, protocolBinding: "GRPC", protocolVersion: "1.0" },
    ]);
    const { extensions, ...flags } = card["capabilities"] as Record<string, unknown>;
    assert.deepEqual(flags, { streaming: true, pushNotifications: true, extendedAgentCard: false });
    assert.deepEqual(
      (extensions as { uri: string }[]).map(({ uri }) => uri),
      ["urn:legation:extension:skill-schemas:v1", "urn:legation:extension:idempotent-send:v1"],
    );
    const head = await fetch(`${url}/.well-known/agent-card.json`, { method: "HEAD" });
    assert.equal(head.status, 200);
    assert.equal(await head.text(), "");
  });
});

test("§8.3.1 Interfaces › the card of an agent behind a proxy names its public URL", async () => {
  await served(agentWith({ url: "https://agents.example.com/planner/" }), async ({ url }) => {
    const card = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as {
      supportedInterfaces: { url: string }[];
    };
    assert.equal(card.supportedInterfaces[0]?.url, "https://agents.example.com/planner");
  });
});

test("serve › one port carries JSON-RPC and HTTP+JSON, and says what is not found in JSON", async () => {
  await served(agentWith(), async ({ url }) => {
    for (const prefer of ["JSONRPC", "HTTP+JSON"]) {
      const client = await connect(url, { prefer: [prefer] });
      const reply = await client.send("hi");
      assert.equal(reply.kind === "task" && reply.state, "COMPLETED");
    }
    const nowhere = await fetch(`${url}/nowhere`, { headers: { "a2a-version": "1.0" } });
    assert.equal(nowhere.status, 404);
    assert.match(nowhere.headers.get("content-type") ?? "", /json/);
  });
});

test("serve › several agents stand on paths of their own and see nothing of each other", async () => {
  const agents = [agentWith({ name: "Flights" }), agentWith({ name: "Hotel Rooms" })];
  await served(agents, async (host) => {
    assert.deepEqual(
      host.agents.map(({ path: at }) => at),
      ["/flights", "/hotel-rooms"],
    );
    const flights = await connect(`${host.url}/flights`);
    const hotels = await connect(`${host.url}/hotel-rooms`);
    assert.equal(hotels.card.supportedInterfaces[0]?.url, `${host.url}/hotel-rooms`);
    const sent = await flights.send("hi");
    assert.ok(sent.kind === "task");
    await assert.rejects(hotels.task(sent.id), { code: "TASK_NOT_FOUND" });
    assert.equal((await fetch(`${host.url}/.well-known/agent-card.json`)).status, 404);
  });
});

test("§3.3.4 Capabilities › an agent whose card would be untrue does not start", async () => {
  const untrue: Partial<AgentOptions>[] = [
    { capabilities: { pushNotifications: true } },
    { capabilities: { extendedAgentCard: true } },
    { capabilities: { extendedAgentCard: false }, extendedCard: () => undefined },
    { securityRequirements: [{ schemes: { key: {} } }] },
    { skills: [{ id: "", name: "", description: "", tags: [] }] },
  ];
  for (const options of untrue) {
    const starting = serve(agentWith(options), {
      log: false,
      push: false,
      authenticate: async () => ({ owner: "ann" }),
    });
    await assert.rejects(starting, (thrown) => isLocalError(thrown, "CONFIGURATION"), JSON.stringify(options));
  }
});

test("serve › refuses what cannot work with what to do", async () => {
  const securityRequirements = [{ schemes: { key: {} } }];
  const securitySchemes = { key: { apiKeySecurityScheme: { location: "header", name: "x-key" } } };
  const cases: readonly (readonly [Agent | Agent[], ServeOptions, RegExp])[] = [
    [[], {}, /at least one/],
    [[agentWith(), agentWith()], {}, /names that differ/],
    [agentWith({ securityRequirements, securitySchemes }), {}, /authenticate/],
    [agentWith(), { store: "mysql://me:secret@db" }, /use memory:, sqlite:.+ or postgres:/],
    [
      [agentWith({ deadlines: { totalMs: 1 } }), agentWith({ name: "B", deadlines: { totalMs: 2 } })],
      {},
      /deadlines\.totalMs/,
    ],
  ];
  for (const [agents, options, message] of cases) {
    await assert.rejects(serve(agents, { log: false, ...options }), (thrown) => {
      assert.ok(isLocalError(thrown, "CONFIGURATION"));
      assert.match(thrown.message, message);
      assert.doesNotMatch(thrown.message, /secret/);
      return true;
    });
  }
});

test("createAgent › refuses an agent without handlers, names or a real URL", () => {
  const base = { name: "A", description: "D", version: "1" };
  for (const options of [
    base,
    { ...base, name: " ", onTask: () => "x" },
    { ...base, url: "agent.example.com", onTask: () => "x" },
  ]) {
    assert.throws(
      () => createAgent(options),
      (thrown) => isLocalError(thrown, "CONFIGURATION"),
    );
  }
});

test("serve › a port in use is PORT_IN_USE, and the store is free again", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "legation-"));
  const store = `sqlite:${path.join(folder, "a.db")}`;
  try {
    await served(agentWith(), async ({ port }) => {
      await assert.rejects(serve(agentWith(), { log: false, port, store }), (thrown) =>
        isLocalError(thrown, "PORT_IN_USE"),
      );
    });
    await served(agentWith(), async (host) => assert.ok(host.port > 0), { store });
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("serve › a task on SQLite is there, and goes on, after a restart of the host", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "legation-"));
  const store = `sqlite:${path.join(folder, "a.db")}`;
  const asking = agentWith({ onTask: async (task) => `you said ${(await task.ask("what?")).text}` });
  let id = "";
  try {
    await served(
      asking,
      async ({ url }) => {
        const asked = await (await connect(url)).send("hi");
        assert.ok(asked.kind === "task");
        id = asked.id;
      },
      { store },
    );
    await served(
      asking,
      async ({ url }) => {
        const task = await (await connect(url)).task(id);
        assert.equal(task.state, "INPUT_REQUIRED");
        const done = await task.reply("this");
        assert.equal(done.kind === "task" && done.state, "COMPLETED");
      },
      { store },
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("§3.3.2 Errors › refused credentials are 401 with the challenge of the card's schemes, and scope what is seen", async () => {
  const securitySchemes = { token: { httpAuthSecurityScheme: { scheme: "Bearer" } } };
  const agent = agentWith({
    securitySchemes,
    securityRequirements: [{ schemes: { token: {} } }],
    extendedCard: (_who, card) => card,
  });
  const authenticate: ServeOptions["authenticate"] = async (request) => {
    const owner = /^Bearer (\w+)$/.exec(request.header("authorization") ?? "")?.[1];
    if (owner === undefined) throw new A2AError("UNAUTHENTICATED", "send a bearer token");
    return { owner, scheme: "token" };
  };
  await served(
    agent,
    async ({ url }) => {
      const refused = await fetch(`${url}/tasks`, { headers: { "a2a-version": "1.0" } });
      assert.equal(refused.status, 401);
      assert.equal(refused.headers.get("www-authenticate"), 'Bearer realm="Planner"');
      const of = (owner: string) => connect(url, { headers: { authorization: `Bearer ${owner}` } });
      const sent = await (await of("ann")).send("hi");
      assert.ok(sent.kind === "task");
      await assert.rejects((await of("bob")).task(sent.id), { code: "TASK_NOT_FOUND" });
      const extended = await fetch(`${url}/extendedAgentCard`, {
        headers: { "a2a-version": "1.0", authorization: "Bearer ann" },
      });
      assert.equal(extended.headers.get("cache-control"), "private");
      const card = (await extended.json()) as { supportedInterfaces: { url: string }[] };
      assert.equal(card.supportedInterfaces[0]?.url, url);
    },
    { authenticate },
  );
});

test("serve › tells its logger where it listens, what is not wired, and the detail of a failure", async () => {
  const lines: { level: string; details: object; text: string }[] = [];
  const to = (level: string) => (details: object, text: string) => void lines.push({ level, details, text });
  const log: Logger = { debug: to("debug"), info: to("info"), warn: to("warn"), error: to("error") };
  const failing = agentWith({
    onTask: () => {
      throw new Error("the detail");
    },
  });
  await served(
    failing,
    async ({ url }) => {
      const failed = await (await connect(url)).send("hi");
      assert.equal(failed.kind === "task" && failed.state, "FAILED");
      const start = lines.find(({ text }) => text === "host.listening");
      assert.deepEqual(start?.details, {
        url,
        bindings: ["JSONRPC", "HTTP+JSON", "GRPC"],
        store: "memory",
        notWired: ["push notifications (push: false)"],
      });
      assert.ok(
        lines.some(({ details }) =>
          Object.values(details).some((value) => value instanceof Error && value.message === "the detail"),
        ),
      );
    },
    { log, push: false },
  );
});

test("openStore › names the forms that there are, and never shows what stands behind a scheme", async () => {
  for (const [url, message] of [
    ["sqlite:", /name the file/],
    ["memory:x", /takes nothing/],
    ["planner.db", /use memory:, sqlite:.+ or postgres:/],
    ["mysql://me:secret@db/x", /use memory:, sqlite:.+ or postgres:/],
  ] as const) {
    await assert.rejects(openStore(url), (thrown) => {
      assert.ok(isLocalError(thrown, "CONFIGURATION"));
      assert.match(thrown.message, message);
      assert.doesNotMatch(thrown.message, /secret/);
      return true;
    });
  }
});

test("assertNodeVersion › refuses what is older than the first release with a safe SQLite", () => {
  for (const version of ["18.20.0", "22.23.2", "22.5.9"]) {
    assert.throws(
      () => assertNodeVersion(version),
      (thrown) => isLocalError(thrown, "CONFIGURATION"),
    );
  }
  for (const version of ["22.23.3", "22.24.0", "24.0.0", "26.1.0"]) assertNodeVersion(version);
});

test("isDeadHolder › knows its own, a pid that is gone, and nothing of other machines", () => {
  const own = createHolder();
  const [machine, pid] = own.split(" ");
  assert.equal(isDeadHolder(own), false);
  assert.equal(isDeadHolder(`${machine} ${pid} of-a-life-before`), true);
  assert.equal(isDeadHolder(`${machine} 1 x`), false);
  assert.equal(isDeadHolder(`elsewhere ${pid} x`), false);
  // Above the largest pid that Linux gives.
  assert.equal(isDeadHolder(`${machine} 4194305 x`), true);
  assert.equal(isDeadHolder("garbled"), false);
});
