import { usageError } from "../cli-error.ts";
import type { Command } from "../command.ts";
import { COMMON_OPTIONS } from "../options.ts";
import { readCard } from "../read-card.ts";

/**
 * `legation card upgrade`: the card of an older version as one of 1.0, on stdout; what was changed, on stderr. The
 * interfaces keep the version that the agent speaks unless `--a2a-version` names another.
 */
export const cardUpgrade: Command = {
  path: "card upgrade",
  words: ["[card]"],
  options: ["agent-card", "a2a-version", "insecure", ...COMMON_OPTIONS],
  examples: [
    "card upgrade ./agent-card.json",
    "card upgrade ./agent-card.json --a2a-version 1.0 > new-card.json",
    "card upgrade -a localhost:4000",
  ],
  async run(context) {
    const { report, settings, messages } = context;
    const { upgradeCard } = await import("../../compat/v0_3/upgrade-card.ts");
    const { parseVersion } = await import("../../operations/version.ts");
    const version = settings.text("a2a-version");
    const protocolVersion = version === undefined ? undefined : parseVersion(version);
    if (version !== undefined && protocolVersion === undefined)
      throw usageError(messages.notAVersion(version), messages.seeHelp(messages.program, "card upgrade"));
    const { card, warnings } = upgradeCard(await readCard(context), { protocolVersion });
    for (const sentence of warnings) report.warn(sentence);
    const json = JSON.stringify(card, undefined, report.isJson ? undefined : 2);
    if (report.isJson) await report.json(json);
    else await report.text(`${json}\n`);
  },
};
