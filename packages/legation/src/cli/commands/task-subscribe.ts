import type { Command } from "../command.ts";
import { followRun } from "../follow-run.ts";
import { withAgent } from "../open-agent.ts";
import { AGENT_OPTIONS } from "../options.ts";
import { pollTask } from "../poll-task.ts";
import { presentTask } from "../present.ts";
import { pollingOf } from "./task-get.ts";

/** `legation task subscribe`: follows a task that is there. A broken connection is resumed. */
export const taskSubscribe: Command = {
  path: "task subscribe",
  words: ["<task-id>"],
  options: [...AGENT_OPTIONS, "stream", "poll-interval", "history"],
  examples: [
    "task subscribe -a localhost:4000 --stream <task-id>",
    "task subscribe -a localhost:4000 -o json <task-id>",
  ],
  async run(context) {
    const { settings, report, messages } = context;
    const taskId = context.args[0] ?? "";
    const isLive = settings.flag("stream");
    const polling = pollingOf(context, settings.count("history", 0, 2_147_483_647));
    await withAgent(context, {}, async (agent) => {
      if (agent.card.capabilities.streaming === true) {
        const run = agent.client.subscribe(taskId, { signal: agent.signal });
        await followRun(context, agent, { run, isLive, isFollowUp: false, isWrapped: false, polling });
        return;
      }
      if (isLive) report.warn(messages.noStreaming);
      const task = await pollTask(agent, taskId, polling);
      await presentTask(context, agent, task, { isWrapped: isLive, withHistory: polling.historyLength !== undefined });
    });
  },
};
