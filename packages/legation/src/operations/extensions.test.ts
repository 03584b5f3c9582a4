import assert from "node:assert/strict";
import { test } from "node:test";
import {
  activeExtensions,
  encodeExtensions,
  MAX_EXTENSIONS,
  parseExtensions,
  requireExtensions,
} from "./extensions.ts";

test("§3.2.6 several lines, commas and the legacy header make one list without duplicates, in order", () => {
  assert.deepEqual(parseExtensions("urn:b, urn:a,, urn:b", "urn:c,urn:a"), ["urn:b", "urn:a", "urn:c"]);
  assert.deepEqual(parseExtensions(undefined), []);
  assert.deepEqual(parseExtensions("", ""), []);
  assert.equal(encodeExtensions(["urn:a", "urn:b"]), "urn:a,urn:b");
});

test("a header that is one long list is cut", () => {
  const list = Array.from({ length: 1_000 }, (_, index) => `urn:${index}`).join(",");
  assert.equal(parseExtensions(list).length, MAX_EXTENSIONS);
});

test("§4.6.3 active are those asked for and declared, by the exact URI", () => {
  const declared = [{ uri: "urn:x:v1" }, { uri: "urn:y:v1" }, {}];
  assert.deepEqual(activeExtensions(["urn:y:v1", "urn:x:v2", "URN:X:V1"], declared), ["urn:y:v1"]);
});

test("§3.3.2 a required extension that the caller does not name is refused by name", () => {
  const declared = [{ uri: "urn:x", required: true }, { uri: "urn:y" }, { uri: "urn:z", required: true }];
  requireExtensions(["urn:z", "urn:x"], declared);
  assert.throws(() => requireExtensions(["urn:y"], declared), {
    code: "EXTENSION_SUPPORT_REQUIRED",
    message: "this agent requires the extension urn:x and urn:z; send A2A-Extensions: urn:x,urn:z",
    metadata: { requiredExtensions: "urn:x,urn:z" },
  });
});
