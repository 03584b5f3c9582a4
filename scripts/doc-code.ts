// The code in the documents. A block of TypeScript either shows a file of the repository, byte for byte, under a marker
// comment, or stands for itself and has to compile.
//
//   <!-- code: examples/00-hello/server.ts -->         the block is that file
//   <!-- code: examples/00-hello/server.ts#agent -->   the block is what stands between `// #region agent` and `// #endregion`
//   <!-- given: import { connect } from "legation/client"; -->   what the block takes for granted, compiled in front of it

/** One fenced block of TypeScript. */
export interface CodeBlock {
  /** 1-based line of the first line of code. */
  readonly line: number;
  /** Indices of the first line of code and of the closing fence, among the lines of the document. */
  readonly from: number;
  readonly to: number;
  readonly code: string;
  /** `path` or `path#region`, when the block shows a file. */
  readonly shows: string | undefined;
  /** Declarations that the block takes for granted; empty when it stands alone. */
  readonly given: string;
}

const fence = /^```(ts|typescript|tsx|js|javascript)\s*$/;
const code = /<!-- code: (\S+) -->\s*$/;
const given = /<!-- given:\s((?:(?!-->)[\s\S])*)-->\s*$/;

/**
 * Finds the blocks of TypeScript in a Markdown text.
 *
 * @param markdown - the document
 * @throws Error when a fence is not closed
 */
export function findCodeBlocks(markdown: string): CodeBlock[] {
  const lines = markdown.split("\n");
  const blocks: CodeBlock[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (!fence.test(lines[at] ?? "")) continue;
    const to = lines.indexOf("```", at + 1);
    if (to < 0) throw new Error(`line ${at + 1}: the fence is not closed`);
    // Only the comment right above the fence speaks about it.
    const above = lines.slice(0, at).join("\n");
    blocks.push({
      line: at + 2,
      from: at + 1,
      to,
      code: lines.slice(at + 1, to).join("\n"),
      shows: code.exec(above)?.[1],
      given: given.exec(above)?.[1]?.trim() ?? "",
    });
    at = to;
  }
  return blocks;
}

/**
 * The part of a file that a marker names.
 *
 * @param source - the text of the file
 * @param region - the name after `#`, undefined for the whole file
 * @throws Error when the file has no such region
 */
export function pickRegion(source: string, region: string | undefined): string {
  if (region === undefined) return source.trimEnd();
  const lines = source.split("\n");
  const from = lines.findIndex((line) => line.trim() === `// #region ${region}`);
  const to = lines.findIndex((line, index) => index > from && line.trim() === "// #endregion");
  if (from < 0 || to < 0) throw new Error(`no region ${region}`);
  const picked = lines.slice(from + 1, to);
  const indents = picked.filter((line) => line.trim() !== "").map((line) => line.length - line.trimStart().length);
  const indent = indents.length === 0 ? 0 : Math.min(...indents);
  return picked.map((line) => line.slice(indent)).join("\n");
}

/**
 * Compares the blocks that show a file with the file.
 *
 * @param markdown - the document
 * @param read - gives the text of a path of the repository; throws when there is none
 * @returns the document as it should be, and one line per block that differs
 */
export function syncCode(markdown: string, read: (file: string) => string): { text: string; problems: string[] } {
  const lines = markdown.split("\n");
  const problems: string[] = [];
  for (const block of findCodeBlocks(markdown).reverse()) {
    if (block.shows === undefined) continue;
    const [file = "", region] = block.shows.split("#");
    let wanted: string;
    try {
      wanted = pickRegion(read(file), region);
    } catch (error) {
      problems.unshift(`${block.line}: ${block.shows}: ${error instanceof Error ? error.message : String(error)}`);
      continue;
    }
    if (wanted === block.code) continue;
    problems.unshift(`${block.line}: differs from ${block.shows}: npm run check-docs -- --fix`);
    lines.splice(block.from, block.to - block.from, ...wanted.split("\n"));
  }
  return { text: lines.join("\n"), problems };
}
