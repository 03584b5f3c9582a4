/** The command line in this process, with everything that it reads and writes in the hands of the test. */
import { tmpdir } from "node:os";
import { main } from "../../src/cli/main.ts";
import type { SendMessageResponse, StreamResponse, Task } from "../../src/model/gen/types.ts";

/** What a command left behind. */
export interface CliResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Stdout as one JSON document; throws when it is not exactly one. */
  readonly json: () => unknown;
  /** Stdout as JSON lines. */
  readonly lines: () => readonly StreamResponse[];
  /** The task of `{"task":…}` or of a bare Task. */
  readonly task: () => Task;
  /** The error envelope. */
  readonly error: () => { code: string; message: string; hint: string | null; a2aCode: number | null };
  /** The first value of a field of the text format. */
  readonly field: (label: string) => string | undefined;
}

/** What the command finds around it. */
export interface CliSurroundings {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly home?: string;
  readonly stdin?: string;
}

/** A command that hangs is interrupted, as a person would: it must not hold up all tests. */
const HANGS_AFTER_MS = 30_000;

/** Runs one command. The environment is empty but for what is given. */
export async function runCli(args: readonly string[], around: CliSurroundings = {}): Promise<CliResult> {
  let stdout = "";
  let stderr = "";
  const nowhere = tmpdir();
  const patience = setTimeout(() => process.emit("SIGINT"), HANGS_AFTER_MS);
  const code = await main(args, {
    env: around.env ?? {},
    cwd: around.cwd ?? nowhere,
    home: around.home ?? nowhere,
    out: async (text) => {
      stdout += text;
    },
    err: (text) => {
      stderr += text;
    },
    stdin: async () => around.stdin ?? "",
  }).finally(() => clearTimeout(patience));
  const json = (): unknown => JSON.parse(stdout);
  return {
    code,
    stdout,
    stderr,
    json,
    lines: () =>
      stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line) as StreamResponse),
    task: () => {
      const value = json() as SendMessageResponse | Task;
      return "task" in value && value.task !== undefined ? value.task : (value as Task);
    },
    error: () =>
      (json() as { error: { code: string; message: string; hint: string | null; a2aCode: number | null } }).error,
    field: (label) => new RegExp(`^${label}: (.*)$`, "m").exec(stdout)?.[1],
  };
}

/** A script for the rehearsal agent as the value of `--data`. */
export function script(...steps: readonly object[]): string {
  return JSON.stringify({ rehearse: steps });
}
