import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import type { JsonValue } from "../../src/model/json.ts";
import { startRehearsal, temporaryFolder } from "./rehearsal-process.ts";
import { type CliSurroundings, runCli } from "./run-cli.ts";

const server = await startRehearsal({ after }, { cwd: import.meta.dirname });

interface Explained {
  readonly what: string;
  readonly version: string;
  readonly inside: readonly string[];
  readonly problems: readonly { readonly level: string; readonly field: string; readonly description: string }[];
  readonly corrected: JsonValue;
  readonly error?: { readonly code: string; readonly grpc: string; readonly advice: string };
}

async function explained(value: object | string, around: CliSurroundings = {}): Promise<Explained> {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const { code, stderr, json } = await runCli(["explain", "-o", "json", text], around);
  assert.equal(code, 0, stderr);
  return json() as Explained;
}

const HELLO = { messageId: "m-1", role: "ROLE_USER", parts: [{ text: "hello" }] };

const OLD_CARD = {
  name: "Old",
  description: "Of another time.",
  url: "https://old.example.com/a2a",
  version: "1.0.0",
  preferredTransport: "JSONRPC",
  protocolVersion: "0.3.0",
  supportsStreaming: true,
  authentication: { schemes: ["Bearer"] },
  capabilities: { streaming: true },
  defaultInputModes: ["TEXT"],
  defaultOutputModes: ["text/plain"],
  skills: [{ id: "a", name: "A", description: "Does a.", tags: ["a"] }],
};

describe("explain", () => {
  it("tells what it is, also within an envelope or an event stream", async () => {
    const task = { id: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } };
    const update = { taskId: "t-1", contextId: "c-1", status: { state: "TASK_STATE_WORKING" } };
    const cases: readonly (readonly [object | string, string, readonly RegExp[]])[] = [
      [HELLO, "Message", []],
      [task, "Task", []],
      [{ task }, "SendMessageResponse", []],
      [{ statusUpdate: update }, "StreamResponse", []],
      [update, "TaskStatusUpdateEvent", []],
      [{ tasks: [task], nextPageToken: "", pageSize: 1, totalSize: 1 }, "ListTasksResponse", []],
      [{ artifactId: "a", parts: [{ text: "x" }] }, "Artifact", []],
      [{ text: "x" }, "Part", []],
      [{ state: "TASK_STATE_FAILED" }, "TaskStatus", []],
      [{ taskId: "t-1", url: "https://example.com/hook" }, "TaskPushNotificationConfig", []],
      [{ jsonrpc: "2.0", id: 1, result: { task } }, "SendMessageResponse", [/JSON-RPC response/]],
      [{ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "t-1" } }, "Request", [/JSON-RPC request of GetTask/]],
      [`id: 1\ndata: ${JSON.stringify({ task })}\n\n`, "SendMessageResponse", []],
    ];
    for (const [value, what, inside] of cases) {
      const result = await explained(value);
      assert.equal(result.what, what, JSON.stringify(value));
      assert.equal(result.version, "1.0");
      assert.deepEqual(result.problems, [], JSON.stringify(value));
      assert.equal(result.inside.length, inside.length);
      for (const [index, form] of inside.entries()) assert.match(result.inside[index] ?? "", form);
    }
  });

  it("gives what 0.3 wrote as 1.0 writes it, with the opposite default", async () => {
    const message = {
      kind: "message",
      role: "user",
      messageId: "m-1",
      parts: [
        { kind: "text", text: "hello" },
        { kind: "file", file: { bytes: "aGk=", name: "a.txt", mimeType: "text/plain" } },
        { kind: "data", data: { kind: "mine" } },
      ],
    };
    const { version, inside, corrected, problems } = await explained({
      jsonrpc: "2.0",
      id: 1,
      method: "message/send",
      params: { message },
    });
    assert.equal(version, "0.3");
    assert.deepEqual(inside, ["a JSON-RPC request of message/send, in 1.0 SendMessage"]);
    assert.deepEqual(corrected, {
      message: {
        role: "ROLE_USER",
        messageId: "m-1",
        parts: [
          { text: "hello" },
          { raw: "aGk=", filename: "a.txt", mediaType: "text/plain" },
          { data: { kind: "mine" } },
        ],
      },
      configuration: { returnImmediately: true },
    });
    assert.ok(problems.some(({ description }) => /kind belongs to A2A 0\.3/.test(description)));
    const event = {
      kind: "status-update",
      taskId: "t",
      contextId: "c",
      final: true,
      status: { state: "input-required" },
    };
    assert.deepEqual((await explained(event)).corrected, {
      statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_INPUT_REQUIRED" } },
    });
    const hook = {
      taskId: "t",
      pushNotificationConfig: { url: "https://x.example.com", authentication: { schemes: ["Bearer"] } },
    };
    assert.deepEqual((await explained(hook)).corrected, {
      taskId: "t",
      url: "https://x.example.com",
      authentication: { scheme: "Bearer" },
    });
  });

  it("teaches what tutorials get wrong, and puts it right", async () => {
    const result = await explained({ message: { role: "user", text: "hello" }, taskId: "t-1" });
    assert.equal(result.version, "1.0");
    const said = result.problems.map(({ field, description }) => `${field}: ${description}`).join("\n");
    assert.match(said, /^taskId: belongs into the message: write message\.taskId$/m);
    assert.match(said, /role.*ROLE_USER/);
    assert.deepEqual(result.corrected, {
      message: { taskId: "t-1", role: "ROLE_USER", parts: [{ text: "hello" }], messageId: "<a new id>" },
    });
    const running = await explained({ id: "t-1", status: { state: "RUNNING" } });
    assert.match(running.problems[0]?.description ?? "", /TASK_STATE_WORKING/);
    const two = await explained({ ...HELLO, parts: [{ text: "a", url: "https://example.com" }] });
    assert.equal(two.corrected, undefined);
    assert.match(two.problems[0]?.description ?? "", /exactly one of/);
  });

  it("knows errors of every binding", async () => {
    const info = {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason: "TASK_NOT_FOUND",
      domain: "a2a-protocol.org",
    };
    for (const value of [
      { jsonrpc: "2.0", id: 1, error: { code: -32001, message: "no" } },
      { error: { code: 404, status: "NOT_FOUND", message: "no", details: [info] } },
      { code: 5, message: "no", details: [info] },
    ]) {
      const { what, error } = await explained(value);
      assert.deepEqual([what, error?.code, error?.grpc], ["Error", "TASK_NOT_FOUND", "NOT_FOUND"]);
    }
    const foreign = await explained({ error: { code: 418, message: "teapot" } });
    assert.equal(foreign.error?.code, undefined);
    const text = await runCli(["explain", JSON.stringify({ error: { code: -32009, message: "v" } })]);
    assert.match(text.field("Advice") ?? "", /A2A-Version: 1\.0/);
  });

  it("reads an argument, a file, or stdin, and says field by field what is meant", async (t) => {
    const file = path.join(temporaryFolder(t), "message.json");
    writeFileSync(file, JSON.stringify(HELLO));
    for (const args of [[JSON.stringify(HELLO)], [file]]) {
      const { stdout } = await runCli(["explain", ...args]);
      assert.match(stdout, /^What: Message\nVersion: 1\.0\nFields:\n {2}messageId = m-1 {2}# made by its sender/);
      assert.match(stdout, /^In 1\.0:\n {2}\{$/m);
    }
    assert.match((await runCli(["explain"], { stdin: JSON.stringify(HELLO) })).stdout, /^What: Message$/m);
    const bad = await runCli(["explain", "{"]);
    assert.deepEqual([bad.code, /is not JSON/.test(bad.stderr)], [2, true]);
    const nothing = await runCli(["explain", '{"a":1}']);
    assert.deepEqual([nothing.code, /nothing of the protocol/.test(nothing.stderr)], [2, true]);
  });

  it("upgrades an old card", async () => {
    const { what, version, corrected } = await explained(OLD_CARD);
    assert.deepEqual([what, version], ["AgentCard", "0.3"]);
    const { supportedInterfaces, securitySchemes } = corrected as {
      supportedInterfaces: object[];
      securitySchemes: object;
    };
    assert.deepEqual(supportedInterfaces, [
      { url: "https://old.example.com/a2a", protocolBinding: "JSONRPC", protocolVersion: "0.3.0" },
    ]);
    assert.ok(JSON.stringify(securitySchemes).includes("Bearer"));
  });
});

