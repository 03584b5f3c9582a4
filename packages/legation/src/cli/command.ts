import type { Io } from "./io.ts";
import type { Messages } from "./messages/en.ts";
import type { OptionName } from "./options.ts";
import type { Report } from "./report.ts";
import type { Settings } from "./settings.ts";

/** The commands that there are, for those that talk about commands. */
export interface Catalogue {
  /** As they are typed, in alphabetical order. */
  readonly names: readonly string[];
  /** The command that some words name, whether by its own name or by another one. */
  load(words: string): Promise<Command | undefined>;
}

/** What a command is given. */
export interface CommandContext {
  /** The words that are no options. */
  readonly args: readonly string[];
  readonly settings: Settings;
  readonly io: Io;
  readonly messages: Messages;
  /** Where results, warnings and diagnostics go. */
  readonly report: Report;
  /** Aborts on Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  /** How the user called the program, for commands to paste: `legation`. */
  readonly program: string;
  readonly catalogue: Catalogue;
}

/** One command; each is a file of its own in `commands/`, loaded when it is used. */
export interface Command {
  /** As it is typed: `task get`. */
  readonly path: string;
  /** Words after it, `<task-id>`; an optional one is in square brackets. */
  readonly words?: readonly string[];
  readonly options: readonly OptionName[];
  /** Formats of `--output` beside text and json. */
  readonly formats?: readonly string[];
  /** Lines to paste, without the name of the program. */
  readonly examples: readonly string[];
  /** Resolves with an exit status where the job was done and its outcome is no success: a judge that found faults. */
  // biome-ignore lint/suspicious/noConfusingVoidType: most commands have nothing to return
  run(context: CommandContext): Promise<void | number>;
}
