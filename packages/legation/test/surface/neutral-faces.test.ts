// Every face is said to run wherever JavaScript does, or to need Node, and the first kind is bundled to prove it: esbuild
// without a platform resolves no `node:*`, and its output is what a browser would load.

import assert from "node:assert/strict";
import { join, relative } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { build, type Plugin } from "esbuild";
import { packageRoot, readFaces } from "../../../../scripts/faces.ts";

/** What a face promises. */
interface Promised {
  readonly runs: "anywhere" | "on node";
  /** A budget for one bundle of the whole face, dependencies included, but for `loadedLater`. */
  readonly maxGzipBytes?: number;
  /** Files below `src` that a dynamic import loads when they are needed; each needs a reason. */
  readonly loadedLater?: readonly string[];
}

const promises: Readonly<Record<string, Promised>> = {
  ".": { runs: "anywhere" },
  "./client": {
    runs: "anywhere",
    maxGzipBytes: 25_000,
    // A conversation with an agent whose card is a correct one of 1.0 loads neither; both HTTP bindings are in the bundle.
    loadedLater: ["client/accepts.ts", "client/normalise-odd-card.ts"],
  },
  "./server": { runs: "anywhere" },
  "./auth": { runs: "anywhere" },
  "./extensions": { runs: "anywhere" },
  "./push": { runs: "anywhere" },
  "./v0_3": { runs: "anywhere" },
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

interface Bundle {
  readonly bytes: Uint8Array;
  readonly inputs: readonly string[];
  /** Files below `src` that are loaded by a dynamic import, where those were left out. */
  readonly later: readonly string[];
}

/**
 * Bundles the code that imports everything from one module; throws what esbuild could not resolve.
 *
 * @param dynamic `in` bundles what is loaded by a dynamic import, too; `out` leaves it out, as a browser does
 */
async function bundle(code: string, dynamic: "in" | "out" = "in"): Promise<Bundle> {
  const later = new Set<string>();
  const leaveOut: Plugin = {
    name: "leave out what is loaded later",
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ kind, path, resolveDir }) => {
        if (kind !== "dynamic-import") return undefined;
        later.add(relative(`${packageRoot}/src`, join(resolveDir, path)));
        return { path, external: true };
      });
    },
  };
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
    plugins: dynamic === "in" ? [] : [leaveOut],
  });
  const [output] = result.outputFiles;
  assert.ok(output !== undefined, "esbuild wrote nothing");
  return { bytes: output.contents, inputs: Object.keys(result.metafile.inputs), later: [...later].toSorted() };
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
  const { maxGzipBytes, loadedLater = [] } = promise;
  if (maxGzipBytes === undefined) continue;
  test(`${name} costs a browser at most ${maxGzipBytes} bytes`, async () => {
    const { bytes, later } = await bundle(importAll(name), "out");
    const size = gzipSync(bytes, { level: 9 }).length;
    assert.ok(size <= maxGzipBytes, `${size} bytes gzipped, at most ${maxGzipBytes}`);
    assert.deepEqual(later, loadedLater);
  });
}
