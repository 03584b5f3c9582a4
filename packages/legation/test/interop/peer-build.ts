/**
 * The SDKs of other languages, and that of an older version of the protocol, as they are installed and built: below
 * `node_modules/.cache`, never as part of `npm install`. `install-peers.ts` does it; a test of an SDK that is not there
 * is one line in the output.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

/** The SDKs with programs of ours in a folder of the same name. */
export const LANGUAGES = ["js-v03", "python", "python-v03", "go", "go-v03", "rust", "java-v03"] as const;

/** A language. */
export type Language = (typeof LANGUAGES)[number];

const HERE = import.meta.dirname;
const CACHE = path.resolve(HERE, "../../../../node_modules/.cache/legation-interop");

/** Longest that one command of an installation may take. */
const COMMAND_MS = 900_000;

const COPY_DEPENDENCIES = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies";

interface Recipe {
  /** The command without which nothing can be installed. */
  readonly toolchain: string;
  /** What decides whether an installation is the right one. */
  readonly sources: readonly string[];
  readonly commands: (folder: string) => readonly (readonly string[])[];
}

const RECIPES: Readonly<Record<Language, Recipe>> = {
  "js-v03": {
    toolchain: "npm",
    sources: ["js-v03/package.json", "js-v03/*.mjs"],
    commands: (folder) => [
      // Beside their packages, which are not those of the workspace.
      ["cp", "package.json", "client.mjs", "server.mjs", folder],
      ["npm", "install", "--prefix", folder, "--silent", "--no-audit", "--no-fund"],
    ],
  },
  python: python("python"),
  "python-v03": python("python-v03"),
  go: go("go"),
  "go-v03": go("go-v03"),
  rust: {
    toolchain: "cargo",
    sources: ["rust/Cargo.toml", "rust/Cargo.lock", "rust/src/**/*.rs"],
    commands: (folder) => [["cargo", "build", "--quiet", "--locked", "--target-dir", folder]],
  },
  "java-v03": {
    toolchain: "mvn",
    sources: ["java-v03/pom.xml", "java-v03/src/main/java/*.java"],
    commands: (folder) => [["mvn", "-q", "-B", `-Dfolder=${folder}`, "compile", COPY_DEPENDENCIES]],
  },
};

function python(name: string): Recipe {
  return {
    toolchain: "python3",
    sources: [`${name}/requirements.txt`],
    commands: (folder) => [
      ["python3", "-m", "venv", folder],
      [path.join(folder, "bin/pip"), "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"],
    ],
  };
}

function go(name: string): Recipe {
  return {
    toolchain: "go",
    sources: [`${name}/go.mod`, `${name}/go.sum`, `${name}/*/*.go`],
    commands: (folder) => [["go", "build", "-o", `${folder}/`, "./..."]],
  };
}

/** Where an SDK is installed, or would be. */
export function folderOf(language: Language): string {
  return path.join(CACHE, language);
}

/** Whether what is installed was made of the sources as they now are. */
export function isInstalled(language: Language): boolean {
  const stamp = stampFile(language);
  return existsSync(stamp) && readFileSync(stamp, "utf8") === fingerprint(language);
}

/**
 * Installs an SDK and builds our programs for it, if that has not been done.
 *
 * @returns a sentence: what was done, or what is missing on this machine
 * @throws Error with the output of a command that fails although its toolchain is there
 */
export function install(language: Language): string {
  const { toolchain, commands } = RECIPES[language];
  if (isInstalled(language)) return `${language}: installed already`;
  if (spawnSync(toolchain, ["--help"], { stdio: "ignore" }).error !== undefined) {
    return `${language}: not installed, this machine has no ${toolchain}`;
  }
  const startedAt = Date.now();
  mkdirSync(folderOf(language), { recursive: true });
  rmSync(stampFile(language), { force: true });
  for (const [command = "", ...args] of commands(folderOf(language))) {
    const { status, error, stdout, stderr } = spawnSync(command, args, {
      cwd: path.join(HERE, language),
      encoding: "utf8",
      timeout: COMMAND_MS,
    });
    if (status !== 0)
      throw new Error(`${[command, ...args].join(" ")} failed with ${error?.message ?? status}:\n${stdout}${stderr}`);
  }
  writeFileSync(stampFile(language), fingerprint(language));
  return `${language}: installed in ${Math.round((Date.now() - startedAt) / 1000)} s`;
}

function stampFile(language: Language): string {
  return path.join(CACHE, `${language}.stamp`);
}

function fingerprint(language: Language): string {
  const hash = createHash("sha256");
  for (const file of globSync([...RECIPES[language].sources], { cwd: HERE }).sort()) {
    hash.update(`${file}\n`).update(readFileSync(path.join(HERE, file)));
  }
  return hash.digest("hex");
}
