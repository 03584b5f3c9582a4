// What the checks need to know about one source file, read from its syntax tree and not guessed from its text.

import { parseSync } from "oxc-parser";

/** One `import`, `export … from`, `import()` or `import("…").Type` of a file. */
export interface ImportFact {
  /** The specifier as written. */
  readonly specifier: string;
  /** 1-based. */
  readonly line: number;
}

/** The facts of one file. */
export interface SourceFacts {
  readonly imports: readonly ImportFact[];
  /** Names of Node's globals that the file mentions, each once. */
  readonly nodeGlobals: readonly string[];
  /** Lines of text; a newline at the end does not begin another. */
  readonly lines: number;
}

type Tree = Readonly<Record<string, unknown>>;

const importers: ReadonlySet<unknown> = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
]);

const nodeOnly: ReadonlySet<unknown> = new Set(["process", "Buffer", "global", "require", "setImmediate", "__dirname"]);

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null;
}

/** `x.process` and `{ process: 1 }` only spell the name; `process.env` is the global. */
function isOnlyAName(key: string, parent: Tree): boolean {
  return (key === "property" || key === "key") && parent["computed"] !== true && parent["shorthand"] !== true;
}

function visit(tree: Tree, enter: (tree: Tree) => void): void {
  enter(tree);
  for (const [key, value] of Object.entries(tree)) {
    if (isOnlyAName(key, tree)) continue;
    const children = Array.isArray(value) ? value : [value];
    for (const child of children) if (isTree(child)) visit(child, enter);
  }
}

function specifierOf(tree: Tree): string | undefined {
  if (!importers.has(tree["type"])) return undefined;
  const source = isTree(tree["source"]) ? tree["source"] : undefined;
  return typeof source?.["value"] === "string" ? source["value"] : undefined;
}

/**
 * Reads the facts of one TypeScript source.
 *
 * @param file - its name, for the dialect and for messages
 * @param source - its text
 * @throws Error when the text does not parse: a file that cannot be read cannot be said to keep the rules
 */
export function readFacts(file: string, source: string): SourceFacts {
  const parsed = parseSync(file, source);
  const broken = parsed.errors[0];
  if (broken !== undefined) throw new Error(`${file} does not parse: ${broken.message}`);
  const imports: ImportFact[] = [];
  const nodeGlobals = new Set<string>();
  visit(parsed.program as unknown as Tree, (tree) => {
    const specifier = specifierOf(tree);
    if (specifier !== undefined) {
      imports.push({ specifier, line: source.slice(0, tree["start"] as number).split("\n").length });
    }
    if (tree["type"] === "Identifier" && nodeOnly.has(tree["name"])) nodeGlobals.add(tree["name"] as string);
  });
  return { imports, nodeGlobals: [...nodeGlobals], lines: source.replace(/\n$/, "").split("\n").length };
}
