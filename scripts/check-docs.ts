// `npm run check-docs [-- --fix]`: every block of TypeScript in the documents is a file of the repository byte for byte,
// or compiles as it stands under the strict settings of the repository; a document and its Chinese twin have the same code.
// `--fix` copies the files into the blocks.

import { spawnSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { findCodeBlocks, syncCode } from "./doc-code.ts";
import { compareTwins, englishOf } from "./doc-twins.ts";
import { root } from "./faces.ts";

const places = ["*.md", "docs/**/*.md", "examples/**/*.md"];

/** Inside the repository, as the blocks import the package by its name; out of sight of every other check. */
const scratch = path.join(root, "node_modules/.cache/doc-code");

/** Where a compiled block came from. */
interface Origin {
  readonly document: string;
  /** What to add to a line of the compiled file for the line of the document. */
  readonly shift: number;
}

function writeBlocks(document: string, text: string, origins: Map<string, Origin>): void {
  for (const block of findCodeBlocks(text)) {
    if (block.shows !== undefined) continue;
    const name = `${document.replaceAll(/[^a-zA-Z0-9.-]/g, "_")}-${block.line}.ts`;
    const before = block.given === "" ? "" : `${block.given}\n`;
    // A block is a module even when it imports nothing: its names must not meet those of another.
    writeFileSync(path.join(scratch, name), `${before}${block.code}\nexport {};\n`);
    origins.set(name, { document, shift: block.line - before.split("\n").length });
  }
}

function compile(origins: ReadonlyMap<string, Origin>): string[] {
  if (origins.size === 0) return [];
  const config = {
    extends: "../../../tsconfig.json",
    // What a reader pastes need not declare its types for others.
    compilerOptions: { isolatedDeclarations: false, declaration: false },
    include: ["./*.ts"],
    exclude: [],
  };
  writeFileSync(path.join(scratch, "tsconfig.json"), JSON.stringify(config));
  const compiler = path.join(root, "node_modules/typescript/bin/tsc");
  const args = [compiler, "-p", scratch, "--pretty", "false"];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: scratch, encoding: "utf8" });
  if (status === 0) return [];
  const lines = stdout.trimEnd().split("\n");
  return lines.map((line) => {
    const [, file = "", at = "0", rest = ""] = /^([^(]+)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
    const origin = origins.get(path.basename(file));
    return origin === undefined ? line : `${origin.document}:${Number(at) + origin.shift}: ${rest}`;
  });
}

const fix = process.argv.includes("--fix");
const documents = globSync(places, { cwd: root, exclude: (name) => name.includes("node_modules") }).sort();
if (documents.length === 0) throw new Error("read 0 documents: the check looks in the wrong place");

rmSync(scratch, { recursive: true, force: true });
mkdirSync(scratch, { recursive: true });
const origins = new Map<string, Origin>();
const problems: string[] = [];
let blocks = 0;
let twins = 0;
for (const document of documents) {
  const file = path.join(root, document);
  const text = readFileSync(file, "utf8");
  const synced = syncCode(text, (shown) => readFileSync(path.join(root, shown), "utf8"));
  if (fix && synced.text !== text) writeFileSync(file, synced.text);
  const left = fix ? synced.problems.filter((problem) => !problem.includes(": differs from ")) : synced.problems;
  problems.push(...left.map((problem) => `${document}:${problem}`));
  blocks += findCodeBlocks(text).length;
  writeBlocks(document, synced.text, origins);
  const english = englishOf(document);
  if (english === undefined) continue;
  twins += 1;
  const twin = documents.includes(english) ? readFileSync(path.join(root, english), "utf8") : undefined;
  const differences = compareTwins(document, synced.text, { text: twin, documents: new Set(documents) });
  problems.push(...differences.map((difference) => `${document}:${difference}`));
}
problems.push(...compile(origins));
rmSync(scratch, { recursive: true, force: true });

for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);
const counted = `${documents.length} documents, ${twins} of them Chinese twins`;
console.log(`docs: ${counted}, ${blocks} blocks of code, ${origins.size} of them compiled`);
