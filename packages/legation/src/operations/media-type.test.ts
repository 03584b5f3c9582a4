import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message, Part } from "../model/gen/types.ts";
import { chooseOutputMode, matchesMediaType, partMediaType, requireInputModes } from "./media-type.ts";

test("wildcards match, parameters and case do not count", () => {
  const rows: [string, string, boolean][] = [
    ["text/plain", "Text/Plain; charset=utf-8", true],
    ["image/*", "image/svg+xml", true],
    ["image/*", "imagex/png", false],
    ["*/*", "a/b", true],
    ["*", "a/b", true],
    ["text/plain;format=flowed", "text/plain", true],
    ["text/plain", "text/html", false],
    ["TEXT", "text/plain", false],
  ];
  for (const [pattern, type, expected] of rows)
    assert.equal(matchesMediaType(pattern, type), expected, `${pattern} ${type}`);
});

test("§4.1.6 a part without a media type has the one of its kind", () => {
  const parts: [Part, string | undefined][] = [
    [{ text: "a" }, "text/plain"],
    [{ data: null }, "application/json"],
    [{ raw: "AA==" }, "application/octet-stream"],
    [{ url: "https://x.example/a" }, undefined],
    [{ url: "https://x.example/a", mediaType: "image/png" }, "image/png"],
  ];
  for (const [part, expected] of parts) assert.equal(partMediaType(part), expected);
});

test("§3.3.2 a part that the agent does not read is refused by path, type and what is read", () => {
  const message: Message = { messageId: "m", role: "ROLE_USER", parts: [{ text: "a" }, { url: "u" }, { raw: "AA==" }] };
  requireInputModes(message, ["text/*", "application/octet-stream"]);
  requireInputModes(message, []);
  assert.throws(() => requireInputModes(message, ["text/plain", "image/png"]), {
    code: "CONTENT_TYPE_NOT_SUPPORTED",
    message:
      "message.parts[2].mediaType: application/octet-stream is not read by this agent; it reads text/plain, image/png",
  });
});

test("§3.2.2 the first mode of the caller that can be made is chosen", () => {
  assert.equal(chooseOutputMode(["image/png", "text/*"], ["text/markdown", "text/plain"]), "text/markdown");
  assert.equal(chooseOutputMode(undefined, ["text/plain"]), "text/plain");
  assert.equal(chooseOutputMode([], ["text/plain"]), "text/plain");
  assert.equal(chooseOutputMode(["image/png"], ["text/plain"]), undefined);
});
