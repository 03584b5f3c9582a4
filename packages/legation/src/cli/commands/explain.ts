import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import type { Explanation } from "../explain-value.ts";
import { COMMON_OPTIONS } from "../options.ts";
import { readValue } from "../read-value.ts";
import { formatBlock, formatField } from "../text-output.ts";

/** `legation explain`: what some JSON of the protocol means, and what it is in 1.0. */
export const explain: Command = {
  path: "explain",
  words: ["[json]"],
  options: COMMON_OPTIONS,
  examples: [
    "explain ./agent-card.json",
    `explain '{"kind":"message","role":"user","parts":[{"kind":"text","text":"hello"}]}'`,
    "explain -o json < answer.json",
  ],
  async run(context) {
    const { explainValue } = await import("../explain-value.ts");
    const explained = await explainValue(await readValue(context, context.args[0]));
    if (explained === undefined) throw usageError(context.messages.notOfProtocol, context.messages.howToExplain);
    if (context.report.isJson) await context.report.json(JSON.stringify(explained));
    else await context.report.text(render(explained, context));
  },
};

function render(
  { what, version, signs, inside, fields, problems, corrected, error }: Explanation,
  context: CommandContext,
): string {
  const { messages } = context;
  let text = formatField("What", what);
  if (error === undefined)
    text += formatField("Version", signs.length === 0 ? version : `${version} (${signs.join(", ")})`);
  for (const around of inside) text += formatField("Inside", around);
  if (error !== undefined) {
    text += formatField("Error", error.code ?? messages.unknownError);
    if (error.message !== "") text += formatField("Message", error.message);
    if (error.code !== undefined) {
      text += formatField("JSON-RPC code", String(error.jsonRpc));
      text += formatField("HTTP status", String(error.http));
      text += formatField("gRPC status", String(error.grpc));
    }
    text += formatField("Advice", error.advice);
    for (const { field, description } of error.violations)
      text += formatField("Wrong field", `${field}: ${description}`);
    for (const [key, value] of Object.entries(error.metadata))
      text += formatField("Detail", `${key} = ${String(value)}`);
    return text;
  }
  for (const { level, field, description } of problems) {
    text += formatField(level === "error" ? "Wrong" : "Note", field === "" ? description : `${field}: ${description}`);
  }
  const lines = fields.map(
    ({ path, value, meaning }) => `${path} = ${value}${meaning === undefined ? "" : `  # ${meaning}`}`,
  );
  text += formatBlock("Fields", lines.join("\n"));
  return text + (corrected === undefined ? "" : formatBlock("In 1.0", JSON.stringify(corrected, undefined, 2)));
}
