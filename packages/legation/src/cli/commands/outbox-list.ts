import { createOutbox } from "../../engine/push-outbox.ts";
import { usageError } from "../cli-error.ts";
import type { Command } from "../command.ts";
import { shellWord } from "../next-command.ts";
import { OPERATOR_OPTIONS, withEngine } from "../open-engine.ts";
import { presentEntries } from "../outbox-entries.ts";

/** `legation outbox list`: the webhooks of all tasks, and what is still to be delivered to them. */
export const outboxList: Command = {
  path: "outbox list",
  options: [...OPERATOR_OPTIONS, "outbox-status", "page-size", "page-token"],
  examples: [
    "outbox list --store sqlite:./planner.db",
    "outbox list --store sqlite:./planner.db --outbox-status dead -o json",
  ],
  async run(context) {
    const { settings, report, messages } = context;
    const status = settings.text("outbox-status") as "dead" | "pending" | undefined;
    const limit = settings.count("page-size", 1, 100) ?? 50;
    const after = parsePlace(settings.text("page-token"));
    if (after === null)
      throw usageError(messages.wrongValue("--page-token", settings.text("page-token") ?? "", "42:…"));
    await withEngine(context, async ({ store }) => {
      const page = await createOutbox(store).list({ status, limit, after });
      const nextPageToken = page.next === undefined ? "" : `${page.next.key}:${page.next.id}`;
      await presentEntries(context, page.entries, { nextPageToken });
      if (nextPageToken !== "" && !report.isJson) {
        report.warn(messages.morePages(`${context.program} outbox list --page-token ${shellWord(nextPageToken)}`));
      }
    });
  },
};

/** Undefined for the first page, null for what is no place. */
function parsePlace(token: string | undefined): { readonly key: number; readonly id: string } | undefined | null {
  if (token === undefined) return undefined;
  const found = /^(\d{1,15}):(.*)$/s.exec(token);
  return found === null ? null : { key: Number(found[1]), id: found[2] ?? "" };
}
