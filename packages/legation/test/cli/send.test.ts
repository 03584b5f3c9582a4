import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import type { Message, SendMessageRequest } from "../../src/model/gen/types.ts";
import { fakeTask, startFakeAgent } from "./fake-agent.ts";
import { startRehearsal, temporaryFolder } from "./rehearsal-process.ts";
import { runCli, script } from "./run-cli.ts";

const server = await startRehearsal({ after }, { cwd: import.meta.dirname });
const silent = await startRehearsal({ after }, { cwd: import.meta.dirname, flags: ["--no-streaming"] });
const agent = ["-a", server.url];

describe("send", () => {
  it("A2ACLI_SEND_001 sends a message to start an interaction", async () => {
    const { code, field, stdout } = await runCli(["send", ...agent, "hello"]);
    assert.equal(code, 0);
    assert.equal(field("State"), "COMPLETED");
    assert.match(stdout, /^Artifact text:\n {2}hello\n\n/m);
  });

  it("A2ACLI_SEND_002 waits by default, with and without a stream behind it", async () => {
    const slow = script({ wait: 300 }, { end: "COMPLETED" });
    for (const url of [server.url, silent.url]) {
      const { task, code } = await runCli(["send", "-a", url, "-o", "json", "--data", slow]);
      assert.deepEqual([code, task().status.state], [0, "TASK_STATE_COMPLETED"]);
    }
  });

  it("A2ACLI_SEND_002 --async and its aliases give the ids at once", async () => {
    const slow = script({ wait: 60_000 });
    for (const flag of ["--async", "--return-immediately", "--no-wait"]) {
      const { task, code } = await runCli(["send", ...agent, "-o", "json", flag, "--data", slow]);
      assert.equal(code, 0);
      assert.match(task().status.state, /SUBMITTED|WORKING/);
      assert.ok(task().id !== "" && task().contextId !== "");
      await runCli(["task", "cancel", ...agent, task().id]);
    }
  });

  it("A2ACLI_SEND_003 --stream follows live, ends cleanly with a Message, and never hangs without streaming", async () => {
    const live = await runCli(["send", ...agent, "-o", "json", "--stream", "hello"]);
    assert.equal(live.code, 0);
    assert.ok(live.lines()[0]?.task !== undefined);
    assert.equal(live.lines().at(-1)?.statusUpdate?.status.state, "TASK_STATE_COMPLETED");
    const reply = await runCli(["send", ...agent, "-o", "json", "--stream", "--data", script({ reply: "yo" })]);
    assert.deepEqual([reply.code, reply.lines().length], [0, 1]);
    assert.equal(reply.lines()[0]?.message?.parts[0]?.text, "yo");
    const polled = await runCli(["send", "-a", silent.url, "-o", "json", "--stream", "hello"]);
    assert.deepEqual([polled.code, polled.lines().length], [0, 1]);
    assert.equal(polled.lines()[0]?.task?.status.state, "TASK_STATE_COMPLETED");
  });

  it("A2ACLI_SEND_004 renders text, data and files, and leaves no part out", async () => {
    const steps = script(
      { artifact: { name: "a.txt", text: "one\n\ntwo" } },
      { artifact: { name: "a.json", data: { k: [1, 2] } } },
      { artifact: { name: "a.bin", rawBase64: "AAECAw==", mediaType: "image/png", filename: "a.png" } },
      { artifact: { name: "a.url", url: "https://example.com/a.pdf" } },
    );
    const { stdout } = await runCli(["send", ...agent, "--data", steps]);
    assert.match(stdout, /^Artifact text:\n {2}one\n {2}\n {2}two\n\n/m);
    assert.match(stdout, /^Artifact data:\n {2}\{\n {4}"k": \[/m);
    assert.match(stdout, /^Artifact file: a\.png \(image\/png, 4 bytes\)$/m);
    assert.match(stdout, /^Artifact file: https:\/\/example\.com\/a\.pdf \(/m);
  });

  it("A2ACLI_SEND_005 binds --media-type to the part flag before it, and guesses only without one", async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(path.join(folder, "report.bin"), "pdf");
    writeFileSync(path.join(folder, "notes.md"), "# notes");
    const flags = ["--file", "report.bin", "--media-type", "application/pdf", "--file", "notes.md", "--text", "look"];
    const message = await sentMessage(t, flags, folder);
    assert.deepEqual(message.parts, [
      { raw: "cGRm", filename: "report.bin", mediaType: "application/pdf" },
      { raw: "IyBub3Rlcw==", filename: "notes.md", mediaType: "text/markdown" },
      { text: "look" },
    ]);
    for (const wrong of [
      ["--media-type", "text/plain", "--text", "x"],
      ["--text", "x", "--media-type", "a/b", "--media-type", "c/d"],
    ]) {
      const { code, error } = await runCli(["send", ...agent, "-o", "json", ...wrong]);
      assert.deepEqual([code, error().code], [2, "A2ACLI_ERR_USAGE"]);
    }
  });

  it("A2ACLI_SEND_006 keeps the order of repeated parts; --data - reads stdin; a URL stays a reference", async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(path.join(folder, "d.json"), '{"n":1}');
    const flags = [
      "--data",
      "d.json",
      "--text",
      "a",
      "--data",
      "-",
      "--file",
      "https://example.com/x.png",
      "--text",
      "b",
    ];
    const message = await sentMessage(t, flags, folder, '{"n":2}');
    assert.deepEqual(message.parts, [
      { data: { n: 1 } },
      { text: "a" },
      { data: { n: 2 } },
      { url: "https://example.com/x.png", filename: "x.png", mediaType: "image/png" },
      { text: "b" },
    ]);
  });
});

async function sentMessage(
  t: Parameters<typeof temporaryFolder>[0],
  flags: string[],
  cwd: string,
  stdin = "",
): Promise<Message> {
  const fake = await startFakeAgent(t, () => ({ result: { task: fakeTask("TASK_STATE_COMPLETED") } }), {
    capabilities: {},
  });
  const { code, stderr } = await runCli(["send", "-a", fake.url, ...flags], { cwd, stdin });
  assert.equal(code, 0, stderr);
  return (fake.calls[0]!.params as unknown as SendMessageRequest).message;
}

describe("interaction", () => {
  const ask = script({ ask: "which one?" }, { end: "COMPLETED" });

  it("A2ACLI_INTERACT_001 --context-id begins a new task in a context", async () => {
    const first = (await runCli(["send", ...agent, "-o", "json", "one"])).task();
    const second = (
      await runCli(["send", ...agent, "-o", "json", "--context-id", first.contextId ?? "", "two"])
    ).task();
    assert.equal(second.contextId, first.contextId);
    assert.notEqual(second.id, first.id);
  });

  it("A2ACLI_INTERACT_002 --task-id goes on with a task, with and without its context", async () => {
    for (const withContext of [false, true]) {
      const asked = (await runCli(["send", ...agent, "-o", "json", "--data", ask])).task();
      assert.equal(asked.status.state, "TASK_STATE_INPUT_REQUIRED");
      const context = withContext ? ["--context-id", asked.contextId ?? ""] : [];
      const done = (await runCli(["send", ...agent, "-o", "json", "--task-id", asked.id, ...context, "that"])).task();
      assert.deepEqual([done.id, done.status.state], [asked.id, "TASK_STATE_COMPLETED"]);
    }
  });

  it("A2ACLI_INTERACT_002 a rejected id fails with the protocol's error, points at --debug, and begins nothing", async () => {
    const done = (await runCli(["send", ...agent, "-o", "json", "done"])).task();
    const asked = (await runCli(["send", ...agent, "-o", "json", "--data", ask])).task();
    const before = Number((await runCli(["task", "list", ...agent])).field("Total"));
    const cases = [
      [["--task-id", "nowhere"], "TaskNotFoundError"],
      [["--task-id", done.id], "UnsupportedOperationError"],
      [["--task-id", asked.id, "--context-id", "other"], "InvalidParamsError"],
    ] as const;
    for (const [ids, name] of cases) {
      const { code, error } = await runCli(["send", ...agent, "-o", "json", ...ids, "x"]);
      assert.deepEqual([code, error().code], [1, name]);
      assert.match(error().hint ?? "", /--debug/);
    }
    assert.equal(Number((await runCli(["task", "list", ...agent])).field("Total")), before);
  });

  it("A2ACLI_INTERACT_003 invents no id that is the server's", async (t) => {
    const fake = await startFakeAgent(t, () => ({ result: { task: fakeTask("TASK_STATE_COMPLETED") } }), {
      capabilities: {},
    });
    await runCli(["send", "-a", fake.url, "hello"]);
    const { message } = fake.calls[0]!.params as unknown as SendMessageRequest;
    assert.deepEqual(Object.keys(message).sort(), ["messageId", "parts", "role"]);
  });

  it("A2ACLI_INTERACT_004 reports ids and state at the end and at a question, with the command that goes on", async () => {
    const asked = await runCli(["send", ...agent, "--data", ask]);
    const id = asked.field("Task") ?? "";
    assert.equal(asked.field("State"), "INPUT_REQUIRED");
    assert.equal(asked.field("Next"), `legation send -a ${server.url} --task-id ${id} "<reply>"`);
    const done = await runCli(["send", ...agent, "--task-id", id, "that"]);
    assert.equal(done.field("Task"), id);
    assert.equal(
      done.field("Next"),
      `legation send -a ${server.url} --context-id ${done.field("Context")} "<message>"`,
    );
    const inRepository = await runCli(["send", ...agent, "--data", ask], { env: { npm_lifecycle_event: "legation" } });
    assert.match(inRepository.field("Next") ?? "", /^npm run -s legation -- send -a /);
  });

  it("A2ACLI_INTERACT_005 remembers nothing and has no --continue", async (t) => {
    const folder = temporaryFolder(t);
    const around = { cwd: folder, home: folder };
    const first = (await runCli(["send", ...agent, "-o", "json", "one"], around)).task();
    const second = (await runCli(["send", ...agent, "-o", "json", "two"], around)).task();
    assert.notEqual(second.contextId, first.contextId);
    assert.deepEqual((await import("node:fs")).readdirSync(folder), []);
    assert.equal((await runCli(["send", ...agent, "--continue", "x"])).code, 2);
  });
});
