import type { AgentCard, AgentInterface, AgentSkill } from "../../model/gen/types.ts";
import { ModelError } from "../../model/model-error.ts";
import { parseAgentCard } from "../../model/parse-agent-card.ts";
import { CliError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { withAgent } from "../open-agent.ts";
import { AGENT_OPTIONS } from "../options.ts";
import { formatBlock, formatField } from "../text-output.ts";

/** `legation card get`: who an agent is, what it can do, how it is reached. */
export const cardGet: Command = {
  path: "card get",
  options: [...AGENT_OPTIONS, "validate", "extended", "stream"],
  examples: ["card get -a localhost:4000", "card get -a ./agent-card.json --validate -o json"],
  async run(context) {
    const { settings, report, messages } = context;
    await withAgent(context, {}, async (agent) => {
      const card = settings.flag("extended") ? await agent.client.extendedCard({ signal: agent.signal }) : agent.card;
      const received = settings.flag("extended") ? card : agent.receivedCard;
      if (settings.flag("validate")) assertValid(received, context);
      // As it was received: what a lenient reading put right is not what the agent said.
      if (report.isJson) await report.json(JSON.stringify(received));
      else {
        await report.text(renderCard(card, agent.client.interface, report.options.verbose));
        for (const warning of agent.client.discovered.warnings) report.warn(warning);
        if (settings.flag("validate")) report.progress(messages.cardIsValid);
      }
    });
  },
};

function assertValid(card: unknown, { messages }: CommandContext): void {
  try {
    // The parser puts right what it may in place, and the card is still to be shown.
    parseAgentCard(structuredClone(card));
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown;
    const problems = thrown.violations.map(({ field, description }) => `${field}: ${description}`).join("; ");
    throw new CliError("A2ACLI_ERR_CARD_INVALID", messages.cardProblem(problems), { cause: thrown });
  }
}

function renderCard(card: AgentCard, chosen: AgentInterface, isVerbose: boolean): string {
  const { capabilities } = card;
  let text = formatField("Name", card.name);
  text += formatField("Description", card.description);
  text += formatField("Version", card.version);
  if (card.provider !== undefined)
    text += formatField("Provider", `${card.provider.organization} (${card.provider.url})`);
  if (card.documentationUrl !== undefined) text += formatField("Documentation", card.documentationUrl);
  text += formatField("Streaming", yesOrNo(capabilities.streaming));
  text += formatField("Push notifications", yesOrNo(capabilities.pushNotifications));
  text += formatField("Extended card", yesOrNo(capabilities.extendedAgentCard));
  for (const { uri, required } of capabilities.extensions ?? []) {
    text += formatField("Extension", `${uri ?? ""}${required === true ? " (required)" : ""}`);
  }
  for (const entry of card.supportedInterfaces) text += formatField("Interface", describeInterface(entry));
  text += formatField("Selected interface", describeInterface(chosen));
  for (const [name, scheme] of Object.entries(card.securitySchemes ?? {})) {
    text += formatField("Security scheme", `${name} (${Object.keys(scheme).join(", ")})`);
  }
  text += formatField("Signatures", (card.signatures ?? []).length === 0 ? "absent" : "present, not verified");
  text += formatField("Input modes", card.defaultInputModes.join(", "));
  text += formatField("Output modes", card.defaultOutputModes.join(", "));
  for (const skill of card.skills) text += renderSkill(skill, isVerbose);
  return text;
}

function renderSkill(skill: AgentSkill, isVerbose: boolean): string {
  const head = formatField("Skill", `${skill.id}: ${skill.name}`) + formatField("Skill description", skill.description);
  const tags = skill.tags.length === 0 ? "" : formatField("Skill tags", skill.tags.join(", "));
  const examples = isVerbose
    ? (skill.examples ?? []).map((example) => formatBlock("Skill example", example)).join("")
    : "";
  return head + tags + examples;
}

function describeInterface({ protocolBinding, protocolVersion, url, tenant }: AgentInterface): string {
  return `${protocolBinding} ${protocolVersion} ${url}${tenant === undefined ? "" : ` tenant ${tenant}`}`;
}

function yesOrNo(flag: boolean | undefined): string {
  return flag === true ? "yes" : "no";
}
