#!/usr/bin/env node
// The program `legation`. `--version` is answered without loading the rest, and nothing that an old node cannot read
// is imported before its version is known.

async function start(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-v" || args[0] === "version")) {
    const { readVersion } = await import("./version.ts");
    process.stdout.write(`${readVersion()}\n`);
    return;
  }
  const { assertNodeVersion } = await import("../hosts/node/node-version.ts");
  try {
    assertNodeVersion();
  } catch (thrown) {
    process.stderr.write(`${(thrown as Error).message}\n`);
    process.exitCode = 1;
    return;
  }
  const [{ main }, { createProcessIo }] = await Promise.all([import("./main.ts"), import("./io.ts")]);
  process.exitCode = await main(args, createProcessIo());
}

void start();
