import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { AgentCard } from "../../src/model/gen/types.ts";
import { fakeTask, startFakeAgent } from "./fake-agent.ts";
import { startRehearsal, temporaryFolder } from "./rehearsal-process.ts";
import { runCli } from "./run-cli.ts";

const server = await startRehearsal({ after }, { cwd: import.meta.dirname });

describe("card get", () => {
  it("A2ACLI_CARD_GET_001 resolves a bare host, an origin and a full card URL", async () => {
    const { host } = new URL(server.url);
    for (const reference of [host, server.url, `${server.url}/.well-known/agent-card.json`]) {
      const { code, json } = await runCli(["card", "get", "-a", reference, "-o", "json"]);
      assert.equal(code, 0, reference);
      assert.equal((json() as AgentCard).name, "Rehearsal");
    }
  });

  it("A2ACLI_CARD_GET_001 resolves a path and a file URL, and selects a transport from that card", async (t) => {
    const folder = temporaryFolder(t);
    const card = await runCli(["card", "get", "-a", server.url, "-o", "json"]);
    const file = path.join(folder, "agent-card.json");
    writeFileSync(file, card.stdout);
    for (const reference of ["./agent-card.json", "agent-card.json", file, pathToFileURL(file).href]) {
      const shown = await runCli(["card", "get", "-a", reference], { cwd: folder });
      assert.equal(shown.code, 0, shown.stderr);
      assert.equal(shown.field("Selected interface"), `JSONRPC 1.0 ${server.url}`);
      const sent = await runCli(["send", "-a", reference, "hello", "-o", "json"], { cwd: folder });
      assert.equal(sent.task().status.state, "TASK_STATE_COMPLETED");
    }
  });

  it("A2ACLI_CARD_GET_001 presents identity, capabilities, interfaces, schemes and skills", async () => {
    const { field, stdout } = await runCli(["card", "get", "-a", server.url]);
    assert.equal(field("Name"), "Rehearsal");
    assert.equal(field("Streaming"), "yes");
    assert.equal(field("Push notifications"), "yes");
    assert.equal(field("Extended card"), "yes");
    assert.equal(field("Signatures"), "absent");
    assert.match(stdout, /^Interface: JSONRPC 1\.0 /m);
    assert.match(stdout, /^Interface: HTTP\+JSON 1\.0 /m);
    assert.match(stdout, /^Skill: echo: Echo$/m);
  });

  it("A2ACLI_CARD_GET_001 says which card cannot be found, reached or read", async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(path.join(folder, "broken.json"), "{");
    const cases = [
      [`${server.url}/nowhere/card.json`, "A2ACLI_ERR_CARD_NOT_FOUND", 3],
      ["./missing.json", "A2ACLI_ERR_CARD_NOT_FOUND", 3],
      ["http://127.0.0.1:1", "A2ACLI_ERR_UNREACHABLE", 3],
      ["./broken.json", "A2ACLI_ERR_CARD_INVALID", 1],
    ] as const;
    for (const [reference, name, exit] of cases) {
      const { code, error } = await runCli(["card", "get", "-a", reference, "-o", "json"], { cwd: folder });
      assert.deepEqual([error().code, code], [name, exit]);
      assert.notEqual(error().message, "");
    }
  });

  it("A2ACLI_CARD_GET_002 --validate takes a right card and names what is wrong with another", async (t) => {
    assert.equal((await runCli(["card", "get", "-a", server.url, "--validate"])).code, 0);
    const agent = await startFakeAgent(t, () => ({ result: fakeTask("TASK_STATE_COMPLETED") }), {
      skills: [{ id: "x" } as never],
    });
    const { code, error } = await runCli(["card", "get", "-a", agent.url, "--validate", "-o", "json"]);
    assert.deepEqual([error().code, code], ["A2ACLI_ERR_CARD_INVALID", 1]);
    assert.match(error().message, /skills\[0\]\.name/);
  });
});