describe("card lint", () => {
  it("has nothing to say of our own card, and reads it where it is", async () => {
    const { code, field } = await runCli(["card", "lint", "-a", server.url]);
    assert.deepEqual([code, field("Version"), field("Errors"), field("Warning")], [0, "1.0", "0", undefined]);
    assert.equal((await runCli(["card", "lint", "-a", "127.0.0.1:1"])).code, 3);
  });

  it("names the old and mistaken forms of tutorials", async () => {
    const { stdout, code } = await runCli(["card", "lint", JSON.stringify(OLD_CARD)]);
    assert.equal(code, 0);
    assert.match(stdout, /^Version: 0\.3$/m);
    for (const said of [
      /supportsStreaming: .*capabilities\.streaming/,
      /authentication: .*securitySchemes/,
      /"TEXT" is no media type/,
    ]) {
      assert.match(stdout, said);
    }
  });

  it("finds what is valid and will not work, and exits with 1 for an error", async () => {
    const card = {
      name: "New",
      description: "Of today.",
      version: "1.0.0",
      supportedInterfaces: [
        { url: "http://agents.example.com/a", protocolBinding: "JSONRPC", protocolVersion: "1.0" },
        { url: "agents.example.com", protocolBinding: "GRPC", protocolVersion: "1.0.0" },
      ],
      capabilities: {},
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
      securityRequirements: [{ schemes: { basic: { list: [] } } }],
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills: [
        { id: "a", name: "A", description: "Does a.", tags: ["a"] },
        { id: "a", name: "B", description: "Does b.", tags: ["b"] },
      ],
    };
    const { json, code } = await runCli(["card", "lint", "-o", "json", JSON.stringify(card)]);
    assert.equal(code, 1);
    const { problems, errors } = json() as { errors: number; problems: { level: string; field: string }[] };
    assert.equal(errors, 2);
    assert.deepEqual(
      problems.map(({ level, field }) => `${level} ${field}`),
      [
        "warning supportedInterfaces[0].url",
        "warning supportedInterfaces[1].protocolVersion",
        "error supportedInterfaces[1].url",
        "error securityRequirements[0]",
        "warning skills",
      ],
    );
    const broken = await runCli(["card", "lint", JSON.stringify({ ...card, version: undefined })]);
    assert.equal(broken.code, 1);
    assert.match(broken.stdout, /^Error: version: is required/m);
    assert.equal((await runCli(["card", "lint", '{"a":1}'])).code, 2);
  });
});
