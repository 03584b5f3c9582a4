import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const bootstrap = path.join(import.meta.dirname, "bootstrap.mjs");
const follow = pathToFileURL(path.join(import.meta.dirname, "follow-parent.mjs")).href;

test("an unknown script is named, with those that there are", () => {
  const result = spawnSync(process.execPath, [bootstrap, "tset"], { encoding: "utf8" });
  assert.equal(result.status, 1);
  assert.match(result.stderr, /^unknown script "tset": use start, test, /);
});

test("the sources run on the node that the lock file pins, whose SQLite is new enough for the store", () => {
  assert.ok(Number.parseInt(process.versions.node, 10) >= 22, process.versions.node);
  const [major = 0, minor = 0, patch = 0] = (process.versions.sqlite ?? "").split(".").map(Number);
  assert.ok(major * 1e6 + minor * 1e3 + patch >= 3_051_003, `SQLite ${process.versions.sqlite}`);
});

test("a script whose shell was told to stop stops too, once", { timeout: 20_000 }, async () => {
  const program = [
    "setInterval(() => {}, 1000);",
    "process.on('SIGTERM', () => { console.log('told'); setTimeout(() => process.exit(0), 500); });",
    "console.log('ready');",
  ].join(" ");
  // A second command keeps the shell from becoming the program itself.
  const shell = spawn("sh", ["-c", `"${process.execPath}" --import "${follow}" -e "${program}"; true`], {
    env: { ...process.env, npm_lifecycle_event: "start" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  const output = createInterface({ input: shell.stdout });
  output.on("line", (line) => {
    lines.push(line);
    if (line === "ready") shell.kill("SIGTERM");
  });
  await once(output, "close");
  assert.deepEqual(lines, ["ready", "told"]);
});
