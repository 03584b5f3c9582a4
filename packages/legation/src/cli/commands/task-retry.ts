import type { Command } from "../command.ts";
import { OPERATOR_OPTIONS, presentDone, withEngine } from "../open-engine.ts";

/** `legation task retry`: a held run is run again from its journal, by whoever serves the store. */
export const taskRetry: Command = {
  path: "task retry",
  words: ["<task-id>"],
  options: OPERATOR_OPTIONS,
  examples: ["task retry --store sqlite:./planner.db <task-id>"],
  async run(context) {
    const id = context.args[0] ?? "";
    await withEngine(context, (engine) => engine.retry(id));
    await presentDone(context, id, "retry");
  },
};
