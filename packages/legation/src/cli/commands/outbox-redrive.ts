import { createOutbox } from "../../engine/push-outbox.ts";
import type { Command } from "../command.ts";
import { OPERATOR_OPTIONS, withEngine } from "../open-engine.ts";
import { formatField } from "../text-output.ts";

/** `legation outbox redrive`: tries webhooks of a task again, from where they stopped. Whoever serves the store delivers. */
export const outboxRedrive: Command = {
  path: "outbox redrive",
  words: ["<task-id>", "[webhook-id]"],
  options: OPERATOR_OPTIONS,
  examples: ["outbox redrive --store sqlite:./planner.db <task-id>"],
  async run(context) {
    const [taskId = "", id] = context.args;
    await withEngine(context, async ({ store }) => {
      const redriven = await createOutbox(store).redrive(taskId, id);
      const { report } = context;
      if (report.isJson) await report.json(JSON.stringify({ taskId, redriven }));
      else await report.text(formatField("Task", taskId) + formatField("Redriven", String(redriven)));
    });
  },
};
