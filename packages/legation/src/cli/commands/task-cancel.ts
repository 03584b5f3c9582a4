import type { Command } from "../command.ts";
import { withAgent } from "../open-agent.ts";
import { AGENT_OPTIONS } from "../options.ts";
import { presentTask } from "../present.ts";
import { factsOf } from "../render-task.ts";

/** `legation task cancel`. Canceled again, a task is simply shown. */
export const taskCancel: Command = {
  path: "task cancel",
  words: ["<task-id>"],
  options: [...AGENT_OPTIONS, "metadata", "stream"],
  examples: ["task cancel -a localhost:4000 <task-id>"],
  async run(context) {
    const metadata = context.settings.object("metadata");
    const id = context.args[0] ?? "";
    await withAgent(context, {}, async (agent) => {
      const request = metadata === undefined ? { id } : { id, metadata };
      const task = await agent.service.cancelTask(request, agent.call());
      agent.saw(factsOf(task.value));
      await presentTask(context, agent, task, { isWrapped: false, withHistory: false });
    });
  },
};
