// `npm run check`: format, lint, types, layers, requirements, docs and packaging. Two lanes run side by side; in a
// lane each check waits for the one before, as packaging needs the build. A failure does not end the run, so that one
// run shows all.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./faces.ts";

/** One check: a name and what node runs for it. */
interface Check {
  readonly name: string;
  readonly args: readonly string[];
  /** Looks at what the build wrote, so that it says nothing of use when there was no build. */
  readonly readsBuild?: boolean;
}

/** The file that a package declares as its command: spawning it by node works on every system. */
function binOf(name: string, command: string = name): string {
  const folder = path.join(root, "node_modules", name);
  const { bin } = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
    bin: string | Record<string, string>;
  };
  const file = typeof bin === "string" ? bin : bin[command];
  if (file === undefined) throw new Error(`package ${name} has no command ${command}`);
  return path.join(folder, file);
}

const lanes: readonly (readonly Check[])[] = [
  [
    { name: "biome", args: [binOf("@biomejs/biome", "biome"), "check", "--error-on-warnings", "."] },
    { name: "tsc", args: [binOf("typescript", "tsc"), "--noEmit"] },
    { name: "tsc without node", args: [binOf("typescript", "tsc"), "-p", "tsconfig.neutral.json"] },
    { name: "docs", args: ["scripts/check-docs.ts"] },
  ],
  [
    { name: "layers", args: ["scripts/check-layers.ts"] },
    { name: "requirements", args: ["scripts/check-requirements.ts"] },
    { name: "build", args: ["scripts/build.ts"] },
    { name: "package size", args: ["scripts/check-package-size.ts"], readsBuild: true },
    { name: "publint", args: [binOf("publint"), "packages/legation", "--strict"], readsBuild: true },
    {
      name: "attw",
      args: [
        binOf("@arethetypeswrong/cli", "attw"),
        "--pack",
        "packages/legation",
        "--profile",
        "esm-only",
        "--format",
        "ascii",
      ],
      readsBuild: true,
    },
    { name: "knip", args: [binOf("knip"), "--no-progress", "--no-config-hints"] },
  ],
];

/** Runs one check and prints its line, and all that it said when it failed. */
function run(check: Check): Promise<boolean> {
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const child = spawn(process.execPath, check.args, {
      cwd: root,
      env: { ...process.env, FORCE_COLOR: "0", NO_COLOR: "1" },
    });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.on("error", (error) => (output += error.message));
    child.on("close", (code) => {
      const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
      console.log(`${code === 0 ? "ok    " : "failed"} ${check.name} (${seconds} s)`);
      if (code !== 0) console.log(output.trimEnd());
      resolve(code === 0);
    });
  });
}

async function runLane(lane: readonly Check[]): Promise<number> {
  const failed = new Set<string>();
  for (const check of lane) {
    if (check.readsBuild && failed.has("build")) console.log(`failed ${check.name} (not run: the build failed)`);
    else if (await run(check)) continue;
    failed.add(check.name);
  }
  return failed.size;
}

const failed = (await Promise.all(lanes.map(runLane))).reduce((sum, count) => sum + count, 0);
if (failed > 0) {
  console.log(`${failed} of ${lanes.flat().length} checks failed`);
  process.exit(1);
}
