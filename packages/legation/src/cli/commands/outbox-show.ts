import { createOutbox } from "../../engine/push-outbox.ts";
import type { Command } from "../command.ts";
import { OPERATOR_OPTIONS, withEngine } from "../open-engine.ts";
import { presentEntries } from "../outbox-entries.ts";

/** `legation outbox show`: the webhooks of one task. */
export const outboxShow: Command = {
  path: "outbox show",
  words: ["<task-id>"],
  options: OPERATOR_OPTIONS,
  examples: ["outbox show --store sqlite:./planner.db <task-id>"],
  async run(context) {
    await withEngine(context, async ({ store }) => {
      await presentEntries(context, await createOutbox(store).show(context.args[0] ?? ""));
    });
  },
};
