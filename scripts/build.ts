// `npm run build`: compiles packages/legation to dist, file by file and unbundled.

import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, existsSync, rmSync } from "node:fs";
import path from "node:path";
import { packageRoot, root } from "./faces.ts";

const dist = path.join(packageRoot, "dist");
// A file that was renamed must not live on in what is published.
rmSync(dist, { recursive: true, force: true });

const compiler = path.join(root, "node_modules/typescript/bin/tsc");
const result = spawnSync(process.execPath, [compiler, "-p", path.join(packageRoot, "tsconfig.build.json")], {
  cwd: root,
  stdio: "inherit",
});
if (result.status !== 0) process.exit(result.status ?? 1);

const bin = path.join(dist, "cli/bin.js");
if (existsSync(bin)) chmodSync(bin, 0o755);

// npm packs these two from the folder of the package, whatever `files` says.
for (const file of ["README.md", "LICENSE"]) copyFileSync(path.join(root, file), path.join(packageRoot, file));
