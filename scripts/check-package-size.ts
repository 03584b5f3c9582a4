// `npm run check` runs this after the build: what `npm i legation` puts on a disk stays below a budget. The package as
// npm would pack it, and every runtime dependency as it lies in node_modules, each named with what it costs.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { packageRoot, root } from "./faces.ts";

const maxBytes = 5_000_000;

function readDependencies(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
    dependencies?: Record<string, string>;
    optionalDependencies?: Record<string, string>;
  };
  return Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
}

/** Where node would find a package from a folder: the nearest node_modules that has it. */
function findPackage(name: string, from: string): string {
  for (let folder = from; ; folder = path.dirname(folder)) {
    const candidate = path.join(folder, "node_modules", name);
    if (existsSync(candidate)) return candidate;
    if (folder === root) throw new Error(`dependency ${name} of ${from} is not installed: npm ci`);
  }
}

function sizeOf(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    // A nested node_modules is counted package by package, as the tree is walked.
    if (entry.name === "node_modules") continue;
    const place = path.join(folder, entry.name);
    bytes += entry.isDirectory() ? sizeOf(place) : statSync(place).size;
  }
  return bytes;
}

function addDependencies(from: string, sizes: Map<string, number>): void {
  for (const name of readDependencies(from)) {
    const folder = findPackage(name, from);
    const key = path.relative(root, folder);
    if (sizes.has(key)) continue;
    sizes.set(key, sizeOf(folder));
    addDependencies(folder, sizes);
  }
}

function packedSize(): number {
  const options = { cwd: packageRoot, encoding: "utf8", shell: process.platform === "win32" } as const;
  const output = execFileSync("npm", ["pack", "--dry-run", "--json"], options);
  const parsed = JSON.parse(output) as unknown;
  // npm 11 prints a list, npm 12 an object by package name.
  const [packed] = Object.values(parsed as Record<string, { unpackedSize: number; files: { path: string }[] }>);
  if (packed === undefined || !packed.files.some((file) => file.path === "dist/index.js")) {
    throw new Error("the package has no dist/index.js: npm run build comes first");
  }
  return packed.unpackedSize;
}

const sizes = new Map<string, number>([["packages/legation", packedSize()]]);
addDependencies(packageRoot, sizes);
const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
const rows = [...sizes].sort(([, a], [, b]) => b - a);
for (const [name, bytes] of rows) console.log(`${String(Math.round(bytes / 1000)).padStart(6)} kB  ${name}`);
console.log(`${String(Math.round(total / 1000)).padStart(6)} kB  in all, at most ${maxBytes / 1000} kB`);
if (total > maxBytes) process.exit(1);
