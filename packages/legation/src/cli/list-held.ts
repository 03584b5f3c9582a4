import type { Store, TaskRow } from "../engine/store.ts";
import { ERASED_OWNER } from "../engine/upkeep.ts";
import { usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { shellWord } from "./next-command.ts";
import { withEngine } from "./open-engine.ts";
import type { OptionName } from "./options.ts";
import { shortState } from "./task-states.ts";
import { formatField } from "./text-output.ts";

/** What callers filter by, and operators do not. */
const OF_CALLERS: readonly OptionName[] = [
  "agent-card",
  "context-id",
  "status",
  "since",
  "history",
  "page-token",
  "include-artifacts",
];
const PAGE = 100;

/**
 * Lists the tasks that are held, of every agent and owner: what a person lets go on with `task retry`, `restart-turn` or
 * `fail`. It reads the store, which a server may be serving meanwhile.
 *
 * @throws a usage error beside the filters of callers
 */
export async function listHeld(context: CommandContext): Promise<void> {
  const { settings, report, messages, program } = context;
  for (const other of OF_CALLERS)
    if (settings.isGiven(other)) throw usageError(messages.conflict("--held", `--${other}`));
  const limit = settings.count("page-size", 1, 100) ?? PAGE;
  await withEngine(context, async ({ store }) => {
    const held: object[] = [];
    const isLines = report.isJson && settings.flag("stream");
    let total = 0;
    for await (const row of heldIn(store, limit)) {
      total += 1;
      if (isLines) await report.json(JSON.stringify(heldOf(row)));
      else if (report.isJson) held.push(heldOf(row));
      else await report.text(textOf(row));
    }
    if (isLines) return;
    if (report.isJson) return report.json(JSON.stringify({ tasks: held, totalSize: total }));
    await report.text(formatField("Total", String(total)));
    const url = shellWord(settings.text("store") ?? "");
    if (total > 0) report.progress(messages.heldHint(`${program} task retry --store ${url} <task-id>`));
  });
}

async function* heldIn(store: Store, limit: number): AsyncGenerator<TaskRow> {
  for (let afterKey = 0; ; ) {
    const rows = await store.upkeep.unfinished({ held: true, afterKey, limit });
    for (const row of rows) if (row.owner !== ERASED_OWNER) yield row;
    const last = rows.at(-1);
    if (last === undefined) return;
    afterKey = last.key;
  }
}

function heldOf({ id, tenant, owner, agent, state, statusTime, agentVersion, held }: TaskRow): object {
  const since = new Date(statusTime).toISOString();
  return { taskId: id, state, since, reason: held, agent, agentVersion, tenant, owner };
}

function textOf({ id, state, statusTime, held, agent, agentVersion }: TaskRow): string {
  return [
    formatField("Task", id),
    formatField("State", shortState(state)),
    formatField("Since", new Date(statusTime).toISOString()),
    formatField("Held", held ?? ""),
    formatField("Agent", `${agent} ${agentVersion}`),
    "\n",
  ].join("");
}
