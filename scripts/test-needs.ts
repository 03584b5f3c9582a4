// What some tests need from the machine beyond node and npm. A test file says so in a comment of its own,
// `// needs: chromium`; where the need is not met the runner leaves the file out and says which and why.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { isInstalled, type Language } from "../packages/legation/test/interop/peer-build.ts";

/** One thing that a machine may lack. */
export interface Need {
  /** Whether the machine has it. */
  readonly isMet: () => boolean;
  /** What to do when it is missing. */
  readonly remedy: string;
  /** True: in CI, too, a file that needs it may be left out. It is named all the same. */
  readonly isOptional?: boolean;
}

function hasCommand(...names: string[]): boolean {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return names.some((name) => folders.some((folder) => existsSync(path.join(folder, name))));
}

function hasPostgres(): boolean {
  return hasCommand("initdb") || existsSync("/usr/lib/postgresql");
}

// CI installs what its machine has the toolchain for; a registry that is down must not stop all other tests.
function peer(language: Language): Need {
  return {
    isMet: () => isInstalled(language),
    remedy: `run npx node packages/legation/test/interop/install-peers.ts ${language}`,
    isOptional: true,
  };
}

/** Every need that a test file may name. */
export const needs: Readonly<Record<string, Need>> = {
  chromium: {
    isMet: () => hasCommand("chromium", "chromium-browser", "google-chrome"),
    remedy: "install the package chromium",
  },
  postgres: { isMet: hasPostgres, remedy: "install the package postgresql" },
  linux: { isMet: () => process.platform === "linux", remedy: "it reads /proc: run it on Linux" },
  "peer-js-v03": peer("js-v03"),
  "peer-python": peer("python"),
  "peer-python-v03": peer("python-v03"),
  "peer-go": peer("go"),
  "peer-go-v03": peer("go-v03"),
  "peer-rust": peer("rust"),
  "peer-java-v03": peer("java-v03"),
};

/**
 * The needs that a test file names.
 *
 * @param source - the text of the file
 * @returns the names after `// needs:`, none when there is no such comment
 * @throws Error when a name is not in {@link needs}: a misspelt need would otherwise never be met
 */
export function parseNeeds(source: string): string[] {
  const line = /^\/\/ needs: (.+)$/m.exec(source)?.[1];
  const names = line === undefined ? [] : line.split(",").map((name) => name.trim());
  for (const name of names) {
    if (!Object.hasOwn(needs, name)) throw new Error(`need ${name} is not in scripts/test-needs.ts`);
  }
  return names;
}

/**
 * The first need of a file that this machine does not meet.
 *
 * @param file - path of the test file
 * @returns the name and the remedy, or undefined when all are met
 */
export function findUnmetNeed(file: string): (Pick<Need, "remedy" | "isOptional"> & { name: string }) | undefined {
  for (const name of parseNeeds(readFileSync(file, "utf8"))) {
    const need = needs[name];
    if (need !== undefined && !need.isMet()) return { ...need, name };
  }
  return undefined;
}
