import type { Command } from "../command.ts";
import { loadAgents } from "../load-agents.ts";
import { runHost, SERVER_OPTIONS } from "../run-host.ts";

/** `legation serve`: the agents that a module exports, under any name. */
export const serveCommand: Command = {
  path: "serve",
  words: ["<module>"],
  options: SERVER_OPTIONS,
  examples: ["serve ./planner.ts", "serve ./planner.js --port 4000 --store sqlite:./planner.db"],
  async run(context) {
    const agents = await loadAgents(context.args[0] ?? "", context);
    await runHost(context, agents, { store: context.settings.text("store") ?? "memory:" });
  },
};
