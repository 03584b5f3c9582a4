// §4.4.6, §11.3: tenants, and several agents on one host, each with its card.
import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { grpcTransport } from "../../src/bindings/grpc/grpc-transport.ts";
import { connect } from "../../src/client/connect.ts";
import { type Host, serve } from "../../src/hosts/node/serve.ts";
import type { AgentCard } from "../../src/model/gen/types.ts";
import { plainCall } from "../../src/operations/call.ts";
import { A2AError, isA2AError, isLocalError } from "../../src/operations/errors.ts";
import { RESERVED_TENANTS } from "../../src/operations/tenant.ts";
import { createAgent } from "../../src/server/agent.ts";

const agents = ["Planner", "Trip Booker"].map((name) =>
  createAgent({ name, description: `${name}.`, version: "1.0.0", onTask: (task) => task.complete(`${name} did it`) }),
);
const [planner] = agents;
if (planner === undefined) throw new Error("there is no agent");

async function hosting(t: TestContext, tenants?: readonly string[], all = false): Promise<Host> {
  const host = await serve(all ? agents : agents.slice(0, 1), { log: false, tenants });
  t.after(() => host.close({ graceMs: 0 }));
  return host;
}

const HEADERS = { "content-type": "application/json", "a2a-version": "1.0" };

function message(more: object = {}): string {
  return JSON.stringify({
    message: { messageId: crypto.randomUUID(), role: "ROLE_USER", parts: [{ text: "go" }] },
    ...more,
  });
}

async function post(
  url: string,
  body: string,
): Promise<{ status: number; body: { error?: { message: string; details?: object[] }; task?: { id: string } } }> {
  const response = await fetch(url, { method: "POST", headers: HEADERS, body });
  return { status: response.status, body: (await response.json()) as never };
}

test("path, query and body must name the same tenant; nothing is stored of a request in which they disagree", async (t) => {
  const { url } = await hosting(t);
  const cases: readonly (readonly [string, string, boolean])[] = [
    [`${url}/acme/message:send`, message(), true],
    [`${url}/acme/message:send`, message({ tenant: "acme" }), true],
    [`${url}/acme/message:send`, message({ tenant: "" }), true],
    [`${url}/message:send?tenant=acme`, message({ tenant: "acme" }), true],
    [`${url}/message:send`, message({ tenant: "acme" }), true],
    [`${url}/acme/message:send`, message({ tenant: "umbrella" }), false],
    [`${url}/acme/message:send?tenant=umbrella`, message(), false],
    [`${url}/message:send?tenant=acme`, message({ tenant: "umbrella" }), false],
  ];
  for (const [target, body, isGood] of cases) {
    const answer = await post(target, body);
    assert.equal(answer.status, isGood ? 200 : 400, `${target} ${body}`);
    if (!isGood) assert.match(answer.body.error?.message ?? "", /tenant.*acme.*umbrella.*disagree/);
  }
  const total = async (tenant: string): Promise<number> =>
    ((await (await fetch(`${url}/${tenant}/tasks`, { headers: HEADERS })).json()) as { totalSize: number }).totalSize;
  assert.deepEqual([await total("acme"), await total("umbrella")], [5, 0]);
});

test("what a tenant has is at its path alone", async (t) => {
  const { url } = await hosting(t, ["", "acme", "umbrella"]);
  const id = (await post(`${url}/acme/message:send`, message())).body.task?.id ?? "";
  const read = async (path: string): Promise<number> => (await fetch(`${url}${path}`, { headers: HEADERS })).status;
  assert.equal(await read(`/acme/tasks/${id}`), 200);
  assert.equal(await read(`/tasks/${id}?tenant=acme`), 200);
  assert.equal(await read(`/tasks/${id}`), 404);
  assert.equal(await read(`/umbrella/tasks/${id}`), 404);
  const unknown = await post(`${url}/nobody/message:send`, message());
  assert.equal(unknown.status, 400);
  assert.match(unknown.body.error?.message ?? "", /"nobody" is not served here/);
});

