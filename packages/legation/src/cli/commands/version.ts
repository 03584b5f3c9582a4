import type { Command } from "../command.ts";
import { readVersion } from "../version.ts";

/** `legation version`: the same as `--version`. */
export const version: Command = {
  path: "version",
  options: ["output", "help"],
  examples: ["version", "--version"],
  async run({ report }) {
    if (report.isJson) await report.json(JSON.stringify({ version: readVersion() }));
    else await report.text(`${readVersion()}\n`);
  },
};
