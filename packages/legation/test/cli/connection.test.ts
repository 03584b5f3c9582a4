import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { AgentCard } from "../../src/model/gen/types.ts";
import { type FakeAgent, fakeTask, startFakeAgent } from "./fake-agent.ts";
import { type Cleanup, startRehearsal } from "./rehearsal-process.ts";
import { runCli } from "./run-cli.ts";

const server = await startRehearsal({ after }, { cwd: import.meta.dirname });

function locked(t: Cleanup, card: Partial<AgentCard>): Promise<FakeAgent> {
  return startFakeAgent(t, () => ({ result: fakeTask("TASK_STATE_COMPLETED") }), card);
}

const BEARER = { securitySchemes: { b: { httpAuthSecurityScheme: { scheme: "Bearer" } } } };
const keyIn = (location: string): Partial<AgentCard> => ({
  securitySchemes: { k: { apiKeySecurityScheme: { location, name: "X-Agent-Key" } } },
});
const GET = ["task", "get", "task-1", "-o", "json"];

describe("authentication", () => {
  it("A2ACLI_AUTH_001 puts credentials where the card says, and never on the request for the card", async (t) => {
    const bearer = await locked(t, BEARER);
    assert.equal((await runCli([...GET, "-a", bearer.url, "--bearer", "s3cret"])).code, 0);
    assert.equal(bearer.calls[0]?.headers.authorization, "Bearer s3cret");
    assert.equal(bearer.cardRequests[0]?.headers.authorization, undefined);
    const header = await locked(t, keyIn("header"));
    await runCli([...GET, "-a", header.url, "--api-key", "k3y"]);
    assert.equal(header.calls[0]?.headers["x-agent-key"], "k3y");
    const query = await locked(t, keyIn("query"));
    await runCli([...GET, "-a", query.url, "--api-key", "k3y"]);
    assert.match(query.calls[0]?.url ?? "", /[?&]X-Agent-Key=k3y/);
    assert.doesNotMatch(query.cardRequests[0]?.url ?? "", /k3y/);
    const cookie = await locked(t, keyIn("cookie"));
    await runCli([...GET, "-a", cookie.url, "--api-key", "k3y"]);
    assert.equal(cookie.calls[0]?.headers.cookie, "X-Agent-Key=k3y");
  });

  it("A2ACLI_AUTH_001 --svc-param is a transport parameter of its own, repeatable", async (t) => {
    const fake = await locked(t, {});
    await runCli([...GET, "-a", fake.url, "--svc-param", "x-trace-id:abc:1", "--svc-param", "X-Team: blue"]);
    assert.equal(fake.calls[0]?.headers["x-trace-id"], "abc:1");
    assert.equal(fake.calls[0]?.headers["x-team"], "blue");
    assert.equal((await runCli([...GET, "-a", fake.url, "--svc-param", "nocolon"])).code, 2);
    const help = await runCli(["help", "send"]);
    assert.doesNotMatch(/--svc-param .*\n.*/.exec(help.stdout)?.[0] ?? "", /credential|auth/i);
  });

  it("A2ACLI_AUTH_002 takes credentials from the environment, a flag goes first, and help warns of the flag", async (t) => {
    const fake = await locked(t, {
      securitySchemes: { ...BEARER.securitySchemes, ...keyIn("header").securitySchemes },
    });
    const env = { A2ACLI_BEARER: "from-env", A2ACLI_API_KEY: "key-from-env" };
    await runCli([...GET, "-a", fake.url], { env });
    assert.equal(fake.calls[0]?.headers.authorization, "Bearer from-env");
    assert.equal(fake.calls[0]?.headers["x-agent-key"], "key-from-env");
    await runCli([...GET, "-a", fake.url, "--bearer", "from-flag"], { env });
    assert.equal(fake.calls[1]?.headers.authorization, "Bearer from-flag");
    assert.match((await runCli(["send", "--help"])).stdout, /--bearer <token>\n.*process list.*history.*A2ACLI_BEARER/);
  });

  it("A2ACLI_AUTH_003 warns of a credential over a connection that is not verified", async (t) => {
    const fake = await locked(t, BEARER);
    const { stderr } = await runCli([...GET, "-a", fake.url, "--insecure", "--bearer", "s3cret"]);
    assert.match(stderr, /SECURITY: a credential is sent over a connection whose certificate is not verified/);
    assert.match((await runCli([...GET, "-a", fake.url, "--insecure"])).stderr, /certificates are not verified/);
    assert.doesNotMatch((await runCli([...GET, "-a", fake.url])).stderr, /verified/);
  });

  it("A2ACLI_AUTH_004 shows no credential in any diagnostic", async (t) => {
    const fake = await locked(t, { securitySchemes: { ...BEARER.securitySchemes, ...keyIn("query").securitySchemes } });
    const secrets = ["--bearer", "s3cret-b", "--api-key", "s3cret-k", "--svc-param", "x-custom:s3cret-p"];
    const { stderr, stdout } = await runCli([...GET, "-a", fake.url, "--debug", "--verbose", ...secrets]);
    assert.match(stderr, /debug: > POST/);
    assert.match(stderr, /> authorization: \*\*\*/);
    assert.doesNotMatch(stderr + stdout, /s3cret/);
    const shown = await runCli(["config", "show", ...secrets]);
    assert.doesNotMatch(shown.stdout, /s3cret/);
  });

  it("says whether credentials are missing or were refused", async (t) => {
    const refusing = await startFakeAgent(t, () => ({ status: 401 }), BEARER);
    const missing = await runCli([...GET, "-a", refusing.url]);
    assert.deepEqual([missing.code, missing.error().code], [4, "A2ACLI_ERR_CREDENTIALS_MISSING"]);
    assert.match(missing.error().hint ?? "", /--bearer <token>/);
    const refused = await runCli([...GET, "-a", refusing.url, "--bearer", "wrong"]);
    assert.deepEqual([refused.code, refused.error().code], [4, "A2ACLI_ERR_AUTH_FAILED"]);
  });
});

