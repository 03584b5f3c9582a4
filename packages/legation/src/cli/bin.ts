#!/usr/bin/env node
// The program `legation`. Nothing that an old node cannot read is imported before its version is known, and
// `--version` is answered without loading the rest.

async function start(): Promise<void> {
  const { assertNodeVersion } = await import("../hosts/node/node-version.ts");
  try {
    assertNodeVersion();
  } catch (thrown) {
    process.stderr.write(`${(thrown as Error).message}\n`);
    process.exitCode = 1;
    return;
  }
  const args = process.argv.slice(2);
  if (args.length === 1 && (args[0] === "--version" || args[0] === "-v" || args[0] === "version")) {
    const { readVersion } = await import("./version.ts");
    process.stdout.write(`${readVersion()}\n`);
    return;
  }
  const [{ main }, { createProcessIo }] = await Promise.all([import("./main.ts"), import("./io.ts")]);
  process.exitCode = await main(args, createProcessIo());
}

void start();
