import { usageError } from "../cli-error.ts";
import type { Command } from "../command.ts";
import { COMMON_OPTIONS } from "../options.ts";
import { readCard } from "../read-card.ts";
import { formatField } from "../text-output.ts";

/** `legation card lint`: what is wrong with a card, and what will hurt. Exits with 1 for an error. */
export const cardLint: Command = {
  path: "card lint",
  words: ["[card]"],
  options: ["agent-card", "insecure", ...COMMON_OPTIONS],
  examples: ["card lint ./agent-card.json", "card lint -a localhost:4000", "card lint - < agent-card.json"],
  async run(context) {
    const { report, messages } = context;
    const { lintCard } = await import("../lint-card.ts");
    const found = await lintCard(await readCard(context));
    if (found === undefined) throw usageError(messages.cardProblem(messages.notACard), messages.checkCard);
    const { version, problems } = found;
    const errors = problems.filter(({ level }) => level === "error").length;
    if (report.isJson) await report.json(JSON.stringify({ version, errors, problems }));
    else {
      let text = formatField("Version", version);
      for (const { level, field, description } of problems) {
        text += formatField(
          level === "error" ? "Error" : "Warning",
          field === "" ? description : `${field}: ${description}`,
        );
      }
      await report.text(text + formatField("Errors", String(errors)));
    }
    return errors > 0 ? 1 : 0;
  },
};
