import type { Command } from "../command.ts";
import { OPERATOR_OPTIONS, presentDone, withEngine } from "../open-engine.ts";
import { formatField } from "../text-output.ts";

/**
 * `legation task authorize`: grants what a task in AUTH_REQUIRED asks for. It goes through the store, which callers
 * cannot reach; whoever serves the store carries on.
 */
export const taskAuthorize: Command = {
  path: "task authorize",
  words: ["<task-id>"],
  options: [...OPERATOR_OPTIONS, "show", "request"],
  examples: [
    "task authorize --store sqlite:./planner.db <task-id>",
    "task authorize --store sqlite:./planner.db <task-id> --show",
    "task authorize --store postgres://user@host/agents <task-id> --request <token>",
  ],
  async run(context) {
    const { settings, report, messages } = context;
    const id = context.args[0] ?? "";
    if (!settings.flag("show")) {
      await withEngine(context, (engine) => engine.authorize(id, settings.text("request")));
      await presentDone(context, id, "authorize");
      return;
    }
    let request: string | undefined;
    await withEngine(context, async (engine) => {
      request = await engine.pendingAuthorization(id);
    });
    if (report.isJson) await report.json(JSON.stringify({ taskId: id, request: request ?? null }));
    else await report.text(formatField("Task", id) + formatField("Request", request ?? messages.nothingAsked));
  },
};
