import assert from "node:assert/strict";
import { test } from "node:test";
import { findCodeBlocks, pickRegion, syncCode } from "./doc-code.ts";

const files: Record<string, string> = {
  "examples/a/server.ts": 'import { b } from "legation";\nb();\n',
  "examples/a/client.ts": "before();\n  // #region middle\n  one();\n    two();\n  // #endregion\nafter();\n",
};

function read(file: string): string {
  const text = files[file];
  if (text === undefined) throw new Error("no such file");
  return text;
}

const shown = (marker: string, code: string): string => `# Title\n\n${marker}\n\`\`\`ts\n${code}\n\`\`\`\n\nend\n`;

test("a block that shows a file byte for byte is right", () => {
  const text = shown("<!-- code: examples/a/server.ts -->", 'import { b } from "legation";\nb();');
  assert.deepEqual(syncCode(text, read), { text, problems: [] });
});

test("a block that differs from its file by one character is named, and repaired", () => {
  const text = shown("<!-- code: examples/a/server.ts -->", 'import { b } from "legation";\nb() ;');
  const synced = syncCode(text, read);
  assert.deepEqual(synced.problems, ["5: differs from examples/a/server.ts: npm run check-docs -- --fix"]);
  assert.deepEqual(syncCode(synced.text, read), { text: synced.text, problems: [] });
  assert.match(synced.text, /\n\nend\n$/);
});

test("two blocks are repaired in place", () => {
  const marker = "<!-- code: examples/a/server.ts -->";
  const text = shown(marker, "old") + shown(marker, "old\nold\nold");
  const good = 'import { b } from "legation";\nb();';
  assert.equal(syncCode(text, read).text, shown(marker, good) + shown(marker, good));
});

test("a region is shown without its indent and its markers", () => {
  assert.equal(pickRegion(read("examples/a/client.ts"), "middle"), "one();\n  two();");
  assert.throws(() => pickRegion(read("examples/a/client.ts"), "gone"), /no region gone/);
});

test("a marker that names no file is an error", () => {
  const problems = syncCode(shown("<!-- code: examples/gone.ts -->", "x"), read).problems;
  assert.deepEqual(problems, ["5: examples/gone.ts: no such file"]);
});

test("a block without a marker stands for itself, with what it takes for granted", () => {
  const [block] = findCodeBlocks(shown('<!-- given:\nimport { b } from "legation";\n-->', "b();"));
  assert.equal(block?.shows, undefined);
  assert.equal(block?.given, 'import { b } from "legation";');
  assert.equal(block?.line, 7);
});

test("what an earlier block takes for granted is not given to the next", () => {
  const first = shown("<!-- given: declare const a: 1; -->", "a;");
  const second = shown("<!-- given: declare const b: 2; -->", "b;");
  assert.deepEqual(
    findCodeBlocks(first + second).map((block) => block.given),
    ["declare const a: 1;", "declare const b: 2;"],
  );
  assert.equal(findCodeBlocks(first + shown("words", "c;"))[1]?.given, "");
});

test("a comment further up does not speak about the block", () => {
  const [block] = findCodeBlocks("<!-- code: examples/a/server.ts -->\n\nwords\n\n```ts\nx;\n```\n");
  assert.equal(block?.shows, undefined);
});

test("shell and output blocks are not TypeScript, and an open fence is an error", () => {
  assert.deepEqual(findCodeBlocks("```sh\nnpm test\n```\n\n```\noutput\n```\n"), []);
  assert.throws(() => findCodeBlocks("```ts\nx;\n"), /line 1: the fence is not closed/);
});
