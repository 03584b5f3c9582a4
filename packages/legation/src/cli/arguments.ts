/**
 * From the words of the command line to a command, its flags in the order given, and its other words. A flag may
 * stand before or after the words of the command.
 */
import { CommanderError, Option, Command as Parser } from "commander";
import { usageError } from "./cli-error.ts";
import type { Command } from "./command.ts";
import { ALIASES, COMMANDS } from "./command-table.ts";
import type { Messages } from "./messages/en.ts";
import { OPTIONS, type OptionSpec } from "./options.ts";
import type { GivenFlag } from "./settings.ts";

/** What {@link findCommand} gives. */
export interface FoundCommand {
  /** The words of the command as typed, an alias resolved; empty when there was none. */
  readonly path: string;
  /** Everything else, in order. */
  readonly rest: readonly string[];
}

const FLAGS = new Map<string, OptionSpec>();
const ALIAS_FLAGS = new Map<string, string>();
for (const [name, spec] of Object.entries(OPTIONS)) {
  FLAGS.set(`--${name}`, spec);
  if (spec.short !== undefined) FLAGS.set(`-${spec.short}`, spec);
  for (const alias of spec.aliases ?? []) ALIAS_FLAGS.set(`--${alias}`, `--${name}`);
}

/** Finds the words that name the command and takes them out; other spellings of a flag become its own. */
export function findCommand(argv: readonly string[]): FoundCommand {
  const rest: string[] = [];
  const words: string[] = [];
  let isOpen = true;
  for (let at = 0; at < argv.length; at++) {
    const token = argv[at] ?? "";
    if (token === "--") {
      rest.push(...argv.slice(at));
      break;
    }
    if (token.startsWith("-") && token !== "-") {
      rest.push(ALIAS_FLAGS.get(token) ?? token);
      const value = argv[at + 1];
      if (FLAGS.get(token)?.value !== undefined && value !== undefined) rest.push(argv[++at] ?? "");
    } else if (isOpen && isWordOfCommand([...words, token])) {
      words.push(token);
      isOpen = !isCommand(words.join(" "));
    } else {
      isOpen = false;
      rest.push(token);
    }
  }
  const path = words.join(" ");
  return { path: ALIASES.get(path) ?? path, rest };
}

function isCommand(path: string): boolean {
  return COMMANDS.has(path) || ALIASES.has(path);
}

function isWordOfCommand(words: readonly string[]): boolean {
  const path = words.join(" ");
  return isCommand(path) || [...COMMANDS.keys()].some((known) => known.startsWith(`${path} `));
}

/** What {@link parseArguments} gives. */
export interface ParsedArguments {
  readonly flags: readonly GivenFlag[];
  readonly args: readonly string[];
}

/**
 * Reads the flags and words of one command.
 *
 * @throws A usage error that names what is wrong.
 */
export function parseArguments(command: Command, rest: readonly string[], messages: Messages): ParsedArguments {
  const parser = new Parser(command.path).exitOverride().helpOption(false).allowExcessArguments(false);
  parser.configureOutput({ writeErr: () => {}, writeOut: () => {} });
  for (const word of command.words ?? []) parser.argument(word);
  const flags: GivenFlag[] = [];
  for (const name of command.options) {
    const { short, value } = OPTIONS[name];
    parser.addOption(
      new Option(`${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` <v>`}`),
    );
    parser.on(`option:${name}`, (given: string | null) => flags.push({ name, value: given ?? undefined }));
  }
  if (rest.some((token, at) => (token === "--help" || token === "-h") && !rest.slice(0, at).includes("--"))) {
    return { flags: [{ name: "help", value: undefined }], args: [] };
  }
  try {
    parser.parse([...rest], { from: "user" });
  } catch (thrown) {
    if (thrown instanceof CommanderError) throw explain(thrown, command, messages);
    throw thrown;
  }
  return { flags, args: parser.args };
}

function explain(error: CommanderError, command: Command, messages: Messages): Error {
  const hint = messages.seeHelp(messages.program, command.path);
  const quoted = /'([^']*)'/.exec(error.message)?.[1] ?? "";
  const similar = /\(Did you mean (?:one of )?(.*)\?\)/.exec(error.message)?.[1];
  const name = quoted.split(/[ ,]+/).find((part) => part.startsWith("--")) ?? quoted;
  switch (error.code) {
    case "commander.unknownOption":
      return usageError(messages.unknownOption(quoted), similar === undefined ? hint : messages.didYouMean(similar));
    case "commander.optionMissingArgument":
      return usageError(messages.missingValue(name), hint);
    case "commander.missingArgument":
      return usageError(messages.missingWord(quoted), hint);
    case "commander.excessArguments":
      return usageError(messages.tooManyWords, messages.quoteWords);
    default:
      return usageError(error.message.replace(/^error: /, ""), hint);
  }
}

/** Whether the last word on the format of the output, as far as can be told without a parser, is JSON. */
export function wantsJson(argv: readonly string[], fromEnvironment: string | undefined): boolean {
  let format = fromEnvironment;
  for (const [at, token] of argv.entries()) {
    if (token === "-o" || token === "--output") format = argv[at + 1];
    else if (token.startsWith("--output=")) format = token.slice("--output=".length);
    else if (token.startsWith("-o") && !token.startsWith("--")) format = token.slice(2).replace(/^=/, "");
  }
  return format === "json";
}