test("a host without a tenant of no name asks for one", async (t) => {
  const { url } = await hosting(t, ["acme"]);
  const missing = await post(`${url}/message:send`, message());
  assert.equal(missing.status, 400);
  assert.match(missing.body.error?.message ?? "", /tenant.*is missing/);
});

test("words of the protocol's paths, and what cannot stand in a path, are refused as tenants", async () => {
  for (const tenant of [...RESERVED_TENANTS, "a/b", "..", "ä", "x".repeat(129)]) {
    await assert.rejects(
      serve(agents, { log: false, tenants: [tenant] }),
      (thrown) => isLocalError(thrown, "CONFIGURATION"),
      tenant,
    );
  }
  assert.ok(RESERVED_TENANTS.includes("tasks") && RESERVED_TENANTS.includes(".well-known"));
});

test("each tenant has a card at its path, and a client that reads it sends the tenant exactly", async (t) => {
  const { url } = await hosting(t, ["", "acme~1"]);
  const card = (await (await fetch(`${url}/acme~1/.well-known/agent-card.json`)).json()) as AgentCard;
  assert.ok(card.supportedInterfaces.length >= 3);
  for (const { tenant } of card.supportedInterfaces) assert.equal(tenant, "acme~1");
  const plain = (await (await fetch(`${url}/.well-known/agent-card.json`)).json()) as AgentCard;
  for (const one of plain.supportedInterfaces) assert.equal(one.tenant, undefined);
  assert.equal((await fetch(`${url}/nobody/.well-known/agent-card.json`)).status, 404);
  const ids: string[] = [];
  for (const binding of ["JSONRPC", "HTTP+JSON"]) {
    const client = await connect(`${url}/acme~1`, { prefer: [binding] });
    const done = await client.send("go");
    assert.ok(done.kind === "task" && done.state === "COMPLETED");
    assert.equal((await client.task(done.id)).id, done.id);
    ids.push(done.id);
  }
  const mine = (await (await fetch(`${url}/acme~1/tasks`, { headers: HEADERS })).json()) as { tasks: { id: string }[] };
  assert.deepEqual(mine.tasks.map(({ id }) => id).sort(), [...ids].sort());
  assert.equal(
    ((await (await fetch(`${url}/tasks`, { headers: HEADERS })).json()) as { totalSize: number }).totalSize,
    0,
  );
});

test("several agents of a host stand at a path each, with cards and tenants of their own, and see nothing of each other", async (t) => {
  const { url } = await hosting(t, ["", "acme"], true);
  for (const [path, name] of [
    ["/planner", "Planner"],
    ["/trip-booker", "Trip Booker"],
  ] as const) {
    for (const tenant of ["", "/acme"]) {
      const client = await connect(`${url}${path}${tenant}`);
      assert.equal(client.card.name, name);
      assert.equal(client.interface.url, url + path);
      const done = await client.send("go");
      assert.ok(done.kind === "task" && done.text === `${name} did it`);
    }
  }
  const client = await connect(`${url}/planner`);
  const { id } = await client.send("go").then((done) => (done.kind === "task" ? done : assert.fail("a message")));
  assert.equal((await fetch(`${url}/trip-booker/tasks/${id}`, { headers: HEADERS })).status, 404);
  assert.equal((await fetch(`${url}/nobody/.well-known/agent-card.json`)).status, 404);
  const twins = [planner, createAgent({ ...planner.options, name: "planner" })];
  await assert.rejects(serve(twins, { log: false }), /two agents of this host would stand at \/planner/);
});

