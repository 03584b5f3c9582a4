import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { grpcTransport } from "../../src/bindings/grpc/grpc-transport.ts";
import { globalFetch } from "../../src/bindings/http/transport.ts";
import { connect } from "../../src/client/connect.ts";
import { openWire, type Wire } from "../../src/conformance/wire.ts";
import type { AgentCard } from "../../src/model/gen/types.ts";
import { chunkText } from "../../src/testing/rehearsal-script.ts";
import { openOracleWire } from "../spec/oracle-wire.ts";
import { startRehearsal } from "./rehearsal-process.ts";
import { runCli, script } from "./run-cli.ts";

const server = await startRehearsal({ after }, { cwd: import.meta.dirname });
const client = await connect(server.url);

/** How many examples there are of what a script can do. */
function examplesOf(card: AgentCard | undefined): number {
  return card?.skills.find(({ id }) => id === "rehearse")?.examples?.length ?? 0;
}

/** The raw wires of every binding. */
function wiresOf(url: string): readonly Wire[] {
  const { signal } = new AbortController();
  const own = { url, fetch: globalFetch, signal, tenant: "", extensions: [], credentials: async () => ({}) };
  return [openWire({ binding: "jsonrpc", ...own }), openWire({ binding: "rest", ...own }), openOracleWire(url)];
}

describe("the rehearsal agent", () => {
  it("rejects a malformed script with a lesson", async () => {
    const { field, stdout } = await runCli(["send", "-a", server.url, "--data", script({ stat: "WORKING" })]);
    assert.equal(field("State"), "REJECTED");
    assert.match(stdout, /rehearse\[0\]: \{"stat":"WORKING"\} is no step/);
  });

  it("takes a new script with the answer to a question, or goes on with the old one", async () => {
    for (const [answer, expected] of [
      [script({ artifact: { name: "new.txt", text: "new" } }, { end: "REJECTED" }), "REJECTED"],
      ["plain", "COMPLETED"],
    ] as const) {
      const asked = await client.send({ parts: [{ data: JSON.parse(script({ ask: "?" }, { end: "COMPLETED" })) }] });
      assert.ok(asked.kind === "task");
      const part = answer === "plain" ? { text: answer } : { data: JSON.parse(answer) };
      const done = await asked.reply([part]);
      assert.equal(done.kind === "task" && done.state, expected);
    }
  });

  it("answers the ids of the compatibility kit, again and again", async () => {
    for (let round = 0; round < 2; round++) {
      const ids = ["tck-complete-task-1", "tck-artifact-text-1", "tck-reject-task-1"];
      const replies = await Promise.all(ids.map((messageId) => client.send({ messageId, parts: [{ text: "x" }] })));
      const states = replies.map((reply) => (reply.kind === "task" ? reply.state : "message"));
      assert.deepEqual(states, ["COMPLETED", "COMPLETED", "REJECTED"]);
      assert.equal(replies[0]?.kind === "task" && replies[0].text, "Hello from TCK");
    }
    const one = await client.send({ messageId: "tck-complete-task-2", parts: [{ text: "x" }] });
    const two = await client.send({ messageId: "tck-complete-task-2", parts: [{ text: "x" }] });
    assert.ok(one.kind === "task" && two.kind === "task" && one.id !== two.id);
    const asked = await client.send({ messageId: "tck-input-required-1", parts: [{ text: "x" }] });
    assert.ok(asked.kind === "task" && asked.state === "INPUT_REQUIRED");
    const done = await client.send({ messageId: "tck-complete-task-3", taskId: asked.id, parts: [{ text: "x" }] });
    assert.equal(done.kind === "task" && done.text, "Hello from TCK");
  });

  it("has switches for negative cards", async (t) => {
    const uri = "urn:example:needed";
    const other = await startRehearsal(t, {
      cwd: import.meta.dirname,
      flags: ["--no-streaming", "--require-extension", uri],
    });
    const strict = await connect(other.url);
    assert.equal(strict.card.capabilities.streaming, false);
    await assert.rejects(strict.send("hello"), { code: "EXTENSION_SUPPORT_REQUIRED" });
    const reply = await strict.send("hello", { extensions: [uri] });
    assert.equal(reply.kind === "task" && reply.state, "COMPLETED");
  });

  it("has a fuller card for whoever brings a token, and none at all with --no-extended-card, over every binding", async (t) => {
    const without = await startRehearsal(t, { cwd: import.meta.dirname, flags: ["--no-extended-card"] });
    for (const [url, isDeclared] of [
      [server.url, true],
      [without.url, false],
    ] as const) {
      const { card } = await connect(url);
      assert.equal(card.capabilities.extendedAgentCard ?? false, isDeclared);
      for (const wire of wiresOf(url)) {
        // The client of ours would not even ask.
        const known = await wire.call("GetExtendedAgentCard", {}, { headers: { authorization: "Bearer mine" } });
        const nobody = await wire.call("GetExtendedAgentCard", {});
        const fuller = examplesOf(known.result as AgentCard | undefined) > examplesOf(card);
        assert.deepEqual(
          [known.error?.reason, fuller, nobody.error?.reason],
          isDeclared ? [undefined, true, "UNAUTHENTICATED"] : ["UNSUPPORTED_OPERATION", false, "UNSUPPORTED_OPERATION"],
          `${wire.binding} of a card that ${isDeclared ? "declares" : "does not declare"} it`,
        );
      }
    }
  });

  it("tells callers by their tokens: one does not see the tasks of another", async () => {
    const [mine, yours] = await Promise.all(
      ["mine", "yours"].map((token) => connect(server.url, { headers: { authorization: `Bearer ${token}` } })),
    );
    const sent = await mine?.send("hello");
    assert.ok(sent?.kind === "task");
    assert.equal((await mine?.task(sent.id))?.state, "COMPLETED");
    for (const other of [yours, client])
      await assert.rejects(async () => other?.task(sent.id), { code: "TASK_NOT_FOUND" });
  });

  it("breaks answers on purpose, and a client gets over it", async (t) => {
    const expected = Array.from({ length: 40 }, (_, index) => chunkText(index, 8)).join("");
    const steps = { rehearse: [{ stream: { name: "a.txt", chunks: 40, bytes: 8, everyMs: 5 } }] };
    for (const fault of ["cut:7", "truncate:7", "end:7", "delay:1"]) {
      const faulty = await startRehearsal(t, { cwd: import.meta.dirname, flags: ["--fault", fault] });
      for (const binding of ["JSONRPC", "GRPC"]) {
        const over = await connect(faulty.url, { prefer: [binding], transports: { GRPC: grpcTransport() } });
        const run = over.stream({ parts: [{ data: steps }] });
        let text = "";
        for await (const event of run) {
          if (event.kind === "artifact") text = event.append ? text + event.text : event.text;
        }
        assert.equal(text, expected, `${fault} over ${binding}`);
        assert.equal(run.outcome, "ended", fault);
        // A plain answer breaks off too; over gRPC it can be read again, over HTTP every answer breaks.
        if (fault.startsWith("cut") || fault.startsWith("truncate")) {
          if (binding === "GRPC") assert.equal((await over.send("hello")).kind, "task");
          else await assert.rejects(over.send("hello"), { code: "UNREACHABLE" }, `${fault} over ${binding}`);
        }
        await over.close();
      }
      await faulty.stop();
    }
  });
});
