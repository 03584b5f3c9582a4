// The first screen of both READMEs does what it prints: its shell block is run line by line, kill -9 included.
// needs: linux
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { test } from "node:test";

const root = path.resolve(import.meta.dirname, "../../../..");
const bin = path.join(root, "packages/legation/src/cli/bin.ts");
const story = path.join(root, "examples/00-hello");

function firstScreen(readme: string): string[] {
  const text = readFileSync(path.join(root, readme), "utf8");
  const block = /<!-- run: examples\/00-hello -->\n```sh\n([\s\S]+?)```/.exec(text)?.[1];
  assert.ok(block !== undefined, `${readme} has no block to run`);
  return block.trim().split("\n");
}

/** `node` and `npx legation` as an installed package would have them. */
function installShims(folder: string): void {
  const run = `exec "${process.execPath}" --conditions=legation-source --disable-warning=ExperimentalWarning`;
  writeFileSync(path.join(folder, "node"), `#!/bin/sh\n${run} "$@"\n`);
  writeFileSync(path.join(folder, "npx"), `#!/bin/sh\nshift\n${run} "${bin}" "$@"\n`);
  for (const name of ["node", "npx"]) chmodSync(path.join(folder, name), 0o755);
}

/** A person waits until the server is there, and copies the id of the task. */
function asAPersonWould(line: string, port: number): string {
  const command = line.replaceAll("4000", String(port));
  if (command.endsWith("&"))
    return `${command}\nuntil (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; do sleep 0.05; done`;
  if (command.startsWith("kill")) return `${command}\nwait $! 2>/dev/null || true`;
  const [send = "", expected] = command.split(/\s+# State: /);
  if (!send.startsWith("npx")) return command;
  const [state, text] = (expected ?? "").split(", ");
  return [
    `OUT=$(${send}); echo "$OUT"`,
    `TASK=$(echo "$OUT" | sed -n 's/^Task: //p')`,
    `echo "$OUT" | grep -q "^State: ${state}$" || exit 3`,
    `echo "$OUT" | grep -qF "${text}" || exit 4`,
  ].join("\n");
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as net.AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

for (const readme of ["README.md", "README.zh-CN.md"]) {
  test(`${readme}: the first screen does what it prints`, async () => {
    // Beside the example, so that imports resolve as there.
    const folder = mkdtempSync(path.join(root, "examples/.run-readme-"));
    try {
      const port = await freePort();
      copyFileSync(path.join(story, "server.ts"), path.join(folder, "server.ts"));
      installShims(folder);
      const lines = firstScreen(readme).map((line) => asAPersonWould(line, port));
      const script = `trap 'kill -9 $(jobs -p)' EXIT\n${lines.join("\n")}`;
      const env = { ...process.env, PATH: `${folder}:${process.env["PATH"]}`, PORT: String(port), LANG: "C" };
      const { status, stdout, stderr } = spawnSync("bash", ["-c", script], {
        cwd: folder,
        env,
        encoding: "utf8",
        timeout: 60_000,
      });
      assert.equal(status, 0, `${stdout}\n${stderr}`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
}
