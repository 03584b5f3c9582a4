import type { Engine } from "../engine/engine.ts";
import { CliError, usageError } from "./cli-error.ts";
import type { CommandContext } from "./command.ts";
import { withDatabase } from "./open-database.ts";
import { COMMON_OPTIONS, type OptionName } from "./options.ts";
import { formatField } from "./text-output.ts";

/** Options of the commands that a person uses on tasks which cannot go on by themselves. */
export const OPERATOR_OPTIONS: readonly OptionName[] = [...COMMON_OPTIONS, "store"];

/**
 * Runs `use` on an engine over the store that `--store` names. It runs no agent: whoever serves the store carries on
 * with what was changed.
 */
export async function withEngine(context: CommandContext, use: (engine: Engine) => Promise<void>): Promise<void> {
  const { settings, messages } = context;
  const url = settings.text("store");
  if (url === undefined) throw usageError(messages.noDatabase, messages.nameStore);
  // A schema is changed by whoever serves it, or on request: never on the way to something else.
  await withDatabase(context, async (database) => {
    const { pending } = await database.status();
    if (pending.length > 0) throw new CliError("LEGATION_ERR_SCHEMA", messages.needsUpgrade);
  });
  const { openStore } = await import("../hosts/node/open-store.ts");
  const { Engine } = await import("../engine/engine.ts");
  const engine = new Engine({ store: await openStore(url), agents: [] });
  await engine.start();
  try {
    await use(engine);
  } finally {
    await engine.stop({ graceMs: 0 });
  }
}

/** Says what was done to a task. */
export async function presentDone({ report }: CommandContext, taskId: string, done: string): Promise<void> {
  if (report.isJson) await report.json(JSON.stringify({ taskId, done }));
  else {
    await report.text(formatField("Task", taskId));
    await report.text(formatField("Done", done));
  }
}
