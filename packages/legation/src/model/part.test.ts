import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesOf, dataPart, partKind, rawPart, textOf, textPart, urlPart } from "./part.ts";

test("parts are made with what stands beside them, and nothing unset", () => {
  assert.deepEqual(textPart(""), { text: "" });
  assert.deepEqual(dataPart(null, { mediaType: "application/json" }), { data: null, mediaType: "application/json" });
  assert.deepEqual(urlPart("https://x", { filename: "x.pdf", metadata: { a: 1 } }), {
    url: "https://x",
    filename: "x.pdf",
    metadata: { a: 1 },
  });
  assert.deepEqual([textPart(""), rawPart(""), urlPart(""), dataPart(null)].map(partKind), [
    "text",
    "raw",
    "url",
    "data",
  ]);
});

test("bytes come back as they were", () => {
  const bytes = Uint8Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256);
  assert.deepEqual(Buffer.from(bytesOf(rawPart(bytes)) ?? []), Buffer.from(bytes));
  assert.deepEqual(rawPart(Uint8Array.of(251, 255)), { raw: "+/8=" });
  assert.equal(bytesOf(textPart("a")), undefined);
});

test("textOf joins the text parts and nothing else", () => {
  assert.equal(textOf({ parts: [textPart("héllo "), dataPart({ text: "no" }), textPart("😀")] }), "héllo 😀");
  assert.equal(textOf(undefined), "");
});
