import type { Command } from "../command.ts";
import { AGENT_OPTIONS, envName, OPTIONS, type OptionName } from "../options.ts";
import { formatField } from "../text-output.ts";

const NOT_A_SETTING: ReadonlySet<OptionName> = new Set<OptionName>(["help", "config"]);

/** `legation config show`: changes nothing. */
export const configShow: Command = {
  path: "config show",
  options: [
    ...AGENT_OPTIONS,
    "poll-interval",
    "async",
    "wait",
    "context-id",
    "task-id",
    "metadata",
    "history",
    "page-size",
  ],
  examples: ["config show", "config show --config ./staging.env -o json"],
  async run({ settings, report }) {
    const shown: Record<string, { value: string | null; source: string }> = {};
    for (const name of Object.keys(OPTIONS) as OptionName[]) {
      if (envName(name) === undefined || NOT_A_SETTING.has(name)) continue;
      const resolved = settings.resolve(name);
      const value = OPTIONS[name].secret === true && resolved !== undefined ? "***" : resolved?.values.join(",");
      const source = resolved?.source === "env" ? (envName(name) ?? "env") : (resolved?.source ?? "default");
      shown[name] = { value: value ?? null, source };
    }
    if (report.isJson) {
      await report.json(JSON.stringify(shown));
      return;
    }
    for (const [name, { value, source }] of Object.entries(shown)) {
      await report.text(formatField(name, `${value ?? "(unset)"} [${source}]`));
    }
  },
};
