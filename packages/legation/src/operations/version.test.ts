import assert from "node:assert/strict";
import { test } from "node:test";
import { A2AError } from "./errors.ts";
import { decideVersion, parseVersion, requestedVersion } from "./version.ts";

function refusal(header: string | undefined, query?: string, supported?: string[]): A2AError {
  try {
    decideVersion(requestedVersion(header, query), supported);
  } catch (thrown) {
    if (thrown instanceof A2AError) return thrown;
  }
  throw new Error("was not refused");
}

test("§3.6 a version is Major.Minor; the patch number does not count", () => {
  assert.deepEqual(["1.0", "1.0.1", " 1.0 ", "10.20", "1", "v1.0", "1.0.0.0", "1.0-rc", "1.x", ""].map(parseVersion), [
    "1.0",
    "1.0",
    "1.0",
    "10.20",
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("§3.6.2 the header counts before the query, and nothing means 0.3", () => {
  assert.equal(requestedVersion("1.0", "0.3").version, "1.0");
  assert.equal(requestedVersion("", "1.0").version, "1.0");
  assert.equal(requestedVersion(undefined, "1.0.2").version, "1.0");
  assert.equal(requestedVersion(undefined, undefined).version, "0.3");
  assert.equal(requestedVersion(" ", "").version, "0.3");
});

test("§3.6.2 what is not supported is refused with the header to send", () => {
  assert.equal(
    refusal(undefined).message,
    "no A2A-Version was sent, which means 0.3, and that is not supported here; send A2A-Version: 1.0 (supported: 1.0)",
  );
  assert.equal(refusal("2.0").message, "A2A-Version 2.0 is not supported; send A2A-Version: 1.0 (supported: 1.0)");
  assert.equal(
    refusal("one").message,
    'A2A-Version "one" is not of the form Major.Minor; send A2A-Version: 1.0 (supported: 1.0)',
  );
  const error = refusal("0.2", undefined, ["1.0", "0.3"]);
  assert.equal(error.code, "VERSION_NOT_SUPPORTED");
  assert.deepEqual(error.metadata, { requestedVersion: "0.2", supportedVersions: "1.0, 0.3" });
  assert.ok(refusal("9".repeat(5_000)).message.length < 200);
});

test("an interface that serves both versions takes both", () => {
  assert.equal(decideVersion(requestedVersion(undefined), ["1.0", "0.3"]), "0.3");
  assert.equal(decideVersion(requestedVersion("1.0"), ["1.0", "0.3"]), "1.0");
});
