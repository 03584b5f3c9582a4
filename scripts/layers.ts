// The floor plan of packages/legation/src and the rules that follow from it. The plan is data; ARCHITECTURE.md tells it in words.

import path from "node:path";
import type { SourceFacts } from "./source-facts.ts";
import { readFacts } from "./source-facts.ts";

/**
 * Room → floor. A file imports its own room and rooms on strictly lower floors.
 * `stores/sql` stands half a floor below the SQL stores, which share it; the face "." stands above all.
 */
export const floors: Readonly<Record<string, number>> = {
  model: 0,
  operations: 1,
  engine: 2,
  auth: 2,
  "bindings/http": 2,
  "stores/sql": 2.5,
  "bindings/jsonrpc": 3,
  "bindings/rest": 3,
  "bindings/grpc": 3,
  "stores/memory": 3,
  "stores/sqlite": 3,
  "stores/postgres": 3,
  outbound: 3,
  client: 4,
  server: 4,
  "compat/v0_3": 5,
  hosts: 5,
  registry: 5,
  orchestration: 5,
  mcp: 5,
  conformance: 5,
  extensions: 5,
  ai: 5,
  console: 5,
  testing: 5,
  cli: 6,
  ".": 7,
};

/** Rooms that may use `node:*` and Node's globals; everything else runs wherever JavaScript does. */
const nodeRooms: readonly RegExp[] = [
  /^hosts\//,
  /^stores\//,
  /^outbound\//,
  /^bindings\/grpc\//,
  /^console\//,
  /^cli\//,
  /^testing\//,
  /^auth\/[^/]+\.node\.ts$/,
];

/** Packages that only one room may import: they need Node, or they are optional peers. */
const packageRooms: Readonly<Record<string, string>> = {
  undici: "outbound",
  commander: "cli",
  "@grpc/grpc-js": "bindings/grpc",
  "@bufbuild/protobuf": "bindings/grpc",
  pg: "stores/postgres",
};

const vagueNames = /(^|\/)(types?|interfaces?|utils?|common|helpers?|misc|constants)\.ts$/;
const maxLines = 400;

/** What the check looks at: nothing but texts, so that its own test can hand it any. */
export interface Layout {
  /** Path below `src` → text. */
  readonly sources: ReadonlyMap<string, string>;
  /** Paths below `src` that `package.json#exports` points at. */
  readonly faces: ReadonlySet<string>;
}

/** The verdict of {@link checkLayout}. */
export interface LayoutReport {
  readonly files: number;
  readonly imports: number;
  /** One line each, `file -> file: why`; empty when the layout holds. */
  readonly problems: readonly string[];
}

function isTest(file: string): boolean {
  return file.endsWith(".test.ts");
}

function isGenerated(file: string): boolean {
  return file.includes("/gen/");
}

/** The room of a path below `src`; undefined when the plan has no such room. */
export function roomOf(file: string): string | undefined {
  const [first = "", second = ""] = file.split("/");
  if (first === file) return first === "index.ts" ? "." : undefined;
  const pair = `${first}/${second}`;
  if (Object.hasOwn(floors, pair)) return pair;
  return Object.hasOwn(floors, first) ? first : undefined;
}

function whyNotPackage(file: string, specifier: string): string | undefined {
  if (specifier.startsWith("node:")) {
    return nodeRooms.some((room) => room.test(file)) ? undefined : "this room runs without node";
  }
  const name = specifier.startsWith("@") ? specifier.split("/").slice(0, 2).join("/") : specifier.split("/")[0];
  if (name === "legation") return "inside the house one imports the file, not the published name";
  const only = packageRooms[name ?? ""];
  return only === undefined || only === roomOf(file) ? undefined : `only ${only} may import ${name}`;
}

