import assert from "node:assert/strict";
import { test } from "node:test";
import { chooseMode, fitsModes, mediaTypeOf } from "./media-type.ts";
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

test("a part without a media type has the default of its kind", () => {
  const parts = [
    textPart("a"),
    dataPart(1),
    rawPart(""),
    urlPart("https://x"),
    urlPart("x", { mediaType: "image/png" }),
  ];
  const types = ["text/plain", "application/json", "application/octet-stream", undefined, "image/png"];
  assert.deepEqual(parts.map(mediaTypeOf), types);
});

test("media types fit modes by wildcard, without parameters and case", () => {
  assert.ok(fitsModes("Text/Plain; charset=utf-8", ["application/json", "text/plain"]));
  assert.ok(fitsModes("image/png", ["image/*"]));
  assert.ok(fitsModes("image/png", ["*/*"]) && fitsModes("image/png", ["*"]));
  assert.ok(fitsModes("image/*", ["image/png;q=1"]));
  assert.ok(!fitsModes("image/png", ["text/*", "image/jpeg"]));
  assert.ok(!fitsModes("text/plain", []));
  assert.ok(!fitsModes("text/plain", ["TEXT"]));
});

test("the caller's first wish that the agent offers wins", () => {
  assert.equal(chooseMode(["image/*", "text/plain"], ["text/plain", "image/png"]), "image/png");
  assert.equal(chooseMode(["audio/wav"], ["text/plain"]), undefined);
  assert.equal(chooseMode(undefined, ["text/plain"]), "text/plain");
  assert.equal(chooseMode([], ["text/plain"]), "text/plain");
});
