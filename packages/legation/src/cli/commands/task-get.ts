import type { Command, CommandContext } from "../command.ts";
import { withAgent } from "../open-agent.ts";
import { AGENT_OPTIONS } from "../options.ts";
import { pollTask } from "../poll-task.ts";
import { presentTask } from "../present.ts";
import { factsOf } from "../render-task.ts";

/** The most messages of a history that may be asked for: what the protocol's int32 carries. */
const MAX_HISTORY = 2_147_483_647;

/** `legation task get`: once, or until the task ends or needs the caller. */
export const taskGet: Command = {
  path: "task get",
  words: ["<task-id>"],
  options: [...AGENT_OPTIONS, "wait", "poll-interval", "history", "stream"],
  examples: [
    "task get -a localhost:4000 <task-id>",
    "task get -a localhost:4000 --wait --timeout 5m -o json <task-id>",
  ],
  async run(context) {
    const { settings, args } = context;
    const taskId = args[0] ?? "";
    const historyLength = settings.count("history", 0, MAX_HISTORY);
    const polling = pollingOf(context, historyLength);
    await withAgent(context, {}, async (agent) => {
      const request = { id: taskId, ...(historyLength === undefined ? {} : { historyLength }) };
      const isWaiting = settings.flag("wait");
      if (isWaiting) context.report.progress(context.messages.waiting(taskId, "…"));
      const task = isWaiting
        ? await pollTask(agent, taskId, polling)
        : await agent.service.getTask(request, agent.call());
      agent.saw(factsOf(task.value));
      await presentTask(context, agent, task, { isWrapped: false, withHistory: historyLength !== undefined });
    });
  },
};

/** How often to ask: what was given is kept to, the default may grow. */
export function pollingOf(
  { settings }: CommandContext,
  historyLength: number | undefined,
): Parameters<typeof pollTask>[2] {
  return {
    intervalMs: settings.duration("poll-interval") ?? 2_000,
    isFixed: settings.resolve("poll-interval")?.source !== "default",
    historyLength,
  };
}
