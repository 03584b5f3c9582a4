import { usageError } from "../cli-error.ts";
import type { Command } from "../command.ts";
import { formatCommandHelp, formatOverview, namesOfGroup } from "../help-text.ts";

/** `legation help [command]`: the same as `legation <command> --help`. */
export const help: Command = {
  path: "help",
  words: ["[command...]"],
  options: ["config", "help"],
  examples: ["help send", "help task get"],
  async run({ args, settings, messages, io, program, catalogue }) {
    const words = args.join(" ");
    const command = await catalogue.load(words);
    if (command !== undefined) {
      await io.out(formatCommandHelp(command, settings, messages, program));
      return;
    }
    const names = namesOfGroup(catalogue.names, words);
    if (names.length === 0) throw usageError(messages.unknownCommand(words), messages.seeHelp(messages.program, ""));
    await io.out(formatOverview(names, messages, program));
  },
};
