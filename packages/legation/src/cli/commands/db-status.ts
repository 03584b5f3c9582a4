import type { Command } from "../command.ts";
import { DATABASE_OPTIONS, withDatabase } from "../open-database.ts";
import { formatField } from "../text-output.ts";

/** `legation db status`: how far the schema of a store is, and whether its server keeps what it promises. */
export const dbStatus: Command = {
  path: "db status",
  options: DATABASE_OPTIONS,
  examples: ["db status --store sqlite:./planner.db", "db status --store postgres://user:password@host:5432/agents"],
  async run(context) {
    const { report, messages } = context;
    await withDatabase(context, async (database, kind) => {
      const { version, pending, problems } = await database.status();
      const steps = pending.map((step) => ({ version: step.version, name: step.name }));
      if (report.isJson) {
        await report.json(JSON.stringify({ store: kind, version, pending: steps, problems }));
        return;
      }
      await report.text(formatField("Store", kind));
      await report.text(formatField("Schema version", String(version)));
      const names = steps.map((step) => `${step.version} ${step.name}`).join(", ");
      await report.text(formatField("Pending", names === "" ? "none" : names));
      for (const problem of problems) report.warn(problem);
      if (steps.length > 0) report.warn(messages.needsUpgrade);
    });
  },
};
