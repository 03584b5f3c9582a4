import assert from "node:assert/strict";
import { test } from "node:test";
import { compareTwins, englishOf } from "./doc-twins.ts";

const code = "<!-- given: declare const a: 1; -->\n\n```ts\na;\n```\n\n```sh\nnpm start   # begins\n```\n";
const english = `# Hooks\n\n[简体中文](hooks.zh-CN.md)\n\n## One\n\n${code}`;
const chinese = `# 回调\n\n[English](hooks.md)\n\n## 一\n\n${code.replace("begins", "启动")}`;

function compare(text: string, twin: string | undefined = english, others: readonly string[] = []): string[] {
  return compareTwins("docs/hooks.zh-CN.md", text, { text: twin, documents: new Set(others) });
}

test("twins with the same code and headings are right, whatever the words and the comments of shell blocks", () => {
  assert.deepEqual(compare(chinese), []);
  assert.equal(englishOf("docs/hooks.zh-CN.md"), "docs/hooks.md");
  assert.equal(englishOf("docs/hooks.md"), undefined);
});

test("code that differs, in the block or in what it takes for granted, is named", () => {
  const differs = ["1: block of code 1 differs from that of hooks.md"];
  assert.deepEqual(compare(chinese.replace("a;\n", "a ;\n")), differs);
  assert.deepEqual(compare(chinese.replace("const a: 1", "const a: 2")), differs);
  assert.deepEqual(compare(chinese.replace("npm start", "npm  start")), [
    "1: block of code 2 differs from that of hooks.md",
  ]);
});

test("a block or a heading too few or too many is named", () => {
  assert.deepEqual(compare(`${chinese}\n\`\`\`\nout\n\`\`\`\n`), ["1: block of code 3 differs from that of hooks.md"]);
  assert.deepEqual(compare(chinese, `${english}\n## Two\n`), ["1: has other headings than hooks.md"]);
});

test("each leads to the other, and a Chinese document to Chinese ones", () => {
  assert.deepEqual(compare(chinese.replace("[English]", "[英文]")), ["1: does not lead to hooks.md"]);
  assert.deepEqual(compare(chinese, english.replace("hooks.zh", "other.zh")), ["1: hooks.md does not lead to it"]);
  const linked = `${chinese}\n[成本](../bench/README.md) [甲](a.md) [乙](b.md#x)\n`;
  assert.deepEqual(compare(linked, english, ["docs/a.zh-CN.md"]), ["1: leads to a.md although there is a.zh-CN.md"]);
});

test("a translation of nothing is an error", () => {
  assert.deepEqual(compareTwins("docs/hooks.zh-CN.md", chinese, { text: undefined, documents: new Set() }), [
    "1: there is no docs/hooks.md that it translates",
  ]);
});
