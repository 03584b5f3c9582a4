/** Real processes for tests: started on a free port, killed for real, gone at the end. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

/** The program of the command line, run unbuilt. */
export const BIN: string = path.resolve(import.meta.dirname, "../../src/cli/bin.ts");

/** How node runs the sources. */
export const NODE_FLAGS: readonly string[] = ["--disable-warning=ExperimentalWarning", "--conditions=legation-source"];

/** What ends with a test, or with its file: a test context, or `{ after }` of node:test. */
export interface Cleanup {
  after(clean: () => unknown): void;
}

/** A server that is up. */
export interface ServerProcess {
  readonly url: string;
  readonly port: number;
  readonly child: ChildProcess;
  /** Everything on stdout so far. */
  readonly stdout: () => string;
  /** `kill -9`; resolves when the process is gone. */
  kill(): Promise<void>;
  /** SIGTERM; resolves with the exit status. */
  stop(): Promise<number | null>;
}

/** A folder that is removed when the test is over. */
export function temporaryFolder(t: Cleanup): string {
  const folder = mkdtempSync(path.join(tmpdir(), "legation-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** Starts a script that prints `listening <url>`, and ends it with the test. */
export async function startServer(
  t: Cleanup,
  script: string,
  args: readonly string[],
  cwd: string,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [...NODE_FLAGS, script, ...args], {
    cwd,
    stdio: ["ignore", "pipe", "pipe"],
    env: { PATH: process.env["PATH"], HOME: cwd, LANG: "C" },
  });
  const gone = once(child, "exit");
  t.after(async () => {
    child.kill("SIGKILL");
    await gone;
  });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    stdout += piece;
  });
  child.stderr.setEncoding("utf8").on("data", (piece: string) => {
    stderr += piece;
  });
  const url = await firstUrl(child, () => stderr);
  return {
    url,
    port: Number(new URL(url).port),
    child,
    stdout: () => stdout,
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
    async stop() {
      child.kill("SIGTERM");
      const [code] = (await gone) as [number | null];
      return code;
    },
  };
}

function firstUrl(child: ChildProcess, stderr: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new TypeError("stdout is not a pipe");
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /^listening (http:\S+)$/.exec(line);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    child.once("exit", (code) => reject(new Error(`the server ended with ${code} before it listened: ${stderr()}`)));
  });
}

/** Starts `legation rehearse`. */
export function startRehearsal(
  t: Cleanup,
  options: {
    readonly cwd: string;
    readonly store?: string;
    readonly port?: number;
    readonly flags?: readonly string[];
  },
): Promise<ServerProcess> {
  const { cwd, store = "memory:", port = 0, flags = [] } = options;
  return startServer(t, BIN, ["rehearse", "--port", String(port), "--store", store, ...flags], cwd);
}
