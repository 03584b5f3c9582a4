import type { Command } from "./command.ts";
import type { Messages } from "./messages/en.ts";
import { envName, OPTIONS, type OptionName } from "./options.ts";
import type { Settings } from "./settings.ts";

/** The help of one command: every option with its variable and the value that is in effect. */
export function formatCommandHelp(command: Command, settings: Settings, messages: Messages, program: string): string {
  const words = command.words ?? [];
  const lines = [
    `${messages.usage}: ${[program, command.path, ...words, `[${messages.options}]`].join(" ")}`,
    "",
    messages.summaries[command.path] ?? "",
    "",
  ];
  if (words.length > 0) {
    for (const word of words) lines.push(`  ${word}`, `      ${messages.words[word] ?? ""}`);
    lines.push("");
  }
  lines.push(`${messages.options}:`);
  for (const name of command.options)
    lines.push(...describeOption(name, { settings, messages, formats: command.formats }));
  lines.push("", `${messages.examples}:`);
  for (const example of command.examples) lines.push(`  ${program} ${example}`);
  lines.push("", messages.helpFooter);
  return `${lines.join("\n")}\n`;
}

function describeOption(
  name: OptionName,
  {
    settings,
    messages,
    formats = [],
  }: { settings: Settings; messages: Messages; formats: readonly string[] | undefined },
): string[] {
  const { short, value: usual } = OPTIONS[name];
  const more = name === "output" ? formats.map((format) => `|${format}`).join("") : "";
  const value = usual?.replace(/>$/, `${more}>`);
  const variable = envName(name);
  const flag = `  ${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
  const facts = [variable === undefined ? "" : `[${variable}]`, describeValue(name, settings, messages)].filter(
    Boolean,
  );
  return [flag, `      ${[messages.optionHelp[name], ...facts].join(" ")}`];
}

/** The value in effect where it is worth saying: the default, or what a variable or a file made of it. */
function describeValue(name: OptionName, settings: Settings, messages: Messages): string {
  const { fallback, secret } = OPTIONS[name];
  const resolved = settings.resolve(name);
  const usual = fallback === undefined ? "" : `(${messages.defaultIs} ${fallback})`;
  if (resolved === undefined || resolved.source === "default" || resolved.source === "flag") return usual;
  const source = resolved.source === "env" ? (envName(name) ?? "") : resolved.source;
  const shown = secret === true ? "***" : resolved.values.join(",");
  return `${usual}${usual === "" ? "" : " "}(${messages.nowIs} ${shown}, ${messages.from} ${source})`;
}

/** An overview of some commands: all, or those of one group such as `task`. */
export function formatOverview(names: readonly string[], messages: Messages, program: string): string {
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const lines = [
    messages.tagline,
    "",
    `${messages.usage}: ${program} <${messages.commands}> [${messages.options}]`,
    "",
    `${messages.commands}:`,
    ...names.map((name) => `  ${name.padEnd(width)}${messages.summaries[name] ?? ""}`),
    "",
    `${messages.examples}:`,
    `  ${program} card get -a localhost:4000`,
    `  ${program} send -a localhost:4000 "hello"`,
    `  ${program} send -a localhost:4000 -o json --stream "hello"`,
    "",
    `  ${program} help <${messages.commands}>`,
    "",
    messages.helpFooter,
  ];
  return `${lines.join("\n")}\n`;
}

/** The names of a group such as `task`; all of them for `""`. */
export function namesOfGroup(names: readonly string[], group: string): readonly string[] {
  return group === "" ? names : names.filter((name) => name.startsWith(`${group} `));
}
