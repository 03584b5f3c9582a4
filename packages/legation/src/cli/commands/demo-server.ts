import { createRehearsalAgent } from "../../testing/rehearsal-agent.ts";
import { FAULT_FORMS, type Fault, parseFault, withFaults } from "../../testing/rehearsal-faults.ts";
import { usageError } from "../cli-error.ts";
import type { Command, CommandContext } from "../command.ts";
import { runHost, SERVER_OPTIONS } from "../run-host.ts";

/** `legation demo-server`, also `rehearse`: an agent that does what a message says. */
export const demoServer: Command = {
  path: "demo-server",
  options: [
    ...SERVER_OPTIONS,
    "url",
    "no-streaming",
    "no-push",
    "no-extended-card",
    "require-extension",
    "allow-webhooks",
    "fault",
    "fault-header",
  ],
  examples: [
    "demo-server",
    "rehearse --port 4100 --store sqlite:./rehearsal.db",
    "rehearse --no-streaming --require-extension urn:example:x",
    "rehearse --fault cut:5 --fault delay:200",
  ],
  async run(context) {
    const { settings } = context;
    const store = settings.text("store") ?? "memory:";
    const file = /^sqlite:(?:\/\/)?(.+)$/.exec(store)?.[1];
    const rehearsal = createRehearsalAgent({
      url: settings.text("url"),
      streaming: !settings.flag("no-streaming"),
      requiredExtensions: settings.list("require-extension"),
      effectsFile: file === undefined ? undefined : `${file}.effects.jsonl`,
    });
    if (settings.isGiven("allow-webhooks")) context.report.warn(context.messages.noPush);
    const faults = readFaults(context);
    const byHeader = settings.flag("fault-header");
    const isFaulty = faults.length > 0 || byHeader;
    await runHost(context, [rehearsal.agent], {
      store,
      ...(isFaulty ? { wrap: (handler) => withFaults(handler, { faults, byHeader }) } : {}),
      onReady: (host) => {
        const service = host.agents[0]?.service;
        if (service !== undefined) rehearsal.attach(service);
      },
    });
  },
};

function readFaults({ settings, messages }: CommandContext): readonly Fault[] {
  return settings.list("fault").map((text) => {
    const fault = parseFault(text);
    if (fault === undefined)
      throw usageError(messages.wrongValue("--fault", text, `${messages.aFault} ${FAULT_FORMS}`));
    return fault;
  });
}
