// The first step of every npm script. It runs on whatever node the machine has (18 or newer), installs what is
// missing, and hands over to the Node 24 that the lock file pins. Plain ES2020 and no dependency: nothing is installed yet.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import "./follow-parent.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

/** npm script → the file that Node 24 runs. */
const entries = {
  start: "scripts/start.ts",
  test: "scripts/test.ts",
  check: "scripts/check.ts",
  "check-docs": "scripts/check-docs.ts",
  build: "scripts/build.ts",
  bench: "bench/run.ts",
  soak: "bench/soak.ts",
  legation: "packages/legation/src/cli/bin.ts",
};

/** The oldest node that runs the TypeScript sources and has the SQLite that the store needs. */
const oldestUsable = [22, 23, 3];

function isAtLeast(version, [major, minor, patch]) {
  const [a = 0, b = 0, c = 0] = version.split(".").map((part) => Number.parseInt(part, 10));
  return a !== major ? a > major : b !== minor ? b > minor : c >= patch;
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(path.join(root, file), "utf8"));
  } catch {
    return undefined;
  }
}

/**
 * Compares what npm says it installed with the lock file, entry by entry: a time stamp would say "too old" after an
 * ordinary `npm install`, which writes the lock file last.
 */
function isInstalled() {
  const wanted = readJson("package-lock.json")?.packages;
  const have = readJson("node_modules/.package-lock.json")?.packages;
  if (wanted === undefined || have === undefined) return false;
  return Object.entries(wanted).every(([place, entry]) => {
    if (!place.includes("node_modules/")) return true;
    if (entry.link) return existsSync(path.join(root, place));
    if (have[place] === undefined) return entry.optional === true;
    return have[place].version === entry.version;
  });
}

function install() {
  console.error("installing dependencies (npm ci), about half a minute ...");
  const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund"];
  const npm = process.env.npm_execpath;
  const options = { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024, shell: false };
  const done = npm?.endsWith("js")
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync("npm", args, { ...options, shell: process.platform === "win32" });
  if (done.status === 0) return;
  fail(`npm ci failed: ${done.error?.message ?? `exit code ${done.status}`}\n${done.stdout ?? ""}${done.stderr ?? ""}`);
}

/** The node of the lock file, or the machine's own where no such package exists for it. */
function findNode() {
  const platform = process.platform === "win32" ? "win" : process.platform;
  const file = process.platform === "win32" ? "bin/node.exe" : "bin/node";
  const pinned = path.join(root, "node_modules", `node-${platform}-${process.arch}`, file);
  if (existsSync(pinned) && spawnSync(pinned, ["--version"]).status === 0) return pinned;
  if (isAtLeast(process.versions.node, oldestUsable)) return process.execPath;
  return fail(
    `node ${process.versions.node} is too old and there is no node package for ${process.platform}-${process.arch}: ` +
      `install node ${oldestUsable.join(".")} or newer`,
  );
}

/** Replaces this process where node can (same pid, so that a signal or kill reaches the program), else runs a child. */
function handOver(node, args, env, cwd) {
  if (typeof process.execve === "function" && process.platform !== "win32") {
    process.removeAllListeners("warning");
    process.chdir(cwd);
    process.execve(node, [node, ...args], env);
  }
  const child = spawn(node, args, { cwd, env, stdio: "inherit" });
  // Ctrl-C reaches the child by itself: it is in the same process group.
  process.on("SIGINT", () => {});
  for (const signal of ["SIGTERM", "SIGHUP"]) process.on(signal, () => child.kill(signal));
  child.on("error", (error) => fail(`cannot start ${node}: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (signal !== null) process.removeAllListeners(signal);
    if (signal !== null) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}

/** The command line reads relative paths from where the user stands, which npm keeps in INIT_CWD; the rest runs at the root. */
function workingFolder() {
  if (script !== "legation") return root;
  return process.env.npm_lifecycle_event === "legation" ? (process.env.INIT_CWD ?? root) : process.cwd();
}

const [script = "", ...args] = process.argv.slice(2);
const entry = entries[script];
if (entry === undefined) fail(`unknown script ${JSON.stringify(script)}: use ${Object.keys(entries).join(", ")}`);
if (!isAtLeast(process.versions.node, [18, 0, 0]))
  fail(`node ${process.versions.node} is too old: install node 18 or newer`);
if (!isInstalled()) install();
if (!existsSync(path.join(root, entry))) fail(`nothing to run: ${entry} does not exist`);

const node = findNode();
const bin = path.join(root, "node_modules", ".bin");
const env = {
  ...process.env,
  PATH: [path.dirname(node), bin, process.env.PATH].join(path.delimiter),
  // The condition under which `legation/…` means the sources, for this process and all that it starts.
  NODE_OPTIONS: [process.env.NODE_OPTIONS, "--conditions=legation-source"].filter(Boolean).join(" "),
};
const follow = path.join(root, "scripts/follow-parent.mjs");
handOver(
  node,
  ["--disable-warning=ExperimentalWarning", "--import", pathToFileURL(follow).href, path.join(root, entry), ...args],
  env,
  workingFolder(),
);