test("over gRPC, which has no paths, several agents of a host are told apart by the tenants of their cards", async (t) => {
  const { url, port } = await hosting(t, ["", "acme"], true);
  const over = (target: string): ReturnType<typeof connect> =>
    connect(target, { prefer: ["GRPC"], transports: { GRPC: grpcTransport() } });
  const ids: string[] = [];
  for (const [path, name] of [
    ["planner", "Planner"],
    ["trip-booker", "Trip Booker"],
  ] as const) {
    for (const tenant of ["", "/acme"]) {
      const client = await over(`${url}/${path}${tenant}`);
      t.after(() => client.close());
      assert.equal(client.interface.protocolBinding, "GRPC");
      assert.equal(client.interface.tenant, path + tenant);
      assert.equal(client.interface.url, `127.0.0.1:${port}`);
      const done = await client.send("go");
      assert.ok(done.kind === "task" && done.text === `${name} did it`);
      ids.push(done.id);
      // The same task over HTTP, where path and tenant say what the one tenant said here.
      assert.equal((await fetch(`${url}/${path}${tenant}/tasks/${done.id}`, { headers: HEADERS })).status, 200);
      const { value } = await client.service.listTasks({}, plainCall());
      assert.deepEqual(
        value.tasks.map((task) => task.id),
        [done.id],
      );
      const run = client.stream("go");
      assert.equal((await run.result).kind, "task");
    }
  }
  const booker = await over(`${url}/trip-booker`);
  t.after(() => booker.close());
  await assert.rejects(booker.service.getTask({ id: ids[0] ?? "" }, plainCall()), (thrown) =>
    isA2AError(thrown, "TASK_NOT_FOUND"),
  );
});

test("over gRPC a tenant that names no agent of a port is refused, and so is none, before any agent hears of it", async (t) => {
  const { url } = await hosting(t, ["", "acme"], true);
  const card = (await (await fetch(`${url}/planner/.well-known/agent-card.json`)).json()) as AgentCard;
  const cases: readonly (readonly [string | undefined, RegExp])[] = [
    [undefined, /tenant: is missing; send the tenant of the interface in the agent card/],
    ["nobody", /"nobody" is no agent of this port/],
    ["acme", /"acme" is no agent of this port/],
    ["planner/nobody", /"nobody" is not served here/],
    ["planner/acme/x", /"acme\/x" is not served here/],
    ["constructor", /"constructor" is no agent of this port/],
  ];
  for (const [tenant, words] of cases) {
    const supportedInterfaces = card.supportedInterfaces
      .filter(({ protocolBinding }) => protocolBinding === "GRPC")
      .map(({ tenant: _own, ...one }) => (tenant === undefined ? one : { ...one, tenant }));
    const client = await connect({ ...card, supportedInterfaces }, { transports: { GRPC: grpcTransport() } });
    const refused = (thrown: unknown): boolean => isA2AError(thrown, "INVALID_PARAMS") && words.test(thrown.message);
    await assert.rejects(client.send("go"), refused, String(tenant));
    await assert.rejects(client.stream("go").result, refused, String(tenant));
    await client.close();
  }
});

test("several locked agents of a port ask for credentials by the schemes of all, for any may be meant", async (t) => {
  const locked = ["Planner", "Trip Booker"].map((name) =>
    createAgent({
      name,
      description: `${name}.`,
      version: "1.0.0",
      onTask: () => "done",
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
    }),
  );
  const host = await serve(locked, {
    log: false,
    authenticate: () => Promise.reject(new A2AError("UNAUTHENTICATED", "say who you are")),
  });
  t.after(() => host.close({ graceMs: 0 }));
  const client = await connect(`${host.url}/planner`, { prefer: ["GRPC"], transports: { GRPC: grpcTransport() } });
  t.after(() => client.close());
  await assert.rejects(client.service.listTasks({}, plainCall()), (thrown) => {
    assert.ok(isA2AError(thrown, "UNAUTHENTICATED"));
    assert.equal(thrown.metadata["wwwAuthenticate"], 'Bearer realm="Planner", Bearer realm="Trip Booker"');
    return true;
  });
});
