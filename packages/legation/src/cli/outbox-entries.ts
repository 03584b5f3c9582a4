import type { OutboxEntry } from "../engine/push-outbox.ts";
import type { CommandContext } from "./command.ts";
import { formatField } from "./text-output.ts";

/** Shows webhooks: one JSON document, or a group of fields each. */
export async function presentEntries(
  { report }: CommandContext,
  entries: readonly OutboxEntry[],
  more: object = {},
): Promise<void> {
  if (report.isJson) {
    await report.json(JSON.stringify({ entries, ...more }));
    return;
  }
  for (const entry of entries) {
    const { taskId, id, url, status, cursor, seq, attempts, due, error } = entry;
    let text = formatField("Task", taskId) + formatField("Webhook", id) + formatField("URL", url);
    text += formatField("Status", status) + formatField("Delivered", `${cursor} of ${seq}`);
    if (attempts > 0) text += formatField("Failures", String(attempts));
    if (error !== null) text += formatField("Error", error);
    if (due !== null && due > 0) text += formatField("Next attempt", new Date(due).toISOString());
    await report.text(`${text}\n`);
  }
}