function whyNotFile(file: string, target: string, layout: Layout): string | undefined {
  const from = roomOf(file);
  const to = roomOf(target);
  if (isTest(target)) return "a test is not imported";
  if (layout.faces.has(target)) return "a face is for the outside: import the file that it re-exports";
  if (!layout.sources.has(target)) return "no such file";
  if (from === undefined || to === undefined || from === to) return undefined;
  const [low = 0, high = 0] = [floors[from], floors[to]];
  if (high < low) return undefined;
  return high === low
    ? `${from} and ${to} stand on one floor (${low}) and may not know each other`
    : `${from} (floor ${low}) may not import ${to} (floor ${high}): arrows run down`;
}

function checkImports(file: string, facts: SourceFacts, layout: Layout): { problems: string[]; targets: string[] } {
  const problems: string[] = [];
  const targets: string[] = [];
  for (const { specifier, line } of facts.imports) {
    const isFile = specifier.startsWith(".");
    const target = isFile ? path.posix.join(path.posix.dirname(file), specifier) : specifier;
    if (isFile && !target.startsWith("..")) targets.push(target);
    const why = isFile ? whyNotFile(file, target, layout) : whyNotPackage(file, specifier);
    if (why !== undefined) problems.push(`${file}:${line} -> ${target}: ${why}`);
  }
  return { problems, targets };
}

function checkName(file: string, layout: Layout): string[] {
  const problems: string[] = [];
  const say = (why: string) => problems.push(`${file} -> ${file}: ${why}`);
  if (isGenerated(file)) return problems;
  if (roomOf(file) === undefined) say("no such room in the floor plan (scripts/layers.ts)");
  if (vagueNames.test(file)) say("name a file after the one thing that it exports");
  if (/(^|\/)shared\//.test(file)) say("no shared/ folder: a type lives with the function that gives it meaning");
  if (/(^|\/)index\.ts$/.test(file) && !layout.faces.has(file)) say("index.ts exists only where exports points");
  return problems;
}

function checkFacts(file: string, facts: SourceFacts): string[] {
  const problems: string[] = [];
  if (isGenerated(file)) return problems;
  if (facts.lines > maxLines) problems.push(`${file} -> ${file}: ${facts.lines} lines, at most ${maxLines}: split it`);
  if (isTest(file) || nodeRooms.some((room) => room.test(file))) return problems;
  for (const name of facts.nodeGlobals) {
    problems.push(`${file} -> ${name}: this room runs without node; take it as an option, or ask globalThis`);
  }
  return problems;
}

/** Circles, each once, as the chain of files that closes it. */
function findCircles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const circles: string[] = [];
  const done = new Set<string>();
  const walk = (file: string, trail: readonly string[]): void => {
    const at = trail.indexOf(file);
    if (at >= 0) {
      circles.push(`${[...trail.slice(at), file].join(" -> ")}: a circle; move what both need to a file of its own`);
      return;
    }
    if (done.has(file)) return;
    for (const next of graph.get(file) ?? []) walk(next, [...trail, file]);
    done.add(file);
  };
  for (const file of graph.keys()) walk(file, []);
  return circles;
}

/**
 * Checks a layout against the floor plan.
 *
 * @param layout - the texts and the faces
 * @returns what it read and every breach
 * @throws Error when a file does not parse, or when there is no file at all
 */
export function checkLayout(layout: Layout): LayoutReport {
  if (layout.sources.size === 0) throw new Error("read 0 files: the layer check looks in the wrong place");
  const problems: string[] = [];
  const graph = new Map<string, readonly string[]>();
  let imports = 0;
  for (const [file, source] of layout.sources) {
    const facts = readFacts(file, source);
    imports += facts.imports.length;
    problems.push(...checkName(file, layout), ...checkFacts(file, facts));
    // A test may reach wherever it must; nothing imports it, so that it bends no arrow.
    if (isTest(file)) continue;
    const checked = checkImports(file, facts, layout);
    problems.push(...checked.problems);
    graph.set(file, checked.targets);
  }
  for (const face of layout.faces) {
    if (!layout.sources.has(face))
      problems.push(`package.json -> ${face}: exports points at a file that does not exist`);
  }
  return { files: layout.sources.size, imports, problems: [...problems, ...findCircles(graph)] };
}
