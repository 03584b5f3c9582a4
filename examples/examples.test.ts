// Every example runs as its README says: the server in a folder of its own, then the client, which asserts.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, globSync, mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";

const here = import.meta.dirname;
const stories = globSync("*/server.ts", { cwd: here }).map((file) => path.dirname(file));

function run(folder: string, file: string, env: Record<string, string>): ChildProcess {
  const args = ["--conditions=legation-source", "--disable-warning=ExperimentalWarning", file];
  return spawn(process.execPath, args, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function output(child: ChildProcess): { text: string } {
  const all = { text: "" };
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (data) => (all.text += String(data)));
  return all;
}

async function urlOf(server: ChildProcess): Promise<string> {
  const said = output(server);
  for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
    const url = /https?:\/\/\S+/.exec(line)?.[0];
    if (url !== undefined) return url;
  }
  throw new Error(`the server printed no URL: ${said.text}`);
}

async function exitCode(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode;
  return new Promise((resolve) => child.once("exit", resolve));
}

test("there are examples", () => assert.ok(stories.length >= 6));

for (const story of stories) {
  test(`examples/${story} runs`, async () => {
    // A copy beside the original, so that imports resolve and no database of an earlier run is found.
    const folder = mkdtempSync(path.join(here, `.run-${story}-`));
    cpSync(path.join(here, story), folder, { recursive: true, filter: (file) => !/\.db(-\w+)?$/.test(file) });
    const server = run(folder, "server.ts", { PORT: "0" });
    try {
      const client = run(folder, "client.ts", { AGENT_URL: await urlOf(server) });
      const said = output(client);
      assert.equal(await exitCode(client), 0, said.text);
    } finally {
      server.kill("SIGKILL");
      await exitCode(server);
      rmSync(folder, { recursive: true });
    }
  });
}
