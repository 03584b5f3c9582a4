import type { Command } from "../command.ts";
import { OPERATOR_OPTIONS, presentDone, withEngine } from "../open-engine.ts";

/** `legation task fail`: ends a task that is held or stuck as FAILED, with a reason that its caller reads. */
export const taskFail: Command = {
  path: "task fail",
  words: ["<task-id>"],
  options: [...OPERATOR_OPTIONS, "reason"],
  examples: ['task fail --store sqlite:./planner.db <task-id> --reason "the invoice was withdrawn"'],
  async run(context) {
    const id = context.args[0] ?? "";
    const reason = context.settings.text("reason") ?? context.messages.endedByOperator;
    await withEngine(context, (engine) => engine.fail(id, reason));
    await presentDone(context, id, "fail");
  },
};
