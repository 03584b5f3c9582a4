// Every face is said to run wherever JavaScript does, or to need Node, and the first kind is bundled to prove it: esbuild
// without a platform resolves no `node:*`, and its output is what a browser would load.

import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { packageRoot, readFaces } from "../../../../scripts/faces.ts";

/** What a face promises. `maxGzipBytes` is a budget for all that a browser loads, dependencies included. */
const promises: Readonly<Record<string, { runs: "anywhere" | "on node"; maxGzipBytes?: number }>> = {
  ".": { runs: "anywhere" },
  "./client": { runs: "anywhere", maxGzipBytes: 25_000 },
  "./server": { runs: "anywhere" },
  "./auth": { runs: "anywhere" },
  "./hono": { runs: "anywhere" },
  "./registry": { runs: "anywhere" },
  "./orchestration": { runs: "anywhere" },
  "./mcp": { runs: "anywhere" },
  "./ai": { runs: "anywhere" },
  "./conformance": { runs: "anywhere" },
  "./node": { runs: "on node" },
  "./express": { runs: "on node" },
  "./fastify": { runs: "on node" },
  "./sqlite": { runs: "on node" },
  "./postgres": { runs: "on node" },
  "./grpc": { runs: "on node" },
  "./console": { runs: "on node" },
  "./testing": { runs: "on node" },
};

/** Bundles the code that imports everything from one module; throws what esbuild could not resolve. */
async function bundle(code: string): Promise<{ bytes: Uint8Array; inputs: string[] }> {
  const result = await build({
    stdin: { contents: code, resolveDir: packageRoot, loader: "ts" },
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: "esm",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["legation-source", "browser", "import"],
    logLevel: "silent",
  });
  const [output] = result.outputFiles;
  assert.ok(output !== undefined, "esbuild wrote nothing");
  return { bytes: output.contents, inputs: Object.keys(result.metafile.inputs) };
}

function importAll(face: string): string {
  return `export * from "${face.replace(/^\./, "legation")}";`;
}

const faces = readFaces();

test("there are faces, and each has a promise", () => {
  assert.ok(faces.length > 0);
  for (const { name } of faces) assert.ok(Object.hasOwn(promises, name), `${name} has no row in this file`);
});

test("a module that needs node does not pass for neutral", async () => {
  await assert.rejects(bundle('export * from "node:net";'), /Could not resolve "node:net"/);
});

for (const { name, source } of faces) {
  const promise = promises[name];
  if (promise?.runs !== "anywhere") continue;
  test(`${name} runs anywhere: its bundle needs nothing of node`, async () => {
    const { inputs } = await bundle(importAll(name));
    assert.ok(
      inputs.some((input) => input.endsWith(`src/${source}`)),
      `${name} was not bundled from its source`,
    );
  });
  const { maxGzipBytes } = promise;
  if (maxGzipBytes === undefined) continue;
  test(`${name} costs a browser at most ${maxGzipBytes} bytes`, async () => {
    const bytes = gzipSync((await bundle(importAll(name))).bytes, { level: 9 }).length;
    assert.ok(bytes <= maxGzipBytes, `${bytes} bytes gzipped, at most ${maxGzipBytes}`);
  });
}