describe("transport and version", () => {
  it("A2ACLI_TX_001 A2ACLI_TX_002 takes the first interface that it speaks; --transport is ordered", async () => {
    const selected = async (...flags: string[]): Promise<string | undefined> =>
      (await runCli(["card", "get", "-a", server.url, ...flags])).field("Selected interface")?.split(" ")[0];
    assert.equal(await selected(), "JSONRPC");
    assert.equal(await selected("--transport", "HTTP+JSON", "--transport", "JSONRPC"), "HTTP+JSON");
    assert.equal(await selected("--transport", "PIGEON", "--transport", "rest"), "HTTP+JSON");
    assert.equal(await selected("--transport", "PIGEON"), "JSONRPC");
    assert.equal(await selected("--transport", "grpc"), "GRPC");
    const env = { A2ACLI_TRANSPORT: "HTTP+JSON,JSONRPC" };
    const fromEnv = await runCli(["card", "get", "-a", server.url], { env });
    assert.match(fromEnv.field("Selected interface") ?? "", /^HTTP\+JSON/);
  });

  it("A2ACLI_TX_001 passes over interfaces that it does not speak", async (t) => {
    const real = await locked(t, {});
    const fake = await locked(t, {
      supportedInterfaces: [
        { url: "https://example.com", protocolBinding: "CARRIER-PIGEON", protocolVersion: "1.0" },
        { url: `${real.url}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" },
      ],
    });
    assert.equal((await runCli([...GET, "-a", fake.url])).code, 0);
    assert.equal(real.calls.length, 1);
  });

  it("A2ACLI_TX_003 sends the tenant of the interface exactly, and none where there is none", async (t) => {
    const plain = await locked(t, {});
    await runCli([...GET, "-a", plain.url]);
    assert.equal(plain.calls[0]?.params.tenant, undefined);
    const tenant = await locked(t, {
      supportedInterfaces: [
        { url: `${plain.url}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "Acme-1" },
      ],
    });
    await runCli([...GET, "-a", tenant.url]);
    assert.equal(plain.calls[1]?.params.tenant, "Acme-1");
  });

  it("A2ACLI_VER_001 signals the version on every request, and never goes below 1.0", async (t) => {
    const fake = await locked(t, {});
    await runCli([...GET, "-a", fake.url]);
    assert.equal(fake.calls[0]?.headers["a2a-version"], "1.0");
    await runCli([...GET, "-a", fake.url, "--a2a-version", "1.1"]);
    assert.equal(fake.calls[1]?.headers["a2a-version"], "1.1");
    const refused = await runCli([...GET, "-a", server.url, "--a2a-version", "9.9"]);
    assert.deepEqual([refused.code, refused.error().code], [1, "VersionNotSupportedError"]);
    const old = await runCli([...GET, "-a", fake.url, "--a2a-version", "0.3"]);
    assert.deepEqual([old.code, old.error().code, fake.calls.length], [1, "VersionNotSupportedError", 2]);
    const legacy = await locked(t, {
      supportedInterfaces: [{ url: `${fake.url}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "0.3" }],
    });
    const silent = await runCli([...GET, "-a", legacy.url]);
    assert.equal(silent.error().code, "VersionNotSupportedError");
    assert.match(silent.error().hint ?? "", /--a2a-version 0\.3/);
  });
});
