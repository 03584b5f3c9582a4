import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { after, describe, it } from "node:test";
import { BIN, NODE_FLAGS, startRehearsal, temporaryFolder } from "./rehearsal-process.ts";
import { runCli, script } from "./run-cli.ts";

const server = await startRehearsal({ after }, { cwd: import.meta.dirname });
const packageRoot = path.resolve(import.meta.dirname, "../..");
const version = (JSON.parse(readFileSync(path.join(packageRoot, "package.json"), "utf8")) as { version: string })
  .version;

describe("surface", () => {
  it("A2ACLI_CLI_001 help and --help print usage, --version the version", async () => {
    const commands = [
      "card get",
      "card lint",
      "card upgrade",
      "conformance",
      "config show",
      "db status",
      "db upgrade",
      "demo-server",
      "explain",
      "help",
      "replay",
      "send",
      "serve",
      "task authorize",
      "task cancel",
      "task fail",
      "task get",
      "task list",
      "task restart-turn",
      "task retry",
      "task subscribe",
      "version",
    ];
    const overview = await runCli(["--help"]);
    for (const command of commands) {
      assert.ok(overview.stdout.includes(`  ${command}`), command);
      const words = command.split(" ");
      const [help, flag] = [await runCli(["help", ...words]), await runCli([...words, "--help"])];
      assert.deepEqual([help.code, flag.code], [0, 0]);
      assert.equal(help.stdout, flag.stdout);
      assert.match(help.stdout, new RegExp(`^Usage: legation ${command}`));
      assert.match(help.stdout, /^Examples:\n {2}legation /m);
    }
    assert.match((await runCli(["help", "rehearse"])).stdout, /demo-server/);
    assert.match((await runCli(["task", "--help"])).stdout, /task cancel/);
    for (const args of [["-v"], ["--version"], ["version"]]) {
      const { stdout, status } = spawnSync(process.execPath, [...NODE_FLAGS, BIN, ...args], { encoding: "utf8" });
      assert.deepEqual([status, stdout], [0, `${version}\n`]);
    }
  });

  it("A2ACLI_CLI_001 teaches what was meant", async () => {
    const cases = [
      [["sned", "x"], /unknown command "sned"/, /send/],
      [["send", "-a", "x", "--strem", "y"], /unknown option --strem/, /--stream/],
      [["task"], /unknown command "task"/, /help/],
      [["task", "get", "-a", "x"], /missing <task-id>/, /help task get/],
      [["send", "-a", "x", "plan", "a", "drive"], /too many words/, /quotes/],
      [["send", "x"], /no agent is named/, /A2ACLI_AGENT_CARD/],
      [["send", "-a", "x", "-o", "yaml", "y"], /--output is "yaml"/, undefined],
      [["send", "-a", "x", "--async", "--stream", "y"], /exclude each other/, undefined],
      [["send", "-a", "x", ""], /the text is empty/, /give a text/],
      [["send", "-a", "x", "--text", " "], /the text is empty/, /give a text/],
    ] as const;
    for (const [args, message, hint] of cases) {
      const { code, stderr } = await runCli(args);
      assert.equal(code, 2, args.join(" "));
      assert.match(stderr, message);
      if (hint !== undefined) assert.match(/^Hint: (.*)$/m.exec(stderr)?.[1] ?? "", hint);
    }
    // Inside the repository the program is an npm script, and what is to be pasted says so.
    const script = await runCli(["task", "get", "-a", "x"], { env: { npm_lifecycle_event: "legation" } });
    assert.match(script.stderr, /^Hint: see npm run -s legation -- help task get$/m);
    const json = await runCli(["sned", "-o", "json"]);
    assert.equal(json.error().code, "A2ACLI_ERR_USAGE");
  });

  it("A2ACLI_DEFAULT_001 ships the six defaults, shows them, and lets a flag override what is configured", async () => {
    const { stdout } = await runCli(["send", "--help"], { env: { A2ACLI_OUTPUT: "json", A2ACLI_ASYNC: "true" } });
    assert.match(stdout, /--transport .*\n.*order of the card when not given/);
    assert.match(stdout, /--async\n.*\(now true, from A2ACLI_ASYNC\)/);
    assert.match(stdout, /--output .*\n.*\(default text\) \(now json, from A2ACLI_OUTPUT\)/);
    assert.match(stdout, /--verbose\n/);
    assert.match(stdout, /--a2a-version .*\n.*highest that both speak/);
    assert.match(stdout, /--insecure\n.*they are verified when not given/);
    const around = { env: { A2ACLI_OUTPUT: "json", A2ACLI_ASYNC: "true" } };
    const slow = script({ wait: 200 }, { end: "COMPLETED" });
    const waited = await runCli(["send", "-a", server.url, "--wait", "-o", "text", "--data", slow], around);
    assert.equal(waited.field("State"), "COMPLETED");
    const verbose = await runCli(["send", "-a", server.url, "--verbose", "hello"]);
    assert.match(verbose.stdout, /^Sent text:\n {2}hello\n\n/m);
  });

  it("A2ACLI_CONFIG_001 A2ACLI_CONFIG_002 resolves flag, environment, local file, global file, default", async (t) => {
    const home = temporaryFolder(t);
    const work = path.join(home, "work", "deep");
    mkdirSync(work, { recursive: true });
    mkdirSync(path.join(home, ".config", "a2a-cli"), { recursive: true });
    const global = path.join(home, ".config", "a2a-cli", ".env");
    const local = path.join(home, "work", ".env");
    const shown = async (
      env: Record<string, string>,
      ...flags: string[]
    ): Promise<{ value: string; source: string }> => {
      const { json } = await runCli(["config", "show", "-o", "json", ...flags], { cwd: work, home, env });
      return (json() as Record<string, { value: string; source: string }>)["poll-interval"] as {
        value: string;
        source: string;
      };
    };
    assert.deepEqual(await shown({}), { value: "2s", source: "default" });
    writeFileSync(global, "A2ACLI_POLL_INTERVAL=3s # slow\nOTHER=1\n");
    assert.deepEqual(await shown({}), { value: "3s", source: global });
    writeFileSync(local, "export A2ACLI_POLL_INTERVAL='4s'\n");
    assert.deepEqual(await shown({}), { value: "4s", source: local });
    assert.deepEqual(await shown({ A2ACLI_POLL_INTERVAL: "5s" }), { value: "5s", source: "A2ACLI_POLL_INTERVAL" });
    assert.deepEqual(await shown({ A2ACLI_POLL_INTERVAL: "5s" }, "--poll-interval", "6s"), {
      value: "6s",
      source: "flag",
    });
    const other = path.join(home, "other.env");
    writeFileSync(other, 'A2ACLI_POLL_INTERVAL="7s"\n');
    assert.deepEqual(await shown({}, "--config", other), { value: "7s", source: other });
    assert.equal((await runCli(["config", "show", "--config", "nowhere.env"], { cwd: work, home })).code, 2);
  });

  it("A2ACLI_CONFIG_001 warns of a credential in a file that others can read", {
    skip: process.platform === "win32",
  }, async (t) => {
    const home = temporaryFolder(t);
    const file = path.join(home, ".env");
    writeFileSync(file, "A2ACLI_BEARER=s3cret\n");
    chmodSync(file, 0o644);
    const open = await runCli(["config", "show"], { cwd: home, home });
    assert.match(open.stderr, /chmod 600/);
    assert.doesNotMatch(open.stdout + open.stderr, /s3cret/);
    chmodSync(file, 0o600);
    assert.equal((await runCli(["config", "show"], { cwd: home, home })).stderr, "");
  });

  it("A2ACLI_SKILL_001 A2ACLI_SKILL_002 ships one skill, lean, that sends the reader to help", () => {
    const skills = globSync("**/SKILL.md", { cwd: packageRoot, exclude: (name) => name.includes("node_modules") });
    assert.equal(skills.length, 1);
    const text = readFileSync(path.join(packageRoot, skills[0] ?? ""), "utf8");
    assert.match(text, /^---\nname: legation\ndescription: .+\ncompatibility: .+\n---\n/);
    assert.ok(text.split("\n").length <= 60, "lean");
    for (const wanted of ["legation help", "-o json", "--stream", "--context-id", "--task-id", "A2ACLI_BEARER"]) {
      assert.ok(text.includes(wanted), wanted);
    }
    assert.doesNotMatch(text, /\bMUST\b|§/);
  });
});

