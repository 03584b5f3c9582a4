// `npm start`: starts every example agent (examples/<story>/server.ts), prints where each listens and a line to paste,
// and stops them all on Ctrl-C or SIGTERM. An example takes its port from PORT and prints its URL when it is ready.

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import net from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "./faces.ts";

/** The ports that the examples get when nobody else has them, so that a printed line is still right tomorrow. */
const firstPort = 4100;
const startsWithinMs = 30_000;
const stopsWithinMs = 5_000;

/** One running example. */
interface Example {
  readonly name: string;
  readonly child: ChildProcess;
  /** Resolves with the URL that it printed, or undefined when it ended or stayed silent. */
  readonly url: Promise<string | undefined>;
}

/** The port when it is free, else 0, which lets the system choose. */
function freePortOr0(port: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once("error", () => resolve(0));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(port)));
  });
}

/** What to say to an example: its README names it in `<!-- try: … -->`. */
function firstWords(name: string): string | undefined {
  const readme = path.join(root, "examples", name, "README.md");
  return existsSync(readme) ? /<!-- try: (.+?) -->/.exec(readFileSync(readme, "utf8"))?.[1] : undefined;
}

function startExample(name: string, port: number): Example {
  const args = ["--conditions=legation-source", "--disable-warning=ExperimentalWarning", "server.ts"];
  const child = spawn(process.execPath, args, {
    cwd: path.join(root, "examples", name),
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const url = new Promise<string | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), startsWithinMs);
    child.once("exit", () => resolve(undefined));
    child.once("exit", () => clearTimeout(timer));
    const output = createInterface({ input: child.stdout });
    output.on("line", (line) => {
      const found = /https?:\/\/[^\s"',]+/.exec(line)?.[0];
      clearTimeout(timer);
      if (found !== undefined) resolve(found);
      else console.log(`${name}: ${line}`);
    });
  });
  createInterface({ input: child.stderr }).on("line", (line) => console.error(`${name}: ${line}`));
  child.once("exit", (code, signal) => {
    if (!stopping) console.error(`${name} ended (${signal ?? `exit code ${code}`})`);
  });
  return { name, child, url };
}

function isRunning({ child }: Example): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function stopAll(examples: readonly Example[]): Promise<void> {
  for (const { child } of examples.filter(isRunning)) child.kill("SIGTERM");
  const deadline = Date.now() + stopsWithinMs;
  while (examples.some(isRunning) && Date.now() < deadline) await sleep(50);
  for (const { child } of examples.filter(isRunning)) child.kill("SIGKILL");
}

let stopping = false;
const names = globSync("examples/*/server.ts", { cwd: root })
  .map((file) => path.basename(path.dirname(file)))
  .sort();
if (names.length === 0) {
  console.error("no example to start: examples/<story>/server.ts");
  process.exit(1);
}

const ports = await Promise.all(names.map((_, index) => freePortOr0(firstPort + index)));
const examples = names.map((name, index) => startExample(name, ports[index] ?? 0));
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, async () => {
    if (stopping) return;
    stopping = true;
    await stopAll(examples);
    process.exit(0);
  });
}

const urls = await Promise.all(examples.map((example) => example.url));
const width = Math.max(...names.map((name) => name.length));
const pastes: string[] = [];
for (const [index, name] of names.entries()) {
  const url = urls[index];
  console.log(`${name.padEnd(width)}  ${url ?? "did not start"}`);
  const words = firstWords(name);
  if (url !== undefined && words !== undefined) pastes.push(`npm run -s legation -- send -a ${url} "${words}"`);
}
if (!urls.some((url) => url !== undefined)) {
  await stopAll(examples);
  process.exit(1);
}
console.log(`\nIn another terminal:\n\n${pastes.map((line) => `  ${line}`).join("\n")}\n\nCtrl-C stops them all.`);
