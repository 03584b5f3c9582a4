// A document and its Chinese twin, `webhooks.md` and `webhooks.zh-CN.md`, say the same: the same code, the same headings
// in their order, and each leads to the other.
import path from "node:path";

const chineseEnd = ".zh-CN.md";

/** The path of the English document of a Chinese one; undefined for any other document. */
export function englishOf(document: string): string | undefined {
  return document.endsWith(chineseEnd) ? `${document.slice(0, -chineseEnd.length)}.md` : undefined;
}

/** What both languages share: code with the marker above it, and how deep the headings are. */
function skeletonOf(markdown: string): { readonly blocks: readonly string[]; readonly headings: readonly number[] } {
  const blocks: string[] = [];
  const headings: number[] = [];
  const lines = markdown.split("\n");
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? "";
    const language = /^```(\w*)/.exec(line)?.[1];
    if (language === undefined) {
      const depth = /^(#+) /.exec(line)?.[1]?.length;
      if (depth !== undefined) headings.push(depth);
      continue;
    }
    const end = lines.indexOf("```", at + 1);
    const to = end < 0 ? lines.length : end;
    const code = lines.slice(at + 1, to);
    const above = lines.slice(0, at).findLast((one) => one.trim() !== "") ?? "";
    const marker = above.startsWith("<!--") || above.endsWith("-->") ? above : "";
    // The comments of shell blocks are words.
    const shared = language === "sh" ? code.map((one) => one.replace(/(^|\s+)#.*$/, "")) : code;
    blocks.push([marker, line, ...shared].join("\n"));
    at = to;
  }
  return { blocks, headings };
}

/**
 * Compares a Chinese document with the English one.
 *
 * @param name - path of the Chinese document
 * @param twin - text of the English one; undefined when there is none
 * @param documents - paths of all documents: a Chinese one leads to Chinese ones where there are
 * @returns one line per difference
 */
export function compareTwins(
  name: string,
  chinese: string,
  twin: { readonly text: string | undefined; readonly documents: ReadonlySet<string> },
): string[] {
  const english = englishOf(name);
  if (english === undefined || twin.text === undefined) return [`1: there is no ${english} that it translates`];
  const problems: string[] = [];
  const [ours, theirs] = [skeletonOf(chinese), skeletonOf(twin.text)];
  const own = path.posix.basename(english);
  if (!chinese.includes(`[English](${own})`)) problems.push(`1: does not lead to ${own}`);
  if (!twin.text.includes(`[简体中文](${path.posix.basename(name)})`)) problems.push(`1: ${own} does not lead to it`);
  if (ours.headings.join() !== theirs.headings.join()) problems.push(`1: has other headings than ${own}`);
  const count = Math.max(ours.blocks.length, theirs.blocks.length);
  for (let at = 0; at < count; at += 1) {
    if (ours.blocks[at] !== theirs.blocks[at]) problems.push(`1: block of code ${at + 1} differs from that of ${own}`);
  }
  for (const [, target = ""] of chinese.matchAll(/\]\(([^)#]+\.md)(?:#[^)]*)?\)/g)) {
    const wanted = target.replace(/\.md$/, chineseEnd);
    const place = path.posix.join(path.posix.dirname(name), wanted);
    if (target !== own && !target.endsWith(chineseEnd) && twin.documents.has(place)) {
      problems.push(`1: leads to ${target} although there is ${wanted}`);
    }
  }
  return problems;
}
