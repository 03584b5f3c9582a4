import { CliError, usageError } from "../cli-error.ts";
import type { Command } from "../command.ts";
import { loadAgents } from "../load-agents.ts";
import { withDatabase } from "../open-database.ts";
import { COMMON_OPTIONS } from "../options.ts";
import { formatField } from "../text-output.ts";

/** `legation replay --check`: does this code fit the journals of the tasks that wait in a store? Nothing is written. */
export const replay: Command = {
  path: "replay",
  words: ["<module>"],
  options: [...COMMON_OPTIONS, "store", "check"],
  examples: ["replay --check ./planner.ts --store sqlite:./planner.db"],
  async run(context) {
    const { settings, report, messages } = context;
    if (!settings.flag("check")) throw usageError(messages.replayOnlyChecks);
    const url = settings.text("store") ?? "memory:";
    await withDatabase(context, async (database) => {
      if ((await database.status()).pending.length > 0)
        throw new CliError("LEGATION_ERR_SCHEMA", messages.needsUpgrade);
    });
    const agents = await loadAgents(context.args[0] ?? "", context);
    const { openStore } = await import("../../hosts/node/open-store.ts");
    const { checkReplays } = await import("../check-replay.ts");
    await using store = await openStore(url);
    await store.open();
    let [fitting, misfits] = [0, 0];
    for await (const check of checkReplays(store, agents)) {
      if (check.fits) fitting += 1;
      else misfits += 1;
      if (report.isJson) await report.json(JSON.stringify(check));
      else if (!check.fits) await report.text(formatField(check.taskId, check.reason ?? ""));
    }
    if (!report.isJson) await report.text(formatField("Fits", `${fitting} of ${fitting + misfits}`));
    if (misfits > 0)
      throw new CliError("LEGATION_ERR_REPLAY", messages.doesNotFit(misfits), { hint: messages.howToFit });
  },
};
