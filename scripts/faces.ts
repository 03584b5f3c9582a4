// The faces of the package: what `package.json#exports` lets the outside import.

import { readFileSync } from "node:fs";
import path from "node:path";

/** The root of the repository. */
export const root: string = path.resolve(import.meta.dirname, "..");

/** The folder of the published package. */
export const packageRoot: string = path.join(root, "packages/legation");

/** One face. */
export interface Face {
  /** As in `exports`: `.`, `./server`. */
  readonly name: string;
  /** The file behind it, below `packages/legation/src`. */
  readonly source: string;
}

/**
 * Reads the faces from the manifest of the package.
 *
 * @returns one entry for each export that has sources
 * @throws Error when an export has no `legation-source` condition: tests could then not run it unbuilt
 */
export function readFaces(): Face[] {
  const manifest = JSON.parse(readFileSync(path.join(packageRoot, "package.json"), "utf8")) as {
    exports: Record<string, string | Record<string, string>>;
  };
  const faces: Face[] = [];
  for (const [name, target] of Object.entries(manifest.exports)) {
    if (typeof target === "string") continue;
    const source = target["legation-source"];
    if (source === undefined) throw new Error(`export ${name} has no condition legation-source`);
    faces.push({ name, source: source.replace("./src/", "") });
  }
  return faces;
}
