import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startFakeAgent } from "./fake-agent.ts";
import { startRehearsal } from "./rehearsal-process.ts";
import { runCli, script } from "./run-cli.ts";

const server = await startRehearsal({ after }, { cwd: import.meta.dirname });
const agent = ["-a", server.url];

/** Reads the text format as the a2a-cli specification describes it: fields, and blocks closed by an empty line. */
function parseText(text: string): { fields: [string, string][]; blocks: [string, string[]][] } {
  const fields: [string, string][] = [];
  const blocks: [string, string[]][] = [];
  const lines = text.split("\n").slice(0, -1);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const block = /^([A-Z][A-Za-z ]*):$/.exec(line)?.[1];
    if (block !== undefined) {
      const end = lines.indexOf("", at);
      assert.ok(end > at, `block ${block} is not closed`);
      blocks.push([block, lines.slice(at + 1, end)]);
      at = end;
      continue;
    }
    const field = /^([A-Z][A-Za-z0-9 ]*): (.*)$/.exec(line);
    assert.ok(field !== null, `neither field nor block: ${JSON.stringify(line)}`);
    fields.push([field[1] ?? "", field[2] ?? ""]);
  }
  return { fields, blocks };
}

describe("output", () => {
  it("A2ACLI_OUT_001 names task, context and state in every mode; diagnostics are on stderr", async () => {
    const ask = script({ ask: "which?" });
    const text = await runCli(["send", ...agent, "--progress", "--debug", "--data", ask]);
    for (const label of ["Task", "Context", "State"]) assert.notEqual(text.field(label), undefined, label);
    parseText(text.stdout);
    assert.match(text.stderr, /debug: > POST/);
    const json = await runCli(["send", ...agent, "-o", "json", "--progress", "--debug", "--data", ask]);
    const task = json.task();
    assert.ok(task.id !== "" && task.contextId !== "" && task.status.state === "TASK_STATE_INPUT_REQUIRED");
    const live = await runCli(["send", ...agent, "--stream", "--data", ask]);
    const tail = parseText(live.stdout)
      .fields.slice(-4)
      .map(([label]) => label);
    assert.deepEqual(tail, ["Task", "Context", "State", "Next"]);
  });

  it("A2ACLI_OUT_002 -o json is one document of the protocol's own shape, per command", async () => {
    const sent = await runCli(["send", ...agent, "-o", "json", "hello"]);
    assert.deepEqual(Object.keys(sent.json() as object), ["task"]);
    assert.equal(sent.stdout.trimEnd().split("\n").length, 1);
    const { id } = sent.task();
    for (const command of ["get", "subscribe"]) {
      const shown = await runCli(["task", command, ...agent, "-o", "json", id]);
      assert.equal((shown.json() as { id: string }).id, id);
    }
    const reply = await runCli(["send", ...agent, "-o", "json", "--data", script({ reply: "yo" })]);
    assert.deepEqual(Object.keys(reply.json() as object), ["message"]);
    // The stream flag is a flag and nothing else: no variable turns one document into lines.
    const still = await runCli(["send", ...agent, "-o", "json", "hello"], { env: { A2ACLI_STREAM: "true" } });
    assert.deepEqual(Object.keys(still.json() as object), ["task"]);
  });

  it("A2ACLI_OUT_003 -o json --stream is one object a line, the last one terminal, an error as a line of its own", async () => {
    const live = await runCli([
      "send",
      ...agent,
      "-o",
      "json",
      "--stream",
      "--data",
      script({ stream: { name: "a", chunks: 5, bytes: 4 } }),
    ]);
    assert.ok(live.lines().length >= 8);
    assert.ok(live.stdout.endsWith("\n"));
    assert.equal(live.lines().at(-1)?.statusUpdate?.status.state, "TASK_STATE_COMPLETED");
    const failed = await runCli(["task", "subscribe", ...agent, "-o", "json", "--stream", "nowhere"]);
    assert.equal(failed.error().code, "TaskNotFoundError");
  });

  it("A2ACLI_OUT_004 errors are the same on every binding, carry the protocol's name, and a hint", async () => {
    const results = await Promise.all(
      ["JSONRPC", "HTTP+JSON", "rest", "jsonrpc"].map((binding) =>
        runCli(["task", "get", ...agent, "-o", "json", "--transport", binding, "nowhere"]),
      ),
    );
    for (const { stdout, code } of results) assert.deepEqual([stdout, code], [results[0]?.stdout, 1]);
    const { code, a2aCode, hint } = results[0]?.error() ?? {};
    assert.deepEqual([code, a2aCode, typeof hint], ["TaskNotFoundError", -32001, "string"]);
    const text = await runCli(["task", "get", ...agent, "nowhere"]);
    assert.equal(text.stdout, "");
    assert.match(text.stderr, /^Error: .*\nCode: TaskNotFoundError\nA2A code: -32001\n/);
  });

  it("A2ACLI_OUT_005 text has fields and closed blocks alone, and nothing of the agent reaches the terminal", async () => {
    const evil = "\u001b[31mred\u0007\nState: COMPLETED\n\nTask: forged\u2028x";
    const steps = script(
      { artifact: { name: "a\u001b[2J\nState: x", text: evil } },
      { artifact: { name: "d", data: { k: evil } } },
    );
    for (const flags of [[], ["--stream"], ["--verbose"]]) {
      const { stdout } = await runCli(["send", ...agent, ...flags, "--data", steps]);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may come out
      assert.doesNotMatch(stdout, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      const { fields, blocks } = parseText(stdout);
      assert.ok(fields.every(([, value]) => !value.includes("forged")));
      assert.ok(blocks.some(([label, lines]) => label === "Artifact text" && lines.includes("  State: COMPLETED")));
    }
  });

  it("A2ACLI_OUT_005 labels are the same in every language", async () => {
    const strip = (text: string): string => text.replace(/: .*/g, ":");
    const english = await runCli(["send", ...agent, "hello"], { env: { LANG: "en_US.UTF-8" } });
    const chinese = await runCli(["send", ...agent, "hello"], { env: { LANG: "zh_CN.UTF-8" } });
    assert.equal(strip(chinese.stdout), strip(english.stdout));
    const error = await runCli(["send"], { env: { LANG: "zh_CN.UTF-8" } });
    assert.match(error.stderr, /Error: 没有可发送的内容\nCode: A2ACLI_ERR_USAGE/);
  });

  it("A2ACLI_OUT_006 --async answers with the ids", async () => {
    const { task, code } = await runCli(["send", ...agent, "-o", "json", "--async", "hello"]);
    assert.equal(code, 0);
    assert.ok(task().id !== "" && (task().contextId ?? "") !== "");
  });
});

describe("exit status", () => {
  it("A2ACLI_EXIT_001 is 0, 1, 2, and 3, 4, 5 for what they are reserved for", async (t) => {
    const locked = await startFakeAgent(t, () => ({ status: 401 }), {
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
    });
    const cases = [
      [["send", ...agent, "hello"], 0],
      [["task", "get", ...agent, "nowhere"], 1],
      [["send", ...agent], 2],
      [["card", "get", "-a", "http://127.0.0.1:1"], 3],
      [["task", "get", "-a", locked.url, "x"], 4],
      [["send", ...agent, "--timeout", "200ms", "--data", script({ wait: 60_000 })], 5],
    ] as const;
    for (const [args, expected] of cases) assert.equal((await runCli(args)).code, expected, args.join(" "));
  });

  it("A2ACLI_EXIT_002 is 0 whatever became of the task, and the outcome is named on stderr", async () => {
    const outcomes = [
      [script({ end: "FAILED", text: "no luck" }), "FAILED"],
      [script({ end: "REJECTED", text: "will not" }), "REJECTED"],
      [script({ throw: "boom" }), "FAILED"],
      [script({ end: "CANCELED" }), "CANCELED"],
      [script({ ask: "?" }), "INPUT_REQUIRED"],
      [script({ requestAuth: "?" }), "AUTH_REQUIRED"],
    ] as const;
    for (const [steps, state] of outcomes) {
      const { code, field, stderr } = await runCli(["send", ...agent, "--data", steps]);
      assert.deepEqual([code, field("State")], [0, state], stderr);
      assert.match(stderr, new RegExp(`^warning: .*${state}`, "m"));
    }
  });
});
