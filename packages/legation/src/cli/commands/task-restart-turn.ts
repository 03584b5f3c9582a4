import type { Command } from "../command.ts";
import { OPERATOR_OPTIONS, presentDone, withEngine } from "../open-engine.ts";

/**
 * `legation task restart-turn`: a held run begins its turn afresh. What the turn had recorded is not used again, but its
 * steps keep their keys: what a callee has done under a key it does not do again.
 */
export const taskRestartTurn: Command = {
  path: "task restart-turn",
  words: ["<task-id>"],
  options: OPERATOR_OPTIONS,
  examples: ["task restart-turn --store sqlite:./planner.db <task-id>"],
  async run(context) {
    const id = context.args[0] ?? "";
    await withEngine(context, (engine) => engine.restartTurn(id));
    await presentDone(context, id, "restart-turn");
  },
};
