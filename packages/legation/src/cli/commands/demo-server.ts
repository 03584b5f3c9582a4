import { createAgent } from "../../server/agent.ts";
import { withGrpcFaults } from "../../testing/grpc-faults.ts";
import { createRehearsalAgent } from "../../testing/rehearsal-agent.ts";
import { extendedRehearsalCard, REHEARSAL_SECURITY, rehearsalCaller } from "../../testing/rehearsal-caller.ts";
import { withFaults } from "../../testing/rehearsal-faults.ts";
import type { Command } from "../command.ts";
import { readFaults } from "../read-faults.ts";
import { runHost, SERVER_OPTIONS } from "../run-host.ts";

/** `legation demo-server`, also `rehearse`: an agent that does what a message says. */
export const demoServer: Command = {
  path: "demo-server",
  options: [...SERVER_OPTIONS, "url", "no-streaming", "no-extended-card", "require-extension", "fault", "fault-header"],
  examples: [
    "demo-server",
    "rehearse --port 4100 --store sqlite:./rehearsal.db",
    "rehearse --no-streaming --require-extension urn:example:x",
    "rehearse --allow-webhooks 127.0.0.0/8",
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
    const agent = createAgent({
      ...rehearsal.agent.options,
      ...REHEARSAL_SECURITY,
      extendedCard: settings.flag("no-extended-card") ? undefined : extendedRehearsalCard,
    });
    const faults = readFaults(context);
    const byHeader = settings.flag("fault-header");
    const isFaulty = faults.length > 0 || byHeader;
    await runHost(context, [agent], {
      store,
      authenticate: rehearsalCaller,
      ...(isFaulty
        ? {
            wrap: (handler) => withFaults(handler, { faults, byHeader }),
            wrapGrpc: (handler) => withGrpcFaults(handler, { faults, byHeader }),
          }
        : {}),
      onReady: (host) => {
        const service = host.agents[0]?.service;
        if (service !== undefined) rehearsal.attach(service);
      },
    });
  },
};
