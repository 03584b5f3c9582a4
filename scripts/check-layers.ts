// `npm run check` runs this: it holds packages/legation/src to the floor plan of layers.ts, and every other
// TypeScript file of the repository to its length.

import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { packageRoot, readFaces, root } from "./faces.ts";
import { checkLayout } from "./layers.ts";

/** Where else TypeScript lives, and the lines that a file there may have: an example must be readable in one look. */
const otherPlaces: Readonly<Record<string, number>> = {
  "packages/*/test/**/*.ts": 400,
  "packages/console/src/**/*.{ts,tsx}": 400,
  "scripts/**/*.{ts,mjs}": 400,
  "bench/**/*.ts": 400,
  "examples/**/*.ts": 80,
};

function readAll(folder: string, pattern: string): Map<string, string> {
  const files = globSync(pattern, { cwd: folder, exclude: (name) => name.includes("node_modules") });
  return new Map(
    files.sort().map((file) => [file.split(path.sep).join("/"), readFileSync(path.join(folder, file), "utf8")]),
  );
}

const sources = readAll(path.join(packageRoot, "src"), "**/*.ts");
const report = checkLayout({ sources, faces: new Set(readFaces().map((face) => face.source)) });
const problems = [...report.problems];
for (const [pattern, maxLines] of Object.entries(otherPlaces)) {
  for (const [file, source] of readAll(root, pattern)) {
    const lines = source.replace(/\n$/, "").split("\n").length;
    if (lines > maxLines) problems.push(`${file} -> ${file}: ${lines} lines, at most ${maxLines}: split it`);
  }
}

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
console.log(`layers: ${report.files} files, ${report.imports} imports, every arrow runs down`);
