import os from "node:os";

/** What the program reads and writes: the process, or a test. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Where the global configuration is looked for. */
  readonly home: string;
  /** Writes to stdout. Resolves when the other end can take more. */
  out(text: string): Promise<void>;
  /** Writes to stderr. */
  err(text: string): void;
  /** All of stdin. */
  stdin(): Promise<string>;
}

/** The process as an {@link Io}. A reader of stdout that goes away ends the program quietly, as a pipe should. */
export function createProcessIo(): Io {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(0);
      throw error;
    });
  }
  return {
    env: process.env,
    cwd: process.cwd(),
    home: os.homedir(),
    out: (text) =>
      new Promise((resolve) => {
        if (process.stdout.write(text)) resolve();
        else process.stdout.once("drain", resolve);
      }),
    err: (text) => void process.stderr.write(text),
    stdin: readStdin,
  };
}

async function readStdin(): Promise<string> {
  process.stdin.setEncoding("utf8");
  let text = "";
  for await (const piece of process.stdin) text += piece as string;
  return text;
}
