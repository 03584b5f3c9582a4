// The command line and v0.3: called only when it is asked for, served beside 1.0, cards brought up to 1.0.
import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startRehearsal } from "./rehearsal-process.ts";
import { runCli } from "./run-cli.ts";

const server = await startRehearsal({ after }, { cwd: import.meta.dirname, flags: ["--v0_3"] });

const OLD = JSON.stringify({
  name: "Old",
  description: "d",
  version: "1",
  protocolVersion: "0.3.0",
  url: "https://old.example/rpc",
  preferredTransport: "JSONRPC",
  capabilities: { streaming: true },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "a", name: "A", description: "d", tags: [] }],
  supportsAuthenticatedExtendedCard: true,
});

describe("v0.3 on the command line", () => {
  it("rehearse --v0_3 serves both versions at one address, and --a2a-version 0.3 calls the old one", async () => {
    for (const transport of ["jsonrpc", "rest"]) {
      const flags = ["-a", server.url, "--a2a-version", "0.3", "--transport", transport];
      const card = await runCli(["card", "get", ...flags]);
      assert.match(card.field("Selected interface") ?? "", / 0\.3 /);
      const sent = await runCli(["send", ...flags, "hello"]);
      assert.equal(sent.code, 0, sent.stderr);
      assert.equal((await runCli(["send", ...flags, "--stream", "hello"])).code, 0);
    }
    const current = await runCli(["card", "get", "-a", server.url]);
    assert.match(current.field("Selected interface") ?? "", / 1\.0 /);
  });

  it("card upgrade writes a card of 1.0, and says what it changed", async () => {
    const { stdout, stderr, code } = await runCli(["card", "upgrade", OLD, "--a2a-version", "1.0"]);
    assert.equal(code, 0);
    const card = JSON.parse(stdout);
    assert.deepEqual(card.supportedInterfaces, [
      { url: "https://old.example/rpc", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
    ]);
    assert.equal(card.capabilities.extendedAgentCard, true);
    assert.match(stderr, /supportsAuthenticatedExtendedCard is read as capabilities\.extendedAgentCard/);
    const kept = JSON.parse((await runCli(["card", "upgrade", OLD, "-o", "json"])).stdout);
    assert.equal(kept.supportedInterfaces[0].protocolVersion, "0.3.0");
    const fetched = await runCli(["card", "upgrade", "-a", server.url, "-o", "json"]);
    assert.equal(fetched.code, 0, fetched.stderr);
    assert.equal((await runCli(["card", "upgrade", OLD, "--a2a-version", "new"])).code, 2);
    assert.notEqual((await runCli(["card", "upgrade", '{"hello":1}'])).code, 0);
  });
});
