import { findCommand, parseArguments, wantsJson } from "./arguments.ts";
import { usageError } from "./cli-error.ts";
import type { Command } from "./command.ts";
import { CATALOGUE } from "./command-table.ts";
import { explainFailure } from "./explain-failure.ts";
import { formatCommandHelp, formatOverview, namesOfGroup } from "./help-text.ts";
import type { Io } from "./io.ts";
import { loadMessages } from "./language.ts";
import type { Messages } from "./messages/en.ts";
import { nearest } from "./nearest.ts";
import { Report } from "./report.ts";
import { Settings } from "./settings.ts";
import { Interrupted, type Interruption, listenForSignals } from "./signals.ts";
import { readVersion } from "./version.ts";

/**
 * Runs one command.
 *
 * @param argv - The words after the name of the program.
 * @returns The exit status: 0 when the program did its job, whatever became of the task; 2 for arguments that make no
 * sense; 3, 4 and 5 as the a2a-cli specification reserves them; 128 + n after a signal; 1 for everything else.
 */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const messages = await loadMessages(io.env);
  const interruption = listenForSignals();
  let report = new Report(
    {
      format: wantsJson(argv, io.env["A2ACLI_OUTPUT"]) ? "json" : "text",
      verbose: false,
      debug: false,
      progress: false,
    },
    io,
    messages,
  );
  try {
    return await dispatch(argv, io, messages, interruption, (made) => {
      report = made;
    });
  } catch (thrown) {
    if (thrown instanceof Interrupted) return interruption.exitCode ?? 1;
    const failure = explainFailure(thrown, messages);
    if (failure.code === "A2ACLI_ERR_INTERNAL") report.debug(describe(thrown));
    await report.failure(failure);
    return failure.exitCode;
  } finally {
    interruption.dispose();
  }
}

async function dispatch(
  argv: readonly string[],
  io: Io,
  messages: Messages,
  interruption: Interruption,
  announce: (report: Report) => void,
): Promise<number> {
  const { program } = messages;
  const { path, rest } = findCommand(argv);
  const command = await CATALOGUE.load(path);
  if (command === undefined) {
    await withoutCommand(path, rest, io, messages);
    return 0;
  }
  const { flags, args } = parseArguments(command, rest, messages);
  const settings = new Settings(flags, { io, messages, formats: command.formats ?? [] });
  if (settings.isGiven("help")) {
    await io.out(formatCommandHelp(command, settings, messages, program));
    return 0;
  }
  const report = createReport(command, settings, io, messages);
  announce(report);
  const status = await command.run({
    args,
    settings,
    io,
    messages,
    report,
    signal: interruption.signal,
    program,
    catalogue: CATALOGUE,
  });
  return status ?? 0;
}

function createReport(command: Command, settings: Settings, io: Io, messages: Messages): Report {
  const has = (name: Command["options"][number]): boolean => command.options.includes(name);
  return new Report(
    {
      format: settings.text("output") === "json" ? "json" : "text",
      verbose: settings.flag("verbose"),
      debug: settings.flag("debug"),
      progress: has("progress") && settings.flag("progress"),
    },
    io,
    messages,
  );
}

async function withoutCommand(path: string, rest: readonly string[], io: Io, messages: Messages): Promise<void> {
  const words = rest.filter((token) => !token.startsWith("-"));
  if (rest.includes("--version") || rest.includes("-v")) {
    await io.out(`${readVersion()}\n`);
    return;
  }
  const isHelp = rest.includes("--help") || rest.includes("-h");
  if (isHelp || (path === "" && words.length === 0)) {
    await io.out(formatOverview(namesOfGroup(CATALOGUE.names, path), messages, messages.program));
    return;
  }
  const typed = [path, words[0] ?? ""].filter(Boolean).join(" ");
  const similar = nearest(typed, CATALOGUE.names);
  throw usageError(
    messages.unknownCommand(typed),
    similar === undefined ? messages.seeHelp(messages.program, "") : messages.didYouMean(similar),
  );
}

function describe(thrown: unknown): string {
  return thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
}