describe("signals", () => {
  it("Ctrl-C ends a wait, names the task, and leaves the task alone", async (t) => {
    const args = ["send", "-a", server.url, "--progress", "--data", script({ state: "WORKING" }, { wait: 60_000 })];
    const child = spawn(process.execPath, [...NODE_FLAGS, BIN, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    const exited = once(child, "exit");
    t.after(() => child.kill("SIGKILL"));
    let stderr = "";
    for await (const piece of child.stderr.setEncoding("utf8")) {
      stderr += piece as string;
      if (stderr.includes("WORKING") && !child.killed) child.kill("SIGINT");
    }
    const [code] = await exited;
    assert.equal(code, 130);
    const id = /--wait (\S+)/.exec(stderr)?.[1] ?? "";
    const { field } = await runCli(["task", "get", "-a", server.url, id]);
    assert.equal(field("State"), "WORKING");
    await runCli(["task", "cancel", "-a", server.url, id]);
  });

  it("a server prints one line, and stops cleanly on SIGTERM", async (t) => {
    const own = await startRehearsal(t, { cwd: temporaryFolder(t), store: "sqlite:./x.db" });
    assert.equal(await own.stop(), 0);
    assert.equal(own.stdout(), `listening ${own.url}\n`);
  });

  it("a port in use is said clearly", async () => {
    const { code, stderr } = await runCli(["rehearse", "--port", String(server.port)]);
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`Error: .*${server.port}`));
    assert.match(stderr, /Code: LEGATION_ERR_PORT_IN_USE/);
  });
});
