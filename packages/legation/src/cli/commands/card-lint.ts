import { cardLocations } from "../../client/discover-card.ts";
import type { JsonValue } from "../../model/json.ts";
import { pathOfReference } from "../card-reference.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { createHttpFetch } from "../http-fetch.ts";
import { COMMON_OPTIONS } from "../options.ts";
import { readValue } from "../read-value.ts";
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

async function readCard(context: CommandContext): Promise<JsonValue> {
  const { settings, args, io, signal } = context;
  const reference = args[0] === undefined ? settings.text("agent-card") : undefined;
  if (reference === undefined) return readValue(context, args[0]);
  if (pathOfReference(reference, io) !== undefined) return readValue(context, reference);
  const fetch = createHttpFetch({ isInsecure: settings.flag("insecure"), isPatient: false });
  const { send, readText } = await import("../../bindings/http/outgoing.ts");
  const { LocalError } = await import("../../operations/errors.ts");
  for (const url of cardLocations(reference)) {
    const response = await send(fetch as Parameters<typeof send>[0], url, {
      method: "GET",
      headers: {},
      redirect: "manual",
      signal,
    });
    const text = await readText(response, url, { maxBytes: MAX_CARD_BYTES, signal });
    if (response.status === 200) return readValue(context, text);
  }
  throw new LocalError("NOT_AN_AGENT", `no agent card at ${cardLocations(reference).join(" or ")}`);
}

/** Longest card that is read. */
const MAX_CARD_BYTES = 1024 * 1024;
