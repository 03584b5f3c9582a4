// `npm run build`: compiles packages/legation to dist, file by file and unbundled.

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, globSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { packageRoot, root } from "./faces.ts";

const dist = path.join(packageRoot, "dist");
// A file that was renamed must not live on in what is published.
rmSync(dist, { recursive: true, force: true });

const compiler = path.join(root, "node_modules/typescript/bin/tsc");

function compile(...options: string[]): void {
  const args = [compiler, "-p", path.join(packageRoot, "tsconfig.build.json"), ...options];
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}

// The comments are for who writes against the types; in the JavaScript they would be a fifth of what is installed.
compile("--emitDeclarationOnly");
compile("--declaration", "false", "--isolatedDeclarations", "false", "--removeComments");

const bin = path.join(dist, "cli/bin.js");
if (existsSync(bin)) chmodSync(bin, 0o755);

// npm packs these two from the folder of the package, whatever `files` says.
for (const file of ["README.md", "LICENSE"]) copyFileSync(path.join(root, file), path.join(packageRoot, file));

/** The declarations that the faces lead to. The rest describes what nobody can import. */
function reachableDeclarations(): ReadonlySet<string> {
  const reached = new Set<string>();
  const visit = (file: string): void => {
    if (reached.has(file) || !existsSync(file)) return;
    reached.add(file);
    for (const [, target] of readFileSync(file, "utf8").matchAll(/(?:from|import\()\s*"(\.[^"]+)\.[jt]s"/g)) {
      visit(path.resolve(path.dirname(file), `${target}.d.ts`));
    }
  };
  for (const face of Object.values(exportsOf())) {
    if (typeof face === "object" && face.types !== undefined) visit(path.join(packageRoot, face.types));
  }
  return reached;
}

function exportsOf(): Record<string, string | { readonly types?: string }> {
  return (
    JSON.parse(readFileSync(path.join(packageRoot, "package.json"), "utf8")) as {
      exports: ReturnType<typeof exportsOf>;
    }
  ).exports;
}

const reachable = reachableDeclarations();
for (const file of globSync("**/*.d.ts", { cwd: dist })) {
  if (!reachable.has(path.join(dist, file))) rmSync(path.join(dist, file));
}
